package coordinator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// reader reads the results of one run and folds those that count, in the order of
// their jobs.
type reader struct {
	id       string
	manifest *run.Manifest
	plan     run.Plan
	log      *slog.Logger
	bans     []link.Ban

	// Of an owner: stores the files of a result before it is folded, and is told that
	// they are no longer needed.
	keep func(ctx context.Context, r *run.Result) error
	drop func(ctx context.Context, r *run.Result) error

	fold    run.Fold
	folded  int
	seq     uint64 // of the next message
	slots   []slot
	touched []report         // messages since this was last emptied
	again   bool             // it was begun anew, see restart
	workers map[string]*Done // all who have reported something
	results int
	took    float64 // seconds of all results
	stored  int64   // bytes of files that the owner has not got
	kept    int     // jobs whose files the owner has got
	single  int     // jobs folded whose copies are all of one machine
	dispute *Dispute
	failed  error // why the run cannot go on
}

// report is a message of a job's copy, and the seconds that it took.
type report struct {
	index, k int
	took     float64
}

// Done is what a worker has done of a run.
type Done struct {
	Host   string             `json:"host"`
	Commit string             `json:"commit"`
	Jobs   int                `json:"jobs"`
	Units  float64            `json:"units"`
	Took   float64            `json:"took"`
	Scores map[string]float64 `json:"scores,omitempty"` // sums of what a run.Scorer tells
}

// slot is a job.
type slot struct {
	results []*run.Result // that count, in their order in the stream; nil once folded
	verdict *run.Result
	taken   uint16   // bit for each copy that has a message
	leased  uint16   // bit for each copy that a worker has
	bytes   uint32   // of the files of all results
	sum     [32]byte // digest of the result that was folded
}

// Dispute is a job at which the fold stops.
type Dispute struct {
	Index int
	Why   string
	By    []*run.Result // with different values, or the one that cannot be
}

// String tells the machines and their values.
func (d *Dispute) String() string {
	text := fmt.Sprintf("job %d is disputed: %s", d.Index, d.Why)
	for _, r := range d.By {
		text += fmt.Sprintf("; %s on %s: %.200s", r.Worker, r.Host, r.Value)
		for _, a := range r.Files {
			text += fmt.Sprintf(", file %.8s", a.Sum)
		}
	}
	return text
}

// newReader returns a reader that has read nothing.
func newReader(m *run.Manifest, plan run.Plan, log *slog.Logger) *reader {
	r := &reader{id: m.ID(), manifest: m, plan: plan, log: log}
	r.restart()
	return r
}

// restart forgets everything, to read it again.
func (r *reader) restart() {
	slots := make([]slot, r.manifest.Jobs)
	for i := range r.slots {
		slots[i].leased = r.slots[i].leased
	}
	r.slots, r.touched, r.again = slots, nil, true
	r.fold, r.folded, r.seq = r.plan.NewFold(), 0, 1
	r.workers, r.results, r.took, r.stored, r.single = map[string]*Done{}, 0, 0, 0, 0
	r.dispute, r.failed = nil, nil
}

// banned reports whether a worker's results count for nothing.
func (r *reader) banned(worker string) bool {
	return slices.ContainsFunc(r.bans, func(b link.Ban) bool { return link.Covers(b.Worker, worker) })
}

// setBans reads the run again if that changes which results count.
func (r *reader) setBans(bans []link.Ban) {
	before := map[string]bool{}
	for worker := range r.workers {
		before[worker] = r.banned(worker)
	}
	r.bans = bans
	for worker, was := range before {
		if r.banned(worker) != was {
			r.restart()
			return
		}
	}
}

// setKept notes how many jobs have their files with the owner.
func (r *reader) setKept(jobs int) {
	for ; r.kept < min(jobs, len(r.slots)); r.kept++ {
		r.stored -= int64(r.slots[r.kept].bytes)
	}
}

// read takes the results that have come and folds the next ones.
func (r *reader) read(ctx context.Context, s Store) error {
	for more := true; more && r.failed == nil; {
		var messages []link.Msg
		var err error
		if messages, more, err = s.Since(ctx, link.Res, "res."+r.id+".>", r.seq); err != nil {
			return err
		}
		for i := range messages {
			r.seq = messages[i].Seq + 1
			if r.enter(&messages[i]) {
				r.restart() // a verdict about what was folded
				more = true
				break
			}
		}
		if err := r.advance(ctx); err != nil {
			return err
		}
	}
	return nil
}

