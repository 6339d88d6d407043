package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

func testLog() *slog.Logger {
	if os.Getenv("TABULA_FARM_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.DiscardHandler)
}

// farm is a hub with workers in this process.
type farm struct {
	t      testing.TB
	config hub.ServerConfig
	hub    *hub.Hub
	url    string
	own    run.Key
	ctx    context.Context
	done   sync.WaitGroup
}

// newFarm starts a hub on an address: beyond loopback it is guarded.
func newFarm(t testing.TB, listen string, store int64) *farm {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	f := &farm{t: t, ctx: ctx, config: hub.ServerConfig{Dir: t.TempDir(), Listen: listen, Log: testLog(), Store: store}}
	f.start()
	t.Cleanup(func() {
		stop()
		f.done.Wait()
		if err := f.hub.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// start starts the hub, again at the same address.
func (f *farm) start() {
	f.t.Helper()
	var err error
	f.hub, err = hub.Start(context.Background(), f.config)
	kit.Succeed(f.t, err)
	host, port, err := net.SplitHostPort(f.hub.Addr())
	kit.Succeed(f.t, err)
	f.config.Listen, f.url = net.JoinHostPort(host, port), "nats://127.0.0.1:"+port
	if f.hub.Guarded() {
		f.own, err = run.ReadKey(filepath.Join(f.config.Dir, "own.key"))
		kit.Succeed(f.t, err)
	}
}

// key returns a new key of a worker, enrolled where that is needed.
func (f *farm) key(name string) run.Key {
	f.t.Helper()
	k, err := run.NewKey(run.RoleWorker, "")
	if f.own.Pair != nil {
		file := filepath.Join(f.t.TempDir(), name)
		kit.Succeed(f.t, f.hub.Conn.Enrol(f.t.Context(), file))
		k, err = run.ReadKey(file + ".key")
	}
	kit.Succeed(f.t, err)
	return k
}

func (f *farm) dial(k run.Key) *run.Conn {
	f.t.Helper()
	c, err := run.Dial(f.ctx, run.ConnectOptions{URL: f.url, Key: k, AckWait: 3 * time.Second, Log: testLog()}, time.Minute)
	kit.Succeed(f.t, err)
	f.t.Cleanup(c.Close)
	return c
}

// worker adds a worker with a key of its own; what Work returns comes through the channel.
func (f *farm) worker(name string, cores int, change func(*run.WorkConfig)) (context.CancelFunc, <-chan error) {
	f.t.Helper()
	c := run.WorkConfig{Conn: f.dial(f.key(name)), Types: []*work.Type{toyType(1)}, Log: testLog(),
		Machine: run.Machine{Cores: cores, Host: name}}
	if change != nil {
		change(&c)
	}
	ctx, stop := context.WithCancel(f.ctx)
	result := make(chan error, 1)
	f.done.Go(func() { result <- run.Work(ctx, c) })
	return stop, result
}

// run has toys made by the farm, as a command does, within some minutes.
func (f *farm) run(ctx context.Context, t *toy, change func(*run.Remote), in ...[]byte) error {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	c, err := run.Dial(ctx, run.ConnectOptions{URL: f.url, Key: f.own, AckWait: 3 * time.Second, Log: testLog()}, time.Minute)
	kit.Succeed(f.t, err)
	defer c.Close()
	p := &run.Remote{Conn: c, Log: testLog(), Record: run.Record{Name: "test", Owner: "test", Jobs: t.N}}
	if change != nil {
		change(p)
	}
	return work.Run(ctx, t.spec(f.t, in...), t, p, work.RunOptions{Ahead: run.Ahead, Inputs: work.Files(in).Get,
		Report: func() { p.Report(t, t.folded()) }})
}

// comes demands that toys come to what one process alone makes of them.
func (f *farm) comes(t toy, in ...[]byte) {
	f.t.Helper()
	want, _ := alone(f.t, t, in...)
	if err := f.run(f.t.Context(), &t, nil, in...); err != nil || t.Text() != want {
		f.t.Errorf("%v: %s, want %s", err, t.Text(), want)
	}
}

// results returns the number of results that the farm has.
func (f *farm) results() int {
	f.t.Helper()
	s, err := f.hub.Conn.JS.Stream(f.t.Context(), run.ResultsStream)
	kit.Succeed(f.t, err)
	return int(s.CachedInfo().State.Msgs)
}

// until waits for something.
func (f *farm) until(what string, is func() bool) {
	f.t.Helper()
	for began := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > 2*time.Minute {
			f.t.Fatalf("it does not come to that: %s", what)
		}
	}
}

func (f *farm) view() *run.Overview {
	f.t.Helper()
	v, err := f.hub.Conn.View(f.t.Context())
	kit.Succeed(f.t, err)
	return v
}

// TestFolds shows that runs come to what one process alone makes of them, whatever the workers and what a job depends
// on, and that a verdict ends jobs under way.
func TestFolds(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	for n := range 2 {
		f.worker(fmt.Sprint(n), 2, nil)
	}
	f.comes(toy{N: 40})
	f.comes(toy{N: 60}) // it goes further
	f.comes(toy{N: 40, Lag: 4})
	f.comes(toy{N: 1000, Stop: 7, Sleep: 10 * time.Millisecond})
	f.comes(toy{N: 20, Bytes: run.MaxData - 64})
	f.comes(toy{N: 20, Input: 2}, []byte("one"), bytes.Repeat([]byte("two"), 1<<20))
	for _, r := range f.view().Runs {
		if r.Ended == nil || r.Ended.Failed != "" || r.Folded == 0 {
			t.Errorf("%+v", r)
		}
	}
}

// TestTwoOwners starts a run twice at once, one of them with more jobs: both come to their ends.
func TestTwoOwners(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("a", 2, nil)
	f.worker("b", 2, nil)
	var both sync.WaitGroup
	for _, n := range []int{60, 200} {
		both.Go(func() { f.comes(toy{N: n, Sleep: 10 * time.Millisecond}) })
	}
	both.Wait()
}

// TestOwnerAway leaves a run to its workers, which do what is queued: more than 64 MiB. The owner that comes back folds
// all of it, without a journal.
func TestOwnerAway(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	k := toy{N: 210, Bytes: 1_000_000}
	first := k
	ctx, leave := context.WithCancel(f.ctx)
	gone := make(chan error)
	go func() { gone <- f.run(ctx, &first, nil) }()
	f.until("all jobs are queued", func() bool {
		s, err := f.hub.Conn.JS.Stream(t.Context(), run.JobsStream)
		kit.Succeed(t, err)
		return int(s.CachedInfo().State.Msgs) == k.N
	})
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.worker("a", 2, nil)
	f.until("all jobs are done", func() bool { return f.results() == k.N })
	began := time.Now()
	f.comes(k)
	t.Logf("%d MB caught up in %v", k.N, time.Since(began))
}

// TestWrongResults has results refused that are damaged, and those of one job in a hundred that differ from what the
// owner computes; another worker's count, or the owner's.
func TestWrongResults(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("good", 1, nil)
	k := toy{N: 300}
	id := k.spec(t).ID()
	evil := f.dial(f.key("evil"))
	for i := range 5 { // before the run knows them
		_, err := evil.JS.Publish(t.Context(), fmt.Sprintf("results.%s.%d.%s", id, 3*i, evil.Key), []byte("damaged"))
		kit.Succeed(t, err)
	}
	f.comes(k)
	f.until("the failures are listed", func() bool { return f.view().Runs[0].Workers[evil.Key].Failed == 5 })
	if p := f.view().Runs[0].Workers[evil.Key]; p.Jobs != 5 || p.Bytes != 35 {
		t.Errorf("%+v", p)
	}
	// A worker that computes something else is found out by a job that the owner repeats.
	kit.Succeed(t, f.hub.Conn.Forget(t.Context(), id))
	f = newFarm(t, "127.0.0.1:0", 0)
	f.worker("wrong", 1, func(c *run.WorkConfig) {
		typ := *toyType(1)
		typ.New = func(work.Env) work.Kind { return &toy{Wrong: true} }
		c.Types = []*work.Type{&typ}
	})
	k = toy{N: 1000}
	kit.Succeed(t, f.run(f.ctx, &k, func(p *run.Remote) { p.Exact = true }))
	if d := f.view().Runs[0].Workers; len(d) != 1 {
		t.Errorf("%+v", d)
	} else {
		for _, d := range d {
			if d.Failed < 1 || d.Failed > 30 {
				t.Errorf("%d of 1000 wrong results were found", d.Failed)
			}
		}
	}
}

// TestFails ends a run that no worker can do, names the reason, and goes on when the command is given again.
func TestFails(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	stop, ended := f.worker("a", 1, nil)
	k := toy{N: 10, Break: 4}
	err := f.run(f.ctx, &k, nil)
	if err == nil || !strings.Contains(err.Error(), "job 4 failed on every worker that tried it") ||
		!strings.Contains(err.Error(), errBroken.Error()) {
		t.Errorf("error %v", err)
	}
	if e := f.view().Runs[0].Ended; e == nil || !strings.Contains(e.Failed, errBroken.Error()) {
		t.Errorf("%+v", e)
	}
	stop()
	<-ended
	f.worker("repaired", 1, func(c *run.WorkConfig) {
		typ := *toyType(1)
		typ.New = func(work.Env) work.Kind { return &unbroken{new(toy)} }
		c.Types = []*work.Type{&typ}
	})
	k = toy{N: 10, Break: 4}
	if err := f.run(f.ctx, &k, nil); err != nil || k.folded() != 10 {
		t.Errorf("%v, %d folded", err, k.folded())
	}
}

// unbroken is a toy on a machine where it does not break.
type unbroken struct{ *toy }

func (u *unbroken) Check() error {
	u.Break = 0
	return u.toy.Check()
}

// TestVersions shows that workers of other versions take no jobs and that it is said which side to update.
func TestVersions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits for a minute")
	}
	f := newFarm(t, "127.0.0.1:0", 0)
	k := toy{N: 10}
	ctx, leave := context.WithCancel(f.ctx)
	gone := make(chan error)
	go func() { gone <- f.run(ctx, &k, nil) }()
	for _, tt := range []struct {
		types []*work.Type
		want  string
	}{
		{[]*work.Type{toyType(0)}, "toy version 0: the run needs version 1: update the worker"},
		{[]*work.Type{toyType(2)}, "toy version 2: the run needs version 1: the worker is newer than the run"},
		{nil, "this worker does not know runs of kind toy: update it"},
	} {
		stop, ended := f.worker("other", 1, func(c *run.WorkConfig) { c.Types = tt.types })
		f.until(tt.want, func() bool {
			v := f.view()
			return len(v.Workers) == 1 && len(v.Runs) == 1 && strings.Contains(v.Runs[0].Waits, tt.want) &&
				strings.Contains(v.Workers[0].Note, tt.want)
		})
		stop()
		<-ended
	}
	if f.results() != 0 {
		t.Error("a worker of another version did jobs")
	}
	f.worker("right", 1, nil)
	if err := <-gone; err != nil {
		t.Error(err)
	}
	leave()
	// So is another version of the search.
	spec := k.spec(t)
	spec.Search = 5
	p := &run.Remote{Conn: f.dial(f.own), Log: testLog(), Record: run.Record{Name: "bench"}}
	ctx, leave = context.WithCancel(f.ctx)
	k = toy{N: 10}
	kit.Succeed(t, k.Check())
	go func() { gone <- work.Run(ctx, spec, &k, p, work.RunOptions{}) }()
	f.until("a worker with another search waits", func() bool {
		return slices.ContainsFunc(f.view().Runs, func(r run.RunView) bool {
			return strings.Contains(r.Waits, "the bench of its search visits 0 nodes, the run needs 5: use the same commit")
		})
	})
	leave()
	<-gone
}

// TestFullStore fills the store: nothing is lost, the farm says so, and goes on when there is space.
func TestFullStore(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 40<<20)
	f.worker("a", 2, nil)
	other := toy{N: 15, Bytes: 1_000_000}
	f.comes(other)
	k := toy{N: 20, Bytes: 900_000}
	want, _ := alone(t, k)
	ended := make(chan error)
	go func() { ended <- f.run(f.ctx, &k, nil) }()
	f.until("the farm says that its store is full", func() bool { return strings.Contains(f.view().Full, "the store is full") })
	select {
	case err := <-ended:
		t.Fatalf("the run ended: %v", err)
	case <-time.After(2 * time.Second):
	}
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "forget", other.spec(t).ID()))
	if err := <-ended; err != nil || k.Text() != want {
		t.Errorf("%v: %s, want %s", err, k.Text(), want)
	}
}

