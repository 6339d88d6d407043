package command

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/farm/work"
)

// broken is a plan none of whose jobs this worker can do, as where a disk is full
// or a compiler is missing.
type broken struct{ run.Plan }

func (broken) Work(context.Context, run.Job, run.Inputs) (run.Output, error) {
	return run.Output{}, errors.New("nothing works here")
}

// TestBrokenWorker shows that a worker that fails at every job, faster than others
// do them, does not use up the tries of jobs that others can do.
func TestBrokenWorker(t *testing.T) {
	t.Parallel()
	times := fast()
	// What the broken worker has it gives back at once; one that a busy machine
	// stalls keeps what it has.
	times.AckWait, times.Deliver = 20*time.Second, 5
	f := newFarmAt(t, toyOpener, times)
	f.worker(2, func(c *work.Config) {
		// The fifth try of a job would come after more than a minute: so long the
		// other worker may be stalled.
		c.Times.Alive = time.Second
		c.Open = func(m *run.Manifest) (run.Plan, error) {
			p, err := openToy(m)
			return broken{p}, err
		}
	})
	f.worker(1, nil)
	m := toyManifest(t, 120, toyParams{Sleep: 60 * time.Millisecond})
	if st, want := f.carryOut(m), toyAlone(t, m); st.Text != want {
		t.Errorf("%s, want %s; %s", st.Text, want, st.Failed)
	}
}

