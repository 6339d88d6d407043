package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostMessage is the maximum length of a message in bytes.
const mostMessage = 4 << 20

// mostWait is the longest wait for an answer.
const mostWait = 10 * time.Minute

// transport returns a transport for messages on in and out, one per line, and its writer. The SDK's own transport
// ends at the first unreadable message; this one answers it with an error and continues. The SDK cancels all requests
// at the end of the input; this one lets it end once they are answered.
func transport(in io.Reader, out io.WriteCloser) (sdk.Transport, *writer) {
	to := &writer{WriteCloser: out, open: map[any]bool{}, answered: make(chan struct{}, 1)}
	read, write := io.Pipe()
	go func() {
		err := forward(in, write, to)
		if err == nil {
			to.wait(true)
		}
		write.CloseWithError(err)
	}()
	return &sdk.IOTransport{Reader: read, Writer: to, MaxLineLength: -1}, to // forward bounds it
}

// writer writes one message at a time and knows which requests wait for an answer.
type writer struct {
	io.WriteCloser
	writing  sync.Mutex
	answered chan struct{} // holds a value after a change

	mu   sync.Mutex
	open map[any]bool // by the ids of requests without an answer: whether they make a position
	err  error        // of the first write that failed
}

// Write writes a whole message.
func (w *writer) Write(b []byte) (int, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	n, err := w.WriteCloser.Write(b) // which may block
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
	if m, err := jsonrpc.DecodeMessage(b); err == nil {
		if r, ok := m.(*jsonrpc.Response); ok {
			delete(w.open, r.ID.Raw())
		}
	}
	w.changed()
	return n, err
}

// Close closes the output: no answer will come any more.
func (w *writer) Close() error {
	w.mu.Lock()
	clear(w.open)
	w.mu.Unlock()
	w.changed()
	return w.WriteCloser.Close()
}

// changed wakes the goroutine that waits.
func (w *writer) changed() {
	select {
	case w.answered <- struct{}{}:
	default:
	}
}

// failed returns the error of the first write that failed.
func (w *writer) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// ask notes a message that is a request. The SDK gives two of one id at a time one answer.
func (w *writer) ask(line []byte) {
	m, _ := jsonrpc.DecodeMessage(line)
	r, ok := m.(*jsonrpc.Request)
	if !ok || !r.IsCall() {
		return
	}
	var call struct{ Name string }
	_ = json.Unmarshal(r.Params, &call) // the SDK answers wrong ones
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[r.ID.Raw()] = call.Name == "set_position" || call.Name == "play"
}

// wait returns once the requests that make positions are answered, or all of them. It returns early when nothing can
// be written, or when no answer has come for mostWait.
func (w *writer) wait(all bool) {
	for w.busy(all) {
		select {
		case <-w.answered:
		case <-time.After(mostWait):
			return
		}
	}
}

// busy reports whether a request that makes a position, or any, has no answer yet.
func (w *writer) busy(all bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, makes := range w.open {
		if w.err == nil && (all || makes) {
			return true
		}
	}
	return false
}

// forward passes on valid messages and answers invalid ones. It returns nil at the end of in.
func forward(in io.Reader, messages io.Writer, answers *writer) error {
	r := bufio.NewReader(in)
	var line []byte
	for {
		line = line[:0]
		long := false
		var part []byte
		err := bufio.ErrBufferFull
		for errors.Is(err, bufio.ErrBufferFull) {
			part, err = r.ReadSlice('\n')
			if long = long || len(line)+len(part) > mostMessage; !long {
				line = append(line, part...)
			}
		}
		line = bytes.TrimSpace(line)
		answer := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
			Message: fmt.Sprintf("a message of more than %d bytes", mostMessage)}
		id := json.RawMessage("null")
		wrong := long
		if !long && len(line) > 0 {
			id, answer, wrong = check(line)
		}
		switch {
		case wrong:
			text, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "error": answer})
			if _, err := answers.Write(append(text, '\n')); err != nil {
				return err
			}
		case len(line) > 0:
			answers.wait(false) // the SDK runs calls at once: this one may name a position of an earlier one
			answers.ask(line)
			if _, err := messages.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// check returns the error answer to an invalid message, and its id.
func check(line []byte) (id json.RawMessage, answer jsonrpc.Error, wrong bool) {
	id = json.RawMessage("null")
	if err := json.Unmarshal(line, new(json.RawMessage)); err != nil {
		return id, jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "no JSON: " + err.Error()}, true
	}
	var head struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &head) == nil && len(head.ID) > 0 {
		if err := checkID(head.ID); err != nil {
			return id, jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}, true
		}
		id = head.ID
	}
	if line[0] == '[' {
		return id, jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "want one message a line, not a list"}, true
	}
	_, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return id, jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}, true
	}
	return id, answer, false
}

// checkID returns an error for an id that an answer could not repeat: the SDK keeps whole numbers, as a float64 holds
// them.
func checkID(id json.RawMessage) error {
	const exact = 1 << 53
	if n, err := strconv.ParseInt(string(id), 10, 64); id[0] == '"' || err == nil && n >= -exact && n <= exact {
		return nil
	}
	return fmt.Errorf("id %.40s: want a string or a whole number from -2^53 to 2^53", id)
}
