package command

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
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
	f := newFarm(t, times)
	const workers, jobs = 200, 6000
	cut := make([]context.CancelFunc, 0, workers/2)
	for n := range workers {
		if n%2 == 1 {
			life, cancel := context.WithCancel(f.ctx)
			cut, f.life = append(cut, cancel), life
		}
		f.worker(1, nil)
	}
	m := runtest.NewToy(t, jobs, 1, runtest.Toy{Sleep: time.Second})
	began := time.Now()
	timer := time.AfterFunc(15*time.Second, func() {
		t.Logf("15 s: memory of all %s, a hundred workers are cut off", memory(t))
		for _, cancel := range cut {
			cancel()
		}
	})
	defer timer.Stop()
	f.comes(m)
	took := time.Since(began)
	t.Logf("%d jobs in %.1f s, memory of all %s", jobs, took.Seconds(), memory(t))
}

// TestScaleResults measures how many results a second one hub takes, each synced to the
// disk, from two hundred workers whose jobs take no time.
func TestScaleResults(t *testing.T) {
	measures(t)
	f := newFarm(t, link.Usual())
	for range 200 {
		f.worker(1, nil)
	}
	f.comes(runtest.NewToy(t, 400, 1, runtest.Toy{Spin: 1})) // all are there
	m := runtest.NewToy(t, 20_000, 1, runtest.Toy{})
	began := time.Now()
	f.comes(m)
	t.Logf("%.0f results a second, memory of all %s", float64(m.Jobs)/time.Since(began).Seconds(), memory(t))
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
		f := newFarm(t, link.Usual())
		for range workers {
			stop := keepAlive(t, filepath.Join(f.dir, "w"), f.hub.Addr().String())
			defer stop()
		}
		f.carryOut(runtest.NewToy(t, 8, 1, runtest.Toy{Spin: 1 << 20})) // all are there
		m := runtest.NewToy(t, 240, 1, runtest.Toy{Spin: 1 << 22})
		began := time.Now()
		f.carryOut(m)
		took := time.Since(began).Seconds()
		if workers == 1 {
			alone = took
		}
		t.Logf("%d workers: %.1f s, %.3f of linear", workers, took, alone/took/float64(workers))
	}
}
