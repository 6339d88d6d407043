package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/tabula-chess/tabula/internal/plural"
)

// What a farm keeps, in the account of its owners:
//
//	stream JOBS     job.RUN.first.INDEX.COPY   jobs that nobody has done, as a work queue
//	                job.RUN.again.INDEX.COPY   checks by a second worker, and jobs done again
//	stream RESULTS  res.RUN.INDEX.COPY         results; the first of a subject stays
//	                fail.RUN.INDEX.KEY         why a worker could not do a job
//	bucket runs     RUN                        Record
//	bucket status   RUN                        Progress, which the owner of a run tells
//	bucket workers  KEY                        Worker, for as long as it lives
//	bucket operate  key.KEY ban.KEY drain.KEY secret
//	objects RUN     SHA-256                    files for the workers of a run
const (
	JobsStream    = "JOBS"
	ResultsStream = "RESULTS"
)

// workerTTL is how long a worker of which nothing is heard is shown.
const workerTTL = 90 * time.Second

// Record is a run as its owner and the operators want it.
type Record struct {
	Run      string          `json:"run"`
	Name     string          `json:"name"`
	Title    string          `json:"title"` // its parameters in a line
	Owner    string          `json:"owner"`
	Kind     string          `json:"kind"`
	Jobs     int             `json:"jobs"`
	Priority int             `json:"priority"` // runs of a lower one wait
	Share    float64         `json:"share"`    // of the time of the workers, among runs of one priority
	Paused   bool            `json:"paused,omitempty"`
	Began    time.Time       `json:"began"`
	Ended    *Ended          `json:"ended,omitempty"`
	Written  bool            `json:"written,omitempty"` // its output is in its place
	Manifest json.RawMessage `json:"manifest,omitempty"`
}

// Ended says how a run ended.
type Ended struct {
	At     time.Time `json:"at"`
	Failed string    `json:"failed,omitempty"` // why it was not finished
	Text   string    `json:"text"`
}

// Mark is what an operator says of a worker: its name for key.KEY, which lets it in, the reason for ban.KEY.
type Mark struct {
	Text string    `json:"text"`
	At   time.Time `json:"at"`
}

func (c *Conn) replicas() int {
	if c.NC.ConnectedClusterName() != "" {
		return 3
	}
	return 1
}

// ensure makes the streams and buckets that are not there, on three servers of a cluster. While these elect a leader
// requests are lost: it gives up soon, and whoever tries again finds what was made.
func (c *Conn) ensure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*answerWait)
	defer cancel()
	info, err := c.JS.AccountInfo(ctx)
	if err != nil {
		return err
	}
	share := func(percent int64) int64 {
		if info.Limits.MaxStore <= 0 {
			return -1
		}
		return info.Limits.MaxStore / 100 * percent / int64(c.replicas())
	}
	for _, s := range []jetstream.StreamConfig{ // the rest of the store is for the files of runs
		{Name: JobsStream, Subjects: []string{"job.*.*.*.*"}, Retention: jetstream.WorkQueuePolicy, MaxBytes: share(10)},
		{Name: ResultsStream, Subjects: []string{"res.*.*.*", "fail.*.*.*"}, MaxBytes: share(70)},
	} {
		s.Discard, s.Replicas, s.AllowDirect = jetstream.DiscardNew, c.replicas(), true
		if s.Name == JobsStream && s.Replicas == 1 {
			s.PersistMode = jetstream.AsyncPersistMode // a job that a power cut takes is queued again
		}
		old, err := c.JS.Stream(ctx, s.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) || err == nil && old.CachedInfo().Config.MaxBytes != s.MaxBytes {
			_, err = c.JS.CreateOrUpdateStream(ctx, s)
		}
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	for _, b := range []struct {
		to *jetstream.KeyValue
		jetstream.KeyValueConfig
	}{
		{&c.Runs, jetstream.KeyValueConfig{Bucket: "runs"}}, {&c.Operate, jetstream.KeyValueConfig{Bucket: "operate"}},
		{&c.Status, jetstream.KeyValueConfig{Bucket: "status"}}, // which a run that is over keeps
		{&c.Workers, jetstream.KeyValueConfig{Bucket: "workers", Storage: jetstream.MemoryStorage, TTL: workerTTL}},
	} {
		b.Replicas = c.replicas()
		if *b.to, err = c.JS.KeyValue(ctx, b.Bucket); errors.Is(err, jetstream.ErrBucketNotFound) {
			*b.to, err = c.JS.CreateKeyValue(ctx, b.KeyValueConfig)
		}
		if err != nil {
			return fmt.Errorf("bucket %s: %w", b.Bucket, err)
		}
	}
	return nil
}

// PutFile stores a file of a run under its hash, where it is not there.
func (c *Conn) PutFile(ctx context.Context, id string, data []byte) error {
	objects, err := c.JS.ObjectStore(ctx, id)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		objects, err = c.JS.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: id, Replicas: c.replicas()})
	}
	if err != nil {
		return err
	}
	name := Sum(data)
	if _, err = objects.GetInfo(ctx, name); errors.Is(err, jetstream.ErrObjectNotFound) {
		_, err = objects.PutBytes(ctx, name, data)
	}
	return err
}