// TestEndIsHeardOf shows that a run whose end was written, and nothing after it,
// is taken off the farm all the same.
func TestEndIsHeardOf(t *testing.T) {
	t.Parallel()
	f := newFarm(t, toyOpener)
	f.worker(1, nil)
	m := toyManifest(t, 5, toyParams{})
	st := f.carryOut(m)
	ctx, cancel := context.WithTimeout(f.ctx, 2*time.Minute)
	defer cancel()
	// As a kill between the two writes leaves it.
	if err := f.hub.Conn.PutOpen(ctx, link.Open{Run: st.Run, Kind: m.Kind, Jobs: m.Jobs, Lanes: []int{link.AnyLane}}); err != nil {
		t.Fatal(err)
	}
	for {
		open, err := f.hub.Conn.OpenRuns(ctx)
		if err == nil && len(open) == 0 {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%d runs are still open, %v", len(open), err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// keeper is a plan that keeps what comes first, as one that writes a file does.
type keeper struct {
	run.Plan
	kept map[int]string
}

func (k keeper) Check(_ context.Context, r *run.Result, _ func(context.Context, run.Artefact) ([]byte, error)) error {
	if k.kept[r.Index] == "" {
		k.kept[r.Index] = string(r.Value)
	}
	return nil
}

func (k keeper) Doubt(indexes []int) error {
	for _, i := range indexes {
		delete(k.kept, i)
	}
	return nil
}

// TestBanAfterTheEnd shows that a run goes on, for who asks for it again, when a
// worker is banned after its end, and that nothing is kept of what it has made.
func TestBanAfterTheEnd(t *testing.T) {
	t.Parallel()
	kept := map[int]string{}
	f := newFarm(t, toyOpener)
	gone := f.worker(1, func(c *work.Config) {
		c.Open = func(m *run.Manifest) (run.Plan, error) {
			p, err := openToy(m)
			p.lie = true
			return p, err
		}
	})
	m := toyManifest(t, 10, toyParams{})
	f.open = func(m *run.Manifest) (run.Plan, error) {
		p, err := openToy(m)
		return keeper{p, kept}, err
	}
	st := f.carryOut(m)
	f.worker(1, nil) // while the other has its home, or it could be banned with it
	ctx, cancel := context.WithTimeout(f.ctx, 2*time.Minute)
	defer cancel()
	for worker := range st.Speeds {
		if err := f.hub.Conn.Ban(ctx, worker, "a test"); err != nil {
			t.Fatal(err)
		}
	}
	select { // or it could use up the copies that a job may have
	case <-gone:
	case <-ctx.Done():
		t.Fatal("the banned worker is still at work")
	}
	lied := kept[3]
	again := f.carryOut(m)
	if want := toyAlone(t, m); !again.Done || again.Text != want {
		t.Errorf("%s, want %s", again.Text, want)
	}
	for i := range m.Jobs {
		if kept[i] != string(again.Fold.(*toyFold).values[i]) || lied == kept[3] {
			t.Errorf("what is kept of job %d is not what was folded", i)
		}
	}
}

// checked is a plan whose files are looked at before they are folded.
type checked struct{ run.Plan }

func (checked) Check(ctx context.Context, r *run.Result, get func(context.Context, run.Artefact) ([]byte, error)) error {
	for _, a := range r.Files {
		if _, err := get(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

// TestMissingFiles shows that a run does not wait for ever for files that a worker
// says it has sent, and has not.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	times := fast()
	times.AckWait = 500 * time.Millisecond
	f := newFarmAt(t, func(m *run.Manifest) (run.Plan, error) {
		p, err := openToy(m)
		return checked{p}, err
	}, times)
	m := toyManifest(t, 6, toyParams{File: 100})
	j := run.Job{Run: m.ID(), Index: 2}
	liar := f.report(j, &run.Result{Value: json.RawMessage("1"), Files: []run.Artefact{{Sum: strings.Repeat("0", 64), Size: 10}}})
	f.worker(1, nil)
	st := f.carryOut(m)
	if want := toyAlone(t, m); st.Text != want || st.Banned[liar] == "" {
		t.Errorf("%s with %d banned, want %s", st.Text, len(st.Banned), want)
	}
}

// TestImpossibleValue shows that one worker that reports a value that cannot be
// does not end the run.
func TestImpossibleValue(t *testing.T) {
	t.Parallel()
	f := newFarm(t, toyOpener)
	m := toyManifest(t, 6, toyParams{})
	liar := f.report(run.Job{Run: m.ID(), Index: 2}, &run.Result{Value: json.RawMessage("1")})
	f.worker(1, nil)
	if st, want := f.carryOut(m), toyAlone(t, m); st.Text != want || st.Banned[liar] == "" {
		t.Errorf("%s with %d banned, want %s", st.Text, len(st.Banned), want)
	}
}

// sign signs a result with the key of a home.
func (f *farm) sign(home *work.Home, r *run.Result) {
	f.t.Helper()
	signed, err := r.Signed()
	if err == nil {
		r.Sig, err = home.Key.Sign(signed)
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// report writes a result, signed, as a worker of its own, whose key it returns.
func (f *farm) report(j run.Job, r *run.Result) (worker string) {
	f.t.Helper()
	// A home that stays taken, so that the next one has another key.
	home, err := work.OpenHome(filepath.Join(f.dir, "reporters"))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { home.Close() })
	if r.Worker, err = home.Key.PublicKey(); err != nil {
		f.t.Fatal(err)
	}
	r.Run, r.Index, r.K = j.Run, j.Index, j.K
	f.sign(home, r)
	text, err := json.Marshal(r)
	if err == nil {
		_, err = f.hub.Conn.First(f.ctx, link.ResultSubject(j), text)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return r.Worker
}

// TestJunk shows that a run ends with an error where every copy of a job that
// there can be is junk, and does not stand still.
func TestJunk(t *testing.T) {
	t.Parallel()
	f := newFarm(t, toyOpener)
	f.worker(1, nil)
	m := toyManifest(t, 3, toyParams{})
	for k := range 64 {
		if _, err := f.hub.Conn.First(f.ctx, link.ResultSubject(run.Job{Run: m.ID(), Index: 1, K: k}), []byte("junk")); err != nil {
			t.Fatal(err)
		}
	}
	if st := f.carryOut(m); st.Done || st.Failed == "" || len(st.Disputed) != 1 {
		t.Errorf("%+v", st)
	}
}

// TestOldNotice shows that a notice about another life of the queue gives no job
// up, whatever its number means in this one.
func TestOldNotice(t *testing.T) {
	t.Parallel()
	f := newFarm(t, toyOpener)
	m := toyManifest(t, 4, toyParams{})
	for seq := range 8 {
		text, err := json.Marshal(map[string]any{"consumer": link.ConsumerName(m.ID(), link.AnyLane, "before"), "stream_seq": seq + 1})
		if err == nil {
			err = f.hub.Conn.Put(f.ctx, "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES."+link.Jobs+".x", text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	late := time.AfterFunc(time.Second, func() { f.worker(1, nil) }) // jobs wait until a notice was read
	defer late.Stop()
	if st, want := f.carryOut(m), toyAlone(t, m); st.Text != want {
		t.Errorf("%s, want %s; %s", st.Text, want, st.Failed)
	}
}

// TestManyRecords shows that a farm that has ended many runs tells of all.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes a thousand records, each synced")
	}
	h, err := hub.Start(hub.Config{Dir: t.TempDir(), Open: toyOpener, Times: fast()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	const runs = 1100
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	for i := range runs {
		text, err := json.Marshal(link.End{Run: toyManifest(t, 1, toyParams{Spin: i}).ID()})
		if err == nil {
			_, err = h.Conn.JS.PublishAsync("end."+toyManifest(t, 1, toyParams{Spin: i}).ID(), text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for { // a slow disk takes longer than answers are waited for
		ended, err := h.Conn.EndedRuns(ctx)
		if err == nil && len(ended) == runs {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("%d of %d runs, %v", len(ended), runs, err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}
