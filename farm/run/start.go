package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Order is a run that is to be done.
type Order struct {
	Manifest *Manifest
	Plan     *Plan
	Name     string
	Title    string // the parameters in a line
	Owner    string
	Inputs   []func() ([]byte, error) // read the files that the workers need, in the order of the manifest
	Out      *Output                  // nil where what the jobs come to is not kept
	// Report, which may be nil, is called when the run has got further.
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
	Took    float64          `json:"took"`           // seconds of the workers
	Left    float64          `json:"left"`           // seconds, 0 where unknown
	Held    string           `json:"held,omitempty"` // why nothing is folded
	Workers map[string]*Done `json:"workers"`        // by KEY.MACHINE
}

// Done is what a worker has done of a run.
type Done struct {
	Host  string  `json:"host"`
	Jobs  int     `json:"jobs"`
	Units float64 `json:"units"`
	Took  float64 `json:"took"`
}

// Outcome is where a run stands, with its fold.
type Outcome struct {
	Progress
	Fold Fold
}

const (
	ahead     = 10_000           // jobs behind those that are folded in the queue: workers go on with them while the owner is away
	sweep     = 15 * time.Second // between two comparisons of the queue with what is missing
	startWait = 3 * time.Minute  // for which a hub may be away when a run is started
	held      = 4 << 10          // bytes of a result that are held in memory until it is folded; larger ones are read again
)

// A run fails when a job was tried so often, by so many keys or all there are.
const (
	enoughTries = 3
	enoughKeys  = 3
)

// task is a job that is not folded.
type task struct {
	results []*Result          // that count, in the order in which they came
	waiting map[int]time.Time  // copies that are in the queue, and when that was known
	copies  int                // numbers of copies that are used
	refused []string           // keys whose results do not count
	failed  map[string]string  // reasons, by key
	tries   int                // that failed
	seqs    map[*Result]uint64 // where in the stream the results are
	settled chan settled       // nil unless workers differ: what this machine comes to
	mine    *settled           // what it came to
}

// settled is what this machine made of a job about which workers differ.
type settled struct {
	data []byte
	err  error
}

// owner is the owner's side of a run.
type owner struct {
	Order
	conn   *Conn
	id     string
	alone  bool // who connects without a key trusts all workers: one key may make both copies
	began  time.Time
	before int // jobs that were folded at began, -1 until then

	bans     []Mark
	fold     Fold
	folded   int
	frontier int // jobs before it are queued or done
	tasks    map[int]*task
	touched  map[int]bool // tasks to look at
	seen     uint64       // results and failures of this round
	Progress
}

// errAgain says that the results are to be folded from the first one.
var errAgain = errors.New("the bans have changed")

// failure is why a run cannot go on.
type failure string

func (f failure) Error() string { return string(f) }

