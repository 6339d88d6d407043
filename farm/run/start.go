package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Order is a run that is to be done.
type Order struct {
	Manifest *Manifest
	Plan     Plan
	Name     string
	Title    string // the parameters in a line
	Owner    string
	// Send stores the files that the workers need; nil for none.
	Send func(put func(data []byte) error) error
	Keep Keep // nil where the results have no files that are kept
	// Report, which may be nil, is told where the run stands when that has changed.
	Report func(Outcome)
	Log    *slog.Logger // nil for none
}

// Progress is where a run stands, as its owner tells the farm.
type Progress struct {
	Folded  int              `json:"folded"`
	Results int              `json:"results"`
	Checks  int              `json:"checks"` // jobs that wait for a worker with another key
	Text    string           `json:"text"`
	Numbers []Number         `json:"numbers"`
	Took    float64          `json:"took"`             // seconds of the workers
	Left    float64          `json:"left"`             // seconds, 0 where unknown
	Single  int              `json:"single,omitempty"` // jobs whose copies one key made
	Held    string           `json:"held,omitempty"`   // why nothing is folded
	Workers map[string]*Done `json:"workers"`          // by KEY.MACHINE
}

// Done is what a worker has done of a run.
type Done struct {
	Host   string             `json:"host"`
	Commit string             `json:"commit"`
	Jobs   int                `json:"jobs"`
	Units  float64            `json:"units"`
	Took   float64            `json:"took"`
	Scores map[string]float64 `json:"scores,omitempty"` // see Scorer
}

// Outcome is where a run stands, with its fold.
type Outcome struct {
	Progress
	Fold Fold
}

// ahead is how many jobs behind those that are folded may be in the queue: the workers go on
// with them while the owner is away. kept is how many bytes of files that the owner has
// fetched stay in the farm, so that they are there after a ban.
const (
	ahead = 10_000
	kept  = 256 << 20
)

// sweep is the time between two comparisons of the queue with what is missing.
const sweep = 15 * time.Second

// startWait is for how long a hub may be away when a run is started.
const startWait = 3 * time.Minute

// task is a job that is not folded.
type task struct {
	results []*Result         // that count, in the order in which they came
	verdict *Result           // of the owner
	queued  map[int]int       // copies in the queue, and in how many sweeps they were not there
	copies  int               // numbers of copies that are used
	came    map[int]bool      // copies whose results came, whether they count or not
	failed  map[string]string // reasons, by key
	refused []string          // keys whose results cannot be
	tries   int               // that failed
}

// owner is the owner's side of a run.
type owner struct {
	Order
	conn   *Conn
	id     string
	log    *slog.Logger
	alone  bool // who connects without a key trusts all workers: one key may make all copies
	began  time.Time
	before int // jobs that were folded at began

	bans     []Mark
	fold     Fold
	folded   int
	frontier int // jobs before it are queued or done
	tasks    map[int]*task
	touched  map[int]bool // tasks to look at
	seen     uint64       // results and failures of this round
	last     uint64       // sequence number of the last of them
	swept    uint64       // what last was at the last sweep
	deciding map[int]bool // disputes that this process settles
	decided  chan error
	Progress
	fetched []*File // that are in the farm still, the oldest first
	bytes   int
}

// errRound says that the results are to be folded from the first one.
var errRound = errors.New("begins again")

// Start sees a run through: it opens the run, queues its jobs, and folds the results until
// all are folded, the run has failed or was cancelled, or ctx ends. While the hub is away it
// waits. Where two workers differ it does the job itself, and its value counts. A run that
// was begun before goes on, also one that had failed.
func Start(ctx context.Context, c *Conn, o Order) (Outcome, error) {
	w := &owner{Order: o, conn: c, id: o.Manifest.ID(), log: o.Log, alone: c.options.Key.Pair == nil, began: time.Now(), before: -1, decided: make(chan error, 16)}
	if w.log == nil {
		w.log = slog.New(slog.DiscardHandler)
	}
	w.reset()
	if err := c.Retry(ctx, startWait, w.open); err != nil {
		return w.outcome(), err
	}
	for {
		err := w.round(ctx)
		switch {
		case ctx.Err() != nil:
			return w.outcome(), context.Cause(ctx)
		case err == nil, errors.As(err, new(failure)):
			return w.outcome(), err
		case errors.Is(err, errRound):
			continue
		}
		c.Warn(err)
		select {
		case <-ctx.Done():
		case <-c.Closed():
			return w.outcome(), c.Err()
		case <-time.After(retryWait):
		}
	}
}

