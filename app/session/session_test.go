package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

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
		"wait": handle(func(c *call, f *struct {
			Text string `json:"text"`
		}) (any, error) {
			return work(func() (any, error) {
				<-c.ctx.Done()
				return f.Text, nil
			}), nil
		}),
		"stop": handle(stopCall),
		"bad":  handle(func(c *call, _ *bare) (any, error) { return make(chan int), nil }),
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

// TestNineRequests: a session has at most eight requests in progress, and 8 MiB of them. It still answers short ones,
// and stop makes room.
func TestNineRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		large := strings.Repeat("x", 3<<20)
		var requests, want []string
		for id := range 9 {
			requests = append(requests, fmt.Sprintf(`{"id":%d,"do":"wait"}`, id))
		}
		requests = append(requests, `{"id":9,"do":"now"}`, `{"id":10,"do":"stop","target":3}`, `{"id":11,"do":"wait"}`)
		want = append(want, `{"id":8,"error":{"field":"","reason":"8 requests are running, the maximum"}}`,
			`{"id":9,"result":"now"}`, `{"id":10,"result":{"stopped":true}}`, `{"id":3,"result":""}`)
		for id := range 3 {
			requests = append(requests, fmt.Sprintf(`{"id":"s%d","do":"stop","target":%[1]d}`, id))
			want = append(want, fmt.Sprintf(`{"id":"s%d","result":{"stopped":true}}`, id),
				fmt.Sprintf(`{"id":%d,"result":""}`, id))
		}
		for id := range 3 {
			requests = append(requests, fmt.Sprintf(`{"id":"large%d","do":"wait","text":%q}`, id, large))
		}
		want = append(want, `{"id":"large2","error":{"field":"","reason":`+
			`"running requests and unread replies would have 9437396 bytes, the maximum is 8388608"}}`)
		var got []string
		ctx, end := context.WithCancelCause(t.Context())
		errEnd := errors.New("all is said")
		err := counter(0).Session().Run(ctx, func() ([]byte, error) {
			synctest.Wait() // all others have done what they can
			if len(requests) == 0 {
				end(errEnd)
				return nil, errEnd
			}
			next := requests[0]
			requests = requests[1:]
			return []byte(next), nil
		}, func(data []byte) error {
			got = append(got, string(data))
			return nil
		})
		if !errors.Is(err, errEnd) || !slices.Equal(got, want) {
			t.Errorf("%v:\n%s\nwant\n%s", err, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestUnreadReplies has requests end while nobody reads: their replies have at most 8 MiB, but one of them may be as
// large as it likes. The others are errors.
func TestUnreadReplies(t *testing.T) {
	for _, tt := range []struct{ size, fit int }{{1 << 20, 7}, {3 << 20, 2}, {9 << 20, 1}} {
		synctest.Test(t, func(t *testing.T) {
			begin, release, id := make(chan struct{}), make(chan struct{}), 0
			one := newService(map[string]handler{"large": handle(func(*call, *bare) (any, error) {
				return work(func() (any, error) {
					<-begin
					return strings.Repeat("x", tt.size), nil
				}), nil
			})}, 0).Session()
			var fit, refused int
			var last string
			err := one.Run(t.Context(), func() ([]byte, error) {
				if id++; id == 9 {
					synctest.Wait() // the eighth is admitted too
					close(begin)
				}
				if synctest.Wait(); id == 10 { // all wait for the writer
					close(release)
					return nil, io.EOF
				}
				return fmt.Appendf(nil, `{"id":%d,"do":"large"}`, id), nil
			}, func(data []byte) error {
				<-release
				switch {
				case len(data) > tt.size:
					fit++
				case strings.Contains(string(data), "unread replies would have "):
					refused++
				}
				if strings.HasPrefix(string(data), `{"id":9,`) {
					last = string(data)
				}
				return nil
			})
			if early := strings.Contains(last, `"reason":"running requests and`); early != (tt.size > maxFlight) {
				t.Errorf("replies of %d bytes, then one more: %s", tt.size, last)
			}
			if err != nil || fit != tt.fit || fit+refused != 9 {
				t.Errorf("replies of %d bytes: %d fit, %d are refused, %v; want %d of 9", tt.size, fit, refused, err, tt.fit)
			}
		})
	}
}

// TestIdle: a session is idle since its last request came or was answered.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		one := newService(map[string]handler{
			"now": handle(func(*call, *bare) (any, error) { return "now", nil }),
			"slow": handle(func(*call, *bare) (any, error) {
				return work(func() (any, error) { time.Sleep(1500 * time.Millisecond); return "end", nil }), nil
			}),
		}, 0).Session()
		check := func(want string) {
			if since, idle := one.Idle(); fmt.Sprint(since.Sub(began), " ", idle) != want {
				t.Errorf("since %v: %v, want %s", since.Sub(began), idle, want)
			}
		}
		requests := []string{`{"id":1,"do":"now"}`, `{"id":2,"do":"slow"}`}
		states := []string{"0s true", "1s true", "2s false"}
		kit.Succeed(t, one.Run(t.Context(), func() ([]byte, error) {
			synctest.Wait()
			check(states[0])
			states = states[1:]
			time.Sleep(time.Second)
			if len(requests) == 0 {
				return nil, io.EOF
			}
			next := requests[0]
			requests = requests[1:]
			return []byte(next), nil
		}, func([]byte) error { return nil }))
		check("3.5s true")
	})
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