// TestDrain ends a worker once its jobs are done.
func TestDrain(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	_, ended := f.worker("attic", 2, nil)
	k := toy{N: 30, Sleep: 500 * time.Millisecond}
	done := make(chan error)
	go func() { done <- f.run(f.ctx, &k, nil) }()
	f.until("it has jobs", func() bool { return f.results() > 2 })
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "drain", "attic"))
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := f.results(); n >= 30 {
		t.Errorf("it did all %d jobs", n)
	}
	f.until("it is no longer listed", func() bool { return len(f.view().Workers) == 0 })
	f.worker("next", 2, nil)
	if err := <-done; err != nil || k.folded() != 30 {
		t.Errorf("%v, %d folded", err, k.folded())
	}
	s, err := f.hub.Conn.JS.Stream(t.Context(), run.ResultsStream)
	kit.Succeed(t, err)
	if _, err := s.GetLastMsgForSubject(t.Context(), "failed.>"); !errors.Is(err, jetstream.ErrMsgNotFound) {
		t.Errorf("a worker that was drained counts as a failure: %v", err)
	}
}

// TestExpires looks at the farm while the last of its records expires: no look waits for one that is gone.
func TestExpires(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	bucket, err := f.hub.Conn.JS.UpdateKeyValue(t.Context(), jetstream.KeyValueConfig{
		Bucket: "workers", Storage: jetstream.MemoryStorage, TTL: 100 * time.Millisecond,
	})
	kit.Succeed(t, err)
	for n := range 40 {
		_, err := bucket.PutString(t.Context(), fmt.Sprint(n), "{}")
		kit.Succeed(t, err)
		for began := time.Now(); len(f.view().Workers) > 0; {
			if time.Since(began) > 10*time.Second {
				t.Fatal("a record does not expire")
			}
		}
	}
}

