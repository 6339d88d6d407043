package coordinator

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Follower says which run to follow and how.
type Follower struct {
	Conn     *link.Conn
	Manifest *run.Manifest
	Plan     run.Plan
	Open     link.Open // how the run is opened, if it is not
	Keep     run.Keep  // nil where its results have no files that are kept
	Times    link.Times
	Log      *slog.Logger // nil for none
	Host     string       // what this machine calls itself

	// Report, which may be nil, is told where the run stands when that has changed.
	Report func(Status)
}

// Status tells where a run stands.
type Status struct {
	Folded  int
	Fold    run.Fold
	Took    float64 // seconds that workers have spent on results that arrived
	Single  int     // jobs whose copies were all made by one machine
	Workers map[string]*Done
	Held    string // why nothing is folded: a dispute
	Failed  string // why the run was not finished
}

// Follow opens a run and folds its results until all are folded, the run has ended
// otherwise, or ctx ends. While the hub is out of reach it waits. Where two machines
// differ it does the job itself, and its value counts.
func Follow(ctx context.Context, f Follower) (Status, error) {
	log := f.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	r := newReader(f.Manifest, f.Plan, log)
	if f.Keep != nil {
		r.keep = func(ctx context.Context, result *run.Result) error {
			return f.Keep(ctx, result, func(ctx context.Context, a run.Artefact) ([]byte, error) {
				return f.Conn.Artefact(ctx, result, a)
			})
		}
		r.drop = f.Conn.DropArtefacts
	}
	at := &following{f, r, log, time.Time{}, -1, ""}
	for {
		over, err := at.look(ctx)
		st := at.status()
		switch {
		case ctx.Err() != nil:
			return st, ctx.Err()
		case r.failed != nil:
			return st, r.failed
		case err == nil && over:
			return st, nil
		case err != nil:
			f.Conn.Say(err)
		}
		select {
		case <-ctx.Done():
			return st, ctx.Err()
		case <-f.Conn.Closed():
			return st, f.Conn.Err()
		case <-time.After(f.Times.Poll):
		}
	}
}

// following is a run that is followed.
type following struct {
	Follower
	*reader
	log    *slog.Logger
	looked time.Time // at what changes seldom
	told   int       // jobs that the farm knows are kept
	failed string
}

// look reads what has come, and reports whether the run is over.
func (f *following) look(ctx context.Context) (over bool, err error) {
	seldom := time.Since(f.looked) >= max(f.Times.Poll, f.Times.Alive/10)
	var end link.End
	ended := false
	if seldom {
		if end, ended, err = f.records(ctx); err != nil {
			return false, err
		}
		f.looked = time.Now()
	}
	before := f.folded
	if err := f.read(ctx, f.Conn); err != nil {
		return false, err
	}
	if f.Report != nil && f.folded != before {
		f.Report(f.status())
	}
	// An owner that keeps no files wants none.
	if seldom && f.folded != f.told {
		if err := f.Conn.PutKept(ctx, f.id, f.folded); err != nil {
			return false, err
		}
		f.told = f.folded
	}
	switch {
	case f.fold.Done():
		return true, f.Conn.PutEnd(ctx, endOf(&task{Open: f.Open, reader: f.reader}, time.Now(), ""))
	case f.dispute != nil:
		return false, f.decide(ctx)
	case ended:
		if f.failed = end.Failed; f.failed == "" {
			f.failed = "it was over, and results of it were banned since: farm forget it first"
		}
		return true, nil
	}
	return false, nil
}

// records sees to it that the farm knows of the run, and reads who is banned and whether
// the run has ended.
func (f *following) records(ctx context.Context) (end link.End, ended bool, err error) {
	if end, ended, err = f.Conn.Ended(ctx, f.id); err != nil {
		return end, false, err
	}
	bans, err := f.Conn.Bans(ctx)
	if err != nil {
		return end, false, err
	}
	f.setBans(bans)
	if ended {
		return end, true, nil
	}
	_, open, err := f.Conn.Opened(ctx, f.id)
	if err == nil && !open {
		if err = f.Conn.PutManifest(ctx, f.Manifest); err == nil {
			err = f.Conn.PutOpen(ctx, f.Open)
		}
	}
	return end, false, err
}

// decide does the job that is disputed and stores what it comes to, which counts.
func (f *following) decide(ctx context.Context) error {
	d := f.dispute
	f.log.Error(d.String())
	j := run.Job{Run: f.id, Index: d.Index, K: run.VerdictCopy}
	var err error
	if j.Input, err = f.fold.Input(d.Index); err != nil {
		return err
	}
	began := time.Now()
	out, err := f.Plan.Work(ctx, j, f.Conn.Inputs(f.id))
	if err != nil {
		return fmt.Errorf("job %d, which is disputed, cannot be done here: %w", d.Index, err)
	}
	r := run.NewResult(j, &out, time.Since(began).Seconds())
	r.Worker, r.Host = f.Conn.Key+".owner", f.Host
	for _, data := range out.Files {
		if err := f.Conn.PutArtefact(ctx, f.id, data); err != nil {
			return err
		}
	}
	message, err := run.Seal(r, f.Conn.Sign)
	if err != nil {
		return err
	}
	if _, err := f.Conn.First(ctx, j.Subject(), message); err != nil {
		return err
	}
	for _, by := range d.By {
		f.log.Error("the owner's machine has decided", "job", d.Index, "worker", by.Worker, "host", by.Host, "right", string(by.Value) == string(r.Value))
	}
	return nil
}

// status returns where the run stands.
func (f *following) status() Status {
	st := Status{Folded: f.folded, Fold: f.fold, Took: f.took, Single: f.single, Workers: f.done(), Failed: f.failed}
	if f.dispute != nil {
		st.Held = f.dispute.String()
	}
	return st
}
