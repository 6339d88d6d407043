package command

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/hub"
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
	if err := os.WriteFile(ballast, make([]byte, 16<<20), 0o600); err != nil {
		t.Fatal(err)
	}
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
	m := toyManifest(t, 30, toyParams{Sleep: 20 * time.Millisecond, File: 400 << 10})
	f.comes(m)
	if !space.Load() {
		t.Error("the run ended before there was space")
	}
}

// TestFullDisk lets the hub's disk run full in the middle of a run, or what its
// server allows itself of the disk, and makes space after a while: workers keep
// their results until then, and nothing is lost.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]int64{"disk": 1 << 30, "limit": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, ballast := smallDisk(t)
			f := newFarm(t, fast()) // for its workers' homes; its hub is left alone
			small, err := hub.Start(hub.Config{Dir: filepath.Join(dir, "hub"), Listen: loopback(t), Open: toyOpener, Times: fast(), Log: f.log, Store: store})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { small.Close() })
			f.addr = small.Addr().String()
			for range 2 {
				f.worker(1, nil)
			}
			var space atomic.Bool
			go func() {
				untilFull(dir)
				time.Sleep(3 * time.Second)
				space.Store(true)
				os.Remove(ballast)
			}()
			// Its files are more than the ballast leaves and less than the disk has.
			m := toyManifest(t, 30, toyParams{Sleep: 20 * time.Millisecond, File: 400 << 10})
			f.comes(m)
			if !space.Load() {
				t.Error("the run ended before there was space")
			}
		})
	}
}