// Files returns the inputs of a run as its owner and the hub read them. The store checks their hashes.
func (c *Conn) Files(of *Manifest) Inputs {
	return func(ctx context.Context, index int) (data []byte, err error) {
		objects, err := c.JS.ObjectStore(ctx, of.ID())
		if err == nil {
			data, err = objects.GetBytes(ctx, of.Inputs[index])
		}
		if err != nil {
			err = fmt.Errorf("input %d of run %.8s: %w", index, of.ID(), err)
		}
		return data, err
	}
}

// Get reads one record of a bucket; the revision is 0 where there is none.
func Get[T any](ctx context.Context, kv jetstream.KeyValue, key string) (r T, revision uint64, err error) {
	entry, err := kv.Get(ctx, key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return r, 0, nil
	case err != nil:
		return r, 0, err
	}
	return r, entry.Revision(), json.Unmarshal(entry.Value(), &r)
}

// Put writes a record.
func Put(ctx context.Context, kv jetstream.KeyValue, key string, r any) error {
	text, err := json.Marshal(r)
	if err == nil {
		_, err = kv.Put(ctx, key, text)
	}
	return err
}

// Stored is a record with the time since it was written.
type Stored[T any] struct {
	Age   time.Duration
	Value T
}

// All returns the records of a bucket whose keys begin with a prefix such as "ban.", by the rest of their keys.
func All[T any](ctx context.Context, kv jetstream.KeyValue, prefix string) (map[string]Stored[T], error) {
	ctx, cancel := context.WithTimeout(ctx, 3*answerWait)
	defer cancel()
	w, err := kv.Watch(ctx, prefix+">", jetstream.IgnoreDeletes())
	if err != nil {
		return nil, err
	}
	defer func() { _ = w.Stop() }()
	for all := map[string]Stored[T]{}; ; {
		select {
		case e := <-w.Updates():
			if e == nil {
				return all, nil
			}
			one := Stored[T]{Age: max(0, time.Since(e.Created()))}
			if err := json.Unmarshal(e.Value(), &one.Value); err != nil {
				return nil, fmt.Errorf("%s %s: %w", kv.Bucket(), e.Key(), err)
			}
			all[strings.TrimPrefix(e.Key(), prefix)] = one
		case <-ctx.Done():
			return nil, fmt.Errorf("bucket %s: %w", kv.Bucket(), ctx.Err())
		}
	}
}

// ChangeRun changes the record of a run, again where somebody else changes it meanwhile.
func (c *Conn) ChangeRun(ctx context.Context, id string, change func(*Record)) error {
	for {
		r, revision, err := Get[*Record](ctx, c.Runs, id)
		if err != nil {
			return err
		}
		if r == nil {
			return fmt.Errorf("the farm has no run %s", id)
		}
		change(r)
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err = c.Runs.Update(ctx, id, text, revision); !IsWrongSequence(err) {
			return err
		}
	}
}

// IsWrongSequence reports whether a publish was refused because its subject has a message already, or another one
// than was expected.
func IsWrongSequence(err error) bool {
	var e *jetstream.APIError
	return errors.As(err, &e) && e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// Fail stores why a worker could not do a job.
func (c *Conn) Fail(ctx context.Context, j Job, key, why string) error {
	_, err := c.JS.Publish(ctx, fmt.Sprintf("fail.%s.%d.%s", j.Run, j.Index, key), []byte(why))
	return err
}

// Purge removes the messages of a stream whose subjects match the filter.
func (c *Conn) Purge(ctx context.Context, stream, filter string) error {
	s, err := c.JS.Stream(ctx, stream)
	if err != nil {
		return err
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(filter))
}

// Forget removes all that the farm has of a run.
func (c *Conn) Forget(ctx context.Context, id string) error {
	of := "*." + id + ".>"
	if err := errors.Join(c.Purge(ctx, JobsStream, of), c.Purge(ctx, ResultsStream, of)); err != nil {
		return err
	}
	if err := c.JS.DeleteObjectStore(ctx, id); err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
		return err
	}
	return errors.Join(c.Status.Purge(ctx, id), c.Runs.Purge(ctx, id))
}

// Full returns what to say where nearly all of the store is used, "" where it is not.
func (c *Conn) Full(ctx context.Context) (string, error) {
	info, err := c.JS.AccountInfo(ctx)
	if err != nil {
		return "", err
	}
	results, err := c.JS.Stream(ctx, ResultsStream)
	if err != nil {
		return "", err
	}
	now := results.CachedInfo()
	for limit, used := range map[int64]uint64{info.Limits.MaxStore: info.Store, now.Config.MaxBytes: now.State.Bytes} {
		if limit > 0 && int64(used) > limit/10*9 {
			return fmt.Sprintf("the store is full, %d of %d MiB: no jobs are handed out until there is space "+
				"(tabula-farm forget RUN, or a hub with a larger --store)", used>>20, limit>>20), nil
		}
	}
	return "", nil
}

