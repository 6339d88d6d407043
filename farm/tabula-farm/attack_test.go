package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// asking is what a worker of tests says that wants so many jobs and has those of the tokens.
func asking(want int, tokens ...string) []byte {
	text, err := json.Marshal(run.Ask{Machine: run.Machine{Protocol: run.Protocol, Kinds: map[string]int{"toy": 1},
		Cores: 4, Host: "test"}, Want: want, Tokens: tokens})
	if err != nil {
		panic(err)
	}
	return text
}

// TestRights shows that an ordinary key over TLS reaches nothing of the owners' account: no stream,
// bucket or message of another, directly or as the reply to a request.
func TestRights(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	c := f.dial(f.own)
	evil := f.dial(f.key("evil"))
	other := f.key("other").Public
	testkit.Succeed(t, c.DoOperation(t.Context(), "test", "ban", "evil", "out"))
	heard := make(chan string, 100)
	for _, subject := range []string{"$KV.operate.>", "$KV.runs.>", "job.>", "res.>", "fail.>", "_INBOX_" + other + ".>",
		"gate." + other + ".>"} {
		_, err := c.NC.Subscribe(subject, func(m *nats.Msg) { heard <- m.Subject })
		testkit.Succeed(t, err)
	}
	testkit.Succeed(t, c.NC.Flush())
	complained := make(chan error, 100)
	evil.NC.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { complained <- err })
	targets := []string{
		"$KV.operate.ban." + evil.Key, "$KV.operate.drain." + other, "$KV.runs.x", "$KV.workers.x", "res.x.0.0",
		"fail.x.0." + other, "job.x.first.0.0",
		"$JS.API.STREAM.DELETE." + run.ResultsStream, "$JS.API.STREAM.PURGE." + run.ResultsStream,
		"$JS.API.STREAM.MSG.GET." + run.ResultsStream,
		"$JS.API.CONSUMER.CREATE." + run.JobsStream, "$JS.ACK." + run.JobsStream + ".x.1.1.1.1.1", "gate." + other + ".ask",
		"$SYS.REQ.SERVER.PING",
	}
	for _, subject := range targets {
		testkit.Succeed(t, evil.NC.Publish(subject, []byte(`{}`)))
		for told := false; !told; {
			select {
			case err := <-complained: // some are of replies
				told = strings.Contains(err.Error(), subject)
			case <-time.After(10 * time.Second):
				t.Fatalf("the server lets a worker publish to %s", subject)
			}
		}
		for _, verb := range []string{"ask", "report", "fail", "input", "junk"} {
			_ = evil.NC.PublishRequest("gate."+evil.Key+"."+verb, subject, asking(0))
		}
	}
	for _, subject := range []string{">", "gate.>", "_INBOX_" + other + ".>", "$JS.>"} {
		_, err := evil.NC.Subscribe(subject, func(m *nats.Msg) { t.Errorf("%s was heard", m.Subject) })
		testkit.Succeed(t, err)
		testkit.Succeed(t, evil.NC.Flush())
		for told := false; !told; {
			err := <-complained
			told = strings.Contains(err.Error(), "Subscription to \""+subject)
		}
	}
	testkit.Succeed(t, evil.NC.Flush())
	for refused := false; !refused; { // the ban stays, and holds once the gate has read of it
		a, err := evil.Tell(t.Context(), "ask", "", asking(1), 10*time.Second)
		testkit.Succeed(t, err)
		refused = strings.Contains(a.Refused, "banned: out")
	}
	select {
	case subject := <-heard:
		t.Errorf("%s reached the owners' account", subject)
	case <-time.After(300 * time.Millisecond):
	}
	// A key that is not enrolled, or of another hub, is not let in.
	stranger, err := run.NewKey(run.RoleWorker, f.own.Pin)
	testkit.Succeed(t, err)
	if _, err := run.Dial(t.Context(), run.Options{URL: f.url, Key: stranger, Log: testLog()}, time.Minute); err == nil ||
		!strings.Contains(err.Error(), "has not enrolled this key") {
		t.Errorf("a stranger: %v", err)
	}
	stranger.Pin = strings.Repeat("0", 64)
	if _, err := run.Dial(t.Context(), run.Options{URL: f.url, Key: stranger, Log: testLog()}, time.Second); err == nil ||
		!strings.Contains(err.Error(), "not the one that the key names") {
		t.Errorf("another certificate: %v", err)
	}
}

