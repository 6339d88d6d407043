package command

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/farm/work"
)

// measures skips what measures rather than tests, unless it is asked for.
func measures(t *testing.T) {
	t.Helper()
	if os.Getenv("TABULA_FARM_MEASURE") == "" {
		t.Skip("measures: TABULA_FARM_MEASURE=1 go test ./farm/command -v -timeout 30m -run " + t.Name())
	}
}

// memory returns the resident size of this process.
func memory(t *testing.T) string {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(text)) {
		if size, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			return strings.TrimSpace(size)
		}
	}
	return "unknown"
}

// TestScaleWorkers measures two hundred workers with jobs of a second on one hub,
// all in this process, and what it costs that a hundred of them are cut off.
func TestScaleWorkers(t *testing.T) {
	measures(t)
	times := link.Usual()
	times.AckWait = 20 * time.Second
	f := newFarmAt(t, toyOpener, times)
	const workers, jobs = 200, 6000
	cut := make([]context.CancelFunc, 0, workers/2)
	for n := range workers {
		if n%2 == 1 {
			life, cancel := context.WithCancel(f.ctx)
			cut, f.life = append(cut, cancel), life
		}
		f.worker(1, func(c *work.Config) { c.Times = times })
	}
	m := toyManifest(t, jobs, toyParams{Sleep: time.Second})
	began := time.Now()
	timer := time.AfterFunc(15*time.Second, func() {
		t.Logf("15 s: memory of all %s, a hundred workers are cut off", memory(t))
		for _, cancel := range cut {
			cancel()
		}
	})
	defer timer.Stop()
	st := f.carryOut(m)
	if want := toyAlone(t, m); st.Text != want {
		t.Errorf("%s, want %s", st.Text, want)
	}
	took := time.Since(began)
	t.Logf("%d jobs in %.1f s, memory of all %s", jobs, took.Seconds(), memory(t))
}

// TestScaleRestore measures how long a hub takes, started again with 10^5 jobs of
// which half have results, until the other half is in its queue.
func TestScaleRestore(t *testing.T) {
	measures(t)
	f := newFarmAt(t, toyOpener, link.Usual())
	m := toyManifest(t, run.MaxJobs, toyParams{})
	ctx, cancel := context.WithTimeout(f.ctx, 20*time.Minute)
	defer cancel()
	if err := f.hub.Conn.PutManifest(ctx, m); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	f.writeResults(ctx, m, run.MaxJobs/2)
	t.Logf("%d results written, each synced: %.1f s", run.MaxJobs/2, time.Since(began).Seconds())
	if err := f.hub.Conn.PutOpen(ctx, link.Open{Run: m.ID(), Kind: m.Kind, Jobs: m.Jobs}); err != nil {
		t.Fatal(err)
	}
	if err := f.hub.Close(); err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	h, err := hub.Start(hub.Config{Dir: filepath.Join(f.dir, "hub"), Listen: "127.0.0.1:0", Open: toyOpener, Times: link.Usual(), Log: testLog(), Coordinator: true})
	if err != nil {
		t.Fatal(err)
	}
	f.hub = h
	t.Logf("the hub is up after %.1f s", time.Since(began).Seconds())
	for {
		s, err := h.Conn.JS.Stream(ctx, link.Jobs)
		if err != nil {
			t.Fatal(err)
		}
		if s.CachedInfo().State.Msgs >= run.MaxJobs/2 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("the queue has the other %d jobs after %.1f s, memory %s", run.MaxJobs/2, time.Since(began).Seconds(), memory(t))
}

// writeResults writes the results of the first jobs of a run.
func (f *farm) writeResults(ctx context.Context, m *run.Manifest, n int) {
	f.t.Helper()
	home, err := work.OpenHome(filepath.Join(f.dir, "writer"))
	if err != nil {
		f.t.Fatal(err)
	}
	defer home.Close()
	key, err := home.Key.PublicKey()
	if err != nil {
		f.t.Fatal(err)
	}
	plan, err := f.open(m)
	if err != nil {
		f.t.Fatal(err)
	}
	for i := range n {
		j := run.Job{Run: m.ID(), Index: i}
		out, err := plan.Work(ctx, j, nil)
		if err != nil {
			f.t.Fatal(err)
		}
		r := &run.Result{Run: j.Run, Index: i, Value: out.Value, Worker: key, Units: 1}
		f.sign(home, r)
		text, err := json.Marshal(r)
		if err == nil {
			_, err = f.hub.Conn.JS.PublishAsync(link.ResultSubject(j), text)
		}
		if err != nil {
			f.t.Fatal(err)
		}
		if i%1000 == 999 || i == n-1 {
			select {
			case <-f.hub.Conn.JS.PublishAsyncComplete():
			case <-ctx.Done():
				f.t.Fatal(ctx.Err())
			}
		}
	}
}

// TestScaleSpeed measures one, two and four workers of one core with jobs that
// do nothing but reckon, on a machine without other work.
func TestScaleSpeed(t *testing.T) {
	measures(t)
	var alone float64
	for _, workers := range []int{1, 2, 4} {
		if workers > runtime.NumCPU() {
			t.Logf("%d workers: this machine has %d cores", workers, runtime.NumCPU())
			continue
		}
		f := newFarmAt(t, toyOpener, link.Usual())
		for range workers {
			stop := keepAlive(t, filepath.Join(f.dir, "w"), f.hub.Addr().String())
			defer stop()
		}
		f.carryOut(toyManifest(t, 8, toyParams{Spin: 1 << 20})) // all are there
		m := toyManifest(t, 240, toyParams{Spin: 1 << 22})
		began := time.Now()
		f.carryOut(m)
		took := time.Since(began).Seconds()
		if workers == 1 {
			alone = took
		}
		t.Logf("%d workers: %.1f s, %.3f of linear", workers, took, alone/took/float64(workers))
	}
}
