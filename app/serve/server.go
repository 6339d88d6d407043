//go:build !js

package serve

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/web"
)

// times are the timeouts of the server.
type times struct {
	header time.Duration // for the header of a request
	body   time.Duration // for the body of a request that counts as a session
	unread time.Duration // for a body that is not needed
	answer time.Duration // for the client to read an answer
	idle   time.Duration // for the next request on a connection
	write  time.Duration // for the client of a socket to read a message
	ping   time.Duration // between two pings of a socket
	pong   time.Duration // for the answer to a ping
}

// patience returns the default timeouts.
func patience() times {
	return times{
		header: 5 * time.Second, body: 30 * time.Second, unread: time.Second, answer: 30 * time.Second, idle: time.Minute,
		write: 10 * time.Second, ping: 30 * time.Second, pong: time.Minute,
	}
}

// endTime is how long the server waits for requests in progress when it shuts down. It is a variable
// because tests need more on a busy machine.
var endTime = 2 * time.Second

const headerBytes = 16 << 10 // maximum size of a request's header

// server is the page and the API.
type server struct {
	service  *session.Service
	guard    *guard
	times    times
	cert     getCertificate // nil: without TLS
	listener net.Listener
	sessions chan struct{} // holds a token for each open session
	page     http.Handler
	under    context.Context // of all sessions and requests
	end      context.CancelFunc
	sockets  sync.WaitGroup
}

// newServer returns a server for the connections of listener and creates its engines.
func newServer(s *settings, listener net.Listener) (*server, error) {
	address, ok := listener.Addr().(*net.TCPAddr)
	if !ok {
		return nil, fmt.Errorf("not a TCP address: %v", listener.Addr())
	}
	service, err := session.New(s.config)
	if err != nil {
		return nil, err
	}
	srv := &server{
		service: service, guard: newGuard(s, address), times: s.times, cert: s.cert, listener: listener,
		sessions: make(chan struct{}, s.sessions), page: web.Page(),
	}
	srv.under, srv.end = context.WithCancel(context.Background())
	return srv, nil
}

// greeting returns the message printed at the start.
func (s *server) greeting() string {
	scheme := "http"
	if s.cert != nil {
		scheme = "https"
	}
	text := "Tabula is at " + scheme + "://" + s.listener.Addr().String() + "/"
	if s.guard.asks {
		text += "?token=… (your token, once per browser)"
	}
	return text + "\nPress Ctrl-C to stop"
}

// handler returns the HTTP handler.
func (s *server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/socket", s.socket)
	mux.HandleFunc("/api/{word}", s.once)
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotFound, "", "want POST /api/WORD or /api/socket")
	})
	mux.Handle("/", s.page)
	guarded := s.guard.wrap(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		control := http.NewResponseController(w)
		_ = control.SetWriteDeadline(time.Now().Add(s.times.answer)) // if it can be set
		// Before it answers, net/http reads the rest of the body that the handler did not read.
		leave := func() {
			if r.ContentLength != 0 {
				_ = control.SetReadDeadline(time.Now().Add(s.times.unread))
			}
		}
		leave()
		guarded.ServeHTTP(w, r)
		leave()
	})
}

// run serves until ctx ends.
func (s *server) run(ctx context.Context) error {
	h := &http.Server{
		Handler: s.handler(), ReadHeaderTimeout: s.times.header, IdleTimeout: s.times.idle,
		MaxHeaderBytes: headerBytes, ErrorLog: log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return s.under },
	}
	// One request at a time per connection, because deadlines belong to the connection.
	h.Protocols = new(http.Protocols)
	h.Protocols.SetHTTP1(true)
	failed := make(chan error, 1)
	go func() {
		if s.cert == nil {
			failed <- h.Serve(s.listener)
			return
		}
		h.TLSConfig = &tls.Config{GetCertificate: s.cert}
		failed <- h.ServeTLS(s.listener, "", "")
	}()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.end()
	patience, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if h.Shutdown(patience) != nil {
		_ = h.Close() // cuts off the remaining connections
	}
	ended := make(chan struct{})
	go func() {
		s.sockets.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		s.service.Close()
	case <-patience.Done(): // the process ends, and the engines with it
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// enter counts one more session. If there are too many, it refuses the request and returns false.
func (s *server) enter(w http.ResponseWriter) bool {
	select {
	case s.sessions <- struct{}{}:
		s.sockets.Add(1)
		return true
	default:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "", plural.Do(cap(s.sessions), "session", "is", "are")+" open, the maximum")
		return false
	}
}

// leave counts one session less.
func (s *server) leave() {
	<-s.sessions
	s.sockets.Done()
}
