package dashboard

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/farm/coordinator"
	"github.com/tabula-chess/tabula/farm/link"
)

// Board gathers what is known of a farm. It is safe for concurrent use.
type Board struct {
	mu      sync.Mutex
	runs    map[string]*history
	workers map[string]*member
	now     func() time.Time
}

// history is a run and what its numbers were.
type history struct {
	status coordinator.Status
	began  time.Time
	points map[string][]point // by the name of a number, or of a worker for its speed
	every  time.Duration      // between two points
	last   time.Time
	before map[string]coordinator.Speed // at the last point
}

// point is a value after some seconds.
type point struct{ seconds, value float64 }

// member is a worker and when it was last heard.
type member struct {
	link.Alive
	at time.Time
}

// maxPoints bounds a plot: beyond it every second point goes, and half as many
// come.
const maxPoints = 400

// silence is the time after which a worker counts as gone.
const silence = 30 * time.Second

// NewBoard returns an empty board.
func NewBoard() *Board {
	return &Board{runs: map[string]*history{}, workers: map[string]*member{}, now: time.Now}
}

// Listen lets the board hear workers.
func (b *Board) Listen(c *link.Conn) error {
	_, err := c.NC.Subscribe("alive.*", func(m *nats.Msg) {
		var a link.Alive
		if json.Unmarshal(m.Data, &a) == nil {
			b.Hear(a)
		}
	})
	return err
}

// Hear notes what a worker says of itself.
func (b *Board) Hear(a link.Alive) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.workers[a.Worker] = &member{a, b.now()}
	if a.Leaving {
		delete(b.workers, a.Worker)
	}
}

// Report notes where a run stands.
func (b *Board) Report(st coordinator.Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.runs[st.Run]
	if h == nil {
		h = &history{began: b.now(), points: map[string][]point{}, every: time.Second, before: map[string]coordinator.Speed{}}
		b.runs[st.Run] = h
	}
	h.status = st
	if at := b.now(); at.Sub(h.last) >= h.every || st.Done {
		h.sample(at)
	}
}

// sample adds a point to every plot.
func (h *history) sample(at time.Time) {
	seconds := at.Sub(h.began).Seconds()
	for _, n := range h.status.Numbers {
		h.points[n.Name] = append(h.points[n.Name], point{seconds, n.Value})
	}
	if took := at.Sub(h.last).Seconds(); !h.last.IsZero() && took > 0 {
		for worker, v := range h.status.Speeds {
			name := speedOf + worker
			h.points[name] = append(h.points[name], point{seconds, max(0, v.Units-h.before[worker].Units) / took})
		}
	}
	for worker, v := range h.status.Speeds {
		h.before[worker] = *v
	}
	h.last = at
	for _, all := range h.points {
		if len(all) > maxPoints {
			for name, all := range h.points {
				h.points[name] = thin(all)
			}
			h.every *= 2
			break
		}
	}
}

// thin drops every second point.
func thin(all []point) (half []point) {
	for i := 0; i < len(all); i += 2 {
		half = append(half, all[i])
	}
	return half
}

// speedOf begins the names of plots of workers' speeds.
const speedOf = "speed of "

// view is what is shown: a copy, in order.
type view struct {
	Runs    []runView
	Workers []workerView
}

type runView struct {
	coordinator.Status
	Points map[string][]point
}

type workerView struct {
	link.Alive
	Silent time.Duration
}

// view returns what is known now, runs that are open first.
func (b *Board) view() (v view) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(b.runs)) {
		h := b.runs[id]
		points := map[string][]point{}
		for name, all := range h.points {
			points[name] = slices.Clone(all)
		}
		v.Runs = append(v.Runs, runView{h.status, points})
	}
	slices.SortStableFunc(v.Runs, func(a, b runView) int { return over(&a.Status) - over(&b.Status) })
	for _, key := range slices.Sorted(maps.Keys(b.workers)) {
		m := b.workers[key]
		v.Workers = append(v.Workers, workerView{m.Alive, b.now().Sub(m.at)})
	}
	return v
}

// over returns 1 for a run that is over, 0 for one that is open.
func over(st *coordinator.Status) int {
	if st.Done || st.Failed != "" {
		return 1
	}
	return 0
}