// attacker is an enrolled worker that speaks to the gate by hand.
type attacker struct {
	t testing.TB
	*run.Conn
}

// next asks for jobs until there are some, for a second.
func (a attacker) next(want int) (jobs []run.Lease) {
	a.t.Helper()
	for began := time.Now(); len(jobs) == 0 && time.Since(began) < time.Second; time.Sleep(20 * time.Millisecond) {
		got, err := a.Tell(a.t.Context(), "ask", "", asking(want), 10*time.Second)
		testkit.Succeed(a.t, err)
		jobs = got.Jobs
	}
	return jobs
}

// report reports a lie, with what change makes of it.
func (a attacker) report(l run.Lease, change func(*run.Result)) run.Answer {
	a.t.Helper()
	r := &run.Result{Job: l.Job, Kind: "toy", Version: 1, Data: []byte("lie"), Key: a.Key}
	if change != nil {
		change(r)
	}
	message, err := run.Seal(r, a.Sign)
	testkit.Succeed(a.t, err)
	got, err := a.Tell(a.t.Context(), "report", l.Token, message, 10*time.Second)
	testkit.Succeed(a.t, err)
	return got
}

// TestOneKey shows that one key cannot bring a run of two copies to a wrong value, from however many
// machines: the second copy waits for another key, and list says so.
func TestOneKey(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	key := f.key("evil")
	machines := []attacker{{t, f.dial(key)}, {t, f.dial(key)}}
	m := newToy(t, 3, 1, toy{Checked: 1})
	done := make(chan run.Outcome)
	go func() { done <- f.comes(m) }()
	told := 0
	for began := time.Now(); time.Since(began) < 8*time.Second; {
		for _, evil := range machines {
			for _, l := range evil.next(3) {
				evil.report(l, func(r *run.Result) { r.Data = bytes.Repeat([]byte("l"), 65) })
				told++
			}
		}
	}
	c := f.dial(f.own)
	v, err := c.View(t.Context())
	testkit.Succeed(t, err)
	if told != 3 || len(v.Runs) != 1 || v.Runs[0].Folded != 0 ||
		!strings.Contains(v.Runs[0].Waits, "3 jobs wait to be checked by a worker with another key") {
		t.Errorf("%d results of one key; %+v", told, v.Runs)
	}
	f.worker("good", 1, nil)
	<-done // to the right value
}