// failure is why a run was not finished.
type failure string

func (f failure) Error() string { return string(f) }

func (w *owner) outcome() Outcome { return Outcome{w.Progress, w.fold} }

// reset forgets what was folded.
func (w *owner) reset() {
	w.fold, w.folded, w.frontier, w.seen = w.Plan.NewFold(), 0, 0, 0
	w.last, w.swept = 0, math.MaxUint64
	w.tasks, w.touched, w.deciding = map[int]*task{}, map[int]bool{}, map[int]bool{}
	w.fetched, w.bytes = nil, 0
	w.Progress = Progress{Workers: map[string]*Done{}}
}

// open says that the run is to be done, and gives the workers their inputs.
func (w *owner) open(ctx context.Context) error {
	if err := w.conn.Ensure(ctx); err != nil {
		return err
	}
	if w.Send != nil {
		if err := w.Send(func(data []byte) error { return w.conn.PutFile(ctx, w.id, data) }); err != nil {
			return err
		}
	}
	r := Record{
		Run: w.id, Name: w.Name, Title: w.Title, Owner: w.Owner, Kind: w.Manifest.Kind, Jobs: w.Manifest.Jobs,
		Share: 1, Began: time.Now().Round(0), Timed: IsTimed(w.Plan), Files: w.Keep != nil, Manifest: w.Manifest.Text(),
	}
	text, err := json.Marshal(&r)
	if err != nil {
		return err
	}
	if _, err = w.conn.Runs.Create(ctx, w.id, text); !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	if err := w.conn.Purge(ctx, ResultsStream, "fail."+w.id+".>"); err != nil {
		return err
	}
	return w.conn.ChangeRun(ctx, w.id, func(r *Record) { r.Ended, r.Files = nil, w.Keep != nil })
}

// round folds the results from the first one on. It returns nil when the run is done, errRound
// when bans have changed, and other errors when the farm cannot be asked.
func (w *owner) round(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.reset()
	bans, err := w.conn.Operate.Watch(ctx, "ban.>", jetstream.UpdatesOnly())
	if err != nil {
		return err
	}
	defer func() { _ = bans.Stop() }()
	record, err := w.conn.Runs.Watch(ctx, w.id, jetstream.UpdatesOnly())
	if err != nil {
		return err
	}
	defer func() { _ = record.Stop() }()
	banned, err := All[Mark](ctx, w.conn.Operate, "ban.>")
	if err != nil {
		return err
	}
	w.bans = nil
	for _, b := range banned {
		w.bans = append(w.bans, b.Value)
	}
	consumer, err := w.conn.JS.OrderedConsumer(ctx, ResultsStream, jetstream.OrderedConsumerConfig{FilterSubjects: []string{"res." + w.id + ".>", "fail." + w.id + ".>"}})
	if err != nil {
		return err
	}
	pending := consumer.CachedInfo().NumPending // what was there before
	messages := make(chan jetstream.Msg, 1024)
	reading, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return err
	}
	defer reading.Stop()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	var swept, told time.Time
	for {
		if w.seen >= pending {
			if time.Since(swept) >= sweep {
				if err := w.sweep(ctx); err != nil {
					return err
				}
				swept = time.Now()
			}
			if err := w.advance(ctx); err != nil {
				if ctx.Err() != nil || errors.As(err, new(failure)) {
					return err
				}
				w.Held = err.Error()
				w.conn.Warn(err)
			}
			if w.fold.Done() {
				return w.finish(ctx, "")
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.conn.Closed():
			return w.conn.Err()
		case m := <-messages:
			w.take(m)
			for more := true; more; {
				select {
				case m := <-messages:
					w.take(m)
				default:
					more = false
				}
			}
		case err := <-w.decided:
			if err != nil {
				return w.finish(ctx, err.Error())
			}
		case e := <-bans.Updates():
			if e != nil {
				return errRound
			}
		case e := <-record.Updates():
			if e == nil {
				continue
			}
			var r Record
			if err := json.Unmarshal(e.Value(), &r); e.Operation() != jetstream.KeyValuePut || err != nil {
				return failure("run " + w.Name + " was forgotten")
			}
			if r.Ended != nil && r.Ended.Failed != "" {
				return failure("run " + w.Name + ": " + r.Ended.Failed)
			}
		case <-tick.C:
			if time.Since(told) > time.Second+time.Duration(len(w.Workers))*time.Millisecond {
				if err := w.tell(ctx); err == nil {
					told = time.Now()
				}
			}
		}
	}
}

