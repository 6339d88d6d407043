package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Open is what an owner says of a run that is to be worked at, under open.<run>.
type Open struct {
	Run      string    `json:"run"`
	Name     string    `json:"name"`
	Title    string    `json:"title"` // its parameters in a line
	Owner    string    `json:"owner"`
	Kind     string    `json:"kind"`
	Jobs     int       `json:"jobs"`
	Priority int       `json:"priority"` // runs of a lower one wait
	Share    float64   `json:"share"`    // of the time of the workers, among runs of one priority
	Paused   bool      `json:"paused,omitempty"`
	Began    time.Time `json:"began"`
}

// End is what the coordinator or an owner says of a run that is over, under end.<run>.
type End struct {
	Open
	Folded int       `json:"folded"`
	Text   string    `json:"text"`
	Failed string    `json:"failed,omitempty"` // why it was not finished
	Took   float64   `json:"took"`             // seconds of the workers
	At     time.Time `json:"at"`
}

// Ban keeps a worker out, under ban.<worker>; a key bans all of its machines. Its
// results count for nothing.
type Ban struct {
	Worker string    `json:"worker"`
	Reason string    `json:"reason"`
	At     time.Time `json:"at"`
}

// Enrolled is a key that the hub lets in, under key.<key>.
type Enrolled struct {
	Key  string    `json:"key"`
	Name string    `json:"name"`
	At   time.Time `json:"at"`
}

// Covers reports whether a name that an operator gave, a key or KEY.MACHINE, means a
// worker.
func Covers(name, worker string) bool { return name == worker || strings.HasPrefix(worker, name+".") }

// PutManifest stores a manifest under its hash; one that is there is the same.
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
func records[T any](ctx context.Context, c *Conn, filter string) (all []T, err error) {
	messages, err := c.Latest(ctx, State, filter)
	for _, m := range messages {
		var r T
		if err := json.Unmarshal(m.Data, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Subject, err)
		}
		all = append(all, r)
	}
	return all, err
}

// record returns one record; ok is false where there is none.
func record[T any](ctx context.Context, c *Conn, subject string) (r T, ok bool, err error) {
	m, err := c.Last(ctx, State, subject)
	if errors.Is(err, ErrNone) {
		return r, false, nil
	}
	if err == nil {
		err = json.Unmarshal(m.Data, &r)
	}
	return r, err == nil, err
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
func (c *Conn) OpenRuns(ctx context.Context) ([]Open, error) { return records[Open](ctx, c, "open.*") }

// Opened returns the record of a run that is open; ok is false where it is not.
func (c *Conn) Opened(ctx context.Context, id string) (o Open, ok bool, err error) {
	return record[Open](ctx, c, "open."+id)
}

// PutOpen says that a run is open, and how.
func (c *Conn) PutOpen(ctx context.Context, o Open) error { return c.put(ctx, "open."+o.Run, o) }

// EndedRuns returns the runs that are over.
func (c *Conn) EndedRuns(ctx context.Context) ([]End, error) { return records[End](ctx, c, "end.*") }

// Ended returns how a run ended; ok is false where it has not.
func (c *Conn) Ended(ctx context.Context, id string) (e End, ok bool, err error) {
	return record[End](ctx, c, "end."+id)
}

// PutEnd says that a run is over, to workers too. Its results stay.
func (c *Conn) PutEnd(ctx context.Context, e End) error {
	if err := c.put(ctx, "end."+e.Run, e); err != nil {
		return err
	}
	return c.CloseRun(ctx, e.Run)
}

// CloseRun takes a run that has ended off the list of open ones.
func (c *Conn) CloseRun(ctx context.Context, id string) error {
	return errors.Join(c.Purge(ctx, State, "open."+id), c.NC.Publish("over."+id, nil))
}

// Reopen forgets how a run ended.
func (c *Conn) Reopen(ctx context.Context, id string) error { return c.Purge(ctx, State, "end."+id) }

// Forget removes all that the farm has of a run.
func (c *Conn) Forget(ctx context.Context, id string) error {
	if err := c.CloseRun(ctx, id); err != nil {
		return err
	}
	for _, p := range [][2]string{{Art, "art." + id + ".>"}, {Input, "in." + id + ".>"}, {Res, "res." + id + ".>"}, {State, "kept." + id}, {Runs, "run." + id}} {
		if err := c.Purge(ctx, p[0], p[1]); err != nil {
			return err
		}
	}
	return c.Purge(ctx, State, "end."+id) // last: until then it is asked for again
}

// PutKept says that the owner has the files of the first jobs of a run.
func (c *Conn) PutKept(ctx context.Context, id string, jobs int) error {
	return c.put(ctx, "kept."+id, jobs)
}

// Kept returns what PutKept said, 0 for nothing.
func (c *Conn) Kept(ctx context.Context, id string) (jobs int, err error) {
	jobs, _, err = record[int](ctx, c, "kept."+id)
	return jobs, err
}

// Bans returns who is banned.
func (c *Conn) Bans(ctx context.Context) ([]Ban, error) { return records[Ban](ctx, c, "ban.>") }

// PutBan bans a worker.
func (c *Conn) PutBan(ctx context.Context, b Ban) error { return c.put(ctx, "ban."+b.Worker, b) }

// Unban lets a worker in again.
func (c *Conn) Unban(ctx context.Context, worker string) error {
	return c.Purge(ctx, State, "ban."+worker)
}

// Enrol lets a key in.
func (c *Conn) Enrol(ctx context.Context, e Enrolled) error { return c.put(ctx, "key."+e.Key, e) }

// Keys returns the keys that are enrolled.
func (c *Conn) Keys(ctx context.Context) ([]Enrolled, error) {
	return records[Enrolled](ctx, c, "key.*")
}