// TestForged shows that no result counts that is forged, replayed, of another's name, of a wrong
// version, out of range or without its file, and that its job is done by others.
func TestForged(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	evil, other := attacker{t, f.dial(f.key("evil"))}, attacker{t, f.dial(f.key("other"))}
	m := newToy(t, 30, 1, toy{})
	done := make(chan run.Outcome)
	go func() { done <- f.comes(m) }()
	wrong := map[string]func(*run.Result){
		"not signed by the key":       func(r *run.Result) { r.Key = other.Key },
		"update the worker":           func(r *run.Result) { r.Version = 0 },
		"took 1e+308 s":               func(r *run.Result) { r.Took = 1e308 },
		"took 9999 s, the job":        func(r *run.Result) { r.Took = 9999 },
		"units -1":                    func(r *run.Result) { r.Units = -1 },
		"result of job " + m.ID()[:8]: func(r *run.Result) { r.Index++ },
	}
	// A key rests after a failure, and a job that three keys fail is given up: two take turns.
	two := []attacker{evil, {t, f.dial(f.key("evil2"))}}
	for want, change := range wrong {
		var got []run.Lease
		for len(got) == 0 {
			two[0], two[1] = two[1], two[0]
			got = two[0].next(1)
		}
		evil := two[0]
		if a := evil.report(got[0], change); !strings.Contains(a.Note, want) || len(a.Stop) != 1 {
			t.Errorf("want %q, got %+v", want, a)
		}
	}
	var got []run.Lease
	for len(got) == 0 {
		got = evil.next(1)
	}
	l := got[0]
	longer := l
	longer.Token += "A"
	for want, report := range map[string]func() run.Answer{
		"given to another worker": func() run.Answer { return other.report(l, nil) },
		"given no such job":       func() run.Answer { return evil.report(longer, nil) },
		"has given no such":       func() run.Answer { return evil.report(run.Lease{}, nil) },
	} {
		if a := report(); !strings.Contains(a.Note, want) {
			t.Errorf("want %q, got %+v", want, a)
		}
	}
	testkit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "ban", "evil"))
	for {
		if a := evil.report(l, nil); a.Refused != "" {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.worker("good", 2, nil)
	<-done
}

// TestLies shows that a result whose data cannot be right is refused by the owner, and its job done
// by another key.
func TestLies(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	evil := attacker{t, f.dial(f.key("evil"))}
	done := make(chan run.Outcome)
	go func() { done <- f.comes(newToy(t, 6, 1, toy{File: 100})) }()
	var got []run.Lease
	for len(got) == 0 {
		got = evil.next(3)
	}
	for _, l := range got {
		if a := evil.report(l, nil); a.Note != "" {
			t.Errorf("%+v", a)
		}
	}
	f.worker("good", 1, nil)
	<-done
}

// TestHog shows that one key cannot keep the jobs of a run from others: what it has at a time is
// bounded, from however many machines, and a job is taken from it however often it says that it
// lives. What it says of itself cannot harm a terminal.
func TestHog(t *testing.T) {
	usual := times
	times.Longest = 10 * time.Second
	defer func() { times = usual }()
	f := newFarm(t, "0.0.0.0:0", 0)
	hog := attacker{t, f.dial(f.key("hog"))}
	m := newToy(t, 1200, 1, toy{})
	done := make(chan run.Outcome)
	go func() { done <- f.comes(m) }()
	var tokens []string
	for range 4 {
		for _, l := range hog.next(100_000) {
			tokens = append(tokens, l.Token)
		}
	}
	if len(tokens) != 256 {
		t.Errorf("a key that has delivered nothing holds %d jobs", len(tokens))
	}
	_, err := hog.Tell(t.Context(), "ask", "", bytes.Replace(asking(0), []byte(`"test"`), []byte(`"\u001b[31mred"`), 1),
		5*time.Second)
	testkit.Succeed(t, err)
	if v, err := f.dial(f.own).View(t.Context()); err != nil || len(v.Workers) != 1 ||
		strings.Contains(v.Workers[0].Host, "\x1b") {
		t.Errorf("%+v, %v", v, err)
	}
	ctx, stop := context.WithCancel(t.Context())
	f.done.Go(func() {
		for ctx.Err() == nil {
			_, _ = hog.Tell(ctx, "ask", "", asking(0, tokens...), 5*time.Second)
			time.Sleep(200 * time.Millisecond)
		}
	})
	f.worker("good", 4, nil)
	<-done
	stop()
}

// TestInputs shows that workers get the inputs of their runs alone, whole, in parts.
func TestInputs(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	data := []byte(strings.Repeat("input", 1<<19))
	m := newToy(t, 4, 1, toy{})
	m.Inputs = []string{run.Sum(data)}
	o := toyOrder(t, m, "test")
	o.Inputs = [][]byte{data}
	read := make(chan error, 4)
	f.worker("a", 1, func(c *run.WorkConfig) {
		c.Open = func(m *run.Manifest) (run.Kind, error) {
			k, err := openToy(m)
			return reader{k, string(data), read}, err
		}
	})
	_, err := f.start(o)
	testkit.Succeed(t, err)
	for range 4 {
		testkit.Succeed(t, <-read)
	}
}

// reader reads the first input at each job.
type reader struct {
	run.Kind
	want string
	read chan error
}

func (r reader) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	got, err := in(ctx, 0)
	if err == nil && string(got) != r.want {
		err = errors.New("the input was changed")
	}
	r.read <- err
	return r.Kind.Do(ctx, j, in)
}
