package command

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
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
)

// toyParams are those of a kind of job that takes a given time and whose values
// are hashes, so that nothing but the jobs themselves can yield them.
type toyParams struct {
	Copies int           `json:"copies"`
	Sleep  time.Duration `json:"sleep"`
	Poison int           `json:"poison"` // the job that nobody can do, -1 for none
	File   int           `json:"file"`   // bytes of the file of each job, 0 for none
	Spin   int           `json:"spin"`   // hashes to reckon
	Window int           `json:"window"` // > 0: a job hangs on the fold so many before it
}

// toy is the plan of such a run.
type toy struct {
	q    toyParams
	jobs int
	lie  bool // this worker's values are wrong
	kill bool // the poisoned job ends the process
}

func openToy(m *run.Manifest) (*toy, error) {
	p := &toy{jobs: m.Jobs}
	return p, json.Unmarshal(m.Params, &p.q)
}

// toyOpener opens toys.
func toyOpener(m *run.Manifest) (run.Plan, error) { return openToy(m) }

func (p *toy) Copies(int) int { return p.q.Copies }

// toyValue is the value of a toy job.
type toyValue struct {
	Hash string `json:"hash"`
	File string `json:"file,omitempty"`
}

func (p *toy) Work(ctx context.Context, j run.Job, _ run.Inputs) (out run.Output, err error) {
	if j.Index == p.q.Poison {
		if p.kill {
			os.Exit(3)
		}
		return out, errors.New("poison")
	}
	select {
	case <-ctx.Done():
		return out, ctx.Err()
	case <-time.After(p.q.Sleep):
	}
	seed := j.Seed()
	hash := sha256.Sum256(append(seed[:], j.Input...))
	for range p.q.Spin {
		hash = sha256.Sum256(hash[:])
	}
	if p.lie {
		hash[0] ^= 1
	}
	v := toyValue{Hash: hex.EncodeToString(hash[:])}
	if p.q.File > 0 {
		file := make([]byte, p.q.File)
		for i := 0; i < len(file); i += 8 {
			copy(file[i:], hash[i/8%24:])
		}
		binary.LittleEndian.PutUint32(file, uint32(j.Index))
		out.Files, v.File = [][]byte{file}, link.Sum(file)
	}
	out.Units = 1
	out.Value, err = json.Marshal(&v)
	return out, err
}

// toyFold chains the values, so that order, loss and double counting show.
type toyFold struct {
	run.Straight
	window int
	chain  [32]byte
	inputs []json.RawMessage
	values []json.RawMessage
}

func (p *toy) NewFold() run.Fold {
	f := &toyFold{Straight: run.Straight{Jobs: p.jobs}, window: p.q.Window}
	f.ready()
	return f
}

// ready keeps the input of jobs that have become ready.
func (f *toyFold) ready() {
	for f.window > 0 && len(f.inputs) < f.Ready() {
		f.inputs = append(f.inputs, json.RawMessage(fmt.Sprintf("%q", hex.EncodeToString(f.chain[:]))))
	}
}

func (f *toyFold) Ready() int {
	if f.window == 0 {
		return f.Jobs
	}
	return min(f.Jobs, f.Folded+f.window)
}

func (f *toyFold) Input(index int) (json.RawMessage, error) {
	if f.window == 0 {
		return nil, nil
	}
	return f.inputs[index], nil
}

func (f *toyFold) Add(_ int, value json.RawMessage) error {
	if err := json.Unmarshal(value, new(toyValue)); err != nil {
		return err
	}
	f.values = append(f.values, value)
	f.chain = sha256.Sum256(append(f.chain[:], value...))
	f.Count()
	f.ready()
	return nil
}

func (f *toyFold) Numbers() []run.Number {
	return []run.Number{{Name: "folded", Value: float64(f.Folded)}}
}
func (f *toyFold) Text() string { return fmt.Sprintf("%d of %d, %x", f.Folded, f.Jobs, f.chain[:8]) }