// Start sees a run through: it opens the run, queues its jobs, and folds the results until all are
// folded, the run has failed or was cancelled, or ctx ends. While the hub is away it waits. Where
// two workers differ it does the job itself, and what it comes to counts. A run that was begun
// before goes on, also one that had failed.
func Start(ctx context.Context, c *Conn, o Order) (Outcome, error) {
	w := &owner{Order: o, conn: c, id: o.Manifest.ID(), alone: c.options.Key.Pair == nil, before: -1}
	w.Log = cmp.Or(w.Log, slog.New(slog.DiscardHandler))
	w.reset()
	err := c.Retry(ctx, startWait, w.open)
	for err == nil {
		if err = w.round(ctx); err == nil || ctx.Err() != nil || errors.As(err, new(failure)) {
			break
		}
		if !errors.Is(err, errAgain) {
			c.Warn(err)
			select {
			case <-ctx.Done():
			case <-c.Closed():
				return Outcome{w.Progress, w.fold}, c.Err()
			case <-time.After(retryWait):
			}
		}
		err = nil
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return Outcome{w.Progress, w.fold}, err
}

// reset forgets what was folded.
func (w *owner) reset() {
	w.fold, w.folded, w.frontier, w.seen = w.Plan.NewFold(), 0, 0, 0
	w.tasks, w.touched = map[int]*task{}, map[int]bool{}
	w.Progress = Progress{Workers: map[string]*Done{}}
	if w.Out != nil {
		w.Out.begin()
	}
}

// open says that the run is to be done, and gives the workers their inputs.
func (w *owner) open(ctx context.Context) error {
	if err := w.conn.Ensure(ctx); err != nil {
		return err
	}
	for i, read := range w.Inputs {
		data, err := read()
		if err == nil && Sum(data) != w.Manifest.Inputs[i] {
			err = errors.New("it has changed since the command was given")
		}
		if err != nil {
			return final(fmt.Sprintf("input %d: %v", i, err))
		}
		if err := w.conn.PutFile(ctx, w.id, data); err != nil {
			return err
		}
	}
	r := Record{
		Run: w.id, Name: w.Name, Title: w.Title, Owner: w.Owner, Kind: w.Manifest.Kind, Jobs: w.Manifest.Jobs,
		Share: 1, Began: time.Now().Round(0), Manifest: w.Manifest.Text(),
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
	return w.conn.ChangeRun(ctx, w.id, func(r *Record) { r.Ended = nil })
}

// round folds the results from the first one on. It returns nil when the run is done, errAgain when
// the bans have changed, a failure, or another error when the farm cannot be asked.
func (w *owner) round(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w.reset()
	var err error
	if w.bans, err = w.conn.Bans(ctx); err != nil {
		return err
	}
	consumer, err := w.conn.JS.OrderedConsumer(ctx, ResultsStream, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{"res." + w.id + ".>", "fail." + w.id + ".>"},
	})
	if err != nil {
		return err
	}
	before := consumer.CachedInfo().NumPending // results that are there already
	messages := make(chan jetstream.Msg, 256)
	reading, err := consumer.Consume(func(m jetstream.Msg) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	}, jetstream.PullMaxMessages(256))
	if err != nil {
		return err
	}
	defer reading.Stop()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var swept, told time.Time
	for {
		if w.seen >= before {
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
			for w.take(m); len(messages) > 0; {
				w.take(<-messages)
			}
		case <-tick.C:
			err := w.look(ctx)
			if err == nil && time.Since(told) > time.Duration(len(w.Workers))*time.Millisecond {
				err, told = w.tell(ctx), time.Now()
			}
			if errors.Is(err, errAgain) || errors.As(err, new(failure)) {
				return err
			} else if err != nil {
				w.conn.Warn(err)
			}
		}
	}
}

// look reads what operators want.
func (w *owner) look(ctx context.Context) error {
	r, _, err := Get[*Record](ctx, w.conn.Runs, w.id)
	switch {
	case err != nil:
		return err
	case r == nil:
		return failure("run " + w.Name + " was forgotten")
	case r.Ended != nil && r.Ended.Failed != "":
		return failure("run " + w.Name + ": " + r.Ended.Failed)
	}
	bans, err := w.conn.Bans(ctx)
	if err == nil && !slices.EqualFunc(bans, w.bans, func(a, b Mark) bool { return a.Worker == b.Worker }) {
		err = errAgain
	}
	return err
}

// isBanned reports whether a worker is banned.
func (w *owner) isBanned(worker string) bool {
	return slices.ContainsFunc(w.bans, func(b Mark) bool { return Covers(b.Worker, worker) })
}

// task returns what is known of a job.
func (w *owner) task(index int) *task {
	t := w.tasks[index]
	if t == nil {
		t = &task{waiting: map[int]time.Time{}, failed: map[string]string{}, seqs: map[*Result]uint64{}}
		w.tasks[index] = t
	}
	return t
}

// take notes a result, res.RUN.INDEX.COPY, or a failure, fail.RUN.INDEX.KEY.
func (w *owner) take(m jetstream.Msg) {
	w.seen++
	parts := strings.Split(m.Subject(), ".")
	index, err := strconv.Atoi(parts[2])
	if err != nil || index < 0 || index >= w.Manifest.Jobs {
		return
	}
	if parts[0] == "fail" {
		if index >= w.folded && !w.isBanned(parts[3]) {
			t := w.task(index)
			t.failed[parts[3]], t.tries = string(m.Data()), t.tries+1
			w.touched[index] = true
		}
		return
	}
	number, err := strconv.Atoi(parts[3])
	j := Job{Run: w.id, Index: index, Copy: number}
	if err != nil || j.Subject() != m.Subject() {
		return // 00 is another subject than 0
	}
	r, err := OpenResult(w.Manifest, j, m.Data())
	if err != nil {
		w.Log.Error("a result does not count", "run", w.Name, "job", index, "error", err)
	}
	counts := err == nil && !w.isBanned(r.Worker())
	if counts {
		d := w.Workers[r.Worker()]
		if d == nil {
			d = new(Done)
			w.Workers[r.Worker()] = d
		}
		d.Host, d.Jobs, d.Units, d.Took = r.Host, d.Jobs+1, d.Units+r.Units, d.Took+r.Took
		w.Took, w.Results = w.Took+r.Took, w.Results+1
	}
	if index < w.folded {
		return
	}
	t := w.task(index)
	t.copies = max(t.copies, number+1)
	delete(t.waiting, number)
	w.touched[index] = true
	same := func(key string) bool { return !w.alone && key == r.Key }
	if counts && !slices.ContainsFunc(t.refused, same) && !slices.ContainsFunc(t.results, func(o *Result) bool { return same(o.Key) }) {
		if meta, err := m.Metadata(); err == nil {
			t.results, t.seqs[r] = append(t.results, r), meta.Sequence.Stream
		}
		if r.Sum = Sum(r.Data); len(r.Data) > held {
			r.Data = nil
		}
	}
}

