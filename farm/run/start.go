package run

import (
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
	Open     Opener
	Name     string
	Title    string // the parameters in a line
	Owner    string
	Inputs   [][]byte // files that the workers need, in the order of the manifest
	Out      *Output  // nil where what the jobs come to is not kept
	// Report, which may be nil, is called when the run has got further.
	Report func(Outcome)
	Log    *slog.Logger
}

// Progress is where a run stands, as its owner tells the farm.
type Progress struct {
	Folded  int             `json:"folded"`
	Results int             `json:"results"`
	Checks  int             `json:"checks"` // jobs that wait for a worker with another key
	Text    string          `json:"text"`
	Numbers []Number        `json:"numbers,omitempty"`
	Took    float64         `json:"took"`              // seconds of the workers
	Left    float64         `json:"left"`              // seconds, 0 where unknown
	Held    string          `json:"held,omitempty"`    // why nothing is folded
	Failing string          `json:"failing,omitempty"` // what could not be done yet, and waits for other workers
	Workers map[string]Done `json:"workers"`           // by key
}

// Done is what a worker has done of a run.
type Done struct {
	Host  string  `json:"host"`
	Jobs  int     `json:"jobs"`
	Units float64 `json:"units"`
	Took  float64 `json:"took"`
}

// Outcome is where a run stands, with what has been folded.
type Outcome struct {
	Progress
	Kind Kind
}

const (
	ahead     = 10_000           // jobs in the queue: workers go on with them while the owner is away
	requeue   = 30 * time.Second // after which a job is published again; the queue refuses one that it has
	startWait = 10 * time.Minute // for which a hub may be away when a run is started, or servers of a cluster elect
	held      = 4 << 10          // bytes of a result that are held until it is folded; larger ones are read again
	enough    = 3                // a run fails when a job was tried so often, by so many keys or all that there are
)

type task struct {
	results []*Result         // that count, in the order in which they came
	copies  int               // numbers of copies that have come, whether they count or not
	queued  time.Time         // when the queue was known to have the next copy
	refused []string          // keys whose results do not count
	failed  map[string]string // reasons, by key
	tries   int               // that failed
}

// not returns the keys whose holders must not do the next copy.
func (t *task) not() []string {
	keys := slices.Clone(t.refused)
	for _, r := range t.results {
		keys = append(keys, r.Key)
	}
	return keys
}

// owner is the owner's side of a run.
type owner struct {
	Order
	conn   *Conn
	id     string
	alone  bool // who connects without a key trusts all workers: one key may make both copies
	began  time.Time
	before int // jobs that were folded at began, -1 until then

	results jetstream.Stream
	bans    map[string]Stored[Mark] // by key
	fold    Kind
	tasks   map[int]*task
	Progress
}

// errAgain ends a round.
var errAgain = errors.New("the bans have changed: the results are folded again from the first one")

