package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// TestRights shows what a worker's key cannot do over TLS, and that nobody is let in without one.
func TestRights(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "0.0.0.0:0", 0)
	evil, other := f.dial(f.key("evil")), f.key("other").Public
	complained := make(chan error, 100)
	evil.NC.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { complained <- err })
	told := func(want string) {
		t.Helper()
		for {
			select {
			case err := <-complained:
				if strings.Contains(err.Error(), want) {
					return
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("the server lets a worker use %s", want)
			}
		}
	}
	for _, subject := range []string{
		"$KV.farm.state", "$KV.farm.keys", "$KV.farm.spec.x", "$KV.status.x", "$KV.workers." + other,
		"results.x.0." + other, "failed.x.0." + other, "jobs.x.0", "$O.inputs.M.x",
		"$JS.API.STREAM.DELETE." + run.ResultsStream, "$JS.API.STREAM.PURGE." + run.ResultsStream,
		"$JS.API.STREAM.MSG.DELETE." + run.ResultsStream, "$JS.API.STREAM.UPDATE." + run.JobsStream,
		"$JS.API.CONSUMER.CREATE." + run.JobsStream + ".x", "$JS.API.CONSUMER.DELETE." + run.JobsStream + ".x",
		"$JS.API.STREAM.CREATE.X", "$SYS.REQ.SERVER.PING",
	} {
		kit.Succeed(t, evil.NC.Publish(subject, []byte(`{}`)))
		told(subject)
	}
	for _, subject := range []string{">", "results.>", "_INBOX_" + other + ".>", "$JS.>"} {
		_, err := evil.NC.Subscribe(subject, func(m *nats.Msg) { t.Errorf("%s was heard", m.Subject) })
		kit.Succeed(t, err)
		kit.Succeed(t, evil.NC.Flush())
		told("Subscription to \"" + subject)
	}
	// A key that is not enrolled, or of another hub, is not let in, and neither is who has none.
	stranger, err := run.NewKey(run.RoleWorker, f.own.Pin)
	kit.Succeed(t, err)
	for want, k := range map[string]run.Key{
		"has not enrolled this key, or has revoked it": stranger,
		"it demands a key": {Pin: f.own.Pin},
		"not the one that the key names": {Role: stranger.Role, Pair: stranger.Pair, Public: stranger.Public,
			Pin: strings.Repeat("0", 64)},
	} {
		if _, err := run.Dial(t.Context(), run.ConnectOptions{URL: f.url, Key: k, Log: testLog()}, 2*time.Second); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestOwnerRefused starts the hub again with another owner's key: the run of the former owner ends and says why.
func TestOwnerRefused(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "0.0.0.0:0", 0)
	ctx, cancel := context.WithTimeout(f.ctx, time.Minute)
	defer cancel()
	ended := make(chan error)
	f.worker("a", 1, nil)
	go func() { ended <- f.run(ctx, &toy{N: 10_000, Sleep: 20 * time.Millisecond}, nil) }()
	f.until("it has results", func() bool { return f.results() > 0 })
	kit.Succeed(t, f.hub.Close())
	kit.Succeed(t, os.Remove(filepath.Join(f.config.Dir, "own.key")))
	f.start()
	if err := <-ended; errors.Is(err, context.DeadlineExceeded) || err == nil ||
		!strings.Contains(err.Error(), "the hub refuses this client") {
		t.Errorf("the run ended: %v", err)
	}
}

// TestRevoked has a run done by workers with keys, with inputs, and revokes one of them meanwhile: it is out, what
// it did of jobs that were not folded is done again, and what was folded stays.
func TestRevoked(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "0.0.0.0:0", 0)
	_, out := f.worker("evil", 1, nil)
	evil := f.dial(f.key("second"))
	k := toy{N: 200, Sleep: 20 * time.Millisecond, Input: 1}
	want, _ := alone(t, k, []byte("input"))
	id := k.spec(t, []byte("input")).ID()
	ctx, leave := context.WithCancel(f.ctx)
	ended := make(chan error, 1)
	go func() { ended <- f.run(ctx, &k, nil, []byte("input")) }()
	f.until("it has some results", func() bool { return f.results() > 30 })
	// One of a job whose turn has not come would be refused if it counted.
	_, err := evil.JS.Publish(t.Context(), fmt.Sprintf("results.%s.199.%s", id, evil.Key), make([]byte, 64))
	kit.Succeed(t, err)
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "revoke", "second"))
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "revoke", "evil"))
	select {
	case err := <-out:
		if err == nil || !strings.Contains(err.Error(), "revoked") {
			t.Errorf("the worker ended: %v", err)
		}
	case <-time.After(30 * time.Second):
		t.Error("a worker whose key is revoked is not disconnected")
	}
	if _, err := evil.JS.Publish(t.Context(), "results.x.0."+evil.Key, nil); err == nil {
		t.Error("a revoked key publishes")
	}
	time.Sleep(2 * time.Second)
	folded := f.view().Runs[0].Before
	leave()
	if err := <-ended; !errors.Is(err, context.Canceled) || folded == 0 || folded >= 199 {
		t.Fatalf("%v, %d folded", err, folded)
	}
	// The next owner, too, takes what was folded of the revoked key and nothing else.
	f.worker("good", 1, nil)
	k = toy{N: 200, Sleep: 20 * time.Millisecond, Input: 1}
	if err := f.run(f.ctx, &k, nil, []byte("input")); err != nil || k.Text() != want {
		t.Errorf("%v: %s, want %s", err, k.Text(), want)
	}
	v := f.view()
	revoked, jobs := 0, 0
	for _, w := range v.Workers {
		if w.Revoked != nil {
			revoked, jobs = revoked+1, jobs+w.Jobs
		}
	}
	if revoked != 2 || jobs < 30 {
		t.Errorf("%+v", v.Workers)
	}
	for _, d := range v.Runs[0].Workers {
		if d.Failed != 0 {
			t.Errorf("a result of a revoked key was handed over: %+v", v.Runs[0].Workers)
		}
	}
}

