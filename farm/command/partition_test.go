package command

import (
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
	"github.com/tabula-chess/tabula/tabula-farm/work"
)

// wire is a way to the hub that can fall silent, as a partition of the network
// makes it: nothing arrives and nothing is closed.
type wire struct {
	net.Listener
	silent atomic.Bool
}

// newWire lays a wire to an address.
func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must.Succeed(t, err)
	w := &wire{Listener: l}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			go w.carry(near, far)
			go w.carry(far, near)
		}
	}()
	return w
}

// carry copies one direction, and what comes in silence to nobody.
func (w *wire) carry(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 1<<16)
	for {
		n, err := from.Read(buf)
		if err != nil {
			return
		}
		for w.silent.Load() {
			time.Sleep(10 * time.Millisecond)
		}
		if _, err := to.Write(buf[:n]); err != nil && err != io.EOF {
			return
		}
	}
}

// TestPartition cuts one of two workers off for a while: its jobs go to the other,
// it comes back, and nothing is lost or counted twice.
func TestPartition(t *testing.T) {
	t.Parallel()
	cut := onDemand(t)
	f := newFarm(t, fast())
	w := newWire(t, f.hub.Addr().String())
	f.worker(1, nil)
	home, err := work.OpenHome(filepath.Join(f.dir, "far"))
	must.Succeed(t, err)
	defer home.Close()
	conn, err := link.Dial(f.ctx, link.Options{URL: "nats://" + w.Addr().String(), Key: newKey(t), Machine: home.Machine, Log: f.log}, time.Minute)
	must.Succeed(t, err)
	defer conn.Close()
	f.done.Go(func() {
		_ = work.Run(f.ctx, work.Config{Conn: conn, Home: home, Open: runtest.OpenToy, Machine: toyMachine(1), Times: fast(), Log: f.log})
	})
	start := time.AfterFunc(time.Second, func() { w.silent.Store(true) })
	end := time.AfterFunc(time.Second+cut, func() { w.silent.Store(false) })
	defer start.Stop()
	defer end.Stop()
	m := runtest.NewToy(t, int((cut+5*time.Second)/(50*time.Millisecond)), 1, runtest.Toy{Sleep: 50 * time.Millisecond})
	if st := f.comes(m); len(st.Workers) != 2 {
		t.Errorf("%d workers have worked, want both", len(st.Workers))
	}
}

// TestRandomKills kills the hub and workers, all processes, at random moments for
// a while: what is folded is what one process alone makes of the run, for a kind
// with copies and one that learns.
func TestRandomKills(t *testing.T) {
	during := onDemand(t)
	for name, q := range map[string]runtest.Toy{
		"copies":   {Copies: 2, Sleep: 30 * time.Millisecond, File: 3000},
		"learning": {Window: 6, Sleep: 30 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			h := start(t, "hub", filepath.Join(dir, "hub"), loopback(t))
			f := farmAt(t, dir, h.addr)
			var mu sync.Mutex
			workers := []*process{}
			for range 3 {
				workers = append(workers, start(t, "work", filepath.Join(dir, "w"), h.addr))
			}
			var killer sync.WaitGroup
			kills := 0
			killer.Go(func() {
				r := rand.New(rand.NewPCG(1, 2))
				for began := time.Now(); time.Since(began) < during && f.ctx.Err() == nil; kills++ {
					time.Sleep(time.Duration(300+r.IntN(900)) * time.Millisecond)
					mu.Lock()
					if n := r.IntN(len(workers) + 1); n == len(workers) {
						h.kill()
						h = start(t, "hub", filepath.Join(dir, "hub"), f.addr)
					} else {
						workers[n].kill()
						workers[n] = start(t, "work", filepath.Join(dir, "w"), f.addr)
					}
					mu.Unlock()
				}
			})
			defer func() {
				f.stop()
				killer.Wait()
				for _, p := range append(workers, h) {
					p.kill()
				}
			}()
			m := runtest.NewToy(t, int(during/(40*time.Millisecond)), 1, q)
			f.comes(m)
			t.Logf("%d jobs, %d kills", m.Jobs, kills)
		})
	}
}
