package command

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/coordinator"
	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/farm/work"
	"github.com/tabula-chess/tabula/internal/must"
)

// toyParams are those of a kind of job that takes a given time and whose values
// are hashes, so that nothing but the jobs themselves can yield them.
type toyParams struct {
	Copies int           `json:"copies"`
	Sleep  time.Duration `json:"sleep"`
	File   int           `json:"file"`   // bytes of the file of each job, 0 for none
	Spin   int           `json:"spin"`   // hashes to compute
	Window int           `json:"window"` // > 0: a job depends on the fold so many jobs before it
	Stop   int           `json:"stop"`   // > 0: the run has its verdict after so many jobs, and the others do not end
	N      int           `json:"n"`      // jobs
}

func (q *toyParams) Check() error { return nil }
func (q *toyParams) Jobs() int    { return q.N }

// toy is the plan of such a run.
type toy struct {
	q toyParams
}

func openToy(m *run.Manifest) (*toy, error) {
	p := new(toy)
	return p, m.Read(&p.q)
}

func toyOpener(m *run.Manifest) (run.Plan, error) { return openToy(m) }

func (p *toy) Copies(int) int { return p.q.Copies }

func (p *toy) Work(ctx context.Context, j run.Job, _ run.Inputs) (out run.Output, err error) {
	if p.q.Stop > 0 && j.Index >= p.q.Stop {
		<-ctx.Done()
		return out, ctx.Err()
	}
	if p.q.Sleep > 0 { // in tests that are asked for
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(p.q.Sleep):
		}
	}
	seed := j.Seed()
	hash := sha256.Sum256(append(seed[:], j.Input...))
	for range p.q.Spin {
		hash = sha256.Sum256(hash[:])
	}
	if p.q.File > 0 {
		file := make([]byte, p.q.File)
		for i := 0; i < len(file); i += 8 {
			copy(file[i:], hash[i/8%24:])
		}
		binary.LittleEndian.PutUint32(file, uint32(j.Index))
		out.Files = [][]byte{file}
	}
	out.Units = 1
	out.Value, err = json.Marshal(hex.EncodeToString(hash[:]))
	return out, err
}

// toyFold chains the values, so that order, loss and double counting show.
type toyFold struct {
	run.Straight
	q      *toyParams
	chain  [32]byte
	inputs []json.RawMessage
}

func (p *toy) NewFold() run.Fold {
	f := &toyFold{Straight: run.Straight{Jobs: p.q.N}, q: &p.q}
	f.ready()
	return f
}

// ready keeps the input of jobs that have become ready.
func (f *toyFold) ready() {
	for f.q.Window > 0 && len(f.inputs) < f.Ready() {
		f.inputs = append(f.inputs, json.RawMessage(fmt.Sprintf("%q", hex.EncodeToString(f.chain[:]))))
	}
}

func (f *toyFold) Ready() int {
	if f.q.Window == 0 {
		return f.Jobs
	}
	return min(f.Jobs, f.Folded+f.q.Window)
}

func (f *toyFold) Input(index int) (json.RawMessage, error) {
	if f.q.Window == 0 {
		return nil, nil
	}
	return f.inputs[index], nil
}

func (f *toyFold) Add(_ int, value json.RawMessage) error {
	f.chain = sha256.Sum256(append(f.chain[:], value...))
	f.Count()
	f.ready()
	return nil
}

func (f *toyFold) Done() bool { return f.Straight.Done() || f.q.Stop > 0 && f.Folded >= f.q.Stop }

func (f *toyFold) Numbers() []run.Number {
	return []run.Number{{Name: "folded", Value: float64(f.Folded)}}
}
func (f *toyFold) Text() string { return fmt.Sprintf("%d of %d, %x", f.Folded, f.Jobs, f.chain[:8]) }

func toyManifest(t testing.TB, jobs int, q toyParams) *run.Manifest {
	t.Helper()
	if q.Copies == 0 {
		q.Copies = 1
	}
	q.N = jobs
	m, err := run.NewManifest("toy", 1, 1, &q)
	must.Succeed(t, err)
	return m
}

// toyAlone returns what one process alone makes of a run.
func toyAlone(t testing.TB, m *run.Manifest) string {
	t.Helper()
	p, err := openToy(m)
	must.Succeed(t, err)
	p.q.Sleep = 0
	f := p.NewFold()
	for i := 0; !f.Done(); i++ {
		j := run.Job{Run: m.ID(), Index: i}
		j.Input, err = f.Input(i)
		must.Succeed(t, err)
		out, err := p.Work(context.Background(), j, nil)
		if err == nil {
			err = f.Add(i, out.Value)
		}
		must.Succeed(t, err)
	}
	return f.Text()
}

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
	f := &farm{t: t, dir: t.TempDir(), open: toyOpener, log: testLog(), times: times}
	f.ctx, f.stop = context.WithCancel(context.Background())
	var err error
	f.hub, err = hub.Start(hub.Config{Dir: filepath.Join(f.dir, "hub"), Listen: "127.0.0.1:0", Open: toyOpener, Times: times, Log: f.log})
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
	f := &farm{t: t, dir: dir, open: toyOpener, log: testLog(), addr: addr, times: fast()}
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
	if want := toyAlone(f.t, m); st.Fold.Text() != want || st.Failed != "" {
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
	for _, q := range []toyParams{{}, {Copies: 2}, {File: 1200 << 10}, {Window: 4}} {
		if st := f.comes(toyManifest(t, 20, q)); len(st.Workers) < 1 {
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
	for _, q := range []toyParams{{Stop: 5}, {Stop: 7}} { // three cores are stuck when the first is over
		if st := f.comes(toyManifest(t, 40, q)); st.Folded != q.Stop {
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
	f.comes(toyManifest(t, 10, toyParams{}))
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
