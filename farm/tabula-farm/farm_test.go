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
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
)

func testLog() *slog.Logger {
	if os.Getenv("TABULA_FARM_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.DiscardHandler)
}

// long returns how much more a test is to do than usual: TABULA_FARM_LONG=1 go test ./farm/tabula-farm -v -timeout 60m.
func long(usual, most int) int {
	if os.Getenv("TABULA_FARM_LONG") != "" {
		return most
	}
	return usual
}

// farm is a hub with workers in this process.
type farm struct {
	t    testing.TB
	hub  *hub.Hub
	dir  string
	url  string
	own  run.Key
	ctx  context.Context
	done sync.WaitGroup
}

// newFarm starts a hub on an address: beyond loopback it is guarded.
func newFarm(t testing.TB, listen string, store int64) *farm {
	t.Helper()
	f := &farm{t: t, dir: t.TempDir()}
	ctx, stop := context.WithCancel(context.Background())
	f.ctx = ctx
	var err error
	f.hub, err = hub.Start(context.Background(),
		hub.Config{Dir: filepath.Join(f.dir, "hub"), Listen: listen, Times: times, Log: testLog(), Store: store})
	testkit.Succeed(t, err)
	_, port, err := net.SplitHostPort(f.hub.Addr())
	testkit.Succeed(t, err)
	f.url = "nats://127.0.0.1:" + port
	if f.hub.Guarded() {
		f.own, err = run.ReadKey(filepath.Join(f.dir, "hub", "own.key"))
		testkit.Succeed(t, err)
	}
	t.Cleanup(func() {
		stop()
		f.done.Wait()
		if err := f.hub.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// key returns a new key of a worker, enrolled where that is needed.
func (f *farm) key(name string) run.Key {
	f.t.Helper()
	k, err := run.NewKey(run.RoleWorker, "")
	if f.own.Pair != nil {
		file := filepath.Join(f.t.TempDir(), name)
		testkit.Succeed(f.t, f.hub.Conn.Enrol(f.t.Context(), file))
		k, err = run.ReadKey(file + ".key")
	}
	testkit.Succeed(f.t, err)
	return k
}

func (f *farm) dial(k run.Key) *run.Conn {
	f.t.Helper()
	var c *run.Conn
	for range 50 { // a new key reaches the server in a moment
		var err error
		if c, err = run.Dial(f.ctx, run.Options{URL: f.url, Key: k, Log: testLog()}, time.Minute); err == nil {
			f.t.Cleanup(c.Close)
			return c
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.t.Fatal("no connection")
	return nil
}

// worker adds a worker with a key of its own; what Run returns comes through the channel.
func (f *farm) worker(name string, cores int, change func(*run.WorkConfig)) (context.CancelFunc, <-chan error) {
	f.t.Helper()
	c := run.WorkConfig{Conn: f.dial(f.key(name)), Open: openToy, Times: times, Log: testLog(),
		Machine: run.Machine{Kinds: map[string]int{"toy": 1}, Cores: cores, Host: name}}
	if change != nil {
		change(&c)
	}
	ctx, stop := context.WithCancel(f.ctx)
	result := make(chan error, 1)
	f.done.Go(func() { result <- run.Work(ctx, c) })
	return stop, result
}

// order returns the order of a run of toys.
func toyOrder(t testing.TB, m *run.Manifest, name string) run.Order {
	t.Helper()
	return run.Order{Manifest: m, Open: openToy, Name: name, Owner: "test", Log: testLog()}
}

// start sees a run through as a command does, within some minutes.
func (f *farm) start(o run.Order) (run.Outcome, error) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(f.ctx, 4*time.Minute)
	defer cancel()
	c, err := run.Dial(ctx, run.Options{URL: f.url, Key: f.own, Log: testLog()}, time.Minute)
	testkit.Succeed(f.t, err)
	defer c.Close()
	return run.Start(ctx, c, o)
}

// comes demands that a run comes to what one process alone makes of it.
func (f *farm) comes(m *run.Manifest) run.Outcome {
	f.t.Helper()
	st, err := f.start(toyOrder(f.t, m, "test"))
	if want, _ := toyAlone(f.t, m); err != nil || st.Kind.Text() != want {
		f.t.Errorf("%v: %s, want %s", err, st.Kind.Text(), want)
	}
	return st
}

// TestFolds shows that runs come to what one process alone makes of them, whatever the
// workers, the copies and what a job depends on, and that a verdict ends jobs under way.
func TestFolds(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	for n := range 3 {
		f.worker(fmt.Sprint(n), 2, nil)
	}
	for _, q := range []toy{{}, {Checked: 1}, {File: 1200 << 10}, {Window: 4}, {Stop: 5, Stuck: true},
		{Stop: 7, Stuck: true}} {
		f.comes(newToy(t, 40, 1, q))
	}
}

// TestTwoOwners starts a run twice at once: both come to the same.
func TestTwoOwners(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("a", 2, nil)
	f.worker("b", 2, nil)
	m := newToy(t, 60, 1, toy{Checked: 1, Sleep: 10 * time.Millisecond, File: 100})
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() { f.comes(m) })
	}
	both.Wait()
}

// TestOwnerAway leaves a run to its workers: they do what is queued, and the owner folds it when
// it is back.
func TestOwnerAway(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	m := newToy(t, 50, 1, toy{Sleep: 20 * time.Millisecond})
	ctx, leave := context.WithCancel(f.ctx)
	c := f.dial(f.own)
	gone := make(chan error)
	go func() { _, err := run.Start(ctx, c, toyOrder(t, m, "test")); gone <- err }()
	for {
		info, err := c.JS.Stream(t.Context(), run.JobsStream)
		testkit.Succeed(t, err)
		if info.CachedInfo().State.Msgs == 50 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	leave()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	f.worker("a", 2, nil)
	for {
		s, err := c.JS.Stream(t.Context(), run.ResultsStream)
		testkit.Succeed(t, err)
		if s.CachedInfo().State.Msgs == 50 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	f.comes(m)
}

// TestFailing shows that workers that fail each job, fall silent or keep jobs fail no run of
// others, and that a run that nobody can do ends with the reasons.
func TestFailing(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	broken := func(c *run.WorkConfig) {
		c.Open = func(*run.Manifest) (run.Kind, error) { return nil, errors.New("no compiler") }
	}
	mute := f.dial(f.key("mute"))
	f.done.Go(func() {
		for f.ctx.Err() == nil { // takes jobs and is not heard of
			_, _ = mute.Tell(f.ctx, "ask", "", asking(3), 5*time.Second)
		}
	})
	f.worker("broken", 2, broken)
	f.worker("good", 1, nil)
	f.worker("fine", 1, nil)
	f.comes(newToy(t, 30, 1, toy{Checked: 1, Sleep: 5 * time.Millisecond}))

	g := newFarm(t, "127.0.0.1:0", 0)
	g.worker("broken", 2, broken)
	if st, err := g.start(toyOrder(t, newToy(t, 3, 1, toy{}), "poor")); err == nil ||
		!strings.Contains(err.Error(), "no compiler") {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestDispute shows that the owner's value counts where workers differ.
func TestDispute(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	f.worker("liar", 1, lying)
	f.worker("good", 1, nil)
	f.worker("right", 1, nil)
	st := f.comes(newToy(t, 20, 1, toy{Checked: 1, Sleep: 5 * time.Millisecond}))
	if len(st.Workers) != 3 || st.Results < 40 {
		t.Errorf("%d results of %v", st.Results, st.Workers)
	}
}

// lying makes a worker report wrong values.
func lying(c *run.WorkConfig) {
	c.Open = func(m *run.Manifest) (run.Kind, error) {
		k, err := openToy(m)
		return liar{k}, err
	}
}

type liar struct{ run.Kind }

func (l liar) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	data, units, err := l.Kind.Do(ctx, j, in)
	if len(data) > 0 {
		data[0]++
	}
	return data, units, err
}

// TestBan bans a liar during a run: what it made is taken out of the output and done again. What
// another banned worker made counts again when the ban is lifted.
func TestBan(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	c := f.dial(f.own)
	_, refused := f.worker("liar", 1, lying)
	f.worker("good", 1, nil)
	m := newToy(t, 60, 1, toy{Sleep: 30 * time.Millisecond, File: 50})
	o := toyOrder(t, m, "test")
	name := filepath.Join(t.TempDir(), "out")
	file, err := run.OpenOutput(name, false)
	testkit.Succeed(t, err)
	o.Out = file
	banned := make(chan error, 1)
	var once sync.Once
	o.Report = func(st run.Outcome) {
		if st.Folded > 20 {
			once.Do(func() { go func() { banned <- c.DoOperation(t.Context(), "test", "ban", "liar", "it", "lies") }() })
		}
	}
	st, err := f.start(o)
	testkit.Succeed(t, file.Close(err == nil))
	want, text := toyAlone(t, m)
	if got, bad := os.ReadFile(name); err != nil || bad != nil || st.Kind.Text() != want || !bytes.Equal(got, text) {
		t.Errorf("%v, %v: %s, want %s; %d bytes", err, bad, st.Kind.Text(), want, len(got))
	}
	testkit.Succeed(t, <-banned)
	if err := <-refused; err == nil || !strings.Contains(err.Error(), "it lies") {
		t.Errorf("a banned worker ends with %v", err)
	}

	// All results of the only worker are out, and there is nobody to do them again.
	g := newFarm(t, "127.0.0.1:0", 0)
	d := g.dial(g.own)
	stop, ended := g.worker("alone", 2, nil)
	m = newToy(t, 20, 2, toy{})
	g.comes(m)
	testkit.Succeed(t, d.DoOperation(t.Context(), "test", "ban", "alone"))
	stop()
	<-ended
	done := make(chan run.Outcome)
	go func() { done <- g.comes(m) }()
	for {
		v, err := d.View(t.Context())
		testkit.Succeed(t, err)
		if len(v.Runs) == 1 && v.Runs[0].Ended == nil && v.Runs[0].Folded == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	bans, err := run.All[run.Mark](t.Context(), d.Operate, "ban.")
	testkit.Succeed(t, err)
	for key := range bans {
		testkit.Succeed(t, d.DoOperation(t.Context(), "test", "unban", key[:8]))
	}
	if st := <-done; st.Results != 20 {
		t.Errorf("%d results count after the ban was lifted, want 20", st.Results)
	}
}

// TestUpgrade replaces workers of an old version one by one while a run of the new one waits: the
// list says why, and nothing is lost.
func TestUpgrade(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	old := func(c *run.WorkConfig) { c.Machine.Kinds = map[string]int{"toy": 0} }
	stopA, endA := f.worker("a", 1, old)
	stopB, endB := f.worker("b", 1, old)
	done := make(chan run.Outcome)
	go func() { done <- f.comes(newToy(t, 20, 1, toy{Checked: 1})) }()
	c := f.dial(f.own)
	waits := func(want string) {
		t.Helper()
		for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
			v, err := c.View(t.Context())
			testkit.Succeed(t, err)
			if len(v.Runs) == 1 && strings.Contains(v.Runs[0].Waits, want) {
				return
			}
			if time.Since(began) > time.Minute {
				t.Fatalf("want %q: %+v", want, v.Runs)
			}
		}
	}
	waits("no worker can do its jobs: a: toy version 0: the run needs version 1: update the worker")
	stopA()
	<-endA
	f.worker("a2", 1, nil)
	stopB()
	<-endB
	f.worker("b2", 1, nil)
	<-done
}

// TestFullStore fills the store of a farm: it says so, hands out nothing, and goes on after space
// is made.
func TestFullStore(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 64<<20)
	f.worker("a", 1, nil)
	c := f.dial(f.own)
	testkit.Succeed(t, c.PutFile(t.Context(), strings.Repeat("0", 32), bytes.Repeat([]byte("x"), 60<<20)))
	m := newToy(t, 4, 1, toy{File: 1 << 20})
	done := make(chan run.Outcome)
	go func() { done <- f.comes(m) }()
	for {
		v, err := c.View(t.Context())
		testkit.Succeed(t, err)
		if len(v.Runs) == 1 && strings.Contains(v.Runs[0].Waits, "the store is full") {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	testkit.Succeed(t, c.JS.DeleteObjectStore(t.Context(), strings.Repeat("0", 32)))
	<-done
}

// TestIdle counts what an idle worker asks with the usual times.
func TestIdle(t *testing.T) {
	fast := times
	times = run.Usual()
	defer func() { times = fast }()
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("idle", 64, nil)
	asked := 0
	sub, err := f.hub.Conn.NC.SubscribeSync("gate.>")
	testkit.Succeed(t, err)
	for began := time.Now(); time.Since(began) < 6*time.Second; {
		if _, err := sub.NextMsg(time.Second); err == nil {
			asked++
		}
	}
	if asked > 5 {
		t.Errorf("%d requests in 6 s", asked)
	}
}

// TestPriority shows that runs of a lower priority wait, and that a paused one gets nothing.
func TestPriority(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	c := f.dial(f.own)
	var order []string
	var mu sync.Mutex
	var all sync.WaitGroup
	for n, name := range []string{"low", "high"} {
		o := toyOrder(t, newToy(t, 10, uint64(n), toy{}), name)
		all.Go(func() {
			_, err := f.start(o)
			testkit.Succeed(t, err)
			mu.Lock()
			defer mu.Unlock()
			order = append(order, name)
		})
	}
	set := func(words ...string) {
		t.Helper()
		var err error
		for range 100 {
			if err = c.DoOperation(t.Context(), "test", words...); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatal(err)
	}
	set("pause", "low")
	set("pause", "high")
	set("priority", "high", "5")
	set("resume", "high")
	time.Sleep(1200 * time.Millisecond) // the gate reads of it once a second
	f.worker("a", 1, nil)
	time.Sleep(2 * time.Second)
	set("resume", "low")
	all.Wait()
	if fmt.Sprint(order) != "[high low]" {
		t.Errorf("order %v", order)
	}
	for _, bad := range [][]string{{"priority", "none", "1"}, {"priority", "low"}, {"ban", "nobody"}, {"unban", "nobody"},
		{"dance"}, {}} {
		if err := c.DoOperation(t.Context(), "test", bad...); err == nil {
			t.Errorf("%v is done", bad)
		}
	}
}

// TestDrain shows that a worker that is drained finishes its jobs and ends without an error.
func TestDrain(t *testing.T) {
	f := newFarm(t, "127.0.0.1:0", 0)
	_, left := f.worker("a", 2, nil)
	f.comes(newToy(t, 10, 1, toy{}))
	c := f.dial(f.own)
	v, err := c.View(t.Context())
	testkit.Succeed(t, err)
	if len(v.Workers) != 1 {
		t.Fatalf("%+v", v.Workers)
	}
	testkit.Succeed(t, c.DoOperation(t.Context(), "test", "drain", v.Workers[0].ID))
	if err := <-left; err != nil {
		t.Errorf("a worker that was drained ends with %v", err)
	}
}
