package command

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/work"
)

// TestAskEndsWithTheHub shows that a question under way when the hub is killed
// ends then, although who asks would have waited for an hour, and that the next
// one is answered when the hub is back.
func TestAskEndsWithTheHub(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "hub")
	h := start(t, "hub", dir, loopback(t))
	addr := h.addr
	defer func() { h.kill() }()
	conn, err := link.Dial(link.Options{URL: "nats://" + addr, Log: testLog()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	asked, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- conn.Ask(ctx, func(ctx context.Context) error {
			close(asked)
			<-ctx.Done() // as one does whose answer was lost
			return ctx.Err()
		})
	}()
	<-asked
	h.kill()
	if err := <-ended; err == nil {
		t.Error("a question that was never answered has no error")
	} else {
		t.Logf("the question ended: %v", err)
	}
	h = start(t, "hub", dir, addr)
	for {
		if _, err = conn.OpenRuns(ctx); err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestQuestionsOnAFullWire shows that questions end on a wire that has fallen silent
// when so much was written that its buffers are full: a write holds what every
// question needs.
func TestQuestionsOnAFullWire(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("waits until a silent wire is given up")
	}
	f := newFarm(t, toyOpener)
	w := newWire(t, f.hub.Addr().String())
	home, err := work.OpenHome(filepath.Join(f.dir, "w"))
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	conn, err := link.Dial(link.Options{URL: "nats://" + w.Addr().String(), Key: home.Key, Log: testLog()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := insist(t.Context(), conn, func(ctx context.Context) error { _, err := conn.OpenRuns(ctx); return err }); err != nil {
		t.Fatal(err)
	}
	w.silent.Store(true)
	// The time for which this process ran: what a machine stalls is one tick.
	const tick = 100 * time.Millisecond
	every, ticks := time.NewTicker(tick), 0
	defer every.Stop()
	var asked sync.WaitGroup
	for n := range 64 {
		asked.Go(func() {
			data := make([]byte, 500<<10)
			data[0] = byte(n)
			if err := conn.PutArtefact(t.Context(), conn.Key, data); err == nil {
				t.Error("an answer has come over a silent wire")
			}
		})
	}
	ended := make(chan struct{})
	go func() { asked.Wait(); close(ended) }()
	for running := true; running; ticks++ {
		select {
		case <-every.C:
		case <-ended:
			running = false
		}
	}
	// A write that no bound of the farm's ends holds them for a minute.
	if took := time.Duration(ticks) * tick; took > 50*time.Second {
		t.Errorf("the last question has ended after %v", took)
	} else {
		t.Logf("the last question has ended after %v", took)
	}
}

// TestInputsAcrossAKill shows that a command that is giving the workers their inputs
// when the hub is killed goes on when it is back.
func TestInputsAcrossAKill(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "hub")
	h := start(t, "hub", dir, loopback(t))
	addr := h.addr
	conn, err := link.Dial(link.Options{URL: "nats://" + addr, Log: testLog()})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	data, tries, killed := make([]byte, 8<<20), 0, make(chan struct{})
	err = insist(t.Context(), conn, func(ctx context.Context) error {
		if tries++; tries == 1 {
			time.AfterFunc(5*time.Millisecond, func() { h.kill(); close(killed) })
		} else if tries == 2 {
			<-killed
			h = start(t, "hub", dir, addr)
		}
		_, err := conn.PutInput(ctx, data)
		if tries == 1 && err == nil {
			err = errors.New("the hub was too quick") // and is asked again all the same
		}
		return err
	})
	defer func() { h.kill() }()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := conn.Get(t.Context(), link.Sum(data)); err != nil || len(got) != len(data) {
		t.Errorf("%d bytes of %d are there after %d tries: %v", len(got), len(data), tries, err)
	}
}
