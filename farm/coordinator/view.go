package coordinator

import (
	"maps"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
)

// View is what a farm does at a moment.
type View struct {
	Now     time.Time    `json:"now"`
	Full    string       `json:"full,omitempty"` // why no work is handed out
	Runs    []RunView    `json:"runs"`           // open, in the order in which they began
	Ended   []link.End   `json:"ended"`
	Workers []WorkerView `json:"workers"`
	Bans    []link.Ban   `json:"bans"`
}

// RunView is an open run.
type RunView struct {
	link.Open
	Folded  int              `json:"folded"`
	Results int              `json:"results"`
	Running int              `json:"running"` // jobs that workers have
	Text    string           `json:"text"`
	Numbers []run.Number     `json:"numbers"`
	Left    float64          `json:"left"` // seconds, 0 where unknown
	Held    string           `json:"held,omitempty"`
	Dead    map[int]string   `json:"dead,omitempty"` // jobs that were given up
	Stored  int64            `json:"stored"`         // bytes of files that its owner has not fetched
	Workers map[string]*Done `json:"workers"`        // by name
}

// WorkerView is a worker.
type WorkerView struct {
	link.Alive
	Worker string  `json:"worker"`
	Silent float64 `json:"silent"` // seconds since it was heard
	Note   string  `json:"note,omitempty"`
}

// View returns a copy of what the coordinator knows.
func (c *Coordinator) View(now time.Time) *View {
	v := &View{Now: now, Full: c.full, Ended: slices.Clone(c.ended), Bans: slices.Clone(c.bans), Runs: []RunView{}, Workers: []WorkerView{}}
	for _, t := range c.ordered() {
		r := RunView{
			Open: t.Open, Folded: t.folded, Results: t.results, Running: t.running, Text: t.fold.Text(), Numbers: t.fold.Numbers(),
			Left: t.left(now), Held: c.held(t), Dead: maps.Clone(t.dead), Stored: t.stored, Workers: t.done(),
		}
		v.Runs = append(v.Runs, r)
	}
	for _, id := range slices.Sorted(maps.Keys(c.workers)) {
		w := c.workers[id]
		v.Workers = append(v.Workers, WorkerView{Alive: w.Alive, Worker: id, Silent: now.Sub(w.heard).Seconds(), Note: w.note})
	}
	return v
}

// done returns a copy of what workers have done.
func (r *reader) done() map[string]*Done {
	all := map[string]*Done{}
	for worker, d := range r.workers {
		copied := *d
		copied.Scores = maps.Clone(d.Scores)
		all[worker] = &copied
	}
	return all
}