// Start sees a run through: it opens the run, queues its jobs, and folds the results until all are folded, the run
// has failed or was cancelled, or ctx ends. While the hub is away it waits. Where two workers differ it does the job
// itself, and what it comes to counts. A run that was begun before goes on, also one that had failed.
func Start(ctx context.Context, c *Conn, o Order) (Outcome, error) {
	w := &owner{Order: o, conn: c, id: o.Manifest.ID(), alone: c.options.Key.Pair == nil, before: -1}
	var err error
	if w.fold, err = o.Open(o.Manifest); err == nil {
		err = c.Retry(ctx, startWait, w.open)
	}
	if err == nil {
		err = c.Retry(ctx, Forever, w.round)
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return Outcome{w.Progress, w.fold}, err
}

// open says that the run is to be done, and gives the workers their inputs.
func (w *owner) open(ctx context.Context) error {
	for _, data := range w.Inputs {
		if err := w.conn.PutFile(ctx, w.id, data); err != nil {
			return err
		}
	}
	text, err := json.Marshal(&Record{
		Run: w.id, Name: w.Name, Title: w.Title, Owner: w.Owner, Kind: w.Manifest.Kind, Jobs: w.Manifest.Jobs,
		Share: 1, Began: time.Now().Round(0), Manifest: w.Manifest.Text(),
	})
	if err != nil {
		return err
	}
	if _, err = w.conn.Runs.Create(ctx, w.id, text); !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	return errors.Join(w.conn.Purge(ctx, ResultsStream, "fail."+w.id+".>"),
		w.conn.ChangeRun(ctx, w.id, func(r *Record) { r.Ended, r.Written = nil, false }))
}

// round folds the results from the first one on. It returns nil when the run is done, errAgain when the bans have
// changed, a failure, or another error when the farm cannot be asked.
func (w *owner) round(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var err error
	if w.fold, err = w.Open(w.Manifest); err == nil && w.Out != nil {
		err = w.Out.begin()
	}
	if err != nil {
		return failure(err.Error())
	}
	w.tasks, w.Progress = map[int]*task{}, Progress{Workers: map[string]Done{}}
	if w.bans, err = All[Mark](ctx, w.conn.Operate, "ban."); err != nil {
		return err
	}
	if w.results, err = w.conn.JS.Stream(ctx, ResultsStream); err != nil {
		return err
	}
	of := jetstream.OrderedConsumerConfig{FilterSubjects: []string{"*." + w.id + ".>"}}
	consumer, err := w.results.OrderedConsumer(ctx, of)
	if err != nil {
		return err
	}
	old := consumer.CachedInfo().NumPending // results that are there already
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
	tick := time.NewTicker(200 * time.Millisecond)
	defer tick.Stop()
	var looked time.Time
	for seen := uint64(0); ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.conn.Closed():
			return w.conn.Err()
		case m := <-messages:
			w.take(m)
			if seen++; len(messages) > 0 || seen < old {
				continue
			}
		case <-tick.C:
			if seen < old {
				// Results that are deleted meanwhile never come.
				if info, err := consumer.Info(ctx); err != nil || info.NumPending > 0 || len(messages) > 0 {
					continue
				}
				old = seen
			}
			if err == nil && time.Since(looked) > time.Second+time.Duration(len(w.Workers))*time.Millisecond {
				err, looked = w.look(ctx), time.Now()
			}
			if err == nil {
				err = w.queue(ctx)
			}
		}
		if err == nil {
			err = w.advance(ctx)
		}
		if errors.Is(err, errAgain) || errors.As(err, new(failure)) {
			return err
		} else if w.done() {
			return w.finish(ctx, "")
		} else if err != nil {
			w.Held = err.Error()
			w.conn.Warn(err)
			err = nil
		}
	}
}

// look reads what operators want, and tells the farm where the run stands.
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
	bans, err := All[Mark](ctx, w.conn.Operate, "ban.")
	if err == nil && !maps.EqualFunc(bans, w.bans, func(a, b Stored[Mark]) bool { return true }) {
		return errAgain
	}
	w.Checks = 0
	for index, t := range w.tasks {
		if len(t.results) > 0 && len(t.results) < w.copies(index) {
			w.Checks++
		}
	}
	if bad := w.giveUp(ctx); bad != nil {
		return bad
	}
	return errors.Join(err, Put(ctx, w.conn.Status, w.id, &w.Progress))
}

func (w *owner) done() bool { return w.Folded >= w.Manifest.Jobs || w.fold.Done() }

// copies returns how many workers do a job, 1 or 2.
func (w *owner) copies(index int) int {
	if n := w.fold.Twice(); n > 0 && index%n == 0 {
		return 2
	}
	return 1
}

func (w *owner) isBanned(key string) bool { _, banned := w.bans[key]; return banned }

func (w *owner) task(index int) *task {
	t := w.tasks[index]
	if t == nil {
		t = &task{failed: map[string]string{}}
		w.tasks[index] = t
	}
	return t
}

