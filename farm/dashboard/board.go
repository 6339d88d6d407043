package dashboard

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Board keeps the last view of a farm and what was plotted of its runs. It is safe for
// concurrent use.
type Board struct {
	mu   sync.Mutex
	view coordinator.View
	runs map[string]*history
}

// history is what the numbers of a run were.
type history struct {
	Series
	every float64              // seconds between two points
	ended *coordinator.RunView // as it was last open
}

// Series are the numbers of a run over time, and how many units a second its workers did.
type Series struct {
	Seconds []float64            `json:"seconds"` // since the first point
	Numbers map[string][]float64 `json:"numbers"` // as long as Seconds each
	Speed   []float64            `json:"speed"`
	began   time.Time
	units   float64
}

// maxPoints bounds a series: beyond it every second point goes, and half as many come.
const maxPoints = 400

// NewBoard returns an empty board.
func NewBoard() *Board {
	return &Board{runs: map[string]*history{}, view: coordinator.View{Runs: []coordinator.RunView{}, Ended: []link.End{}, Workers: []coordinator.WorkerView{}, Bans: []link.Ban{}}}
}

// Report notes how the farm is.
func (b *Board) Report(v *coordinator.View) {
	b.mu.Lock()
	defer b.mu.Unlock()
	known := map[string]bool{}
	for i := range v.Runs {
		r := &v.Runs[i]
		known[r.Run] = true
		h := b.runs[r.Run]
		if h == nil {
			h = &history{Series: Series{began: v.Now, Numbers: map[string][]float64{}}, every: 1}
			b.runs[r.Run] = h
		}
		h.ended = r
		h.sample(v.Now, r.Numbers, units(r))
	}
	for _, e := range v.Ended {
		known[e.Run] = true
	}
	maps.DeleteFunc(b.runs, func(id string, _ *history) bool { return !known[id] })
	b.view = *v
}

// units returns what the workers of a run have done.
func units(r *coordinator.RunView) (sum float64) {
	for _, d := range r.Workers {
		sum += d.Units
	}
	return sum
}

// sample adds a point if it is time.
func (h *history) sample(now time.Time, numbers []run.Number, units float64) {
	at, n := now.Sub(h.began).Seconds(), len(h.Seconds)
	if n > 0 && at-h.Seconds[n-1] < h.every {
		return
	}
	speed := 0.0
	if n > 0 {
		speed = max(0, units-h.units) / (at - h.Seconds[n-1])
	}
	h.units = units
	h.Seconds, h.Speed = append(h.Seconds, at), append(h.Speed, speed)
	for _, number := range numbers {
		all := h.Numbers[number.Name]
		for len(all) < n {
			all = append(all, number.Value) // it was not known before
		}
		h.Numbers[number.Name] = append(all, number.Value)
	}
	for name, all := range h.Numbers {
		if len(all) == n && n > 0 { // it is not known any more
			h.Numbers[name] = append(all, all[n-1])
		}
	}
	if len(h.Seconds) > maxPoints {
		h.Seconds, h.Speed = thin(h.Seconds), thin(h.Speed)
		for name, all := range h.Numbers {
			h.Numbers[name] = thin(all)
		}
		h.every *= 2
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
	coordinator.View
	Files     []string          `json:"files"`               // of runs that were submitted here, see /api/file
	Submitted map[string]string `json:"submitted,omitempty"` // runs that are not in the queue yet, and why, by name
}

// Run is the answer of /api/run.
type Run struct {
	coordinator.RunView
	End       *link.End          `json:"end,omitempty"` // of a run that is over
	Series    Series             `json:"series"`
	Residuals map[string]float64 `json:"residuals,omitempty"` // by worker, see Residual
}

// Worker is the answer of /api/worker.
type Worker struct {
	coordinator.WorkerView
	Ban  *link.Ban       `json:"ban,omitempty"`
	Runs []WorkerRunView `json:"runs"`
}

// WorkerRunView is what a worker has done of a run.
type WorkerRunView struct {
	Run      string   `json:"run"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Residual *float64 `json:"residual,omitempty"` // of a match, see Residual
	coordinator.Done
}

// Submission is the body of /api/submit: a match or a datagen run.
type Submission struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	A     string `json:"a"` // engines of a match, as farm match takes them
	B     string `json:"b"`
	Pairs int    `json:"pairs"`
	TC    string `json:"tc"`   // of a match; without it, Nodes
	SPRT  string `json:"sprt"` // "" for none
	Nodes int    `json:"nodes"`
	Games int    `json:"games"` // of datagen
}

// queue returns all that is known now, without what single workers have done.
func (b *Board) queue() Queue {
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
func (b *Board) run(id string) (r Run, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.runs[id]
	for i := range b.view.Ended {
		if e := &b.view.Ended[i]; e.Run == id {
			r.End, ok = e, true
			r.Open, r.Folded, r.Text = e.Open, e.Folded, e.Text
		}
	}
	if h == nil {
		return r, ok
	}
	r.RunView = *h.ended
	r.Series = Series{Seconds: slices.Clone(h.Seconds), Speed: slices.Clone(h.Speed), Numbers: map[string][]float64{}}
	for name, all := range h.Numbers {
		r.Series.Numbers[name] = slices.Clone(all)
	}
	r.Residuals = map[string]float64{}
	for worker := range r.Workers {
		if residual, known := Residual(r.Workers, worker); known {
			r.Residuals[worker] = residual
		}
	}
	return r, true
}

// worker returns a worker; ok is false where none of the name was heard of.
func (b *Board) worker(id string) (w Worker, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for i := range b.view.Workers {
		if b.view.Workers[i].Worker == id {
			w.WorkerView, ok = b.view.Workers[i], true
		}
	}
	for i := range b.view.Bans {
		if link.Covers(b.view.Bans[i].Worker, id) {
			w.Ban = &b.view.Bans[i]
		}
	}
	w.Runs = []WorkerRunView{}
	for _, id := range slices.Sorted(maps.Keys(b.runs)) {
		r := b.runs[id].ended
		if d := r.Workers[w.Worker]; d != nil {
			v := WorkerRunView{Run: r.Run, Name: r.Name, Kind: r.Kind, Done: *d}
			if residual, known := Residual(r.Workers, w.Worker); known {
				v.Residual = &residual
			}
			w.Runs = append(w.Runs, v)
		}
	}
	return w, ok
}

// Residual returns by how many standard errors the score of a worker in a match differs
// from that of the others; known is false without enough pairs. A healthy worker is within
// 3; one that is not has a fault that results alone do not show.
func Residual(workers map[string]*coordinator.Done, worker string) (z float64, known bool) {
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
