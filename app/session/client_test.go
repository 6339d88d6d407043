package session

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
)

// reply is a message as a client reads it.
type reply struct {
	ID       json.RawMessage
	Info     *Info
	Progress json.RawMessage
	Result   json.RawMessage
	Error    *Error
	Warning  string
}

func (r *reply) final() bool { return r.Result != nil || r.Error != nil }

// start returns a service that the test closes.
func start(t testing.TB, config Config) *Service {
	t.Helper()
	if config.Hash == 0 {
		config.Hash = 1
	}
	b, err := New(config)
	kit.Succeed(t, err)
	t.Cleanup(b.Close)
	return b
}

// ask sends lines to a session of b, the end of the input after them, and returns
// all that it says.
func ask(t testing.TB, b *Service, lines ...string) []reply {
	t.Helper()
	var out strings.Builder
	if err := b.Stream(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatalf("the session ended: %v", err)
	}
	var replies []reply
	for line := range strings.Lines(out.String()) {
		replies = append(replies, parse(t, []byte(line)))
	}
	return replies
}

// parse reads a message and checks that it has one field beside the id.
func parse(t testing.TB, data []byte) reply {
	t.Helper()
	var r reply
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	fields := 0
	for _, there := range []bool{r.Info != nil, r.Progress != nil, r.Result != nil, r.Error != nil} {
		if there {
			fields++
		}
	}
	if fields != 1 || len(r.ID) == 0 {
		t.Fatalf("want an id and one other field: %s", data)
	}
	return r
}

// result asks for one thing and returns its result.
func result[T any](t testing.TB, b *Service, line string) T {
	t.Helper()
	replies := ask(t, b, line)
	last := replies[len(replies)-1]
	if last.Error != nil {
		t.Fatalf("%s\nerror %v", line, last.Error)
	}
	var out T
	if err := json.Unmarshal(last.Result, &out); err != nil {
		t.Fatalf("%s: %v", last.Result, err)
	}
	return out
}

// talk is a client that waits for what it wants to hear.
type talk struct {
	t    testing.TB
	in   chan string
	out  chan reply
	done chan error
	seen map[string]bool // ids of which an info was read
}

func newTalk(t testing.TB, b *Service) *talk {
	c := &talk{t: t, in: make(chan string), out: make(chan reply, 1000), done: make(chan error, 1), seen: map[string]bool{}}
	read := func() ([]byte, error) {
		line, ok := <-c.in
		if !ok {
			return nil, io.EOF
		}
		return []byte(line), nil
	}
	write := func(data []byte) error {
		c.out <- parse(t, data)
		return nil
	}
	go func() { c.done <- b.Session().Run(t.Context(), read, write) }()
	return c
}

// until returns the first message that is as asked for.
func (c *talk) until(ok func(*reply) bool) reply {
	c.t.Helper()
	for {
		select {
		case r := <-c.out:
			if r.Info != nil {
				c.seen[string(r.ID)] = true
			}
			if ok(&r) {
				return r
			}
		case <-time.After(time.Minute):
			c.t.Fatal("no answer in a minute")
		}
	}
}

func (c *talk) end() {
	c.t.Helper()
	close(c.in)
	if err := <-c.done; err != nil {
		c.t.Error(err)
	}
}
