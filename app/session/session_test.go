package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/tabula-chess/tabula/test/kit"
)

// counter answers requests that tell n events and end with a result.
func counter(n int) *Service {
	return newService(map[string]handler{
		"count": handle(func(c *call, _ *bare) (any, error) {
			return work(func() (any, error) {
				for i := range n {
					c.progress(i)
				}
				return "end", nil
			}), nil
		}),
		"now": handle(func(c *call, _ *bare) (any, error) { return "now", nil }),
		"bad": handle(func(c *call, _ *bare) (any, error) { return make(chan int), nil }),
	}, 0)
}

// TestEvents: a slow reader gets the newest event of each request and every final reply, nothing after it,
// and the replies to short requests in their order.
func TestEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		requests := []string{`{"id":1,"do":"now"}`, `{"id":"a","do":"count"}`, `{"id":"b","do":"count"}`, `{"id":2,"do":"now"}`, `{"id":3,"do":"bad"}`}
		var got []string
		err := counter(1000).Session().Run(t.Context(), func() ([]byte, error) {
			if len(requests) == 0 {
				return nil, io.EOF
			}
			next := requests[0]
			requests = requests[1:]
			return []byte(next), nil
		}, func(data []byte) error {
			synctest.Wait() // all others have done what they can
			got = append(got, string(data))
			return nil
		})
		kit.Succeed(t, err)
		text := strings.Join(got, "\n") + "\n"
		for _, id := range []string{`"a"`, `"b"`} {
			if n := strings.Count(text, id); n > 2 || strings.Count(text, `{"id":`+id+`,"progress":`) > 1 || !strings.Contains(text, `{"id":`+id+`,"result":"end"}`+"\n") ||
				strings.Contains(text[strings.Index(text, id+`,"result"`):], id+`,"progress"`) {
				t.Errorf("of %s:\n%s", id, text)
			}
		}
		first, second := strings.Index(text, `{"id":1,"result":"now"}`), strings.Index(text, `{"id":2,"result":"now"}`)
		if first < 0 || second < first || !strings.Contains(text, `{"id":3,"error":{"field":"","reason":"json: `) {
			t.Errorf("%s", text)
		}
	})
}

// TestSlowWriter: while a reader takes nothing, hardly any request is read. When the reader goes on, so does
// the session; when the reader is lost, the session ends with the error.
func TestSlowWriter(t *testing.T) {
	errLost := errors.New("lost")
	for _, lost := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const all = 100
			asked, replies := atomic.Int32{}, 0
			release := make(chan struct{})
			done := make(chan error, 1)
			go func() {
				done <- counter(0).Session().Run(t.Context(), func() ([]byte, error) {
					n := asked.Add(1)
					if n > all {
						return nil, io.EOF
					}
					return fmt.Appendf(nil, `{"id":%d,"do":"now"}`, n), nil
				}, func(data []byte) error {
					<-release
					var r struct{ ID int }
					if err := json.Unmarshal(data, &r); err != nil || r.ID != replies+1 {
						t.Errorf("reply %d after %d: %v", r.ID, replies, err)
					}
					if replies++; lost {
						return errLost
					}
					return nil
				})
			}()
			synctest.Wait()
			if n := asked.Load(); n > 5 {
				t.Errorf("%d requests were read for a reader who takes nothing", n)
			}
			close(release)
			err := <-done
			switch {
			case lost && !errors.Is(err, errLost):
				t.Errorf("the session of a lost reader: %v", err)
			case !lost && (err != nil || replies != all):
				t.Errorf("%v, %d replies, want %d", err, replies, all)
			}
		})
	}
}

// send opens requests as a session does that nobody reads, and returns the calls that run.
func send(t *testing.T, ctx context.Context, s *Session, requests ...string) {
	t.Helper()
	for _, r := range requests {
		if c, later := s.open(ctx, []byte(r), ""); later != nil {
			s.work.Go(func() { c.do(later) })
		}
	}
}

// Who asks for much at once has one request in the queue of all.
func TestReadersTakeTurns(t *testing.T) {
	_, b := serviceOf(t, Config{Hash: 1, Shared: true, Home: t.TempDir()})
	greedy, other := b.Session(), b.Session()
	ctx := t.Context()
	for range bounds[reading].all {
		kit.Succeed(t, b.queues[reading].take(ctx))
	}
	for id := range maxRequests {
		send(t, ctx, greedy, fmt.Sprintf(`{"id":%d,"do":"explore"}`, id))
	}
	send(t, ctx, other, `{"id":1,"do":"explore"}`)
	for b.queues[reading].waiting.Load() < 2 {
	}
	if n := b.queues[reading].waiting.Load(); n != 2 {
		t.Errorf("%d requests of two sessions wait", n)
	}
	for range bounds[reading].all {
		<-b.queues[reading].places
	}
	other.work.Wait()
	greedy.work.Wait()
	if len(b.queues[reading].places)+len(greedy.queues[reading].places)+len(other.queues[reading].places) != 0 {
		t.Error("places are taken when all is done")
	}
}
