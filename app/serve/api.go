//go:build !js

package serve

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/tabula-chess/tabula/app/session"
)

// once answers POST /api/WORD with the final reply to the request.
func (s *server) once(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "", "want POST")
		return
	}
	// A form of another site cannot send this type without a preflight request.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "Content-Type", "want application/json")
		return
	}
	ctx, end := context.WithCancelCause(r.Context())
	defer end(nil)
	came, busy := time.Now(), atomic.Bool{}
	v := &visit{browser: browserOf(w, r), idle: func() (time.Time, bool) { return came, !busy.Load() }, end: end}
	if err := s.sessions.enter(v); err != nil {
		unavailable(w, err)
		return
	}
	defer s.sessions.work.Done()
	defer s.sessions.leave(v)
	control := http.NewResponseController(w)
	stop := context.AfterFunc(ctx, func() { _ = control.SetReadDeadline(time.Now()) }) // ends the reading
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, session.MaxMessage))
	busy.Store(true)
	stop()
	switch _, long := errors.AsType[*http.MaxBytesError](err); {
	case context.Cause(ctx) == errAway, context.Cause(ctx) == errEnding: // not because the client is gone
		unavailable(w, context.Cause(ctx))
		return
	case long:
		refuse(w, http.StatusRequestEntityTooLarge, "", "the body is too large")
		return
	case err != nil:
		refuse(w, http.StatusBadRequest, "", "the body did not arrive")
		return
	}
	answer, failed, err := s.service.Answer(ctx, r.PathValue("word"), body)
	_ = control.SetWriteDeadline(time.Now().Add(s.patience))
	if err != nil {
		unavailable(w, err)
		return
	}
	status := http.StatusOK
	if failed {
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(answer, '\n')) // the client may be gone
}

// unavailable refuses a request for which there is no session, or no longer.
func unavailable(w http.ResponseWriter, err error) {
	w.Header().Set("Retry-After", "5")
	refuse(w, http.StatusServiceUnavailable, "", err.Error())
}

// errEnding ends the sessions when the server shuts down.
var errEnding = errors.New("the server is shutting down")

// errNoText ends a session whose client sends a binary message.
var errNoText = errors.New("want text messages")

// socket answers /api/socket: a session over WebSocket. One that finds no room is told so by the end of its socket,
// because a page does not see the status of a refused one.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	one := s.service.Session()
	ctx, end := context.WithCancelCause(s.under)
	defer end(nil)
	v := &visit{browser: browserOf(w, r), idle: one.Idle, end: end}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow() //nolint:errcheck // it is closed already, or the client is gone
	if err := s.sessions.enter(v); err != nil {
		_ = conn.Close(websocket.StatusTryAgainLater, err.Error()) // the client may be gone
		return
	}
	defer s.sessions.work.Done()
	conn.SetReadLimit(session.MaxMessage)
	go s.keepAlive(ctx, conn, end)
	read := func() ([]byte, error) {
		kind, message, err := conn.Read(context.Background()) // the connection's end ends it
		if err == nil && kind != websocket.MessageText {
			err = errNoText
		} else if err != nil {
			err = gone{err}
		}
		return message, err
	}
	write := func(data []byte) error {
		// The context of the session would cut off the connection without a close message.
		ctx, cancel := context.WithTimeout(context.Background(), s.patience)
		defer cancel()
		return conn.Write(ctx, websocket.MessageText, data)
	}
	err = one.Run(ctx, read, write)
	s.sessions.leave(v) // before the client takes its time to say goodbye
	status, reason := websocket.StatusInternalError, ""
	for known, code := range map[error]websocket.StatusCode{
		errEnding: websocket.StatusGoingAway, errNoText: websocket.StatusUnsupportedData,
		errAway: websocket.StatusTryAgainLater,
	} {
		if errors.Is(err, known) {
			status, reason = code, known.Error()
		}
	}
	_ = conn.Close(status, reason) // the client may be gone
}

// gone is an error of a connection. It hides io.EOF, which would mean that the client has no more
// requests.
type gone struct{ error }

// keepAlive ends a session whose client does not answer pings, and keeps proxies from ending one that is idle. A client
// answers only after the message that it is sending.
func (s *server) keepAlive(ctx context.Context, conn *websocket.Conn, end context.CancelCauseFunc) {
	tick := time.NewTicker(s.patience)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		wait, cancel := context.WithTimeout(context.Background(), 2*s.patience) // as for a write
		err := conn.Ping(wait)
		cancel()
		if err != nil {
			end(err)
			return
		}
	}
}
