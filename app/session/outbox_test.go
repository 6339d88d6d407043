package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// heavyRequests are requests whose replies have some megabytes together, each far less
// than roomFor.
const heavyRequests = 60

// heavyRequest asks for a position after 600 moves, which takes some 70 kB to tell.
func heavyRequest(id int) string {
	return fmt.Sprintf(`{"id":%d,"do":"position","position":{"moves":[%s"Nf3"]}}`, id, strings.Repeat(`"Nf3","Nf6","Ng1","Ng8",`, 150))
}

// replyID returns the id of a reply, which has a result.
func replyID(t *testing.T, data []byte) int {
	t.Helper()
	var r struct {
		ID     int
		Result json.RawMessage
	}
	if err := json.Unmarshal(data, &r); err != nil || r.Result == nil {
		t.Errorf("%v: %.200s", err, data)
	}
	return r.ID
}

// A session goes on after megabytes of replies: what was taken leaves room for more.
func TestManyReplies(t *testing.T) {
	b := serviceOf(t, Config{Hash: 1})
	asked, sum := 0, 0
	var ids []int
	answered := make(chan struct{}, heavyRequests)
	read := func() (io.Reader, error) { // each request after the reply to the last one
		if asked == heavyRequests {
			return nil, io.EOF
		}
		if asked > 0 {
			<-answered
		}
		asked++
		return strings.NewReader(heavyRequest(asked)), nil
	}
	write := func(data []byte) error {
		ids, sum = append(ids, replyID(t, data)), sum+len(data)
		answered <- struct{}{}
		return nil
	}
	testkit.Succeed(t, b.Session().Run(t.Context(), read, write))
	if sum < 3*roomFor {
		t.Errorf("%d bytes of replies, too few for this test", sum)
	}
	for i, id := range ids {
		if id != i+1 || len(ids) != heavyRequests {
			t.Fatalf("replies %v", ids)
		}
	}
}

// While a reader takes nothing, no more is read than makes a megabyte of replies; when it
// goes on so does the session; and when it is lost the session ends with its error.
func TestSlowWriter(t *testing.T) {
	b := serviceOf(t, Config{Hash: 1})
	errLost := errors.New("lost")
	for _, lost := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		s := b.Session()
		asked := make(chan int, heavyRequests)
		n := 0
		read := func() (io.Reader, error) {
			if n == heavyRequests {
				return nil, io.EOF
			}
			n++
			asked <- n
			return strings.NewReader(heavyRequest(n)), nil
		}
		begun, release := make(chan struct{}, heavyRequests), make(chan struct{})
		replies := 0
		write := func(data []byte) error {
			begun <- struct{}{}
			<-release
			if lost {
				return errLost
			}
			replies++
			replyID(t, data)
			return nil
		}
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx, read, write) }()
		<-begun
		for full := false; !full; { // until the session waits for its reader
			s.out.mu.Lock()
			full = s.out.bytes >= roomFor || len(asked) == heavyRequests
			s.out.mu.Unlock()
		}
		// One message more may have been read, and one waits to be taken.
		if n := len(asked); n > heavyRequests/2 {
			t.Errorf("%d requests were read for a reader who takes nothing", n)
		}
		s.out.mu.Lock()
		waiting := s.out.bytes
		s.out.mu.Unlock()
		if waiting > roomFor+200_000 {
			t.Errorf("%d bytes wait", waiting)
		}
		close(release)
		err := <-done
		switch {
		case lost && !errors.Is(err, errLost):
			t.Errorf("the session of a lost reader: %v", err)
		case !lost && (err != nil || replies != heavyRequests):
			t.Errorf("%v, %d replies, want %d", err, replies, heavyRequests)
		}
		cancel()
	}
}

// What has been taken is no longer counted, whether anything waits for it or not.
func TestRoom(t *testing.T) {
	o := newOutbox()
	big := Reply{ID: json.RawMessage("1"), Result: strings.Repeat("x", roomFor)}
	for range 3 {
		o.final("1", big)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if o.room(ended) {
			t.Fatalf("there is room beside %d bytes", o.bytes)
		}
		waited := make(chan bool, 1)
		go func() { waited <- o.room(t.Context()) }()
		data, ok := o.take(t.Context())
		if !ok || !bytes.Contains(data, []byte("xxx")) {
			t.Fatal("nothing to take")
		}
		if !<-waited {
			t.Fatal("there is no room where nothing waits")
		}
	}
	if o.bytes != 0 || len(o.queue) != 0 {
		t.Errorf("%d bytes, %d messages left", o.bytes, len(o.queue))
	}
}
