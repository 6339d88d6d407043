package main

import (
	"encoding/json"
	"testing"
	"time"

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