// TestLies has a worker tell what nobody can believe of its results and itself: the run goes on, and operators see the
// farm, revoke the worker and end the run.
func TestLies(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "0.0.0.0:0", 0)
	_, out := f.worker("good", 1, nil)
	evil := f.dial(f.key("evil"))
	k := toy{N: 100_000, Sleep: 5 * time.Millisecond}
	id := k.spec(t).ID()
	_, ended := f.begin(&k)
	f.until("it has results", func() bool { return f.results() > 5 })
	for range 2 {
		for index, done := range map[string]string{
			"1000000": `{"units":1e308}`, "1000001": `{"took":-1e308}`, "1000002": `{"units":`, "99999999999": "{}", "x": "",
		} {
			m := nats.NewMsg(fmt.Sprintf("results.%s.%s.%s", id, index, evil.Key))
			m.Header.Set("Farm-Done", done)
			_, err := evil.JS.PublishMsg(t.Context(), m)
			kit.Succeed(t, err)
		}
	}
	before := f.results()
	f.until("the run goes on", func() bool { return f.view().Runs[0].Folded > before })
	if d := f.view().Runs[0].Workers[evil.Key]; d.Units != 0 || d.Took != 0 || d.Jobs != 6 {
		t.Errorf("%+v", d)
	}
	for _, text := range []string{`{`, `[]`, `{"host":"good\u001b[2J"}`, `{"host":"good"}`} {
		_, err := evil.JS.Publish(t.Context(), "$KV.workers."+evil.Key, []byte(text))
		kit.Succeed(t, err)
		if v := f.view(); len(v.Workers) != 2 || strings.Contains(v.Workers[0].Host+v.Workers[1].Host, "\x1b") {
			t.Errorf("%+v", v.Workers)
		}
	}
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "drain", "good"))
	if err := <-out; err != nil {
		t.Error(err)
	}
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "revoke", "evil"))
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "cancel", id))
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled by test") {
		t.Errorf("the run ended: %v", err)
	}
}

// nowhere is a toy of which nobody can say where it stands.
type nowhere struct{ *toy }

func (nowhere) Numbers() []work.Number { return []work.Number{{Name: "elo", Value: math.NaN()}} }

// TestCancelWithoutStatus cancels a run whose owner cannot tell the farm where it stands.
func TestCancelWithoutStatus(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	f.worker("a", 1, nil)
	k := toy{N: 100_000, Sleep: 5 * time.Millisecond}
	ended := make(chan error, 1)
	go func() { ended <- f.run(f.ctx, &k, func(p *run.Remote) { p.Report(nowhere{&k}, 0) }) }()
	f.until("it has results", func() bool { return f.results() > 5 })
	kit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "cancel", "test"))
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled by test") {
		t.Errorf("the run ended: %v", err)
	}
}