// advance folds what is next, as far as it is there, and queues what is missing.
func (w *owner) advance(ctx context.Context) error {
	before := w.folded
	for !w.fold.Done() {
		t := w.task(w.folded)
		data, r, err := w.settle(ctx, w.folded, t)
		if err != nil {
			return err
		} else if data == nil {
			break
		}
		if err := w.fold.Add(w.folded, data); err != nil {
			if r == nil {
				return failure(fmt.Sprintf("job %d: %v", w.folded, err))
			}
			w.refuse(w.folded, r, err)
			break
		}
		if w.Out != nil {
			if err := w.Out.add(data); err != nil {
				return failure(err.Error())
			}
		}
		delete(w.tasks, w.folded)
		delete(w.touched, w.folded)
		w.folded++
	}
	w.Held = ""
	if t := w.task(w.folded); t.settled != nil {
		w.Held = fmt.Sprintf("job %d: the results of two workers differ, and the owner's machine repeats it:", w.folded)
		for _, r := range t.results {
			w.Held += fmt.Sprintf(" %s (%s);", r.Worker(), r.Host)
		}
	}
	if w.folded != before || w.Text == "" {
		w.Folded, w.Text, w.Numbers = w.folded, w.fold.Text(), w.fold.Numbers()
		if w.before < 0 {
			w.began, w.before = time.Now(), w.folded
		} else if done := w.folded - w.before; done > 0 {
			w.Left = time.Since(w.began).Seconds() / float64(done) * float64(w.Manifest.Jobs-w.folded)
		}
		if w.Report != nil {
			w.Report(Outcome{w.Progress, w.fold})
		}
	}
	if w.fold.Done() {
		return nil
	}
	return w.queue(ctx)
}

// settle returns what a job came to, nil where that is not known yet, and the result that says so.
// Where results differ, this machine does the job.
func (w *owner) settle(ctx context.Context, index int, t *task) ([]byte, *Result, error) {
	if t.mine != nil {
		for _, r := range t.results {
			if r.Sum != Sum(t.mine.data) {
				w.Log.Error("a worker was wrong, as the owner's machine found", "run", w.Name, "job", index, "worker", r.Worker(), "host", r.Host)
			}
		}
		return t.mine.data, nil, nil
	}
	if t.settled != nil {
		select {
		case mine := <-t.settled:
			if mine.err != nil {
				return nil, nil, w.finish(ctx, fmt.Sprintf("job %d, about which workers differ, cannot be done here: %v", index, mine.err))
			}
			t.mine = &mine
			return w.settle(ctx, index, t)
		default:
			return nil, nil, nil
		}
	}
	if len(t.results) < w.Plan.Copies(index) {
		return nil, nil, nil
	}
	first := t.results[0]
	if slices.ContainsFunc(t.results, func(r *Result) bool { return r.Sum != first.Sum }) {
		input, err := w.fold.Input(index)
		if err != nil {
			return nil, nil, err
		}
		t.settled = make(chan settled, 1)
		go func() {
			data, _, err := w.Plan.Work(ctx, Job{Run: w.id, Index: index, Input: input}, w.conn.Files(w.id))
			t.settled <- settled{append([]byte{}, data...), err}
		}()
		return nil, nil, nil
	}
	if first.Data != nil {
		return first.Data, first, nil
	}
	stream, err := w.conn.JS.Stream(ctx, ResultsStream)
	if err != nil {
		return nil, nil, err
	}
	m, err := stream.GetMsg(ctx, t.seqs[first])
	if err != nil {
		return nil, nil, err
	}
	again, err := OpenResult(w.Manifest, first.Job(), m.Data)
	if err != nil {
		return nil, nil, err
	}
	return again.Data, first, nil
}

