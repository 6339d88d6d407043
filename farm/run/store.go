package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/work"
)

// What a farm keeps:
//
//	stream JOBS       jobs.RUN.INDEX           jobs that nobody has done, as a work queue with a consumer for each run
//	stream RESULTS    results.RUN.INDEX.KEY    what jobs came to; the first one counts
//	                  failed.RUN.INDEX.KEY     why a worker could not do a job; nothing if it gave the job back
//	bucket farm       state                    State: the runs, and which workers are drained
//	                  keys                     Keys: who is enrolled and who is revoked
//	                  spec.RUN                 work.Spec
//	bucket status     RUN                      Progress, which the owner of a run tells
//	bucket workers    KEY                      Worker, for as long as it lives
//	objects inputs    RUN/SHA-256              files that the jobs of a run read
const (
	JobsStream    = "JOBS"
	ResultsStream = "RESULTS"
	farmBucket    = "farm"
	statusBucket  = "status"
	workersBucket = "workers"
	inputsBucket  = "inputs"
	inputsStream  = "OBJ_" + inputsBucket
	chunkSubjects = "$O." + inputsBucket + ".C." // followed by the NUID of an object: its parts
	stateKey      = "state"
	keysKey       = "keys"

	MaxData    = 1 << 20          // bytes of what a job comes to
	MaxPayload = MaxData + 64<<10 // of the message that has it
	workerTTL  = 30 * time.Second // for which a worker that does not report is said to live
)

// RunState is what owners and operators want of the workers.
type RunState struct {
	Runs    []Record             `json:"runs"`              // in the order in which they began
	Drained map[string]time.Time `json:"drained,omitempty"` // by key: workers that end once their jobs are done
}

// Record is a run as its owner and the operators want it.
type Record struct {
	Run      string  `json:"run"` // ID of its spec
	Name     string  `json:"name"`
	Title    string  `json:"title"` // its flags and arguments
	Owner    string  `json:"owner"`
	Kind     string  `json:"kind"`
	Version  int     `json:"version"`  // of the kind
	Search   uint64  `json:"search"`   // see work.Spec
	Jobs     int     `json:"jobs"`     // steps of its progress, -1 where their number is unknown
	Priority int     `json:"priority"` // runs of a lower one wait
	Share    float64 `json:"share"`    // of the time of the workers, among runs of one priority
	Paused   bool    `json:"paused,omitempty"`
	Ended    *Ended  `json:"ended,omitempty"`
}

// Ended says how a run ended.
type Ended struct {
	Failed string `json:"failed,omitempty"` // why it was not finished
}

// Keys are the workers that are enrolled, by their keys.
type Keys map[string]Enrolled

// Enrolled is a key that the operator has made for a worker.
type Enrolled struct {
	Name    string     `json:"name"`
	Revoked *time.Time `json:"revoked,omitempty"`
	// Folded has, for each run that was open when the key was revoked, how many of its jobs were folded. Results of the
	// key for other jobs do not count.
	Folded map[string]int `json:"folded,omitempty"`
}

// counts reports whether a result of a key counts.
func (k Keys) counts(key, id string, index int) bool {
	e := k[key]
	return e.Revoked == nil || index < e.Folded[id]
}

// find returns the record of a run, nil if there is none.
func (s *RunState) find(id string) *Record {
	i := slices.IndexFunc(s.Runs, func(r Record) bool { return r.Run == id })
	if i < 0 {
		return nil
	}
	return &s.Runs[i]
}

// ensure makes the streams and buckets that are not there.
func (c *Conn) ensure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*answerWait)
	defer cancel()
	info, err := c.JS.AccountInfo(ctx)
	if err != nil {
		return err
	}
	for _, s := range []jetstream.StreamConfig{ // MaxBytes in percent; the rest of the store is for the inputs of runs
		{Name: JobsStream, Subjects: []string{"jobs.*.*"}, Retention: jetstream.WorkQueuePolicy, MaxBytes: 10},
		{Name: ResultsStream, Subjects: []string{"results.*.*.*", "failed.*.*.*"}, MaxBytes: 70},
	} {
		if s.MaxBytes *= info.Limits.MaxStore / 100; s.MaxBytes <= 0 {
			s.MaxBytes = -1
		}
		s.Discard, s.AllowDirect, s.MaxMsgSize = jetstream.DiscardNew, true, MaxPayload
		if s.Name == JobsStream {
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
	for b, to := range map[*jetstream.KeyValueConfig]*jetstream.KeyValue{
		{Bucket: farmBucket}: &c.farm, {Bucket: statusBucket}: &c.status,
		{Bucket: workersBucket, Storage: jetstream.MemoryStorage, TTL: workerTTL}: &c.workers,
	} {
		if *to, err = c.JS.KeyValue(ctx, b.Bucket); errors.Is(err, jetstream.ErrBucketNotFound) {
			*to, err = c.JS.CreateKeyValue(ctx, *b)
		}
		if err != nil {
			return fmt.Errorf("bucket %s: %w", b.Bucket, err)
		}
	}
	if c.inputs, err = c.JS.ObjectStore(ctx, inputsBucket); errors.Is(err, jetstream.ErrBucketNotFound) {
		c.inputs, err = c.JS.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: inputsBucket})
	}
	return err
}

