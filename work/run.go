package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/internal/journal"
)

// DefaultAhead is the number of jobs that may be under way behind the first that is not finished.
const DefaultAhead = 256

// RunOptions are the settings of [Run] that do not change its outcome.
type RunOptions struct {
	Journal string // file that stores results, so that the next start continues; "" for none
	Restart bool   // discard what the journal holds
	First   int    // index of the first job, where the output of the kind holds the results of those before it
	Ahead   int    // see DefaultAhead, which 0 stands for; without a journal, results wait in memory
	Inputs  Inputs // of the spec

	// Finish puts the outcome in its place when the run has come to its end; then the journal is removed. nil leaves the
	// journal, so that a later start may go further.
	Finish func() error

	// Functions that tell of the run; each may be nil.
	Report  func()                    // called after each result that is folded once the first job is done
	Stored  func(index int, now bool) // called for each result in the journal, at the start or when it is added now
	Damaged func(journal.Damage)      // called with each part of the journal that is lost, whose jobs are done again
}

// ErrOtherRun reports a journal of another run. What wraps it says in what the runs differ.
var ErrOtherRun = errors.New("it belongs to a run")

// Run does the jobs of a run that the journal does not hold, at a place, and folds all results into k. It ends when
// all jobs are folded, or k is done, or ctx ends, which is an error: the cause. What is finished by then is in the
// journal. Errors: those of jobs and of Add; a journal of another run, where the error names the first difference.
func Run(ctx context.Context, s *Spec, k Kind, at Executor, o RunOptions) (err error) {
	r := &run{spec: s, id: s.ID(), kind: k, options: o, held: map[int]held{}}
	r.next, r.awaited, r.folded = o.First, o.First, o.First
	r.changed = sync.NewCond(&r.mu)
	if r.options.Ahead == 0 {
		r.options.Ahead = DefaultAhead
	}
	if r.options.Report == nil {
		r.options.Report = func() {}
	}
	if r.options.Stored == nil {
		r.options.Stored = func(int, bool) {}
	}
	if o.Journal != "" {
		if err := r.open(); err != nil {
			return err
		}
		defer func() {
			if err == nil && o.Finish != nil {
				err = r.journal.Remove()
			} else {
				err = errors.Join(err, r.journal.Close())
			}
		}()
	}
	done, err := r.run(ctx, at)
	if done && o.Finish != nil {
		err = errors.Join(o.Finish(), err)
	}
	return err
}

// run does the jobs, and reports whether all are done. Then an error is that of the place as it ended.
func (r *run) run(ctx context.Context, at Executor) (done bool, _ error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.stop = cancel
	defer context.AfterFunc(ctx, r.wake)()
	err := at.Do(ctx, r.spec, r.kind, r.options.Inputs, r.hand, r.take)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return false, r.err
	case r.finished() && errors.Is(err, context.Canceled): // by stop, where the kind is done early
		return true, nil
	case r.finished():
		return true, err
	case err == nil:
		return false, fmt.Errorf("the place returned before job %d was done", r.folded)
	}
	return false, err
}

// run is a run in progress.
type run struct {
	spec    *Spec
	id      string
	kind    Kind
	options RunOptions
	journal *journal.Journal
	headed  bool // the journal begins with the spec
	stop    context.CancelCauseFunc

	mu      sync.Mutex
	changed *sync.Cond
	next    int          // job that Next has not been asked for yet
	awaited int          // the input of the job before was awaited
	waits   bool         // for an input
	folded  int          // jobs folded
	held    map[int]held // results that are not folded yet
	ended   bool         // Next has no more
	err     error        // of Next, Add or the journal
}

// held is a result that is not folded yet: in the journal, or in memory.
type held struct {
	at   journal.Location
	data []byte
}

// record is a record of the journal: the spec, which comes first, a result, or the index of a result that was refused.
type record struct {
	Spec    *Spec `json:"spec,omitempty"`
	Refused *int  `json:"refused,omitempty"`
	*JobResult
}

