package coordinator

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

// roster listens to signs of life.
type roster struct {
	sub   *nats.Subscription
	every time.Duration
	now   func() time.Time
	began time.Time

	mu   sync.Mutex
	seen map[string]time.Time // by worker; monotonic, of this machine
}

// watch begins to listen.
func watch(c *link.Conn, every time.Duration) (w *roster, err error) {
	w = newRoster(every, time.Now)
	w.sub, err = c.NC.Subscribe("alive.*", func(m *nats.Msg) {
		var a link.Alive
		_ = json.Unmarshal(m.Data, &a) // a sign of life whatever it says
		w.hear(strings.TrimPrefix(m.Subject, "alive."), a.Leaving)
	})
	return w, err
}

// newRoster returns one that nobody belongs to yet.
func newRoster(every time.Duration, now func() time.Time) *roster {
	return &roster{every: every, now: now, began: now(), seen: map[string]time.Time{}}
}

// hear notes a sign of life, which may be a worker's last.
func (w *roster) hear(worker string, leaving bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.seen[worker] = w.now(); leaving {
		delete(w.seen, worker)
	}
}

// patience is the number of signs of life that a worker may miss.
const patience = 4

// live returns the workers that have been heard of lately, in order of their keys.
func (w *roster) live() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for worker, at := range w.seen {
		if w.now().Sub(at) > patience*w.every {
			delete(w.seen, worker)
		}
	}
	return slices.Sorted(maps.Keys(w.seen))
}

// settled reports whether all who live have had the time to say so.
func (w *roster) settled() bool { return w.now().Sub(w.began) > patience*w.every }

// alone reports whether one worker, and no other, has been heard of for some
// time.
func (w *roster) alone() bool { return w.settled() && len(w.live()) == 1 }

func (w *roster) stop() { _ = w.sub.Unsubscribe() }
