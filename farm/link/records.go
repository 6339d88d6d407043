package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/farm/run"
)

// Open is what STATE says of a run that is open, under open.<run>.
type Open struct {
	Run   string         `json:"run"`
	Kind  string         `json:"kind"`
	Jobs  int            `json:"jobs"`
	Lanes []int          `json:"lanes"`           // that have a consumer
	Slots map[string]int `json:"slots,omitempty"` // groups of workers by key
	Epoch string         `json:"epoch"`           // of the queue, see Conn.Epoch
	Alone bool           `json:"alone,omitempty"` // there is one worker, which may make all copies
	Ever  bool           `json:"ever,omitempty"`  // that was so at some time
	Until int            `json:"until"`           // jobs with smaller indexes may be done

	// Where the run stood at the last look of a coordinator.
	Agreed int    `json:"agreed"`
	Text   string `json:"text"`
	Dead   []int  `json:"dead,omitempty"`
}

// Takes reports whether a worker may take jobs of a lane.
func (o *Open) Takes(key string, lane int) bool {
	slot, ok := o.Slots[key]
	return lane == AnyLane || o.Alone || !ok || slot != lane
}

// End is what STATE says of a run that is over, under end.<run>.
type End struct {
	Run    string  `json:"run"`
	Kind   string  `json:"kind"`
	Jobs   int     `json:"jobs"`
	Agreed int     `json:"agreed"`
	Text   string  `json:"text"`             // where it stood
	Failed string  `json:"failed,omitempty"` // why it cannot be finished
	Took   float64 `json:"took"`             // seconds of the workers
	Ever   bool    `json:"ever,omitempty"`   // a worker was alone at some time, see Open
}

// Alive is what a worker says of itself under alive.<worker>.
type Alive struct {
	Worker  string    `json:"worker"`
	Host    string    `json:"host"`
	Cores   int       `json:"cores"`
	Commit  string    `json:"commit"`
	Path    string    `json:"path"`
	Done    int       `json:"done"`  // jobs since it was started
	Spool   int       `json:"spool"` // results that wait for the hub
	Running []run.Job `json:"running,omitempty"`
	Refuses []string  `json:"refuses,omitempty"` // runs, with reasons
	Failed  string    `json:"failed,omitempty"`  // the last error of a job
	Leaving bool      `json:"leaving,omitempty"`
}

// PutManifest keeps a manifest under its hash; one that is there is the same.
func (c *Conn) PutManifest(ctx context.Context, m *run.Manifest) error {
	_, err := c.First(ctx, "run."+m.ID(), m.Text())
	return err
}

// Manifest returns the manifest of a run.
func (c *Conn) Manifest(ctx context.Context, id string) (*run.Manifest, error) {
	m, err := c.Last(ctx, Runs, "run."+id)
	if err != nil {
		return nil, err
	}
	return run.ParseManifest(id, m.Data)
}

// records returns the last message of each subject in JSON.
func records[T any](ctx context.Context, c *Conn, stream, filter string) (all []T, err error) {
	messages, err := c.Latest(ctx, stream, filter)
	for _, m := range messages {
		var r T
		if err := json.Unmarshal(m.Data, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Subject, err)
		}
		all = append(all, r)
	}
	return all, err
}

// put publishes a record in JSON.
func (c *Conn) put(ctx context.Context, subject string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return err
	}
	return c.Put(ctx, subject, text)
}

// OpenRuns returns the runs that are open.
func (c *Conn) OpenRuns(ctx context.Context) ([]Open, error) {
	return records[Open](ctx, c, State, "open.*")
}

// EndedRuns returns the runs that are over.
func (c *Conn) EndedRuns(ctx context.Context) ([]End, error) {
	return records[End](ctx, c, State, "end.*")
}

// Ended returns how a run ended; ok is false where it has not.
func (c *Conn) Ended(ctx context.Context, id string) (e End, ok bool, err error) {
	m, err := c.Last(ctx, State, "end."+id)
	if errors.Is(err, ErrNone) {
		return e, false, nil
	}
	if err != nil {
		return e, false, err
	}
	return e, true, json.Unmarshal(m.Data, &e)
}

// PutOpen says that a run is open.
func (c *Conn) PutOpen(ctx context.Context, o Open) error { return c.put(ctx, "open."+o.Run, o) }

// PutEnd says that a run is over, and takes its jobs from the queue.
func (c *Conn) PutEnd(ctx context.Context, e End) error {
	if err := c.put(ctx, "end."+e.Run, e); err != nil {
		return err
	}
	return c.CloseRun(ctx, e.Run)
}

// CloseRun takes a run and its jobs off the farm. Its results stay.
func (c *Conn) CloseRun(ctx context.Context, id string) error {
	if err := c.Purge(ctx, State, "open."+id); err != nil {
		return err
	}
	epoch, err := c.Epoch(ctx)
	if err != nil {
		return err
	}
	for lane := range Lanes + 1 {
		// One that is not there is as good as one that is gone.
		_ = c.Ask(ctx, func(ctx context.Context) error {
			return c.JS.DeleteConsumer(ctx, Jobs, ConsumerName(id, lane, epoch))
		})
	}
	return c.Purge(ctx, Jobs, "job."+id+".>")
}

// Reopen forgets how a run ended, and with it which of its jobs were given up.
func (c *Conn) Reopen(ctx context.Context, id string) error {
	if err := c.Purge(ctx, Dead, "dead."+id+".>"); err != nil {
		return err
	}
	return c.Purge(ctx, State, "end."+id)
}

// Ban makes the results of a worker count for nothing, in every run. The first
// reason stays.
func (c *Conn) Ban(ctx context.Context, worker, reason string) error {
	return c.Put(ctx, "ban."+worker, []byte(reason))
}

// Banned returns the workers that are banned, with the reasons.
func (c *Conn) Banned(ctx context.Context) (map[string]string, error) {
	messages, err := c.Latest(ctx, Bans, "ban.*")
	reasons := map[string]string{}
	for _, m := range messages {
		reasons[strings.TrimPrefix(m.Subject, "ban.")] = string(m.Data)
	}
	return reasons, err
}
