package work

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// farm is a server with a test in the coordinator's place, and one worker.
type farm struct {
	t      *testing.T
	owner  *link.Conn
	worker *link.Conn
	home   *Home
	asks   chan asked
	backs  chan link.Back
	alive  chan link.Alive
	over   chan error // what Run returned
	stop   context.CancelFunc
	log    strings.Builder // to be read when the worker has ended
}

// asked is a question that waits for its answer.
type asked struct {
	link.Ask
	answer func(any)
}

func newFarm(t *testing.T) *farm {
	t.Helper()
	f := &farm{t: t, asks: make(chan asked), backs: make(chan link.Back, 100), alive: make(chan link.Alive, 10_000), over: make(chan error, 1)}
	var err error
	f.home, err = OpenHome(t.TempDir())
	must.Succeed(t, err)
	t.Cleanup(func() { f.home.Close() })
	s := runtest.Server(t)
	dial := func(machine string) *link.Conn {
		c, err := link.Dial(t.Context(), link.Options{Process: s, Machine: machine}, time.Minute)
		must.Succeed(t, err)
		t.Cleanup(c.Close)
		return c
	}
	f.owner, f.worker = dial(""), dial(f.home.Machine)
	must.Succeed(t, f.owner.Ensure(t.Context()))
	stop, err := f.owner.Listen(func(m link.Incoming) {
		var a asked
		var b link.Back
		var alive link.Alive
		if to := map[string]any{"ask": &a.Ask, "back": &b, "alive": &alive}[m.What]; m.From != f.worker.Worker() || json.Unmarshal(m.Data, to) != nil {
			t.Errorf("%s from %s: %s", m.What, m.From, m.Data)
		}
		switch m.What {
		case "ask":
			a.answer = m.Answer
			go func() { f.asks <- a }()
		case "back":
			f.backs <- b
		case "alive":
			f.alive <- alive
		}
	})
	must.Succeed(t, err)
	t.Cleanup(stop)
	must.Succeed(t, f.owner.NC.Flush())
	return f
}

// start lets the worker work.
func (f *farm) start() {
	ctx, stop := context.WithCancel(f.t.Context())
	f.stop = stop
	f.t.Cleanup(stop)
	go func() {
		f.over <- Run(ctx, Config{
			Conn: f.worker, Home: f.home, Open: runtest.OpenToy, Times: link.Times{Alive: 20 * time.Millisecond},
			Machine: link.Machine{Host: "h", Commit: "c", Path: "p", Cores: 1},
			Free:    func(running int) bool { return running == 0 },
			Log:     slog.New(slog.NewTextHandler(&f.log, nil)),
		})
	}()
}

// get returns what comes through a channel.
func get[T any](t *testing.T, what string, c <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(time.Minute):
		t.Fatalf("no %s within a minute", what)
	}
	return v
}

// until waits for a sign of life that fits.
func (f *farm) until(what string, fits func(link.Alive) bool) {
	f.t.Helper()
	for !fits(get(f.t, what, f.alive)) {
	}
}

// result returns what the farm has of a job; its files must be there.
func (f *farm) result(j run.Job) *run.Result {
	f.t.Helper()
	m, err := f.owner.Last(f.t.Context(), link.Res, j.Subject())
	must.Succeed(f.t, err)
	r, err := run.OpenResult(j.Subject(), m.Data, link.Verify)
	must.Succeed(f.t, err)
	for _, a := range r.Files {
		if _, err := f.owner.Artefact(f.t.Context(), r, a); err != nil {
			f.t.Errorf("a file of job %d: %v", j.Index, err)
		}
	}
	return r
}

