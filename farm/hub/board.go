package hub

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// board keeps the last view of a farm and what was plotted of its open runs.
type board struct {
	mu     sync.Mutex
	view   run.View
	series map[string]*Series
}

// Series are the numbers of a run over time, and how many units a second its workers did.
type Series struct {
	Seconds []float64            `json:"seconds"` // since the first point
	Numbers map[string][]float64 `json:"numbers"` // as long as Seconds each
	Speed   []float64            `json:"speed"`
	began   time.Time
	units   float64
	every   float64 // seconds between two points
}

// maxPoints bounds a series: beyond it every second point goes, and half as many come.
const maxPoints = 400

// report notes how the farm is.
func (b *board) report(v *run.View) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := map[string]bool{}
	for i := range v.Runs {
		r := &v.Runs[i]
		r.Manifest = nil
		if known[r.Run] = true; r.Ended == nil {
			if b.series[r.Run] == nil {
				b.series[r.Run] = &Series{began: v.Now, Numbers: map[string][]float64{}, every: 1}
			}
			units := 0.0
			for _, d := range r.Workers {
				units += d.Units
			}
			b.series[r.Run].sample(v.Now, r.Numbers, units)
		}
	}
	maps.DeleteFunc(b.series, func(id string, _ *Series) bool { return !known[id] })
	b.view = *v
}

// sample adds a point if it is time.
func (s *Series) sample(now time.Time, numbers []run.Number, units float64) {
	at, n := now.Sub(s.began).Seconds(), len(s.Seconds)
	if n > 0 && at-s.Seconds[n-1] < s.every {
		return
	}
	speed := 0.0
	if n > 0 {
		speed = max(0, units-s.units) / (at - s.Seconds[n-1])
	}
	s.units = units
	s.Seconds, s.Speed = append(s.Seconds, at), append(s.Speed, speed)
	for _, number := range numbers {
		all := s.Numbers[number.Name]
		for len(all) < n {
			all = append(all, number.Value) // it was not known before
		}
		s.Numbers[number.Name] = append(all, number.Value)
	}
	for name, all := range s.Numbers {
		if len(all) == n && n > 0 { // it is not known any more
			s.Numbers[name] = append(all, all[n-1])
		}
	}
	if len(s.Seconds) > maxPoints {
		s.Seconds, s.Speed = thin(s.Seconds), thin(s.Speed)
		for name, all := range s.Numbers {
			s.Numbers[name] = thin(all)
		}
		s.every *= 2
	}
}

// thin drops every second value.
func thin(all []float64) (half []float64) {
	for i := 0; i < len(all); i += 2 {
		half = append(half, all[i])
	}
	return half
}

// Queue is the answer of /api/queue.
type Queue struct {
	run.View
	Files  []string          `json:"files"`            // of runs that were started here, see /api/file
	Orders map[string]string `json:"orders,omitempty"` // runs that were started here and are not open, and why, by name
}

// Run is the answer of /api/run.
type Run struct {
	run.RunView
	Series    Series             `json:"series"`
	Residuals map[string]float64 `json:"residuals,omitempty"` // by worker, see Residual
}

// Worker is the answer of /api/worker.
type Worker struct {
	run.WorkerView
	Runs []WorkerRun `json:"runs"`
}

// WorkerRun is what a worker has done of a run.
type WorkerRun struct {
	Run      string   `json:"run"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Residual *float64 `json:"residual,omitempty"` // of a match, see Residual
	run.Done
}

// queue returns all that is known now, without what single workers have done.
func (b *board) queue() Queue {
	b.mu.Lock()
	defer b.mu.Unlock()
	q := Queue{View: b.view, Files: []string{}}
	q.Runs = slices.Clone(b.view.Runs)
	for i := range q.Runs {
		q.Runs[i].Workers = nil
	}
	return q
}

// run returns a run; ok is false where there is none.
func (b *board) run(id string) (r Run, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.view.Runs, func(r run.RunView) bool { return r.Run == id })
	if i < 0 {
		return r, false
	}
	r.RunView, r.Residuals = b.view.Runs[i], map[string]float64{}
	if s := b.series[id]; s != nil {
		r.Series = Series{Seconds: slices.Clone(s.Seconds), Speed: slices.Clone(s.Speed), Numbers: map[string][]float64{}}
		for name, all := range s.Numbers {
			r.Series.Numbers[name] = slices.Clone(all)
		}
	}
	for worker := range r.Workers {
		if residual, known := Residual(r.Workers, worker); known {
			r.Residuals[worker] = residual
		}
	}
	return r, true
}

// worker returns a worker; ok is false where none of the name was heard of.
func (b *board) worker(id string) (w Worker, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	w.Runs, w.ID = []WorkerRun{}, id
	for i := range b.view.Workers {
		if b.view.Workers[i].ID == id {
			w.WorkerView, ok = b.view.Workers[i], true
		}
	}
	for _, r := range b.view.Runs {
		if d := r.Workers[id]; d != nil {
			v := WorkerRun{Run: r.Run, Name: r.Name, Kind: r.Kind, Done: *d}
			if residual, known := Residual(r.Workers, id); known {
				v.Residual = &residual
			}
			w.Runs, w.Host, ok = append(w.Runs, v), d.Host, true
		}
	}
	for _, ban := range b.view.Bans {
		if run.Covers(ban.Worker, id) || strings.HasPrefix(ban.Worker, id) {
			w.Ban, ok = ban.Reason, true
		}
	}
	return w, ok
}

// Residual returns by how many standard errors the score of a worker in a match differs
// from that of the others; known is false without enough pairs. A healthy worker is within
// 3; one that is not has a fault that results alone do not show.
func Residual(workers map[string]*run.Done, worker string) (z float64, known bool) {
	var pairs, points, squares float64
	for name, d := range workers {
		if name != worker {
			pairs, points, squares = pairs+d.Scores["pairs"], points+d.Scores["points"], squares+d.Scores["squares"]
		}
	}
	mine := workers[worker].Scores
	if pairs < 2 || mine["pairs"] < 2 {
		return 0, false
	}
	mean := points / pairs
	variance := squares/pairs - mean*mean
	if variance <= 0 {
		return 0, false
	}
	return (mine["points"]/mine["pairs"] - mean) / math.Sqrt(variance/mine["pairs"]+variance/pairs), true
}
