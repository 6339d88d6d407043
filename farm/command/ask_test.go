package command

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
)

// TestAskEndsWithTheHub shows that a question under way when the hub is killed
// ends then, although who asks would have waited for an hour, and that the next
// one is answered when the hub is back.
func TestAskEndsWithTheHub(t *testing.T) {
	t.Parallel()
	onDemand(t)
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

// TestInputsAcrossAKill shows that a command that is giving the workers their inputs
// when the hub is killed goes on when it is back.
func TestInputsAcrossAKill(t *testing.T) {
	t.Parallel()
	onDemand(t)
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