// TestOperations cancels, pauses and resumes runs, and keeps priorities.
func TestOperations(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("a", 1, nil)
	operate := func(words ...string) {
		t.Helper()
		kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "me", words...))
	}
	begin := func(name string, k *toy) <-chan error {
		ended := make(chan error, 1)
		go func() { ended <- f.run(f.ctx, k, func(p *run.Remote) { p.Record.Name = name }) }()
		f.until(name+" is known", func() bool {
			r := f.view().Runs
			return len(r) > 0 && r[len(r)-1].Name == name && (r[len(r)-1].Ended == nil || r[len(r)-1].Ended.Failed == "")
		})
		return ended
	}
	long := begin("long", &toy{N: 5000, Sleep: 10 * time.Millisecond})
	f.until("it has results", func() bool { return f.results() > 5 })
	operate("pause", "long")
	time.Sleep(4 * time.Second)
	before := f.results()
	quick := begin("quick", &toy{N: 50, Lag: 50})
	kit.Succeed(t, <-quick)
	if n := f.results(); n != before+50 {
		t.Errorf("%d results came of a run that was paused", n-before-50)
	}
	operate("resume", "long")
	f.until("it goes on", func() bool { return f.results() > before+60 })
	urgent := begin("urgent", &toy{N: 400, Lag: 400, Sleep: 5 * time.Millisecond})
	operate("priority", "urgent", "1", "2")
	time.Sleep(3 * time.Second)
	before = f.view().Runs[0].Workers[f.view().Workers[0].ID].Jobs
	kit.Succeed(t, <-urgent)
	if n := f.view().Runs[0].Workers[f.view().Workers[0].ID].Jobs - before; n > 100 {
		t.Errorf("%d jobs of a lower priority came between", n)
	}
	operate("cancel", "long")
	if err := <-long; err == nil || !strings.Contains(err.Error(), "cancelled by me") {
		t.Errorf("error %v", err)
	}
	operate("forget", "long")
	for _, words := range [][]string{{"cancel", "none"}, {"priority", "long", "x"}, {"drain", "nobody"}, {"revoke", "a"}, {"fly"}} {
		if f.hub.Conn.DoOperation(t.Context(), "me", words...) == nil {
			t.Errorf("%q is done", words)
		}
	}
}