// task returns what is known of a job.
func (w *owner) task(index int) *task {
	t := w.tasks[index]
	if t == nil {
		t = &task{queued: map[int]int{}, failed: map[string]string{}, came: map[int]bool{}}
		w.tasks[index] = t
	}
	return t
}

// take notes a result or a failure.
func (w *owner) take(m jetstream.Msg) {
	w.seen++
	if meta, err := m.Metadata(); err == nil {
		w.last = meta.Sequence.Stream
	}
	parts := strings.Split(m.Subject(), ".")
	index, err := strconv.Atoi(parts[2])
	if err != nil || index < 0 || index >= w.Manifest.Jobs {
		return
	}
	if parts[0] == "fail" {
		w.takeFailure(index, parts[3], string(m.Data()))
		return
	}
	number, err := strconv.Atoi(parts[3])
	if err != nil {
		return
	}
	j := Job{Run: w.id, Index: index, Copy: number}
	if j.Subject() != m.Subject() {
		return // 00 is another subject than 0
	}
	r, err := OpenResult(w.Manifest, j, m.Data())
	banned := err == nil && slices.ContainsFunc(w.bans, func(b Mark) bool { return Covers(b.Worker, r.Worker()) })
	if err != nil {
		w.log.Error("a result does not count", "run", w.Name, "job", index, "error", err)
	} else if !banned {
		w.count(r)
	}
	if index < w.folded {
		return
	}
	w.touched[index] = true
	t := w.task(index)
	t.copies = max(t.copies, number+1)
	delete(t.queued, number)
	t.came[number] = true
	switch {
	case err != nil || banned:
	case number == VerdictCopy:
		t.verdict = r
	case !w.alone && slices.Contains(t.refused, r.Key):
	case !w.alone && slices.ContainsFunc(t.results, func(o *Result) bool { return o.Key == r.Key }):
	default:
		t.results = append(t.results, r)
	}
}

// count adds a result to what its worker has done.
func (w *owner) count(r *Result) {
	d := w.Workers[r.Worker()]
	if d == nil {
		d = &Done{Scores: map[string]float64{}}
		w.Workers[r.Worker()] = d
	}
	d.Host, d.Commit = r.Host, r.Commit
	d.Jobs++
	d.Units += r.Units
	d.Took += r.Took
	w.Took += r.Took
	w.Results++
	if s, ok := w.Plan.(Scorer); ok {
		for _, n := range s.Scores(r.Value) {
			d.Scores[n.Name] += n.Value
		}
	}
}

// silence is what the hub reports of a worker that was not heard of.
const silence = "the worker fell silent"

// takeFailure notes that the holder of a key could not do a job.
func (w *owner) takeFailure(index int, key, why string) {
	if index < w.folded || slices.ContainsFunc(w.bans, func(b Mark) bool { return b.Worker == key }) {
		return
	}
	t := w.task(index)
	t.tries++
	if t.failed[key] == "" || why != silence {
		t.failed[key] = why
	}
	w.touched[index] = true
}

