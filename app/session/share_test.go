package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// largeMessage returns a request for games that is larger than a small one, and small in
// what it asks.
func largeMessage(id int) string {
	return fmt.Sprintf(`{"id":%d,"do":"pgn","text":"1. e4 *"%s}`, id, strings.Repeat(" ", smallMessage))
}

// A session has one large message at a time, and all together have a limit; small ones
// come all the same. What was answered leaves its place, and so does what did not come.
func TestLargeMessages(t *testing.T) {
	b := serviceOf(t, Config{Hash: 1, Shared: true})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var held []incoming
	var sessions []*Session
	for range bounds[sending].all {
		s := b.Session()
		m := s.receive(t.Context(), strings.NewReader(largeMessage(1)))
		if m.err != nil || len(m.data) != len(largeMessage(1)) {
			t.Fatalf("%v, %d bytes", m.err, len(m.data))
		}
		if second := s.receive(ended, strings.NewReader(largeMessage(2))); !errors.Is(second.err, context.Canceled) {
			t.Errorf("a second large message of the session: %v", second.err)
		}
		held, sessions = append(held, m), append(sessions, s)
	}
	other := b.Session()
	if m := other.receive(ended, strings.NewReader(largeMessage(1))); !errors.Is(m.err, context.Canceled) {
		t.Errorf("one large message too many: %v", m.err)
	}
	small := strings.Repeat(" ", smallMessage)
	if m := other.receive(ended, strings.NewReader(small)); m.err != nil || len(m.data) != smallMessage {
		t.Errorf("a small message: %v, %d bytes", m.err, len(m.data))
	}
	held[0].done()
	held[0].done() // once is enough
	for _, broken := range []io.Reader{
		strings.NewReader(strings.Repeat(" ", MaxMessage+1)),
		io.MultiReader(strings.NewReader(small+small), iotest.ErrReader(io.EOF), iotest.ErrReader(errors.New("cut off"))),
		io.MultiReader(strings.NewReader(small+small), iotest.ErrReader(errors.New("cut off"))),
	} {
		if m := other.receive(t.Context(), broken); !errors.Is(m.err, ErrTooLong) && !errors.Is(m.err, ErrRead) {
			t.Errorf("%v", m.err)
		}
	}
	if m := other.receive(t.Context(), strings.NewReader(strings.Repeat(" ", MaxMessage))); m.err != nil || len(m.data) != MaxMessage {
		t.Errorf("a message as long as may be: %v, %d bytes", m.err, len(m.data))
	} else {
		m.done()
	}
	for i, s := range sessions {
		ctx := t.Context()
		if i == 0 {
			held[0] = s.receive(ctx, strings.NewReader(largeMessage(1)))
		}
		s.request(ctx, held[i])
		s.work.Wait()
	}
	if n := len(b.places[sending]); n != 0 {
		t.Errorf("%d places are taken, want none", n)
	}
}

// What only begins with a large message does not keep its place.
func TestSearchLeavesMessage(t *testing.T) {
	b := serviceOf(t, Config{Hash: 1})
	s := b.Session()
	ctx, cancel := context.WithCancel(t.Context())
	m := s.receive(ctx, strings.NewReader(`{"id":1,"do":"analyse"`+strings.Repeat(" ", smallMessage)+`}`))
	s.request(ctx, m)
	if n := len(b.places[sending]); n != 0 {
		t.Errorf("%d places are taken during the search, want none", n)
	}
	cancel()
	s.work.Wait()
}

// Who asks for many games at once has one request in the queue of all.
func TestReadersTakeTurns(t *testing.T) {
	b := serviceOf(t, Config{Hash: 1, Shared: true})
	greedy, other := b.Session(), b.Session()
	for range bounds[reading].all {
		testkit.Succeed(t, b.places.take(t.Context(), reading))
	}
	ask := func(s *Session, id int) {
		m := s.receive(t.Context(), strings.NewReader(fmt.Sprintf(`{"id":%d,"do":"pgn","text":"1. e4 *"}`, id)))
		s.request(t.Context(), m)
	}
	for id := range maxRequests {
		ask(greedy, id)
	}
	for len(greedy.places[reading]) == 0 { // one of them waits for a place of all
	}
	ask(other, 1)
	<-b.places[reading]
	<-b.places[reading]
	other.work.Wait()
	greedy.work.Wait()
	if len(b.places[reading])+len(greedy.places[reading])+len(other.places[reading]) != 0 {
		t.Error("places are taken when all is done")
	}
}

// So many reviews may be under way in a session, and what ends leaves its place.
func TestReviewPlaces(t *testing.T) {
	b := serviceOf(t, Config{Hash: 1, Shared: true})
	s := b.Session()
	ctx, cancel := context.WithCancel(t.Context())
	ask := func(id int) {
		m := s.receive(ctx, strings.NewReader(fmt.Sprintf(`{"id":%d,"do":"review","pgn":"1. e4 e5 2. Nf3 Nc6 *","limits":{"nodes":1000000}}`, id)))
		s.request(ctx, m)
	}
	for id := range bounds[reviewing].each + 1 {
		ask(id)
	}
	s.mu.Lock()
	if n := len(s.calls); n != bounds[reviewing].each {
		t.Errorf("%d reviews under way, want %d", n, bounds[reviewing].each)
	}
	s.mu.Unlock()
	cancel()
	s.work.Wait()
	if len(s.places[reviewing])+len(b.places[reviewing]) != 0 {
		t.Errorf("places held: %d and %d", len(s.places[reviewing]), len(b.places[reviewing]))
	}
}