// take notes a result, res.RUN.INDEX.COPY, or a failure, fail.RUN.INDEX.KEY.
func (w *owner) take(m jetstream.Msg) {
	parts := strings.Split(m.Subject(), ".")
	index, err := strconv.Atoi(parts[2])
	if err != nil || index < 0 || index >= w.Manifest.Jobs {
		return
	}
	if parts[0] == "fail" {
		if index >= w.Folded && !w.isBanned(parts[3]) {
			t := w.task(index)
			t.failed[parts[3]], t.tries = string(m.Data()), t.tries+1
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
	counts := err == nil && !w.isBanned(r.Key)
	if counts {
		d := w.Workers[r.Key]
		w.Workers[r.Key] = Done{Host: r.Host, Jobs: d.Jobs + 1, Units: d.Units + r.Units, Took: d.Took + r.Took}
		w.Took, w.Results = w.Took+r.Took, w.Results+1
	}
	if index < w.Folded {
		return
	}
	t := w.task(index)
	if number >= t.copies {
		t.copies, t.queued = number+1, time.Time{}
	}
	if counts && (w.alone || !slices.Contains(t.not(), r.Key)) {
		t.results = append(t.results, r)
		r.Job = j // without what else a worker may have put there
		if r.Sum = Sum(r.Data); len(r.Data) > held {
			r.Data = nil
		}
	}
}

// advance folds what is next, as far as it is there.
func (w *owner) advance(ctx context.Context) error {
	before := w.Folded
	for w.Held = ""; !w.done(); w.Folded++ {
		r, err := w.settle(ctx, w.Folded)
		if err != nil {
			return err
		} else if r == nil {
			break
		}
		if err := w.fold.Add(r.Job, r.Data); err != nil && r.Key != "" {
			w.refuse(ctx, w.Folded, r, err)
			break
		} else if err != nil {
			return failure(fmt.Sprintf("job %d: %v", w.Folded, err))
		}
		if w.Out != nil {
			if err := w.Out.add(r.Data); err != nil {
				return failure(err.Error())
			}
		}
		delete(w.tasks, w.Folded)
	}
	if w.Folded == before && w.Text != "" {
		return nil
	}
	w.Text, w.Numbers = w.fold.Text(), w.fold.Numbers()
	if w.before < 0 {
		w.began, w.before = time.Now(), w.Folded
	} else if done := w.Folded - w.before; done > 0 {
		w.Left = time.Since(w.began).Seconds() / float64(done) * float64(w.Manifest.Jobs-w.Folded)
	}
	if w.Report != nil {
		w.Report(Outcome{w.Progress, w.fold})
	}
	return nil
}

// settle returns what a job came to, nil where that is not known yet. It has no key where results differ and this
// machine has done the job.
func (w *owner) settle(ctx context.Context, index int) (*Result, error) {
	results := w.task(index).results
	if len(results) < w.copies(index) {
		return nil, nil
	}
	r := *results[0]
	if slices.ContainsFunc(results, func(o *Result) bool { return o.Sum != r.Sum }) {
		return w.repeat(ctx, index, results)
	}
	if r.Data == nil {
		m, err := w.results.GetLastMsgForSubject(ctx, r.Subject())
		if err != nil {
			return nil, err
		}
		again, err := OpenResult(w.Manifest, r.Job, m.Data)
		if err != nil {
			return nil, err
		}
		r.Data = again.Data
	}
	return &r, nil
}

// repeat does a job here, about which workers differ.
func (w *owner) repeat(ctx context.Context, index int, results []*Result) (*Result, error) {
	w.Held = fmt.Sprintf("job %d: the results of two workers differ, and the owner's machine repeats it", index)
	if err := Put(ctx, w.conn.Status, w.id, &w.Progress); err != nil {
		return nil, err
	}
	right := &Result{Job: Job{Run: w.id, Index: index, Input: w.fold.Input(index)}}
	var err error
	if right.Data, _, err = w.fold.Do(ctx, right.Job, w.conn.Files(w.Manifest)); err != nil {
		return nil, failure(fmt.Sprintf("job %d, about which two workers differ, cannot be done here: %v", index, err))
	}
	for _, r := range results {
		if r.Sum != Sum(right.Data) {
			w.Log.Error("a worker's result is not that of the owner's machine",
				"run", w.Name, "job", index, "worker", r.Key, "host", r.Host)
		}
	}
	return right, nil
}

// refuse takes a result out that cannot be right, and those that are equal to it. They leave the store, which they
// would fill; that they failed stays.
func (w *owner) refuse(ctx context.Context, index int, r *Result, why error) {
	w.Log.Error("a result does not count", "run", w.Name, "job", index, "worker", r.Key, "host", r.Host, "error", why)
	t := w.task(index)
	t.results = slices.DeleteFunc(t.results, func(o *Result) bool {
		if o.Sum != r.Sum {
			return false
		}
		reason := "its result does not count: " + Clean(why.Error())
		t.refused, t.failed[o.Key] = append(t.refused, o.Key), reason
		err := w.conn.Fail(ctx, o.Job, o.Key, reason) // which take counts as one more try
		if err = errors.Join(err, w.conn.Purge(ctx, ResultsStream, o.Subject())); err != nil {
			w.conn.Warn(err)
		}
		return true
	})
}

// finish says that the run is over: done, or why not.
func (w *owner) finish(ctx context.Context, failed string) error {
	err := errors.Join(Put(ctx, w.conn.Status, w.id, &w.Progress),
		w.conn.End(ctx, w.id, Ended{At: time.Now().Round(0), Failed: failed, Text: w.Text}))
	if err == nil && failed != "" {
		err = failure("run " + w.Name + ": " + failed)
	}
	return err
}
