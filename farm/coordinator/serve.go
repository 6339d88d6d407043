package coordinator

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Store is what a coordinator needs of the streams. A link.Conn is one. Every method may
// fail, and is called again then.
type Store interface {
	OpenRuns(ctx context.Context) ([]link.Open, error)
	EndedRuns(ctx context.Context) ([]link.End, error)
	Manifest(ctx context.Context, id string) (*run.Manifest, error)

	// Since returns messages of a stream from a number on; see link.Conn.Since.
	Since(ctx context.Context, stream, filter string, seq uint64) (all []link.Msg, more bool, err error)

	Bans(ctx context.Context) ([]link.Ban, error)
	Kept(ctx context.Context, id string) (jobs int, err error)
	PutEnd(ctx context.Context, e link.End) error
	CloseRun(ctx context.Context, id string) error
	Forget(ctx context.Context, id string) error
	Space(ctx context.Context) (used, limit int64, err error)
}

// Serve coordinates a farm through a connection until ctx ends. report, which may be nil,
// is given a view about once a second.
func Serve(ctx context.Context, conn *link.Conn, c Config, report func(*View)) error {
	if c.Store == nil {
		c.Store = conn
	}
	at := New(c, time.Now())
	messages := make(chan link.Incoming, 1<<12)
	stop, err := conn.Listen(func(m link.Incoming) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	defer stop()
	every := time.NewTicker(c.Times.Poll)
	defer every.Stop()
	reported := time.Time{}
	for {
		now := time.Now()
		if err := at.Look(ctx, now); err != nil && ctx.Err() == nil {
			conn.Say(err)
		}
		if report != nil && now.Sub(reported) >= time.Second {
			report(at.View(now))
			reported = now
		}
		for looking := false; !looking; {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-conn.Closed():
				return conn.Err()
			case m := <-messages:
				at.Take(time.Now(), m)
			case <-every.C:
				looking = true
			}
		}
	}
}

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
	v := &View{Now: now, Full: c.full, Ended: append([]link.End{}, c.ended...), Bans: append([]link.Ban{}, c.bans...), Runs: []RunView{}, Workers: []WorkerView{}}
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
