package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostMessage is the maximum length of a message in bytes.
const mostMessage = 4 << 20

// transport returns a transport for messages on in and out, one per line. The SDK's own transport
// ends at the first unreadable message; this one answers it with an error and continues.
func transport(in io.Reader, out io.WriteCloser) sdk.Transport {
	to := &locked{WriteCloser: out}
	read, write := io.Pipe()
	go func() { write.CloseWithError(forward(in, write, to)) }()
	return &sdk.IOTransport{Reader: read, Writer: to, MaxLineLength: -1} // forward bounds it
}

// locked writes one message at a time.
type locked struct {
	io.WriteCloser
	mu sync.Mutex
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.WriteCloser.Write(b)
}

// forward passes on valid messages and answers invalid ones. It returns nil at the end of in.
func forward(in io.Reader, messages, answers io.Writer) error {
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
