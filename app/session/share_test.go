package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tabula-chess/tabula/internal/must"
)

// largeMessage returns a request for games that is larger than a small one, and small in
// what it asks.
func largeMessage(id int) string {
	return fmt.Sprintf(`{"id":%d,"do":"pgn","text":"1. e4 *"%s}`, id, strings.Repeat(" ", smallMessage))
}

// A session has one large message at a time, and all together have a limit; small ones
// come all the same. What was answered leaves its place, and so does what did not come.
func TestLargeMessages(t *testing.T) {
	b := boardOf(t, Config{Hash: 1, Shared: true})
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	var held []incoming
	var sessions []*Session
	for range largeOnes {
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
	if n := len(b.large.idle); n != largeOnes {
		t.Errorf("%d places are free, want %d", n, largeOnes)
	}
}

// What only begins with a large message does not keep its place.
func TestSearchLeavesMessage(t *testing.T) {
	b := boardOf(t, Config{Hash: 1})
	s := b.Session()
	ctx, cancel := context.WithCancel(t.Context())
	m := s.receive(ctx, strings.NewReader(`{"id":1,"do":"analyse"`+strings.Repeat(" ", smallMessage)+`}`))
	s.request(ctx, m)
	if n := len(b.large.idle); n != largeOnes {
		t.Errorf("%d places are free during the search, want %d", n, largeOnes)
	}
	cancel()
	s.work.Wait()
}

// Who has had games read for long waits for those who have not.
func TestReadersTakeTurns(t *testing.T) {
	b := boardOf(t, Config{Hash: 1, Shared: true})
	greedy, other := b.Session(), b.Session()
	greedy.reads.used = 1000
	var turns []*turn
	for range readers {
		turn, err := b.readers.take(t.Context(), &greedy.reads, 0)
		must.Succeed(t, err)
		turns = append(turns, turn)
	}
	for i, s := range []*Session{greedy, greedy, other} { // each waits before the next comes
		m := s.receive(t.Context(), strings.NewReader(fmt.Sprintf(`{"id":%d,"do":"pgn","text":"1. e4 *"}`, i)))
		s.request(t.Context(), m)
		want := []int{1, 1, 2}[i] // of one session one waits
		for waiting := 0; waiting < want; {
			b.readers.mu.Lock()
			waiting = len(b.readers.waiting)
			b.readers.mu.Unlock()
		}
	}
	b.readers.mu.Lock()
	next := b.readers.waiting[b.readers.choose()].client
	b.readers.mu.Unlock()
	if next != &other.reads {
		t.Error("the one who has had least is not next")
	}
	for _, turn := range turns {
		turn.give()
	}
	greedy.work.Wait()
	other.work.Wait()
	if n := len(b.readers.idle); n != readers {
		t.Errorf("%d free, want %d", n, readers)
	}
}

// So many reviews may be under way in a session, and what ends leaves its place.
func TestReviewPlaces(t *testing.T) {
	b := boardOf(t, Config{Hash: 1, Shared: true})
	s := b.Session()
	ctx, cancel := context.WithCancel(t.Context())
	ask := func(id int) {
		m := s.receive(ctx, strings.NewReader(fmt.Sprintf(`{"id":%d,"do":"review","pgn":"1. e4 e5 2. Nf3 Nc6 *","limits":{"nodes":1000000}}`, id)))
		s.request(ctx, m)
	}
	for id := range maxReviews + 1 {
		ask(id)
	}
	s.mu.Lock()
	if n := len(s.calls); n != maxReviews {
		t.Errorf("%d reviews under way, want %d", n, maxReviews)
	}
	s.mu.Unlock()
	cancel()
	s.work.Wait()
	if len(s.reviews) != 0 || len(b.reviewers.idle) != reviewers {
		t.Errorf("places held: %d; %d reviewers free", len(s.reviews), len(b.reviewers.idle))
	}
}
