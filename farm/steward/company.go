package steward

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/farm/link"
)

// company listens to signs of life.
type company struct {
	sub   *nats.Subscription
	every time.Duration
	began time.Time

	mu   sync.Mutex
	seen map[string]time.Time // by worker; monotonic, of this machine
}

// watch begins to listen.
func watch(c *link.Conn, every time.Duration) (w *company, err error) {
	w = &company{every: every, began: time.Now(), seen: map[string]time.Time{}}
	w.sub, err = c.NC.Subscribe("alive.*", func(m *nats.Msg) {
		w.mu.Lock()
		defer w.mu.Unlock()
		worker := strings.TrimPrefix(m.Subject, "alive.")
		w.seen[worker] = time.Now()
		if a := new(link.Alive); json.Unmarshal(m.Data, a) == nil && a.Leaving {
			delete(w.seen, worker)
		}
	})
	return w, err
}

// patience is the number of signs of life that a worker may miss.
const patience = 4

// live returns the workers that have been heard of lately, in order of their keys.
func (w *company) live() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for worker, at := range w.seen {
		if time.Since(at) > patience*w.every {
			delete(w.seen, worker)
		}
	}
	return slices.Sorted(maps.Keys(w.seen))
}

// settled reports whether all who live have had the time to say so.
func (w *company) settled() bool { return time.Since(w.began) > patience*w.every }

// alone reports whether one worker, and no other, has been heard of for some
// time.
func (w *company) alone() bool { return w.settled() && len(w.live()) == 1 }

func (w *company) stop() { _ = w.sub.Unsubscribe() }
