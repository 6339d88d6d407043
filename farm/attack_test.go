package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/work"
)

// toyMachine is what a worker of tests tells of itself.
func toyMachine(boot string) run.Machine {
	return run.Machine{Protocol: run.Protocol, Kinds: map[string]int{"toy": 1}, Boot: boot, Cores: 4, Host: "test"}
}

// TestRights shows that an ordinary key over TLS reaches nothing of the owners' account: no stream,
// bucket or message of another, directly or as the reply to a request.
func TestRights(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	c := f.owner()
	evil := f.dial(f.key("evil"))
	other, err := f.key("other").Public()
	testkit.Succeed(t, err)
	testkit.Succeed(t, c.DoOperation(t.Context(), "test", "ban", "evil", "out"))
	heard := make(chan string, 100)
	for _, subject := range []string{"$KV.operate.>", "$KV.runs.>", "job.>", "res.>", "fail.>", "_INBOX_" + other + ".>", "gate." + other + ".>"} {
		_, err := c.NC.Subscribe(subject, func(m *nats.Msg) { heard <- m.Subject })
		testkit.Succeed(t, err)
	}
	testkit.Succeed(t, c.NC.Flush())
	complained := make(chan error, 100)
	evil.NC.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { complained <- err })
	targets := []string{
		"$KV.operate.ban." + evil.Key, "$KV.operate.drain." + other, "$KV.runs.x", "$KV.workers.x", "res.x.0.0", "fail.x.0." + other, "job.x.first.0.0",
		"$JS.API.STREAM.DELETE." + run.ResultsStream, "$JS.API.STREAM.PURGE." + run.ResultsStream, "$JS.API.STREAM.MSG.GET." + run.ResultsStream,
		"$JS.API.CONSUMER.CREATE." + run.JobsStream, "$JS.ACK." + run.JobsStream + ".x.1.1.1.1.1", "gate." + other + ".m.next", "$SYS.REQ.SERVER.PING",
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
		for _, verb := range []string{"next", "alive", "report", "input", "junk"} {
			_ = evil.NC.PublishRequest("gate."+evil.Key+".m."+verb, subject, []byte(`{"protocol":2}`))
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
		a, err := evil.Tell(t.Context(), "other", "next", &run.Ask{Machine: toyMachine("b"), Want: 1}, nil, 10*time.Second)
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
	if _, err := run.Dial(t.Context(), run.Options{URL: f.url, Key: stranger}, time.Minute); err == nil || !strings.Contains(err.Error(), "has not enrolled this key") {
		t.Errorf("a stranger: %v", err)
	}
	stranger.Pin = strings.Repeat("0", 64)
	if _, err := run.Dial(t.Context(), run.Options{URL: f.url, Key: stranger}, time.Second); err == nil || !strings.Contains(err.Error(), "not the one that the key names") {
		t.Errorf("another certificate: %v", err)
	}
}

// attacker is an enrolled worker that speaks to the gate by hand.
type attacker struct {
	t testing.TB
	*run.Conn
}

func (a attacker) next(machine string, want int) []run.Lease {
	a.t.Helper()
	got, err := a.Tell(a.t.Context(), machine, "next", &run.Ask{Machine: toyMachine("b"), Want: want}, nil, 10*time.Second)
	testkit.Succeed(a.t, err)
	return got.Jobs
}

// result returns a report of a job, with what change makes of it.
func (a attacker) result(l run.Lease, machine string, change func(*run.Result)) *run.Report {
	a.t.Helper()
	r := &run.Result{Run: l.Job.Run, Index: l.Job.Index, Copy: l.Job.Copy, Kind: "toy", Version: 1, Value: json.RawMessage(`"lie"`), Key: a.Key, Machine: machine}
	if change != nil {
		change(r)
	}
	message, err := run.Seal(r, a.Sign)
	testkit.Succeed(a.t, err)
	return &run.Report{Token: l.Token, Result: message}
}

func (a attacker) report(machine string, r *run.Report, file []byte) run.Answer {
	a.t.Helper()
	got, err := a.Tell(a.t.Context(), machine, "report", r, file, 10*time.Second)
	testkit.Succeed(a.t, err)
	return got
}

// TestOneKey shows that one key cannot bring a run of two copies to a wrong value, under however
// many machine names: the second copy waits for another key, and list says so.
func TestOneKey(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	evil := attacker{t, f.dial(f.key("evil"))}
	m := newToy(t, 3, 1, toy{Copies: 2})
	done := make(chan run.Outcome)
	go func() { done <- f.comes(m) }()
	told := 0
	for began := time.Now(); time.Since(began) < 8*time.Second; {
		for _, machine := range []string{"a", "b"} {
			if _, err := evil.Tell(t.Context(), machine, "alive", &run.Alive{Worker: run.Worker{Machine: toyMachine("b")}}, nil, 5*time.Second); err != nil {
				t.Fatal(err)
			}
			for _, l := range evil.next(machine, 3) {
				evil.report(machine, evil.result(l, machine, nil), nil)
				told++
			}
		}
	}
	c := f.owner()
	v, err := c.View(t.Context())
	testkit.Succeed(t, err)
	if told != 3 || len(v.Runs) != 1 || v.Runs[0].Folded != 0 || !strings.Contains(v.Runs[0].Waits, "3 jobs wait to be checked by a worker with another key") {
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
		"the worker":                  func(r *run.Result) { r.Machine = "other" },
		"not signed by the key":       func(r *run.Result) { r.Key = other.Key },
		"update the worker":           func(r *run.Result) { r.Version = 0 },
		"took 1e+308 s":               func(r *run.Result) { r.Took = 1e308 },
		"took 9999 s, the job":        func(r *run.Result) { r.Took = 9999 },
		"units -1":                    func(r *run.Result) { r.Units = -1 },
		"file of 1099511627776":       func(r *run.Result) { r.File = &run.File{Sum: run.Sum(nil), Size: 1 << 40} },
		"have no files":               func(r *run.Result) { r.File = &run.File{Sum: run.Sum([]byte("x")), Size: 1} },
		"value of ":                   func(r *run.Result) { r.Value = json.RawMessage(`"` + strings.Repeat("x", 300<<10) + `"`) },
		"result of job " + m.ID()[:8]: func(r *run.Result) { r.Index++ },
	}
	// A key rests after a failure, and a job that three keys fail is given up: two take turns.
	two := []attacker{evil, {t, f.dial(f.key("evil2"))}}
	for want, change := range wrong {
		var got []run.Lease
		for len(got) == 0 {
			two[0], two[1] = two[1], two[0]
			got = two[0].next("m", 1)
		}
		evil := two[0]
		if a := evil.report("m", evil.result(got[0], "m", change), nil); !strings.Contains(a.Note, want) || len(a.Stop) != 1 {
			t.Errorf("want %q, got %+v", want, a)
		}
	}
	var got []run.Lease
	for len(got) == 0 {
		got = evil.next("m", 1)
	}
	l := got[0]
	for want, report := range map[string]func() run.Answer{
		"given to another worker": func() run.Answer { return other.report("m", other.result(l, "m", nil), nil) },
		"given no such job":       func() run.Answer { return evil.report("m", &run.Report{Token: l.Token + "A"}, nil) },
		"has given no such":       func() run.Answer { return evil.report("m", &run.Report{Token: ""}, nil) },
	} {
		other.next("m", 0)
		if a := report(); !strings.Contains(a.Note, want) {
			t.Errorf("want %q, got %+v", want, a)
		}
	}
	for _, name := range []string{"a\x1b[31m", strings.Repeat("x", 65), "ä"} {
		if a, err := evil.Tell(t.Context(), name, "next", &run.Ask{Machine: toyMachine("b"), Want: 1}, nil, 10*time.Second); err != nil || a.Refused == "" {
			t.Errorf("machine %q: %+v, %v", name, a, err)
		}
	}
	// The owner refuses what the gate cannot judge: the value is of no job of this run.
	testkit.Succeed(t, f.hub.Conn.DoOperation(t.Context(), "test", "ban", "evil"))
	for {
		if a := evil.report("m", evil.result(l, "m", nil), nil); a.Refused != "" {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	f.worker("good", 2, nil)
	<-done
}

// TestFiles shows that a result of a run with files needs its own, and that one that the owner
// refuses is done again and leaves nothing in the store.
func TestFiles(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	evil := attacker{t, f.dial(f.key("evil"))}
	m := newToy(t, 6, 1, toy{File: 100})
	o := toyOrder(t, m, "test")
	o.Keep = func(ctx context.Context, r *run.Result, get func(context.Context, *run.File) ([]byte, error)) error {
		data, err := get(ctx, r.File)
		if err == nil && len(data) != 100 {
			err = run.Refused(errors.New("that is no file of a toy"))
		}
		return err
	}
	done := make(chan error)
	go func() { _, err := f.start(o); done <- err }()
	one := func() (l run.Lease) {
		for {
			if got := evil.next("m", 1); len(got) > 0 {
				return got[0]
			}
		}
	}
	junk := []byte("junk")
	named := func(r *run.Result) { r.File = &run.File{Sum: run.Sum(junk), Size: len(junk)} }
	if a := evil.report("m", evil.result(one(), "m", named), []byte("other")); !strings.Contains(a.Note, "the file is not the one") {
		t.Errorf("%+v", a)
	}
	if a := evil.report("m", evil.result(one(), "m", named), junk); a.Note != "" || a.Error != "" {
		t.Errorf("%+v", a)
	}
	f.worker("good", 1, nil)
	testkit.Succeed(t, <-done)
	if _, err := f.hub.Conn.Files(m.ID()).Get(t.Context(), run.Sum(junk)); !errors.Is(err, run.ErrNoFile) {
		t.Errorf("the refused file is in the store: %v", err)
	}
}

// TestHog shows that one key cannot keep the jobs of a run from others: what it has at a time is
// bounded, its machines are, and a job is taken from it however often it says that it lives.
func TestHog(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	hog := attacker{t, f.dial(f.key("hog"))}
	m := newToy(t, 1200, 1, toy{})
	o := toyOrder(t, m, "test")
	o.Plan = hasty{o.Plan}
	done := make(chan error)
	go func() { _, err := f.start(o); done <- err }()
	var tokens []string
	for len(tokens) == 0 {
		for _, l := range hog.next("m", 100_000) {
			tokens = append(tokens, l.Token)
		}
	}
	for n := range 3 {
		for _, l := range hog.next(fmt.Sprint("m", n), 100_000) {
			tokens = append(tokens, l.Token)
		}
	}
	if len(tokens) != 256 {
		t.Errorf("a key that has delivered nothing holds %d jobs", len(tokens))
	}
	refused := 0
	for n := range 80 {
		a, err := hog.Tell(t.Context(), fmt.Sprint("name", n), "alive", &run.Alive{Worker: run.Worker{Machine: toyMachine("b")}}, nil, 5*time.Second)
		testkit.Succeed(t, err)
		if a.Refused != "" {
			refused++
		}
	}
	if refused < 16 { // of m, m0, m1, m2 and these 64 may be known
		t.Errorf("%d of 80 machines are refused", refused)
	}
	ctx, stop := context.WithCancel(t.Context())
	f.done.Go(func() {
		for ctx.Err() == nil {
			_, _ = hog.Tell(ctx, "m", "alive", &run.Alive{Worker: run.Worker{Machine: toyMachine("b")}, Tokens: tokens}, nil, 5*time.Second)
			time.Sleep(200 * time.Millisecond)
		}
	})
	f.worker("good", 4, nil)
	testkit.Succeed(t, <-done)
	stop()
}

// hasty is a plan whose jobs are taken back after two seconds.
type hasty struct{ run.Plan }

func (hasty) Longest() time.Duration { return 2 * time.Second }

// TestInputs shows that workers get the inputs of their runs alone, whole, in parts.
func TestInputs(t *testing.T) {
	f := newFarm(t, "0.0.0.0:0", 0)
	data := []byte(strings.Repeat("input", 1<<19))
	m := newToy(t, 4, 1, toy{})
	m.Inputs = []string{run.Sum(data)}
	o := toyOrder(t, m, "test")
	o.Send = func(put func([]byte) error) error { return put(data) }
	read := make(chan error, 4)
	f.worker("a", 1, func(c *work.Config) {
		c.Open = func(m *run.Manifest) (run.Plan, error) {
			p, err := openToy(m)
			return reader{p, func(ctx context.Context, in run.Inputs) {
				got, err := in.Get(ctx, m.Inputs[0])
				if err == nil && string(got) != string(data) {
					err = errors.New("the input was changed")
				}
				read <- err
			}}, err
		}
	})
	_, err := f.start(o)
	testkit.Succeed(t, err)
	for range 4 {
		testkit.Succeed(t, <-read)
	}
}

type reader struct {
	run.Plan
	read func(context.Context, run.Inputs)
}

func (r reader) Work(ctx context.Context, j run.Job, in run.Inputs) (run.Output, error) {
	r.read(ctx, in)
	return r.Plan.Work(ctx, j, in)
}
