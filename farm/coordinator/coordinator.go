package coordinator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/quorum"
	"github.com/tabula-chess/tabula/farm/run"
)

// Config says what run to see through and how.
type Config struct {
	Conn     *link.Conn
	Manifest *run.Manifest
	Plan     run.Plan
	Times    link.Times
	Log      *slog.Logger // nil for none

	// Owner is set for the command that began the run: it opens it, and lets
	// the plan check files if it is a run.Checker.
	Owner bool

	// Alone says that the only worker is one in this process, so that there is
	// no need to wait for others.
	Alone bool

	// Report, which may be nil, is told where the run stands when that has
	// changed.
	Report func(Status)
}

// Status tells where a run stands.
type Status struct {
	Run      string
	Kind     string
	Jobs     int
	Agreed   int // jobs that have a value
	Alone    int // of them, those where one worker, being alone, made both copies
	Folded   int
	Queued   int    // jobs in the queue or being done, at the last look
	Text     string // of the fold
	Numbers  []run.Number
	Took     float64   // seconds that workers have spent on results that arrived
	Last     time.Time // of the last result, by the server's clock
	Results  int
	Dead     []int // jobs that were given up
	Disputed []int // jobs on which no two workers agree
	Done     bool
	Failed   string // why it cannot be finished
	Fold     run.Fold
	Speeds   map[string]*Speed // by worker
	Banned   map[string]string // reasons by worker, of the whole farm
}

// Speed is what a worker has done of a run.
type Speed struct {
	Host  string
	Jobs  int
	Units float64
	Took  float64
}

// coordinator is one that is at work.
type coordinator struct {
	Config
	id     string
	log    *slog.Logger
	book   *quorum.Quorum
	fold   run.Fold
	folded int
	seq    uint64          // of the next result to read
	issued map[string]bool // jobs that are in the queue, as far as known
	next   int             // below it every job has been issued once
	look   map[int]bool    // jobs below next whose next copy may be wanted
	open   link.Open       // as last published
	epoch  string          // of the queue
	made   time.Time       // when the stream of results was, see whole
	ever   bool            // a worker has been alone
	status Status
	alive  *roster
	// giveSeq is the number of the next notice of the server to read.
	giveSeq uint64
	missing map[int]time.Time // jobs whose files are not there, since when
	doubted map[int]bool      // jobs of which a run.Doubter was told, since the last ban
	said    string            // what was last said to be waited for, and when
	saidAt  time.Time
	err     error
}