// End ends a run: its jobs leave the queue, its results stay.
func (c *Conn) End(ctx context.Context, id string, e Ended) error {
	if err := c.ChangeRun(ctx, id, func(r *Record) { r.Ended = &e }); err != nil {
		return err
	}
	return c.Purge(ctx, JobsStream, "job."+id+".>")
}

// View is what a farm does at a moment.
type View struct {
	Now     time.Time       `json:"now"`
	Full    string          `json:"full,omitempty"` // why no jobs are handed out
	Runs    []RunView       `json:"runs"`           // in the order in which they began
	Workers []WorkerView    `json:"workers"`
	Bans    map[string]Mark `json:"bans"` // by key

	Keys, Drains map[string]Stored[Mark] `json:"-"`
}

// RunView is a run and where it stands.
type RunView struct {
	Record
	Progress
	Waits string `json:"waits,omitempty"` // what an open run waits for
}

// WorkerView is a worker.
type WorkerView struct {
	Worker
	ID     string  `json:"id"`             // its key
	Name   string  `json:"name,omitempty"` // under which the key was enrolled
	Silent float64 `json:"silent"`         // seconds since it was heard
	Ban    string  `json:"ban,omitempty"`  // why it is banned
}

// ownerSilence is the time after which an owner that tells nothing is said to be away.
const ownerSilence = 30 * time.Second

// View returns what the farm does.
func (c *Conn) View(ctx context.Context) (*View, error) {
	v := &View{Now: time.Now(), Runs: []RunView{}, Workers: []WorkerView{}, Bans: map[string]Mark{}}
	full, err := c.Full(ctx)
	records, bad1 := All[Record](ctx, c.Runs, "")
	progress, bad2 := All[Progress](ctx, c.Status, "")
	workers, bad3 := All[Worker](ctx, c.Workers, "")
	keys, bad4 := All[Mark](ctx, c.Operate, "key.")
	bans, bad5 := All[Mark](ctx, c.Operate, "ban.")
	drains, bad6 := All[Mark](ctx, c.Operate, "drain.")
	if err := errors.Join(err, bad1, bad2, bad3, bad4, bad5, bad6); err != nil {
		return nil, err
	}
	v.Full, v.Keys, v.Drains = full, keys, drains
	for key, b := range bans {
		v.Bans[key] = b.Value
	}
	for key, w := range workers {
		v.Workers = append(v.Workers, WorkerView{
			Worker: w.Value, ID: key, Name: keys[key].Value.Text, Silent: w.Age.Seconds(), Ban: bans[key].Value.Text,
		})
	}
	slices.SortFunc(v.Workers, func(a, b WorkerView) int { return cmp.Compare(a.Host+" "+a.ID, b.Host+" "+b.ID) })
	for id, r := range records {
		p := progress[id]
		one := RunView{Record: r.Value, Progress: p.Value}
		if one.Ended != nil {
			one.Text = one.Ended.Text
		} else if one.Waits = waits(v, &one); one.Waits == "" && (p.Value.Text == "" || p.Age > ownerSilence) {
			one.Waits = "the command that started it is away: workers do what is queued; give the command again"
		}
		v.Runs = append(v.Runs, one)
	}
	slices.SortFunc(v.Runs, func(a, b RunView) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Run, b.Run)) })
	return v, nil
}

// waits says what an open run waits for, "" for nothing but its jobs.
func waits(v *View, r *RunView) string {
	m, err := ParseManifest(r.Run, r.Manifest)
	switch {
	case err != nil:
		return err.Error()
	case r.Paused:
		return "paused"
	case cmp.Or(r.Held, r.Failing) != "":
		return cmp.Or(r.Held, r.Failing)
	case v.Full != "":
		return v.Full
	}
	able, why := 0, ""
	for i := range v.Workers {
		w := &v.Workers[i]
		if err := w.Takes(m); err != nil && w.Ban == "" {
			why = cmp.Or(why, fmt.Sprintf("%s: %v", cmp.Or(w.Name, w.Host), err))
		} else if w.Ban == "" {
			able++
		}
	}
	switch {
	case len(v.Workers) == 0:
		return "no workers: start tabula-farm work"
	case able == 0 && why != "":
		return "no worker can do its jobs: " + why
	case r.Checks > 0 && able == 1:
		return plural.Do(r.Checks, "job", "waits", "wait") + " to be checked by a worker with another key"
	}
	return ""
}

// Takes returns why a machine may not take jobs of a run, nil where it may.
func (m *Machine) Takes(of *Manifest) error {
	version, known := m.Kinds[of.Kind]
	switch {
	case !known:
		return fmt.Errorf("this worker does not know runs of kind %s: update it", of.Kind)
	case version != of.Version:
		return versionError(of.Kind, version, of)
	case of.Bench != 0 && m.Bench != of.Bench:
		return fmt.Errorf("the bench of its engine visits %d nodes, the run needs %d: use the same commit", m.Bench, of.Bench)
	}
	return nil
}