// refuse takes a result out that cannot be right.
func (w *owner) refuse(index int, r *Result, why error) {
	w.Log.Error("a result does not count", "run", w.Name, "job", index, "worker", r.Worker(), "host", r.Host, "error", why)
	t := w.task(index)
	t.tries++
	t.results = slices.DeleteFunc(t.results, func(o *Result) bool {
		if o.Sum == r.Sum {
			t.refused, t.failed[o.Key] = append(t.refused, o.Key), "its result does not count: "+why.Error()
		}
		return o.Sum == r.Sum
	})
	w.touched[index] = true
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
		t := w.task(index)
		if err := w.giveUp(ctx, index, t); err != nil {
			return err
		}
		if t.settled != nil || len(t.waiting) > 0 || len(t.results) >= w.Plan.Copies(index) {
			continue
		}
		j := Job{Run: w.id, Index: index, Copy: t.copies, Not: slices.Clone(t.refused)}
		for _, r := range t.results {
			j.Not = append(j.Not, r.Key)
		}
		var err error
		if j.Input, err = w.fold.Input(index); err != nil {
			return err
		}
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
		if futures[i], failed = w.conn.JS.PublishAsync(j.queueSubject(), text, jetstream.WithExpectLastSequencePerSubject(0)); failed != nil {
			err = failed
		}
	}
	for i, f := range futures {
		failed := err
		if f != nil {
			select {
			case <-f.Ok():
				failed = nil
			case failed = <-f.Err():
			}
		}
		if failed != nil && !isWrongSequence(failed) {
			err = fmt.Errorf("the queue takes no jobs: %w", failed)
			w.touched[jobs[i].Index] = true
			continue
		}
		t := w.task(jobs[i].Index)
		t.waiting[jobs[i].Copy] = time.Now()
		t.copies++
	}
	return err
}

// sweep compares the queue with what is missing: a job that is gone without a result is queued again.
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
		index, err := strconv.Atoi(parts[3])
		number, bad := strconv.Atoi(parts[4])
		if err == nil && bad == nil && index >= w.folded && index < w.Manifest.Jobs {
			t := w.task(index)
			t.waiting[number], t.copies = time.Now(), max(t.copies, number+1)
		}
	}
	for index, t := range w.tasks { // the result of a job that has just left the queue may be on its way
		maps.DeleteFunc(t.waiting, func(_ int, known time.Time) bool { return time.Since(known) > 2*sweep })
		w.touched[index] = true
	}
	return nil
}

// giveUp ends the run where nobody can do a job: enough different keys, or all that there are, have
// reported that they could not.
func (w *owner) giveUp(ctx context.Context, index int, t *task) error {
	if t.tries < enoughTries {
		return nil
	}
	keys := map[string]bool{}
	enrolled, err := All[Enrolled](ctx, w.conn.Operate, "key.>")
	for _, k := range enrolled {
		keys[k.Value.Key] = true
	}
	if err == nil && len(keys) == 0 { // on loopback nobody is enrolled
		var workers []Stored[Worker]
		workers, err = All[Worker](ctx, w.conn.Workers, ">")
		for _, one := range workers {
			key, _, _ := strings.Cut(one.Key, ".")
			keys[key] = true
		}
	}
	if err != nil || len(t.failed) < min(enoughKeys, max(1, len(keys))) {
		return err
	}
	text := fmt.Sprintf("job %d failed on every worker that tried it:", index)
	for _, key := range slices.Sorted(maps.Keys(t.failed)) {
		text += fmt.Sprintf(" %s: %s;", key, Clean(t.failed[key]))
	}
	return w.finish(ctx, strings.TrimSuffix(text, ";"))
}

// tell tells the farm where the run stands.
func (w *owner) tell(ctx context.Context) error {
	w.Checks = 0
	for _, t := range w.tasks {
		if len(t.results) > 0 && len(t.waiting) > 0 {
			w.Checks++
		}
	}
	return Put(ctx, w.conn.Status, w.id, &w.Progress)
}

// finish says that the run is over: done, or why not.
func (w *owner) finish(ctx context.Context, failed string) error {
	if w.Out != nil && failed == "" {
		if err := w.Out.end(); err != nil {
			return failure(err.Error())
		}
	}
	if err := w.tell(ctx); err != nil {
		return err
	}
	if err := w.conn.End(ctx, w.id, Ended{At: time.Now().Round(0), Failed: failed, Text: w.Text}); err != nil {
		return err
	}
	if failed != "" {
		return failure("run " + w.Name + ": " + failed)
	}
	return nil
}