// refuse takes a result out that cannot be, and its file out of the store.
func (w *owner) refuse(ctx context.Context, index int, r *Result, why error) {
	w.log.Error("a result does not count", "run", w.Name, "job", index, "worker", r.Worker(), "host", r.Host, "error", why)
	t := w.task(index)
	t.results = slices.DeleteFunc(t.results, func(o *Result) bool { return o == r })
	if t.verdict == r {
		t.verdict = nil
	}
	if !errors.Is(why, ErrNoFile) {
		t.failed[r.Key], t.refused = "its result does not count: "+why.Error(), append(t.refused, r.Key)
		t.tries++
		if objects, err := w.conn.Objects(ctx, w.id, false); err == nil && r.File != nil {
			_ = objects.Delete(ctx, r.File.Sum) // it goes with the run at the latest
		}
	}
	w.touched[index] = true
}

// advance folds what is next, as far as it is there, and queues what is missing.
func (w *owner) advance(ctx context.Context) error {
	before := w.folded
	for !w.fold.Done() {
		t := w.task(w.folded)
		r := w.settled(ctx, w.folded, t)
		if r == nil {
			break
		}
		var err error
		if w.Keep != nil {
			err = w.Keep(ctx, r, func(ctx context.Context, f *File) ([]byte, error) { return w.conn.Files(w.id).Get(ctx, f.Sum) })
		}
		if err == nil {
			if err = w.fold.Add(w.folded, r.Value); err != nil {
				err = Refused(err)
			}
		}
		if IsRefused(err) || errors.Is(err, ErrNoFile) {
			w.refuse(ctx, w.folded, r, err)
			break
		} else if err != nil {
			return err
		}
		if w.Plan.Copies(w.folded) > 1 && t.verdict == nil && t.results[0].Key == t.results[1].Key {
			w.Single++
		}
		delete(w.tasks, w.folded)
		delete(w.touched, w.folded)
		w.folded++
		w.free(ctx, r.File)
	}
	w.Held = w.dispute()
	if w.folded != before || w.Progress.Text == "" {
		w.describe()
		if w.Report != nil {
			w.Report(w.outcome())
		}
	}
	if w.before < 0 {
		w.began, w.before = time.Now(), w.folded
	}
	if w.fold.Done() {
		return nil
	}
	return w.queue(ctx)
}

// settled returns the result of a job that counts, nil where there is none yet. Where results
// differ, this process does the job.
func (w *owner) settled(ctx context.Context, index int, t *task) *Result {
	switch {
	case t.verdict != nil:
		for _, r := range t.results {
			if r.Digest() != t.verdict.Digest() {
				w.log.Error("the owner's machine has decided against", "run", w.Name, "job", index, "worker", r.Worker(), "host", r.Host, "value", string(r.Value))
			}
		}
		return t.verdict
	case len(t.results) < w.Plan.Copies(index):
		return nil
	}
	for _, r := range t.results[1:] {
		if r.Digest() != t.results[0].Digest() {
			w.decide(ctx, index)
			return nil
		}
	}
	return t.results[0]
}

// dispute says which workers differ about the next job.
func (w *owner) dispute() string {
	if !w.deciding[w.folded] {
		return ""
	}
	text := fmt.Sprintf("job %d: workers differ, and the owner's machine decides:", w.folded)
	for _, r := range w.task(w.folded).results {
		text += fmt.Sprintf(" %s (%s) %.100s;", r.Worker(), r.Host, r.Value)
	}
	return text
}

// decide does a job about which workers differ, and publishes what it comes to.
func (w *owner) decide(ctx context.Context, index int) {
	if w.deciding[index] {
		return
	}
	w.deciding[index] = true
	w.log.Error(w.dispute(), "run", w.Name)
	input, err := w.fold.Input(index)
	go func() {
		if err == nil {
			err = w.doIt(ctx, Job{Run: w.id, Index: index, Copy: VerdictCopy, Input: input})
		}
		if err != nil {
			err = fmt.Errorf("job %d, about which workers differ, cannot be done here: %w", index, err)
		}
		if ctx.Err() == nil {
			w.decided <- err
		}
	}()
}