// jobOf returns the job of a subject; ok is false for one that is not canonical.
func jobOf(subject string) (j run.Job, ok bool) {
	parts := strings.Split(subject, ".")
	if len(parts) != 4 {
		return j, false
	}
	index, err := strconv.Atoi(parts[2])
	k, bad := strconv.Atoi(parts[3])
	j = run.Job{Run: parts[1], Index: index, K: k}
	return j, err == nil && bad == nil && j.Subject() == subject
}

// enter takes a message. It reports whether it changes what was folded.
func (r *reader) enter(m *link.Msg) (undo bool) {
	j, ok := jobOf(m.Subject)
	if !ok || j.Index < 0 || j.Index >= len(r.slots) || j.K < 0 || j.K > run.VerdictCopy {
		r.log.Warn("a result under a subject of no job", "subject", m.Subject)
		return false
	}
	s := &r.slots[j.Index]
	s.taken |= 1 << j.K
	result, err := run.OpenResult(m.Subject, m.Data, link.Verify)
	if err != nil {
		r.touched = append(r.touched, report{j.Index, j.K, 0})
		r.log.Warn("a result that counts for nothing", "error", err)
		return false
	}
	r.touched = append(r.touched, report{j.Index, j.K, result.Took})
	d := r.workers[result.Worker]
	if d == nil {
		d = &Done{Scores: map[string]float64{}}
		r.workers[result.Worker] = d
	}
	d.Host, d.Commit = result.Host, result.Commit
	r.results++
	d.Jobs, d.Units, d.Took, r.took = d.Jobs+1, d.Units+result.Units, d.Took+result.Took, r.took+result.Took
	for _, a := range result.Files {
		s.bytes += uint32(a.Size)
		if j.Index >= r.kept {
			r.stored += int64(a.Size)
		}
	}
	switch {
	case j.K == run.VerdictCopy:
		s.verdict = result
		return j.Index < r.folded && s.sum != result.Digest()
	case j.Index >= r.folded && !r.banned(result.Worker):
		s.results = append(s.results, result)
	}
	return false
}

// choose returns the result that counts for a job, nil where it is not known yet, and
// the dispute where machines differ.
func (r *reader) choose(index int) (*run.Result, *Dispute) {
	s := &r.slots[index]
	need := r.plan.Copies(index)
	switch {
	case s.verdict != nil:
		return s.verdict, nil
	case len(s.results) < need:
		return nil, nil
	}
	for _, other := range s.results[1:need] {
		if other.Digest() != s.results[0].Digest() {
			return nil, &Dispute{index, "two machines differ", []*run.Result{s.results[0], other}}
		}
	}
	return s.results[0], nil
}

// advance folds the values that are next in order.
func (r *reader) advance(ctx context.Context) error {
	r.dispute = nil
	for r.folded < len(r.slots) && !r.fold.Done() && r.failed == nil {
		result, dispute := r.choose(r.folded)
		if dispute != nil || result == nil {
			r.dispute = dispute
			return nil
		}
		err := error(nil)
		if r.keep != nil {
			if err = r.keep(ctx, result); err != nil && !run.IsRefused(err) {
				return fmt.Errorf("files of job %d: %w", r.folded, err)
			}
		}
		if err == nil {
			err = r.fold.Add(r.folded, result.Value)
		}
		if err != nil {
			r.refuse(result, err)
			return nil
		}
		if err := r.next(ctx, result); err != nil {
			return err
		}
	}
	return nil
}

// refuse stops at a result that cannot be.
func (r *reader) refuse(result *run.Result, why error) {
	if result.K == run.VerdictCopy {
		r.failed = fmt.Errorf("job %d: the owner's own value cannot be: %w", result.Index, why)
		return
	}
	r.dispute = &Dispute{result.Index, why.Error(), []*run.Result{result}}
}

// next goes to the next job.
func (r *reader) next(ctx context.Context, result *run.Result) (err error) {
	s := &r.slots[r.folded]
	if len(s.results) > 1 && s.verdict == nil && s.results[0].Worker == s.results[1].Worker && r.plan.Copies(r.folded) > 1 {
		r.single++
	}
	if scorer, ok := r.plan.(run.Scorer); ok && r.workers[result.Worker] != nil {
		for _, n := range scorer.Scores(result.Value) {
			r.workers[result.Worker].Scores[n.Name] += n.Value
		}
	}
	results := s.results
	s.sum, s.results = result.Digest(), nil
	r.folded++
	for _, old := range results {
		if r.drop != nil && len(old.Files) > 0 {
			err = errors.Join(err, r.drop(ctx, old))
		}
	}
	return err
}

// needs returns how many further copies a job needs, those under way not counted.
func (r *reader) needs(index int) int {
	s := &r.slots[index]
	if index < r.folded || s.verdict != nil {
		return 0
	}
	return r.plan.Copies(index) - len(s.results)
}
