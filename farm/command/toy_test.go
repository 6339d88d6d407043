package command

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
	"github.com/tabula-chess/tabula/tabula-farm/work"
)

// fast are times of the protocol for tests.
func fast() link.Times {
	return link.Times{AckWait: 1500 * time.Millisecond, Alive: 200 * time.Millisecond, Hold: 500 * time.Millisecond, Poll: 20 * time.Millisecond}
}

// farm is a hub with workers in this process.
type farm struct {
	t    testing.TB
	hub  *hub.Hub
	dir  string
	log  *slog.Logger
	open run.Opener
	done sync.WaitGroup
	stop context.CancelFunc
	ctx  context.Context
	addr string // of a hub in another process

	homes int // of workers in this process

	key   link.Key // of the owner
	works link.Key // of workers; zero for new ones
	times link.Times
	life  context.Context // of the worker that is started next: at its end it is cut off
}

// newFarm starts a hub on a loopback port.
func newFarm(t testing.TB, times link.Times) *farm {
	t.Helper()
	f := &farm{t: t, dir: t.TempDir(), open: runtest.OpenToy, log: testLog(), times: times}
	f.ctx, f.stop = context.WithCancel(context.Background())
	var err error
	f.hub, err = hub.Start(hub.Config{Dir: filepath.Join(f.dir, "hub"), Listen: "127.0.0.1:0", Open: runtest.OpenToy, Times: times, Log: f.log})
	must.Succeed(t, err)
	t.Cleanup(func() {
		f.stop()
		f.done.Wait()
		if err := f.hub.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// farmAt returns a farm whose hub is another process.
func farmAt(t testing.TB, dir, addr string) *farm {
	t.Helper()
	f := &farm{t: t, dir: dir, open: runtest.OpenToy, log: testLog(), addr: addr, times: fast()}
	f.ctx, f.stop = context.WithCancel(context.Background())
	t.Cleanup(func() { f.stop(); f.done.Wait() })
	return f
}

func (f *farm) url() string {
	if f.addr != "" {
		return "nats://" + f.addr
	}
	return "nats://" + f.hub.Addr().String()
}

func (f *farm) dial(o link.Options) *link.Conn {
	f.t.Helper()
	o.URL, o.Log = f.url(), f.log
	conn, err := link.Dial(f.ctx, o, time.Minute)
	must.Succeed(f.t, err)
	return conn
}

func newKey(t testing.TB) link.Key {
	t.Helper()
	k, err := link.NewKey(link.RoleWorker, "")
	must.Succeed(t, err)
	return k
}

// toyMachine is what a worker of tests tells of itself.
func toyMachine(cores int) link.Machine {
	return link.Machine{Kinds: map[string]int{"toy": 1}, Cores: cores, Host: "test"}
}

// enrol lets the farm's owner in by the key of a file, and returns the file of a key that
// it has enrolled for workers.
func (f *farm) enrol(own string) string {
	f.t.Helper()
	owner, err := link.ReadKey(own)
	must.Succeed(f.t, err)
	f.key = owner
	conn := f.dial(link.Options{Key: owner})
	defer conn.Close()
	name := filepath.Join(f.t.TempDir(), "test")
	must.Succeed(f.t, conn.Insist(f.ctx, insistence, func(ctx context.Context) error { return enrol(ctx, conn, name, owner.Pin) }))
	return name + ".key"
}

// worker adds a worker; what Run returns comes through the channel.
func (f *farm) worker(cores int, change func(*work.Config)) <-chan error {
	f.t.Helper()
	f.homes++ // a folder for each: looking for a free home takes a while
	home, err := work.OpenHome(filepath.Join(f.dir, "workers", fmt.Sprint(f.homes)))
	must.Succeed(f.t, err)
	key := f.works
	if key.Pair == nil {
		key = newKey(f.t)
	}
	conn := f.dial(link.Options{Key: key, Machine: home.Machine})
	c := work.Config{Conn: conn, Home: home, Open: f.open, Machine: toyMachine(cores), Times: f.times, Log: f.log}
	if change != nil {
		change(&c)
	}
	result := make(chan error, 1)
	if life := f.life; life != nil {
		f.life = nil
		context.AfterFunc(life, conn.Close) // as the kill of a worker ends it
	}
	f.done.Go(func() {
		result <- work.Run(f.ctx, c)
		conn.Close()
		home.Close()
	})
	return result
}

// carryOut sees a run through as a command does.
func (f *farm) carryOut(m *run.Manifest) coordinator.Status {
	f.t.Helper()
	conn := f.dial(link.Options{Key: f.key})
	defer conn.Close()
	plan, err := f.open(m)
	must.Succeed(f.t, err)
	ctx, cancel := context.WithTimeout(f.ctx, 4*time.Minute+5*long(f.t))
	defer cancel()
	st, err := coordinator.Follow(ctx, coordinator.Follower{
		Conn: conn, Manifest: m, Plan: plan, Times: f.times, Log: f.log,
		Open: link.Open{Run: m.ID(), Name: "test", Kind: m.Kind, Jobs: m.Jobs, Share: 1, Began: time.Now()},
	})
	if err != nil {
		f.t.Fatalf("%s: %v", st.Fold.Text(), err)
	}
	return st
}

// comes demands that a run comes to what one process alone makes of it.
func (f *farm) comes(m *run.Manifest) coordinator.Status {
	f.t.Helper()
	st := f.carryOut(m)
	if want := runtest.ToyAlone(f.t, m); st.Fold.Text() != want || st.Failed != "" {
		f.t.Errorf("%s, want %s; %s", st.Fold.Text(), want, st.Failed)
	}
	return st
}

// long returns the time of a test of real processes, which runs where the environment asks
// for it, as TABULA_FARM_LONG=90s does; 0 elsewhere.
func long(t testing.TB) time.Duration {
	t.Helper()
	text := os.Getenv("TABULA_FARM_LONG")
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	must.Succeed(t, err)
	return d
}

// onDemand skips a test of real processes and real time where it is not asked for.
func onDemand(t testing.TB) time.Duration {
	t.Helper()
	d := long(t)
	if d == 0 {
		t.Skip("kills real processes: TABULA_FARM_LONG=10s go test ./farm/command -v -timeout 60m")
	}
	return d
}

// TestFolds shows that runs come to what one process alone makes of them, whatever the
// workers, the copies and what a job depends on.
func TestFolds(t *testing.T) {
	t.Parallel()
	f := newFarm(t, fast())
	for range 3 {
		f.worker(2, nil)
	}
	for _, q := range []runtest.Toy{{}, {Copies: 2}, {File: 1200 << 10}, {Window: 4}} {
		if st := f.comes(runtest.NewToy(t, 20, 1, q)); len(st.Workers) < 1 {
			t.Errorf("%+v: no worker", st)
		}
	}
}

// TestVerdict shows that jobs of a run end when it has its verdict, although they would not
// for themselves, and that their worker goes on to other runs.
func TestVerdict(t *testing.T) {
	t.Parallel()
	f := newFarm(t, fast())
	f.worker(3, nil)
	for _, q := range []runtest.Toy{{Stop: 5, Stuck: true}, {Stop: 7, Stuck: true}} { // three cores are stuck when the first is over
		if st := f.comes(runtest.NewToy(t, 40, 1, q)); st.Folded != q.Stop {
			t.Errorf("%d jobs are folded, want %d", st.Folded, q.Stop)
		}
	}
}

// TestDrain shows that a worker that is drained ends without an error, and that the farm knows
// that it has left.
func TestDrain(t *testing.T) {
	t.Parallel()
	f := newFarm(t, fast())
	left := f.worker(2, nil)
	f.comes(runtest.NewToy(t, 10, 1, runtest.Toy{}))
	conn := f.dial(link.Options{})
	defer conn.Close()
	var v coordinator.View
	if err := conn.View(t.Context(), &v); err != nil || len(v.Workers) != 1 {
		t.Fatalf("%d workers, %v", len(v.Workers), err)
	}
	must.Succeed(t, Operate(t.Context(), conn, "drain", []string{v.Workers[0].Worker}))
	if err := <-left; err != nil {
		t.Errorf("a worker that was drained ends with %v", err)
	}
	for len(v.Workers) > 0 { // its last word is on its way
		must.Succeed(t, conn.View(t.Context(), &v))
	}
}
