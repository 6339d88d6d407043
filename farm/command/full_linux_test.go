package command

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// smallDisk mounts a disk of 24 MiB, of which 16 are taken by the file ballast.
func smallDisk(t *testing.T) (dir, ballast string) {
	t.Helper()
	onDemand(t)
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m"); err != nil {
		t.Skip("cannot mount a small disk: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	ballast = filepath.Join(dir, "ballast")
	filestest.Write(t, ballast, make([]byte, 16<<20))
	return dir, ballast
}

// untilFull waits until a disk is as good as full, or for twenty seconds.
func untilFull(dir string) {
	for began := time.Now(); time.Since(began) < 20*time.Second; time.Sleep(20 * time.Millisecond) {
		var s syscall.Statfs_t
		if syscall.Statfs(dir, &s) == nil && s.Bavail*uint64(s.Bsize) < 5<<19 {
			return
		}
	}
}

// TestKilledOnFullDisk kills a hub whose disk is full, and starts it again and
// again before there is space, as whoever looks after services does.
func TestKilledOnFullDisk(t *testing.T) {
	t.Parallel()
	disk, ballast := smallDisk(t)
	dir := t.TempDir()
	store := storeVariable + "=1000000000" // or the server would leave a quarter of the disk free
	h := start(t, "hub", filepath.Join(disk, "hub"), loopback(t), store)
	f := farmAt(t, dir, h.addr)
	for range 2 {
		f.worker(1, nil)
	}
	var space atomic.Bool
	over := make(chan struct{})
	go func() {
		defer close(over)
		untilFull(disk)
		for began := time.Now(); time.Since(began) < 4*time.Second; {
			h.kill()
			h = &process{cmd: asProcess("hub", filepath.Join(disk, "hub"), f.addr, store)}
			if err := h.cmd.Start(); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
		}
		space.Store(true)
		os.Remove(ballast)
		h.kill()
		h = start(t, "hub", filepath.Join(disk, "hub"), f.addr, store)
	}()
	defer func() { <-over; h.kill() }()
	m := runtest.NewToy(t, 30, 1, runtest.Toy{Sleep: 20 * time.Millisecond, File: 400 << 10})
	f.comes(m)
	if !space.Load() {
		t.Error("the run ended before there was space")
	}
}