// doIt does a job here.
func (w *owner) doIt(ctx context.Context, j Job) error {
	began := time.Now()
	out, err := w.Plan.Work(ctx, j, w.conn.Files(w.id))
	if err != nil {
		return err
	}
	r := NewResult(w.Manifest, j, &out, time.Since(began).Seconds())
	r.Key, r.Machine, r.Host = w.conn.Key, "owner", w.Owner
	message, err := Seal(r, w.conn.Sign)
	if err != nil {
		return err
	}
	return w.conn.Retry(ctx, Forever, func(ctx context.Context) error {
		if out.File != nil {
			if err := w.conn.PutFile(ctx, w.id, out.File); err != nil {
				return err
			}
		}
		_, err := w.conn.First(ctx, j.Subject(), message)
		return err
	})
}

// free removes the oldest files of results that the owner has, so that they do not fill the store.
func (w *owner) free(ctx context.Context, f *File) {
	if f == nil || w.Keep == nil {
		return
	}
	w.fetched, w.bytes = append(w.fetched, f), w.bytes+f.Size
	if w.bytes <= kept {
		return
	}
	objects, err := w.conn.Objects(ctx, w.id, false)
	for err == nil && w.bytes > kept {
		if err = objects.Delete(ctx, w.fetched[0].Sum); errors.Is(err, jetstream.ErrObjectNotFound) {
			err = nil
		}
		if err == nil {
			w.bytes, w.fetched = w.bytes-w.fetched[0].Size, w.fetched[1:]
		}
	}
	if err != nil {
		w.conn.Warn(err)
	}
}

// queue publishes the jobs that are missing.
func (w *owner) queue(ctx context.Context) error {
	limit := min(w.fold.Ready(), w.folded+ahead)
	for ; w.frontier < limit; w.frontier++ {
		w.touched[w.frontier] = true
	}
	var jobs []Job
	for _, index := range slices.Sorted(maps.Keys(w.touched)) {
		if index >= limit {
			continue // a result of an earlier owner that was further
		}
		delete(w.touched, index)
		if index < w.folded {
			continue
		}
		t := w.task(index)
		if err := w.hopeless(ctx, index, t); err != nil {
			return err
		}
		if t.verdict != nil || len(t.queued) > 0 || len(t.results) >= w.Plan.Copies(index) {
			continue
		}
		j := Job{Run: w.id, Index: index, Copy: t.copies, Longest: longest(w.Plan), Not: slices.Clone(t.refused)}
		for _, r := range t.results {
			j.Not = append(j.Not, r.Key)
		}
		var err error
		if j.Input, err = w.fold.Input(index); err != nil {
			return err
		}
		t.queued[j.Copy] = 0
		t.copies++
		jobs = append(jobs, j)
	}
	return w.publish(jobs)
}

// publish puts jobs into the queue. One that is there already, from another owner of the run
// or from before, stays.
func (w *owner) publish(jobs []Job) (err error) {
	futures := make([]jetstream.PubAckFuture, len(jobs))
	for i, j := range jobs {
		text, failed := json.Marshal(&j)
		if failed != nil {
			return failed
		}
		futures[i], failed = w.conn.JS.PublishAsync(j.queueSubject(), text, jetstream.WithExpectLastSequencePerSubject(0))
		if failed != nil {
			err = failed
		}
	}
	for i, f := range futures {
		failed := err
		if f != nil {
			select {
			case <-f.Ok():
				continue
			case failed = <-f.Err():
			}
		}
		if isWrongSequence(failed) {
			continue
		}
		err = fmt.Errorf("the queue takes no jobs: %w", failed)
		delete(w.task(jobs[i].Index).queued, jobs[i].Copy) // tried again at the next sweep
		w.tasks[jobs[i].Index].copies--
	}
	return err
}