// toyManifest returns a manifest of toys.
func toyManifest(t testing.TB, jobs int, q toyParams) *run.Manifest {
	t.Helper()
	if q.Copies == 0 {
		q.Copies = 1
	}
	if q.Poison == 0 {
		q.Poison = -1
	}
	m, err := run.NewManifest("toy", jobs, 1, &q)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// toyAlone returns what one process alone makes of a run.
func toyAlone(t testing.TB, m *run.Manifest) string {
	t.Helper()
	p, err := openToy(m)
	if err != nil {
		t.Fatal(err)
	}
	p.q.Sleep = 0
	f := p.NewFold()
	for i := range m.Jobs {
		j := run.Job{Run: m.ID(), Index: i}
		if j.Input, err = f.Input(i); err != nil {
			t.Fatal(err)
		}
		out, err := p.Work(context.Background(), j, nil)
		if err == nil {
			err = f.Add(i, out.Value)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return f.Text()
}

// fast are times of the protocol for tests.
func fast() link.Times {
	return link.Times{AckWait: 1500 * time.Millisecond, Deliver: 40, Alive: 200 * time.Millisecond, Reconcile: 300 * time.Millisecond, Poll: 20 * time.Millisecond}
}

// patient is fast with a coordinator that does not take a worker for gone because a
// busy machine stalls it: one may be silent for four times as long as is said.
func patient(alive time.Duration) link.Times {
	times := fast()
	times.Alive = alive
	return times
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

	token link.Token // by which clients come in
	creds string     // file of credentials, by which they do at a cluster

	times link.Times
	life  context.Context // of the worker that is started next: at its end it is cut off
}

// newFarm starts a hub on a loopback port.
func newFarm(t testing.TB, open run.Opener) *farm {
	t.Helper()
	return newFarmAt(t, open, fast())
}

// newFarmAt is newFarm with other times of the protocol.
func newFarmAt(t testing.TB, open run.Opener, times link.Times) *farm {
	t.Helper()
	f := &farm{t: t, dir: t.TempDir(), open: open, log: testLog(), times: times}
	f.ctx, f.stop = context.WithCancel(context.Background())
	var err error
	if f.hub, err = hub.Start(hub.Config{Dir: filepath.Join(f.dir, "hub"), Listen: "127.0.0.1:0", Open: open, Times: times, Log: f.log, Coordinator: true}); err != nil {
		t.Fatal(err)
	}
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

// join lets the farm's clients come in by the token of a file.
func (f *farm) join(name string) {
	f.t.Helper()
	var err error
	if f.token, err = readToken(name); err != nil {
		f.t.Fatal(err)
	}
}

// url returns where the hub is.
func (f *farm) url() string {
	if f.addr != "" {
		return "nats://" + f.addr
	}
	return "nats://" + f.hub.Addr().String()
}

// worker adds a worker; what Run returns comes through the channel.
func (f *farm) worker(cores int, change func(*work.Config)) <-chan error {
	f.t.Helper()
	home, err := work.OpenHome(filepath.Join(f.dir, "workers"))
	if err != nil {
		f.t.Fatal(err)
	}
	conn, err := link.Dial(link.Options{URL: f.url(), Key: home.Key, Token: f.token, Creds: f.creds, Name: "worker", Log: f.log})
	if err != nil {
		f.t.Fatal(err)
	}
	c := work.Config{Conn: conn, Home: home, Open: f.open, Cores: cores, Times: fast(), Host: "test", Log: f.log}
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
	st, err := f.carryOutWithin(4*time.Minute+5*long(f.t, 0), m)
	if err != nil {
		f.t.Fatalf("%s: %v, %+v", st.Text, err, st)
	}
	return st
}

// carryOutWithin is carryOut that may fail, and does after a while.
func (f *farm) carryOutWithin(bound time.Duration, m *run.Manifest) (coordinator.Status, error) {
	f.t.Helper()
	conn, err := link.Dial(link.Options{URL: f.url(), Token: f.token, Creds: f.creds, Log: f.log})
	if err != nil {
		f.t.Fatal(err)
	}
	defer conn.Close()
	plan, err := f.open(m)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(f.ctx, bound)
	defer cancel()
	return coordinator.Run(ctx, coordinator.Config{Conn: conn, Manifest: m, Plan: plan, Times: f.times, Log: f.log, Owner: true})
}

// bothWork demands that two workers have worked at a run that has ended, or do at
// further ones: a worker that a busy machine stalls may miss a whole run.
func (f *farm) bothWork(st coordinator.Status) {
	f.t.Helper()
	workers := map[string]bool{}
	for began, n := time.Now(), 1; ; n++ {
		for key := range st.Speeds {
			workers[key] = true
		}
		if len(workers) >= 2 {
			break
		}
		if time.Since(began) > 2*time.Minute {
			f.t.Errorf("%d workers have worked, want both", len(workers))
			return
		}
		m := toyManifest(f.t, 20, toyParams{Sleep: 50 * time.Millisecond, Spin: n})
		if st = f.carryOut(m); st.Text != toyAlone(f.t, m) {
			f.t.Errorf("%s, want %s", st.Text, toyAlone(f.t, m))
		}
	}
	if len(workers) != 2 {
		f.t.Errorf("%d workers have worked, want both", len(workers))
	}
}
