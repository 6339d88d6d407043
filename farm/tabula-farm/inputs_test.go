package main

import (
	"bytes"
	"context"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/test/kit"
)

// begin starts a run whose end comes through the channel.
func (f *farm) begin(k *toy, in ...[]byte) (context.CancelFunc, <-chan error) {
	f.t.Helper()
	ctx, leave := context.WithCancel(f.ctx)
	ended := make(chan error, 1)
	f.done.Go(func() { ended <- f.run(ctx, k, nil, in...) })
	return leave, ended
}

// queued returns the number of jobs in the queue.
func (f *farm) queued() int {
	f.t.Helper()
	s, err := f.hub.Conn.JS.Stream(f.t.Context(), run.JobsStream)
	kit.Succeed(f.t, err)
	return int(s.CachedInfo().State.Msgs)
}

// TestPartOfInput takes the parts of an input away, as an upload does that fails after its description has arrived:
// workers do other runs, the run has no failure, and the same command mends it.
func TestPartOfInput(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	k, input := toy{N: 4, Input: 1}, bytes.Repeat([]byte("input"), 1<<17)
	first := k
	leave, ended := f.begin(&first, input)
	f.until("its jobs are queued", func() bool { return f.queued() == k.N })
	leave()
	<-ended
	inputs, err := f.hub.Conn.JS.Stream(t.Context(), "OBJ_inputs")
	kit.Succeed(t, err)
	kit.Succeed(t, inputs.Purge(t.Context(), jetstream.WithPurgeSubject("$O.inputs.C.>")))
	f.worker("a", 1, nil)
	f.until("the worker cannot read it", func() bool { v := f.view(); return len(v.Workers) > 0 && v.Workers[0].Failed != "" })
	f.comes(toy{N: 50})
	if n := f.results(); n != 50 {
		t.Errorf("%d messages, want 50 results and no failure", n)
	}
	f.comes(k, input)
}

// TestFullOfInputs has no space for the input of a run until another is forgotten.
func TestFullOfInputs(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 10<<20)
	f.worker("a", 1, nil)
	k, other := toy{N: 4, Input: 1}, toy{N: 5, Input: 1, Bytes: 1}
	data := [2][]byte{bytes.Repeat([]byte("1"), 6<<20), bytes.Repeat([]byte("2"), 6<<20)}
	f.comes(other, data[0])
	want, _ := alone(t, k, data[1])
	_, ended := f.begin(&k, data[1])
	f.until("an upload has no space", func() bool { return f.view().Full != "" })
	kit.Succeed(t, f.hub.Conn.Forget(t.Context(), other.spec(t, data[0]).ID()))
	if err := <-ended; err != nil || k.Text() != want {
		t.Errorf("%v: %s, want %s", err, k.Text(), want)
	}
}