// TestWorker gives a worker jobs that are done, that nobody can do and that have become
// needless, and tells it to leave.
func TestWorker(t *testing.T) {
	f := newFarm(t)
	m := runtest.NewToy(t, 9, 1, runtest.Toy{File: 10, Stop: 5, Stuck: true})
	must.Succeed(t, f.owner.PutManifest(t.Context(), m))
	plan, err := runtest.OpenToy(m)
	must.Succeed(t, err)
	f.start()
	delivered := ""
	for index := range 2 {
		a := get(t, "question", f.asks)
		if a.Protocol != link.Protocol || a.Boot == "" || !a.Timed || a.Delivered != delivered {
			t.Errorf("%+v, want that it has delivered %q", a.Ask, delivered)
		}
		a.answer(link.Answer{Note: "nothing"})
		j := run.Job{Run: m.ID(), Index: index}
		a = get(t, "question", f.asks)
		if a.Delivered != "" {
			t.Errorf("it tells twice that it has delivered %q", a.Delivered)
		}
		a.answer(link.Answer{Job: &j})
		delivered = j.Name()
	}
	unknown := run.Job{Run: strings.Repeat("0", 64), Index: 3, K: 1}
	a := get(t, "question", f.asks)
	a.answer(link.Answer{Job: &unknown})
	if b := get(t, "job given back", f.backs); b.Job.Name() != unknown.Name() || b.Why == "" || b.Boot != a.Boot {
		t.Errorf("%+v, want %+v and why", b, unknown)
	}
	for index := range 2 {
		j := run.Job{Run: m.ID(), Index: index}
		out, err := plan.Work(t.Context(), j, nil)
		must.Succeed(t, err)
		r := f.result(j)
		if r.Digest() != run.NewResult(j, &out, 0).Digest() || len(r.Files) != 1 || r.Worker != f.worker.Worker() || r.Host != "h" || r.Commit != "c" || r.Path != "p" || r.Units != 1 || r.Took <= 0 {
			t.Errorf("%+v", r)
		}
	}
	stuck := run.Job{Run: m.ID(), Index: 7}
	get(t, "question", f.asks).answer(link.Answer{Job: &stuck})
	f.until("sign of its job", func(a link.Alive) bool {
		return len(a.Running) == 1 && a.Running[0] == stuck.Name() && a.Done == 2 && a.Spool == 0 && strings.Contains(a.Failed, "job 3") && !a.Leaving
	})
	must.Succeed(t, f.owner.CloseRun(t.Context(), strings.Repeat("1", 64)))
	must.Succeed(t, f.owner.CloseRun(t.Context(), m.ID()))
	if b := get(t, "job given back", f.backs); b.Job.Index != stuck.Index || b.Why != "" {
		t.Errorf("a job of a run that is over: %+v", b)
	}
	get(t, "question", f.asks)
	must.Succeed(t, f.owner.Drain(f.worker.Key+".other"))
	must.Succeed(t, f.owner.Drain(f.worker.Key))
	f.until("farewell", func(a link.Alive) bool { return a.Leaving && len(a.Running) == 0 })
	if err := get(t, "end", f.over); err != nil || len(f.backs) > 0 {
		t.Errorf("drained: %v, %d more jobs are given back", err, len(f.backs))
	}
	if n := strings.Count(f.log.String(), "why=nothing"); n != 1 {
		t.Errorf("it was told %d times why it has nothing to do, want once:\n%s", n, f.log.String())
	}
}

// TestWorkerEnds: a worker that is stopped gives its job back; one that is refused says why;
// what was in the spool is brought first.
func TestWorkerEnds(t *testing.T) {
	f := newFarm(t)
	m := runtest.NewToy(t, 9, 1, runtest.Toy{Stop: 5, Stuck: true})
	must.Succeed(t, f.owner.PutManifest(t.Context(), m))
	farmID, err := f.owner.FarmID(t.Context())
	must.Succeed(t, err)
	dir, err := spoolDir(f.home.Dir, farmID)
	must.Succeed(t, err)
	s, err := openSlot(dir, 0)
	must.Succeed(t, err)
	old := run.Job{Run: m.ID(), Index: 4}
	r := run.NewResult(old, &run.Output{Value: []byte("1"), Files: [][]byte{[]byte("file")}}, 1)
	r.Worker = f.worker.Worker()
	message, err := run.Seal(r, f.worker.Sign)
	must.Succeed(t, err)
	must.Succeed(t, errors.Join(s.put(spooled{old, message, [][]byte{[]byte("file")}}), s.file.Close()))
	f.start()
	a := get(t, "question", f.asks)
	if got := f.result(old); len(got.Files) != 1 || string(got.Value) != "1" {
		t.Errorf("from the spool: %+v", got)
	}
	stuck := run.Job{Run: m.ID(), Index: 5}
	a.answer(link.Answer{Job: &stuck})
	f.until("sign of its job", func(a link.Alive) bool { return len(a.Running) == 1 })
	f.stop()
	if b := get(t, "job given back", f.backs); b.Job.Index != 5 || b.Why != "" {
		t.Errorf("%+v", b)
	}
	if err := get(t, "end", f.over); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	f.until("farewell", func(a link.Alive) bool { return a.Leaving })
	f.start()
	again := get(t, "question", f.asks)
	if again.Boot == a.Boot {
		t.Error("a worker that was started again calls itself as before")
	}
	again.answer(link.Answer{Refused: "banned"})
	if err := get(t, "end", f.over); err == nil || err.Error() != "banned" {
		t.Errorf("refused: %v", err)
	}
	if err := left(dir, func(r spooled) error { t.Errorf("%v waits in the spool", r.Job); return nil }); err != nil {
		t.Error(err)
	}
	// A result that the hub does not take stays in the spool.
	must.Succeed(t, f.owner.JS.DeleteStream(t.Context(), link.Res))
	f.start()
	j := run.Job{Run: m.ID(), Index: 1}
	get(t, "question", f.asks).answer(link.Answer{Job: &j})
	f.until("sign of a result that waits", func(a link.Alive) bool { return a.Spool == 1 && len(a.Running) == 1 && a.Done == 0 })
	f.worker.Close()
	if err := get(t, "end", f.over); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("the connection is closed: %v", err)
	}
	var waits []int
	must.Succeed(t, left(dir, func(r spooled) error { waits = append(waits, r.Job.Index); return nil }))
	if !slices.Equal(waits, []int{1}) {
		t.Errorf("jobs in the spool: %v, want job 1", waits)
	}
}
