package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/test/kit"
)

// put writes a record of a bucket.
func (f *farm) put(bucket, key string, record any) {
	f.t.Helper()
	kv, err := f.hub.Conn.JS.KeyValue(f.t.Context(), bucket)
	kit.Succeed(f.t, err)
	text, err := json.Marshal(record)
	kit.Succeed(f.t, err)
	_, err = kv.Put(f.t.Context(), key, text)
	kit.Succeed(f.t, err)
}

// holds returns the number of messages of a stream with subjects that match a filter.
func (f *farm) holds(stream, filter string) (n int) {
	f.t.Helper()
	s, err := f.hub.Conn.JS.Stream(f.t.Context(), stream)
	kit.Succeed(f.t, err)
	info, err := s.Info(f.t.Context(), jetstream.WithSubjectFilter(filter))
	kit.Succeed(f.t, err)
	for _, messages := range info.State.Subjects {
		n += int(messages)
	}
	return n
}

// TestForget leaves nothing of a run that is under way, and of one without a record.
func TestForget(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("a", 1, nil)
	k, input := toy{N: 10_000, Sleep: 5 * time.Millisecond, Input: 1}, bytes.Repeat([]byte("input"), 1<<17)
	_, ended := f.begin(&k, input)
	f.until("it has results", func() bool { return f.results() > 5 })
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "forget", "test"))
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the run was ended") {
		t.Errorf("the run ended: %v", err)
	}
	id := k.spec(t, input).ID()
	for range 2 {
		_, err := f.hub.Conn.JS.Publish(t.Context(), "results."+id+".7.KEY", nil) // as of a worker that had not heard of it
		kit.Succeed(t, err)
		kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "forget", id))
		if n := f.results() + f.queued() + f.holds("OBJ_inputs", "$O.inputs.C.>"); n > 0 || len(f.view().Runs) > 0 {
			t.Errorf("%d messages and %d runs are left", n, len(f.view().Runs))
		}
	}
}

// TestSweep fills the store with results of runs that do not exist, which the hub removes. So do sweeps with the parts
// of an input whose upload was interrupted, but not with those of one that is under way.
func TestSweep(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 10<<20)
	f.worker("a", 1, nil)
	k := toy{N: 5, Input: 1}
	f.comes(k, []byte("input"))
	c := f.hub.Conn
	for n := range 7 {
		id := []string{"none", "*", strings.Repeat("0", 32)}[min(n, 2)]
		_, err := c.JS.Publish(t.Context(), fmt.Sprintf("results.%s.%d.KEY", id, n), make([]byte, 1_000_000))
		kit.Succeed(t, err)
	}
	f.until("the hub makes space", func() bool { return f.results() == k.N+1 }) // one would stand for all
	for range 2 {
		_, err := c.JS.Publish(t.Context(), "$O.inputs.C.PART", make([]byte, 1<<17))
		kit.Succeed(t, err)
	}
	kit.Succeed(t, c.Sweep(t.Context()))
	if n := f.holds("OBJ_inputs", "$O.inputs.C.>"); n != 3 {
		t.Errorf("%d parts are left, want 3", n)
	}
	hasty, err := run.Dial(f.ctx, run.ConnectOptions{URL: f.url, AckWait: 1, Log: testLog()}, time.Minute)
	kit.Succeed(t, err)
	defer hasty.Close()
	kit.Succeed(t, hasty.Sweep(t.Context()))
	if n := f.holds("OBJ_inputs", "$O.inputs.C.>"); n != 1 {
		t.Errorf("%d parts are left, want that of the input", n)
	}
	f.comes(toy{N: 9, Input: 1}, []byte("input"))
}

// TestWrongClocks has a worker drained that was drained before by a clock an hour fast, and a run whose owner's clock is
// an hour slow.
func TestWrongClocks(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	now := time.Now()
	_, ended := f.worker("attic", 1, func(c *run.WorkConfig) {
		f.put("farm", "state", run.RunState{
			Drained: map[string]time.Time{c.Conn.Key: now.Add(time.Hour)},
			Runs:    []run.Record{{Run: "x", Kind: "toy", Version: 1, Share: 1}},
		})
		f.put("status", "x", run.Progress{At: now.Add(-time.Hour)})
	})
	f.until("it works", func() bool { return len(f.view().Workers) == 1 })
	if r := f.view().Runs[0]; r.Waits != "" || r.At.Before(now.Add(-time.Minute)) {
		t.Errorf("told at %v, now it is %v: %s", r.At, now, r.Waits)
	}
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "drain", "attic"))
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
