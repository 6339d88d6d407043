package command

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// The clocks of the tests, in seconds off the right one.
const (
	hours = -5 * 3600
	years = 20 * 365 * 86400
)

// followClock sets the clock of this process as a file says, whenever it says
// something else.
func followClock(name string) error {
	last := ""
	follow := func() error {
		text, err := os.ReadFile(name)
		if err != nil || string(text) == last {
			return err
		}
		last = string(text)
		seconds, err := strconv.ParseInt(last, 10, 32)
		if err != nil {
			return err
		}
		return setClock(int32(seconds))
	}
	if err := follow(); err != nil {
		return err
	}
	go func() {
		for ; ; time.Sleep(20 * time.Millisecond) {
			if err := follow(); err != nil {
				fmt.Fprintln(os.Stderr, "clock:", err)
			}
		}
	}()
	return nil
}

// clock is the clock of a process of the test.
type clock struct {
	t    *testing.T
	name string
}

// newClock returns a clock that is off by some seconds.
func newClock(t *testing.T, seconds int) *clock {
	t.Helper()
	c := &clock{t, filepath.Join(t.TempDir(), "clock")}
	c.set(seconds)
	return c
}

func (c *clock) set(seconds int) {
	c.t.Helper()
	must.Succeed(c.t, files.Write(c.name, []byte(strconv.Itoa(seconds))))
}

// env makes a process have the clock.
func (c *clock) env() string { return clockVariable + "=" + c.name }

// canSetClocks skips where a process's clock cannot be set, and proves that it is
// set where it can.
func canSetClocks(t *testing.T) {
	t.Helper()
	onDemand(t)
	p := start(t, "clock", "", "", newClock(t, years).env())
	defer p.kill()
	seen, err := strconv.ParseInt(p.addr, 10, 64)
	if err != nil {
		t.Skip("the clock of a process cannot be set here: ", p.addr)
	}
	if off := seen - time.Now().Unix(); off < years-60 || off > years+60 {
		t.Fatalf("a process with a clock %d s off sees it %d s off", years, off)
	}
}

// TestWrongClocks shows that a run comes to what it should, over TLS, whatever the
// clocks of hub and workers say, and when the hub is killed and comes back with
// another.
func TestWrongClocks(t *testing.T) {
	t.Parallel()
	canSetClocks(t)
	for _, tt := range []struct {
		name          string
		hub, far, new int // the hub's, a worker's, the hub's after its kill
	}{
		{"hub goes back by years, worker years behind", years, -years, -years},
		{"hub hours behind leaps by years", hours, 0, years},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clock := newClock(t, tt.hub)
			h := start(t, "hub", filepath.Join(dir, "hub"), fmt.Sprintf("%s:%d", outside(t), ports(t, 1)[0]), clock.env())
			again := make(chan struct{})
			f := farmAt(t, dir, h.addr)
			key := keyVariable + "=" + f.enrol(hub.OwnKey(filepath.Join(dir, "hub")))
			defer start(t, "work", filepath.Join(dir, "near"), h.addr, key).kill()
			defer start(t, "work", filepath.Join(dir, "far"), h.addr, key, newClock(t, tt.far).env()).kill()
			killed := time.AfterFunc(2*time.Second, func() {
				defer close(again)
				clock.set(tt.new)
				h.kill()
				h = start(t, "hub", filepath.Join(dir, "hub"), f.addr, clock.env())
			})
			early := false
			defer func() {
				if !early {
					<-again
				}
				h.kill()
			}()
			m := runtest.NewToy(t, 60, 1, runtest.Toy{Copies: 2, Sleep: 50 * time.Millisecond, File: 1000})
			f.comes(m)
			if early = killed.Stop(); early {
				t.Error("the run has ended before the hub was killed")
			}
		})
	}
}
