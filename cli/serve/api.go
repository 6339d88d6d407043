//go:build !js && !wasip1

package serve

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/coder/websocket"
	"github.com/tabula-chess/tabula/board"
)

// once answers POST /api/WORD with the final reply to one request.
func (s *server) once(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		refuse(w, http.StatusMethodNotAllowed, "", "want POST")
		return
	}
	// Another site's form cannot send this type without asking first.
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuse(w, http.StatusUnsupportedMediaType, "Content-Type", "want application/json")
		return
	}
	if !s.enter(w) {
		return
	}
	defer s.leave()
	message, status, reason := readRequest(w, r)
	if status != 0 {
		refuse(w, status, "", reason)
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // it would end the request while that is answered
	answer, err := s.board.Answer(r.Context(), message)
	if err != nil {
		refuse(w, http.StatusServiceUnavailable, "", "the server ends")
		return
	}
	_ = control.SetWriteDeadline(time.Now().Add(s.times.answer))
	var reply struct {
		Error json.RawMessage `json:"error"`
	}
	status = http.StatusOK
	if json.Unmarshal(answer, &reply) != nil || reply.Error != nil {
		status = http.StatusBadRequest
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(answer, '\n')) // the client may be gone
}

// readRequest reads the body, an object or nothing, and adds what the address says.
func readRequest(w http.ResponseWriter, r *http.Request) (message []byte, status int, reason string) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, board.MaxMessage))
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, http.StatusRequestEntityTooLarge, "the body is too large"
	} else if err != nil {
		return nil, http.StatusBadRequest, "the body did not come"
	}
	if strings.TrimSpace(string(body)) == "" {
		body = []byte("{}")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, http.StatusBadRequest, "the body is no JSON object: " + err.Error()
	}
	word := r.PathValue("word")
	if do, ok := fields["do"]; ok && string(do) != quoted(word) {
		return nil, http.StatusBadRequest, "do is another word than the address has"
	}
	if fields == nil {
		fields = map[string]json.RawMessage{}
	}
	fields["do"] = json.RawMessage(quoted(word))
	if _, ok := fields["id"]; !ok {
		fields["id"] = json.RawMessage("0")
	}
	message, err = json.Marshal(fields)
	if err != nil {
		return nil, http.StatusBadRequest, err.Error()
	}
	return message, 0, ""
}

// quoted returns a text as JSON.
func quoted(text string) string {
	data, _ := json.Marshal(text) // a string always is
	return string(data)
}

// errEnding is why a session ends with the server.
var errEnding = errors.New("the server ends")

// errNoText is why a session ends whose client sends something else.
var errNoText = errors.New("want text messages")

// socket answers /api/socket: a session by WebSocket.
func (s *server) socket(w http.ResponseWriter, r *http.Request) {
	if !s.enter(w) {
		return
	}
	defer s.leave()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // Accept has answered
	}
	defer conn.CloseNow() //nolint:errcheck // it is closed already, or nobody is there
	conn.SetReadLimit(board.MaxMessage)
	ctx, end := context.WithCancelCause(context.Background())
	defer end(nil)
	defer context.AfterFunc(s.under, func() { end(errEnding) })()
	go s.keepAlive(ctx, conn, end)
	read := func() ([]byte, error) {
		kind, data, err := conn.Read(context.Background()) // the connection's end ends it
		switch {
		case err != nil:
			return nil, gone{err}
		case kind != websocket.MessageText:
			return nil, errNoText
		}
		return data, nil
	}
	write := func(data []byte) error {
		// Were it the session's, its end would cut the connection off without a word.
		ctx, cancel := context.WithTimeout(context.Background(), s.times.write)
		defer cancel()
		return conn.Write(ctx, websocket.MessageText, data)
	}
	err = s.board.Session().Run(ctx, read, write)
	status, reason := websocket.StatusInternalError, ""
	switch {
	case errors.Is(err, errEnding):
		status, reason = websocket.StatusGoingAway, errEnding.Error()
	case errors.Is(err, errNoText):
		status, reason = websocket.StatusUnsupportedData, errNoText.Error()
	}
	farewell(conn, status, reason)
}

// gone is an error of a connection. It hides io.EOF, which would be the end of a
// client's requests and not the client's.
type gone struct{ error }

// keepAlive ends a session whose client does not answer.
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

// farewell closes a connection, with a word to a client who listens.
func farewell(conn *websocket.Conn, status websocket.StatusCode, reason string) {
	said := make(chan struct{})
	go func() {
		defer close(said)
		_ = conn.Close(status, reason) // the client may be gone
	}()
	select {
	case <-said:
	case <-time.After(endTime / 4):
		_ = conn.CloseNow() // likewise
		<-said
	}
}
