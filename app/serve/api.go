//go:build !js

package serve

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
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
	if !s.enter(w) {
		return
	}
	defer s.leave()
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(s.times.body))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, session.MaxMessage))
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		refuse(w, http.StatusRequestEntityTooLarge, "", "the body is too large")
		return
	} else if err != nil {
		refuse(w, http.StatusBadRequest, "", "the body did not arrive")
		return
	}
	_ = control.SetReadDeadline(time.Time{}) // or it would end the request while it is answered
	answer, failed, err := s.service.Answer(r.Context(), r.PathValue("word"), body)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "", "the server is shutting down")
		return
	}
	_ = control.SetWriteDeadline(time.Now().Add(s.times.answer))
	status := http.StatusOK
	if failed {
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(answer, '\n')) // the client may be gone
}

// errEnding ends the sessions when the server shuts down.
var errEnding = errors.New("the server is shutting down")

// errNoText ends a session whose client sends a binary message.
var errNoText = errors.New("want text messages")

// socket answers /api/socket: a session over WebSocket.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	if !s.enter(w) {
		return
	}
	defer s.leave()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow() //nolint:errcheck // it is closed already, or the client is gone
	conn.SetReadLimit(session.MaxMessage)
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	defer context.AfterFunc(s.under, func() { end(errEnding) })()
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
		ctx, cancel := context.WithTimeout(context.Background(), s.times.write)
		defer cancel()
		return conn.Write(ctx, websocket.MessageText, data)
	}
	err = s.service.Session().Run(ctx, read, write)
	status, reason := websocket.StatusInternalError, ""
	switch {
	case errors.Is(err, errEnding):
		status, reason = websocket.StatusGoingAway, errEnding.Error()
	case errors.Is(err, errNoText):
		status, reason = websocket.StatusUnsupportedData, errNoText.Error()
	}
	_ = conn.Close(status, reason) // the client may be gone
}

// gone is an error of a connection. It hides io.EOF, which would mean that the client has no more
// requests.
type gone struct{ error }

// keepAlive ends a session whose client does not answer pings. A client answers only after the message
// that it is sending, so the time for the answer suffices for a large one.
func (s *server) keepAlive(ctx context.Context, conn *websocket.Conn, end context.CancelCauseFunc) {
	tick := time.NewTicker(s.times.ping)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		wait, cancel := context.WithTimeout(context.Background(), s.times.pong) // as for a write
		err := conn.Ping(wait)
		cancel()
		if err != nil {
			end(err)
			return
		}
	}
}