// sweep compares the queue with what is missing: a job that is gone without a result is queued
// again, and results that were not delivered are read again.
func (w *owner) sweep(ctx context.Context) error {
	stream, err := w.conn.JS.Stream(ctx, JobsStream)
	if err != nil {
		return err
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter("job."+w.id+".>"))
	if err != nil {
		return err
	}
	for subject := range info.State.Subjects {
		parts := strings.Split(subject, ".")
		index, _ := strconv.Atoi(parts[3])
		number, err := strconv.Atoi(parts[4])
		if err == nil && index >= w.folded && index < w.Manifest.Jobs {
			// One whose result is here may be there still: a hub that is killed can lose the removal.
			if t := w.task(index); !t.came[number] {
				t.queued[number], t.copies = 0, max(t.copies, number+1)
			}
		}
	}
	for index, t := range w.tasks {
		for number, missing := range t.queued {
			if _, there := info.State.Subjects[Job{Run: w.id, Index: index, Copy: number}.queueSubject()]; there {
				continue
			}
			if t.queued[number]++; missing > 0 { // its result may have been on its way
				delete(t.queued, number)
			}
		}
		w.touched[index] = true
	}
	results, err := w.conn.JS.Stream(ctx, ResultsStream)
	if err != nil {
		return err
	}
	m, err := results.GetLastMsgForSubject(ctx, "res."+w.id+".>")
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil
	}
	if err == nil && m.Sequence > w.last && w.last == w.swept {
		return errRound
	}
	w.swept = w.last
	return err
}

// A job is given up when enoughKeys different keys, or all that there are, have reported that they
// could not do it. Silence says less: it counts after enoughSilence tries.
const (
	enoughKeys    = 3
	enoughTries   = 3
	enoughSilence = 10
)

// hopeless ends the run where nobody can do a job.
func (w *owner) hopeless(ctx context.Context, index int, t *task) error {
	if t.tries < enoughTries {
		return nil
	}
	workers, err := All[Worker](ctx, w.conn.Workers, ">")
	if err != nil {
		return err
	}
	counts := func(key string) bool {
		why := t.failed[key]
		return why != "" && (why != silence || t.tries >= enoughSilence)
	}
	text, keys := fmt.Sprintf("job %d failed on every worker that tried it:", index), 0
	for _, key := range slices.Sorted(maps.Keys(t.failed)) {
		if counts(key) {
			text += fmt.Sprintf(" %s: %s;", key, Clean(t.failed[key]))
			keys++
		}
	}
	enrolled, err := All[Enrolled](ctx, w.conn.Operate, "key.>")
	if err != nil {
		return err
	}
	all := len(workers) > 0
	for _, one := range workers {
		key, _, _ := strings.Cut(one.Key, ".")
		all = all && counts(key)
	}
	// Where keys are enrolled, the only one that works just now is not all that there are.
	if len(enrolled) > 0 {
		all = keys >= len(enrolled)
	}
	if !all && keys < enoughKeys {
		w.log.Warn(text, "run", w.Name)
		return nil
	}
	return w.finish(ctx, strings.TrimSuffix(text, ";"))
}

// describe notes where the run stands.
func (w *owner) describe() {
	w.Progress.Folded, w.Progress.Text, w.Numbers, w.Checks = w.folded, w.fold.Text(), w.fold.Numbers(), 0
	if done := w.folded - w.before; w.before >= 0 && done > 0 {
		w.Left = time.Since(w.began).Seconds() / float64(done) * float64(w.Manifest.Jobs-w.folded)
	}
}

// tell tells the farm where the run stands.
func (w *owner) tell(ctx context.Context) error {
	w.Checks = 0
	for _, t := range w.tasks {
		if len(t.results) > 0 && len(t.queued) > 0 {
			w.Checks++
		}
	}
	return Put(ctx, w.conn.Status, w.id, &w.Progress)
}

// finish says that the run is over: done, or why not.
func (w *owner) finish(ctx context.Context, failed string) error {
	w.describe()
	if err := w.tell(ctx); err != nil {
		return err
	}
	if err := w.conn.End(ctx, w.id, Ended{At: time.Now().Round(0), Failed: failed, Text: w.Progress.Text}); err != nil {
		return err
	}
	if failed != "" {
		return failure("run " + w.Name + ": " + failed)
	}
	return nil
}

// End ends a run: its jobs leave the queue, its results stay.
func (c *Conn) End(ctx context.Context, id string, e Ended) error {
	if err := c.ChangeRun(ctx, id, func(r *Record) { r.Ended = &e }); err != nil {
		return err
	}
	return c.Purge(ctx, JobsStream, "job."+id+".>")
}