// get reads one record of a bucket; the revision is 0 where there is none.
func get[T any](ctx context.Context, kv jetstream.KeyValue, key string) (r T, revision uint64, err error) {
	entry, err := kv.Get(ctx, key)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return r, 0, nil
	case err != nil:
		return r, 0, fmt.Errorf("%s of bucket %s: %w", key, kv.Bucket(), err)
	}
	return r, entry.Revision(), json.Unmarshal(entry.Value(), &r)
}

// put writes a record.
func put(ctx context.Context, kv jetstream.KeyValue, key string, r any) error {
	text, err := json.Marshal(r)
	if err == nil {
		_, err = kv.Put(ctx, key, text)
	}
	return err
}

// change changes a record, again where somebody else changes it meanwhile.
func change[T any](ctx context.Context, kv jetstream.KeyValue, key string, do func(*T) error) error {
	for {
		r, revision, err := get[T](ctx, kv, key)
		if err == nil {
			err = do(&r)
		}
		if err != nil {
			return err
		}
		text, err := json.Marshal(r)
		if err != nil {
			return err
		}
		if _, err = kv.Update(ctx, key, text, revision); !isWrongSequence(err) {
			return err
		}
	}
}

// isWrongSequence reports whether a publish was refused because its subject has another message than was expected.
func isWrongSequence(err error) bool {
	e, ok := errors.AsType[*jetstream.APIError](err)
	return ok && e.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// State returns what owners and operators want.
func (c *Conn) State(ctx context.Context) (s RunState, err error) {
	s, _, err = get[RunState](ctx, c.farm, stateKey)
	return s, err
}

// Keys returns the keys that are enrolled.
func (c *Conn) Keys(ctx context.Context) (k Keys, err error) {
	k, _, err = get[Keys](ctx, c.farm, keysKey)
	return k, err
}

// changeRun changes the record of a run.
func (c *Conn) changeRun(ctx context.Context, id string, do func(*Record)) error {
	return change(ctx, c.farm, stateKey, func(s *RunState) error {
		r := s.find(id)
		if r == nil {
			return failure("the farm has no run " + id)
		}
		do(r)
		return nil
	})
}

// dated is a record that was written a while ago, by the hub's clock.
type dated[T any] struct {
	record T
	age    time.Duration
}

// all returns the records of a bucket by their keys, without those that are none: workers write some. It asks for each:
// a watcher of the library waits for ever for a record that expires before it is sent.
func all[T any](ctx context.Context, c *Conn, kv jetstream.KeyValue) (map[string]dated[T], error) {
	records := map[string]dated[T]{}
	info, err := c.subjects(ctx, "KV_"+kv.Bucket(), "$KV."+kv.Bucket()+".>")
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", kv.Bucket(), err)
	}
	var mu sync.Mutex
	var asked sync.WaitGroup
	for subject := range info.State.Subjects {
		asked.Go(func() {
			key := strings.TrimPrefix(subject, "$KV."+kv.Bucket()+".")
			entry, bad := kv.Get(ctx, key)
			mu.Lock()
			defer mu.Unlock()
			var r T
			switch {
			case errors.Is(bad, jetstream.ErrKeyNotFound):
			case bad != nil:
				err = fmt.Errorf("%s of bucket %s: %w", key, kv.Bucket(), bad)
			case json.Unmarshal(entry.Value(), &r) == nil:
				records[key] = dated[T]{r, info.TimeStamp.Sub(entry.Created())}
			}
		})
	}
	asked.Wait()
	return records, err
}

// subjects returns what a stream holds, with the subjects that match a filter.
func (c *Conn) subjects(ctx context.Context, stream, filter string) (*jetstream.StreamInfo, error) {
	s, err := c.JS.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	return s.Info(ctx, jetstream.WithSubjectFilter(filter))
}

// purge removes the messages of a stream whose subjects match the filter.
func (c *Conn) purge(ctx context.Context, stream, filter string) error {
	s, err := c.JS.Stream(ctx, stream)
	if err != nil {
		return err
	}
	return s.Purge(ctx, jetstream.WithPurgeSubject(filter))
}

var errPart = errors.New("only a part of it is there")

// whole returns an error unless the farm has all of an object. An upload that fails may leave its description alone.
func (c *Conn) whole(ctx context.Context, name string) error {
	o, err := c.inputs.GetInfo(ctx, name)
	if err != nil {
		return err
	}
	info, err := c.subjects(ctx, inputsStream, chunkSubjects+o.NUID)
	if err == nil && info.State.Subjects[chunkSubjects+o.NUID] != uint64(o.Chunks) {
		err = errPart
	}
	return err
}

// putInput stores an input of a run, where the farm does not have all of it.
func (c *Conn) putInput(ctx context.Context, id string, data []byte) error {
	name := id + "/" + work.Sum(data)
	err := c.whole(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) || errors.Is(err, errPart) {
		_, err = c.inputs.PutBytes(ctx, name, data)
	}
	return err
}

// input reads an input of a run and checks it.
func (c *Conn) input(ctx context.Context, id, sum string) (data []byte, err error) {
	name := id + "/" + sum
	if err = c.whole(ctx, name); err == nil {
		data, err = c.inputs.GetBytes(ctx, name)
	}
	if err == nil && work.Sum(data) != sum {
		err = errors.New("it was altered on its way")
	}
	return data, err
}