// Run sees a run through until it is done or cannot be, ctx ends, or, for who
// does not own it, it is closed. Where the hub is out of reach it waits.
func Run(ctx context.Context, c Config) (Status, error) {
	s := &coordinator{Config: c, id: c.Manifest.ID(), log: c.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.log = s.log.With("run", s.id[:8])
	s.restart()
	var err error
	if s.alive, err = watch(c.Conn, c.Times.Alive); err != nil {
		return s.status, err
	}
	defer s.alive.stop()
	reconcile := time.Time{}
	for {
		looked := time.Since(reconcile) >= s.pause()
		var err error
		if looked {
			err = s.reconcile(ctx)
		}
		// A job leaves the queue after its result has come: what was not in the
		// queue before and has no result now is missing.
		if err == nil {
			err = s.read(ctx)
		}
		if looked && err == nil {
			reconcile = time.Now()
		}
		// Who does not own the run leaves it to the owner, if there is one, to
		// issue what results call for at once.
		if err == nil && (looked || c.Owner) {
			err = s.issue(ctx)
		}
		if err == nil {
			err = s.settle(ctx)
		}
		switch {
		case s.err != nil:
			return s.status, s.err
		case err == nil && (s.status.Done || s.status.Failed != ""):
			return s.status, nil
		case errors.Is(err, errClosed):
			var over bool
			if over, err = s.last(ctx); over {
				return s.status, s.err
			}
			reconcile = time.Time{}
		}
		if err != nil && ctx.Err() == nil {
			s.say(err)
			reconcile = time.Time{} // whatever happened, look again at what is missing
		}
		select {
		case <-ctx.Done():
			return s.status, ctx.Err()
		case <-c.Conn.Closed():
			return s.status, c.Conn.Err()
		case <-time.After(s.wait(err)):
		}
	}
}

// say tells what is waited for, the same not again and again.
func (s *coordinator) say(err error) {
	if text := err.Error(); text != s.said || time.Since(s.saidAt) > 10*time.Second {
		s.log.Warn("waits", "for", err)
		s.said, s.saidAt = text, time.Now()
	}
}

// last reads what there is of a run that another coordinator has ended, and reports
// whether it is over: where a worker was banned since, what it alone has done is
// done again for an owner who asks for the run.
func (s *coordinator) last(ctx context.Context) (over bool, err error) {
	end, ended, err := s.Conn.Ended(ctx, s.id)
	if err != nil {
		return false, err
	}
	s.allowAlone(end.Ever)
	for _, step := range []func(context.Context) error{s.bans, s.givenUp, s.read} {
		if err := step(ctx); err != nil {
			return false, err
		}
	}
	s.status.Failed = end.Failed
	s.status.Dead, s.status.Disputed = s.book.Stuck()
	s.report()
	if ended && end.Failed == "" && s.Owner && !s.status.Done && s.err == nil {
		s.log.Warn("a run that was over goes on, since results of it count no more")
		return false, s.Conn.Reopen(ctx, s.id)
	}
	if ended {
		// Who ended it may have been killed before it was taken off the farm.
		if _, err := s.Conn.Last(ctx, link.State, "open."+s.id); !errors.Is(err, link.ErrNone) {
			err = errors.Join(err, s.Conn.CloseRun(ctx, s.id))
			return err == nil, err
		}
	}
	return true, nil
}

// wait returns the time until the next look.
func (s *coordinator) wait(err error) time.Duration {
	if err != nil {
		return max(s.Times.Poll, 200*time.Millisecond)
	}
	return s.Times.Poll
}

// pause returns the time between two looks at the whole queue: longer where that
// is long.
func (s *coordinator) pause() time.Duration {
	return s.Times.Reconcile + time.Duration(len(s.issued)/1000)*100*time.Millisecond
}

// errClosed says that the run was closed by someone else.
var errClosed = errors.New("the run is closed")

// restart forgets everything, to read it again.
func (s *coordinator) restart() {
	copies := s.Plan.Copies
	s.book = quorum.New(s.id, s.Manifest.Jobs, link.Lanes, copies)
	s.allowAlone(s.Alone || s.ever)
	s.missing, s.doubted = map[int]time.Time{}, map[int]bool{}
	s.seq, s.issued, s.next, s.look = 1, map[string]bool{}, 0, map[int]bool{}
	s.status = Status{Run: s.id, Kind: s.Manifest.Kind, Jobs: s.Manifest.Jobs, Speeds: map[string]*Speed{}}
	s.refold()
}

// refold folds from the first value on.
func (s *coordinator) refold() {
	s.fold, s.folded = s.Plan.NewFold(), 0
	s.status.Fold = s.fold
}

// read enters the results that have come and folds what is next.
func (s *coordinator) read(ctx context.Context) error {
	for {
		messages, err := s.Conn.Since(ctx, link.Res, "res."+s.id+".>", s.seq)
		if err != nil {
			return err
		}
		for i := range messages {
			s.enter(&messages[i])
			s.seq = messages[i].Seq + 1
		}
		if err := s.advance(ctx); err != nil {
			return err
		}
		if len(messages) > 0 {
			s.report()
		}
		if len(messages) == 0 || s.err != nil {
			return nil
		}
	}
}

// enter enters a result.
func (s *coordinator) enter(m *link.Msg) {
	j, err := link.ParseJob(m.Subject)
	if err != nil {
		s.log.Warn("a result of no job", "error", err)
		return
	}
	r, err := run.ParseResult(j, m.Data, link.Verify)
	if err != nil {
		s.log.Warn("a result that is worth nothing", "error", err)
		r = nil
	}
	if err := s.book.Add(j, r); err != nil {
		s.log.Warn("a result of no job", "error", err)
		return
	}
	if j.Index < s.next {
		s.look[j.Index] = true
	}
	s.status.Results, s.status.Last = s.status.Results+1, m.Time
	if r == nil {
		return
	}
	v := s.status.Speeds[r.Worker]
	if v == nil {
		v = new(Speed)
		s.status.Speeds[r.Worker] = v
	}
	v.Host, v.Jobs, v.Units, v.Took = r.Host, v.Jobs+1, v.Units+r.Units, v.Took+r.Took
	s.status.Took += r.Took
}

// advance folds the values that are next in order.
func (s *coordinator) advance(ctx context.Context) error {
	checker, checks := s.Plan.(run.Checker)
	if err := s.doubt(); err != nil {
		return err
	}
	for s.folded < s.Manifest.Jobs && !s.fold.Done() {
		r := s.book.Agreed(s.folded)
		if r == nil {
			return nil
		}
		if checks && s.Owner {
			ok, err := s.check(ctx, checker, r)
			if err != nil || !ok {
				return err
			}
		}
		if err := s.fold.Add(s.folded, r.Value); err != nil {
			if s.Owner && s.Plan.Copies(s.folded) == 1 {
				return s.refuse(ctx, r, err) // one worker's word, and it cannot be
			}
			s.err = fmt.Errorf("job %d of run %s: %w", s.folded, s.id, err)
			return nil
		}
		s.folded++
	}
	return nil
}

// doubt tells a plan that keeps files of which jobs it may have a liar's.
func (s *coordinator) doubt() error {
	d, doubts := s.Plan.(run.Doubter)
	if !doubts || !s.Owner {
		return nil
	}
	fresh := slices.DeleteFunc(s.book.Suspect(), func(i int) bool { return s.doubted[i] })
	if len(fresh) == 0 {
		return nil
	}
	if err := d.Doubt(fresh); err != nil {
		return err
	}
	for _, i := range fresh {
		s.doubted[i] = true
	}
	return nil
}

// check lets the plan look at the files of a result; ok is false where it is
// refused.
func (s *coordinator) check(ctx context.Context, c run.Checker, r *run.Result) (ok bool, err error) {
	err = c.Check(ctx, r, func(ctx context.Context, a run.Artefact) ([]byte, error) {
		return s.Conn.Artefact(ctx, r.Worker, a)
	})
	if errors.Is(err, link.ErrNone) {
		// Files are there before the result is; but where several servers keep
		// them, one may be behind.
		if s.missing[r.Index].IsZero() {
			s.missing[r.Index] = time.Now()
		}
		if time.Since(s.missing[r.Index]) > s.Times.AckWait {
			err = run.Refused(err)
		}
	}
	switch {
	case err == nil:
		delete(s.missing, r.Index)
		return true, nil
	case run.IsRefused(err):
		delete(s.missing, r.Index)
		return false, s.refuse(ctx, r, err)
	}
	return false, fmt.Errorf("files of job %d: %w", r.Index, err)
}

// refuse bans who has reported what cannot be, and lets the job be done again.
func (s *coordinator) refuse(ctx context.Context, r *run.Result, why error) error {
	for _, w := range s.book.Refuse(r.Index) {
		if err := s.ban(ctx, w, fmt.Sprintf("job %d of run %s: %v", r.Index, s.id, why)); err != nil {
			return err
		}
	}
	s.look[r.Index] = true
	return nil
}

// ban makes the results of a worker count for nothing.
func (s *coordinator) ban(ctx context.Context, worker, reason string) error {
	s.log.Error("a worker is banned", "worker", worker, "reason", reason)
	if err := s.Conn.Ban(ctx, worker, reason); err != nil {
		return err
	}
	s.banned(worker)
	banned := map[string]string{worker: reason} // the run may end before they are read again
	maps.Copy(banned, s.status.Banned)
	s.status.Banned = banned
	return nil
}

// banned folds again without a worker, where that makes a difference.
func (s *coordinator) banned(worker string) {
	s.book.Ban(worker)
	clear(s.doubted)
	for i := range s.next {
		s.look[i] = true
	}
	s.refold()
}

// report tells where the run stands.
func (s *coordinator) report() {
	st := &s.status
	st.Agreed, st.Alone = s.book.Count()
	st.Folded, st.Queued = s.folded, len(s.issued)
	st.Text, st.Numbers, st.Done = s.fold.Text(), s.fold.Numbers(), s.fold.Done()
	if s.Report != nil {
		c := *st
		c.Speeds = maps.Clone(st.Speeds)
		for k, v := range c.Speeds {
			w := *v
			c.Speeds[k] = &w
		}
		s.Report(c)
	}
}

// settle ends the run where it is at its end.
func (s *coordinator) settle(ctx context.Context) error {
	s.report()
	st := &s.status
	if !st.Done {
		st.Dead, st.Disputed = s.book.Stuck()
		// What is stuck is told at once; the run fails when nothing else is left.
		if len(st.Dead)+len(st.Disputed) == 0 || len(s.issued) > 0 || len(s.look) > 0 || s.next < min(s.fold.Ready(), st.Jobs) {
			return nil
		}
		failed := fmt.Sprintf("%d jobs were given up after %d tries each (the first is %v), on %d no two workers agree",
			len(st.Dead), s.Times.Deliver, slices.Concat(st.Dead, st.Disputed)[0], len(st.Disputed))
		if err := s.Conn.PutEnd(ctx, s.end(failed)); err != nil {
			return err
		}
		st.Failed = failed
		return nil
	}
	// Who lied is banned before the run is over; what that opens again is done.
	if err := s.bans(ctx); err != nil {
		return err
	}
	if s.report(); !st.Done {
		return nil
	}
	return s.Conn.PutEnd(ctx, s.end(""))
}

// end returns the record of the run's end.
func (s *coordinator) end(failed string) link.End {
	st := &s.status
	return link.End{Run: s.id, Kind: st.Kind, Jobs: st.Jobs, Agreed: st.Agreed, Text: st.Text, Failed: failed, Took: st.Took, Ever: s.ever}
}
