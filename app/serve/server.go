//go:build !js

package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/web"
)

// patience is how long the server waits for a client to send a request, or to read an answer or a message.
const patience = 30 * time.Second

// endTime is how long the server waits for requests in progress when it shuts down. It is a variable
// because tests need more on a busy machine.
var endTime = 2 * time.Second

const headerBytes = 16 << 10 // maximum size of a request's header

// server is the page and the API.
type server struct {
	service  *session.Service
	hosts    []string // other allowed names
	patience time.Duration
	listener net.Listener
	sessions sessions
	page     http.Handler
	under    context.Context // of all sessions and requests
	end      context.CancelCauseFunc
}

// newServer returns a server for the connections of listener and creates its engines.
func newServer(s *settings, listener net.Listener) (*server, error) {
	service, err := session.New(s.config)
	if err != nil {
		return nil, err
	}
	srv := &server{
		service: service, hosts: s.hosts, patience: s.patience, listener: listener,
		sessions: sessions{most: s.sessions, open: map[*visit]bool{}}, page: web.Page(),
	}
	srv.under, srv.end = context.WithCancelCause(context.Background())
	return srv, nil
}

// greeting returns the message printed at the start.
func (s *server) greeting() string {
	return fmt.Sprintf("Tabula is at http://%s/\nPress Ctrl-C to stop", s.listener.Addr())
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
	return guard(mux, s.hosts)
}

// run serves until ctx ends.
func (s *server) run(ctx context.Context) error {
	h := &http.Server{
		Handler: s.handler(), ReadTimeout: s.patience, WriteTimeout: s.patience, MaxHeaderBytes: headerBytes,
		ErrorLog:    log.New(io.Discard, "", 0),
		BaseContext: func(net.Listener) context.Context { return s.under },
	}
	// One request at a time per connection, because deadlines belong to the connection.
	h.Protocols = new(http.Protocols)
	h.Protocols.SetHTTP1(true)
	failed := make(chan error, 1)
	go func() { failed <- h.Serve(s.listener) }()
	var err error
	select {
	case err = <-failed:
	case <-ctx.Done():
	}
	s.end(errEnding)
	patience, cancel := context.WithTimeout(context.Background(), endTime)
	defer cancel()
	if h.Shutdown(patience) != nil {
		_ = h.Close() // cuts off the remaining connections
	}
	ended := make(chan struct{})
	go func() {
		s.sessions.work.Wait()
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
