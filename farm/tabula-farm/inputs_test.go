package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
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
	f.until("the worker cannot read it", func() bool {
		v := f.view()
		return len(v.Workers) > 0 && v.Workers[0].Failed != ""
	})
	f.comes(toy{N: 50})
	f.comes(k, input)
	if w := f.view().Workers[0]; w.Jobs != 54 || w.Bad != 0 {
		t.Errorf("%+v", w)
	}
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
	if r := f.view().Runs[1]; r.Ended == nil || !strings.Contains(r.Ended.Failed, "not all of its inputs are here") {
		t.Errorf("%+v", r)
	}
	kit.Succeed(t, f.hub.Conn.Forget(t.Context(), other.spec(t, data[0]).ID()))
	if err := <-ended; err != nil || k.Text() != want {
		t.Errorf("%v: %s, want %s", err, k.Text(), want)
	}
}

// TestOtherInputs continues a run whose jobs depend on what there is when it begins, as on the games in a file: what
// came of other jobs with their indexes does not count, and no worker is blamed for it.
func TestOtherInputs(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	leave, ended := f.begin(&toy{N: 3, Has: "5 games"})
	f.until("its jobs are queued", func() bool { return f.queued() == 3 })
	leave()
	<-ended
	for _, has := range []string{"", "10 games", "20 games", "30 games"} {
		stop, ended := f.worker(has, 1, nil)
		f.comes(toy{N: 3, Has: has})
		stop()
		<-ended
	}
	for key, d := range f.view().Runs[0].Workers {
		if d.Failed != 0 || d.Jobs < 3 {
			t.Errorf("%s: %+v", key, d)
		}
	}
}

// TestOldRefusals begins with results of three workers that are refused: they did not fail at what is done again.
func TestOldRefusals(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	k := toy{N: 3}
	for n := range 3 {
		c := f.dial(f.key(fmt.Sprint(n)))
		_, err := c.JS.Publish(t.Context(), fmt.Sprintf("results.%s.0.%s", k.spec(t).ID(), c.Key), []byte("damaged"))
		kit.Succeed(t, err)
	}
	ended := make(chan error, 1)
	go func() { ended <- f.run(f.ctx, &k, nil) }()
	f.until("they are refused", func() bool { v := f.view(); return len(v.Runs) > 0 && len(v.Runs[0].Workers) == 3 })
	f.worker("a", 1, nil)
	if err := <-ended; err != nil || k.folded() != 3 {
		t.Errorf("%v, %d folded", err, k.folded())
	}
}

// slow is a toy on a machine that never gets it done.
type slow struct{ *toy }

func (s *slow) Check() error {
	s.Sleep = time.Hour
	return s.toy.Check()
}

// TestGivenBack ends workers one after another in the middle of a job. That they gave it back does not count among the
// deliveries after which workers take it for one that nobody can do.
func TestGivenBack(t *testing.T) {
	t.Parallel()
	f := newFarm(t, "127.0.0.1:0", 0)
	k := toy{N: 1}
	_, ended := f.begin(&k)
	f.until("its job is queued", func() bool { return f.queued() == 1 })
	queue, err := f.hub.Conn.JS.Consumer(t.Context(), run.JobsStream, k.spec(t).ID())
	kit.Succeed(t, err)
	for n := range 3 {
		stop, stopped := f.worker(fmt.Sprint(n), 1, func(c *run.WorkConfig) {
			typ := *toyType(1)
			typ.New = func(work.Env) work.Kind { return &slow{new(toy)} }
			c.Types = []*work.Type{&typ}
		})
		f.until("it has the job", func() bool {
			info, err := queue.Info(t.Context())
			kit.Succeed(t, err)
			return info.NumAckPending == 1
		})
		stop()
		<-stopped
	}
	m, err := queue.Next(jetstream.FetchMaxWait(time.Minute))
	kit.Succeed(t, err)
	if meta, err := m.Metadata(); err != nil || meta.NumDelivered != 1 {
		t.Errorf("%+v, %v: want a job that was not handed out before", meta, err)
	}
	kit.Succeed(t, m.Nak())
	f.worker("good", 1, nil)
	if err := <-ended; err != nil || k.folded() != 1 {
		t.Errorf("%v, %d folded", err, k.folded())
	}
}