// open opens the journal and takes over what it holds.
func (r *run) open() (err error) {
	name := r.options.Journal
	if r.options.Restart {
		old, err := journal.Open(name, func(journal.Location, []byte) error { return nil })
		if err == nil {
			err = old.Remove()
		}
		if err != nil {
			return err
		}
	}
	r.journal, err = journal.Open(name, func(at journal.Location, text []byte) error {
		var one record
		if err := json.Unmarshal(text, &one); err != nil {
			return err
		}
		switch {
		case one.Spec != nil:
			r.headed = true
			return r.spec.same(one.Spec)
		case one.Refused != nil:
			delete(r.held, *one.Refused)
			return nil
		case one.JobResult == nil || one.Index < 0:
			return fmt.Errorf("%.40q is no result of a job", text)
		case !r.headed:
			return fmt.Errorf("%w whose settings are lost", ErrOtherRun)
		}
		if _, ok := r.held[one.Index]; !ok && one.Index >= r.folded {
			r.held[one.Index] = held{at: at}
			r.options.Stored(one.Index, false)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if r.options.Damaged != nil {
		for _, d := range r.journal.Damages {
			r.options.Damaged(d)
		}
	}
	return nil
}

// wake wakes who waits for a change.
func (r *run) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed.Broadcast()
}

// finished reports whether nothing is left to do.
func (r *run) finished() bool { return r.kind.Done() || r.ended && r.folded == r.next }

// hand returns the next job that is ready and has no result, and waits for one if others must be folded before.
func (r *run) hand(ctx context.Context) (Job, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer context.AfterFunc(ctx, r.wake)()
	for ctx.Err() == nil && r.err == nil && !r.ended && !r.kind.Done() {
		if r.waits || r.next >= r.folded+r.options.Ahead {
			r.changed.Wait()
			continue
		}
		if k, ok := r.kind.(Awaiter); ok && r.awaited == r.next {
			r.await(ctx, k)
			continue
		}
		if r.next >= r.kind.Ready() {
			r.changed.Wait()
			continue
		}
		index := r.next
		input, err := r.kind.Next(index)
		if err != nil {
			if r.ended = errors.Is(err, io.EOF); !r.ended {
				r.fail(err)
			}
			break
		}
		r.next++
		if _, ok := r.held[index]; !ok {
			return Job{Run: r.id, Index: index, Input: input}, true
		}
		if r.fold(func() {}) != nil {
			break
		}
	}
	r.changed.Broadcast()
	return Job{}, false
}

// await waits for the input of the next job, and lets others fold results meanwhile.
func (r *run) await(ctx context.Context, k Awaiter) {
	r.waits = true
	r.mu.Unlock()
	err := k.Await(ctx)
	r.mu.Lock()
	r.waits, r.awaited = false, r.next+1
	if err != nil {
		r.fail(err)
	}
	r.changed.Broadcast()
}

// take stores a result and folds what can be folded. A [*RefusedError] changes nothing; after any other error the run
// is over.
func (r *run) take(result JobResult) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.held[result.Index]; ok || result.Index < r.folded || result.Index >= r.next || r.finished() {
		return nil // the first result counts
	}
	one := held{data: result.Data}
	if r.journal != nil {
		// It is stored before it is folded, so that no output holds what the journal has lost.
		at, err := r.store(result)
		if err != nil {
			return r.fail(err)
		}
		one = held{at: at}
	}
	if result.Index == r.folded {
		if err := r.kind.Add(result.Index, result.Data); err != nil {
			_, output := errors.AsType[*OutputError](err)
			if taken := r.takeBack(err); output || taken != nil {
				return r.fail(errors.Join(err, taken))
			}
			return &RefusedError{err}
		}
		r.folded++
	}
	if r.journal != nil {
		r.options.Stored(result.Index, true)
	}
	if result.Index >= r.folded {
		r.held[result.Index] = one
		return nil
	}
	r.options.Report()
	return r.fold(r.options.Report)
}

// store appends a result to the journal, after the spec: players that cannot start leave no run.
func (r *run) store(result JobResult) (at journal.Location, err error) {
	if !r.headed {
		if _, err := r.journal.Append(record{Spec: r.spec}); err != nil {
			return at, err
		}
		r.headed = true
	}
	return r.journal.Append(record{JobResult: &result})
}

// fold folds the results that are held behind those that are folded, and calls report after each.
func (r *run) fold(report func()) error {
	for !r.kind.Done() {
		one, ok := r.held[r.folded]
		if !ok || r.folded >= r.next {
			break
		}
		if one.data == nil && r.journal != nil {
			var stored record
			if err := r.journal.Read(one.at, &stored); err != nil {
				return r.fail(err)
			}
			one.data = stored.Data
		}
		if err := r.kind.Add(r.folded, one.data); err != nil {
			return r.fail(fmt.Errorf("job %d: %w", r.folded, errors.Join(err, r.takeBack(err))))
		}
		delete(r.held, r.folded)
		r.folded++
		report()
	}
	r.changed.Broadcast()
	if r.kind.Done() {
		r.stop(nil) // jobs under way are of no use
	}
	return nil
}

// takeBack notes in the journal that the result to be folded next is refused, so that the next start does its job
// again. An output that cannot be written says nothing about the result.
func (r *run) takeBack(err error) error {
	if _, ok := errors.AsType[*OutputError](err); ok || r.journal == nil {
		return nil
	}
	_, err = r.journal.Append(record{Refused: &r.folded})
	return err
}

// fail ends the run with an error.
func (r *run) fail(err error) error {
	r.err = err
	r.stop(err)
	r.changed.Broadcast()
	return err
}

// same returns an error that names the first difference between the spec and the one of a journal.
func (s *Spec) same(other *Spec) error {
	switch {
	case s.Kind != other.Kind:
		return fmt.Errorf("%w of kind %s, not %s", ErrOtherRun, other.Kind, s.Kind)
	case s.Version != other.Version:
		return fmt.Errorf("%w of %s version %d; this program has version %d", ErrOtherRun, s.Kind, other.Version, s.Version)
	case s.Search != other.Search:
		return fmt.Errorf("%w by another version of the search, whose bench visits %d nodes, not %d", ErrOtherRun,
			other.Search, s.Search)
	case !slices.Equal(s.Inputs, other.Inputs):
		return fmt.Errorf("%w with other input files", ErrOtherRun)
	case !bytes.Equal(s.Params, other.Params):
		return fmt.Errorf("%w with other settings: %s", ErrOtherRun, difference(other.Params, s.Params))
	}
	return nil
}

// difference names the first field in which two JSON objects differ.
func difference(there, here json.RawMessage) string {
	var a, b map[string]json.RawMessage
	if json.Unmarshal(there, &a) != nil || json.Unmarshal(here, &b) != nil {
		return "they cannot be compared"
	}
	names := make([]string, 0, len(a)+len(b))
	for name := range a {
		names = append(names, name)
	}
	for name := range b {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if x, y := a[name], b[name]; !bytes.Equal(x, y) {
			return fmt.Sprintf("%s %s, not %s", name, text(x), text(y))
		}
	}
	return "in their order"
}

// text returns a JSON value as a message shows it.
func text(v json.RawMessage) string {
	if v == nil {
		return "not set"
	}
	return Clean(string(v))
}
