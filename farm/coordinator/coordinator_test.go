package coordinator

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// TestSchedules runs random schedules: workers are killed, stopped and started, the
// coordinator is killed, messages and answers of the store are lost. Every run comes to
// what one process alone makes of it, and no job is given up.
func TestSchedules(t *testing.T) {
	seeds := uint64(40)
	if testing.Short() {
		seeds = 6
	}
	for seed := range seeds {
		f := newFarm(t, seed, 2+int(seed%5))
		f.lost, f.store.fails = 0.05, 0.02
		runs := []*run.Manifest{
			runtest.NewToy(t, 60, seed, runtest.Toy{Took: 20}), runtest.NewToy(t, 40, seed, runtest.Toy{Took: 8, Copies: 2}),
			runtest.NewToy(t, 30, seed, runtest.Toy{Took: 15, Window: 4}), runtest.NewToy(t, 50, seed, runtest.Toy{Took: 5, Stop: 20}),
		}
		for _, m := range runs {
			f.begin(m, link.Open{})
		}
		over := f.run(24*time.Hour, func() bool {
			if f.random.IntN(200) == 0 {
				f.restart()
			}
			w := f.workers[f.random.IntN(len(f.workers))]
			switch n := f.random.IntN(400); {
			case n == 0 && !w.dead:
				w.kill()
			case n == 1 && !w.dead:
				w.stop()
			case n < 20 && w.dead:
				w.start()
			}
			return f.ended()
		})
		for _, m := range runs {
			if e := f.store.ended[m.ID()]; !over || e.Text != runtest.ToyAlone(t, m) || e.Failed != "" {
				t.Fatalf("seed %d, run %s: %q %q, want %q", seed, m.ID()[:6], e.Text, e.Failed, runtest.ToyAlone(t, m))
			}
		}
	}
}

// TestCopiesGoToOthers shows that two machines do a job of two copies, and one where
// there is no other.
func TestCopiesGoToOthers(t *testing.T) {
	for _, workers := range []int{1, 2, 5} {
		f := newFarm(t, 1, workers)
		m := runtest.NewToy(t, 50, 1, runtest.Toy{Took: 5, Copies: 2})
		f.begin(m, link.Open{})
		if !f.run(time.Hour, f.ended) || f.store.ended[m.ID()].Text != runtest.ToyAlone(t, m) {
			t.Fatalf("%d workers: %+v", workers, f.store.ended)
		}
		for index := range m.Jobs {
			first, second := f.given[run.Job{Run: m.ID(), Index: index}.Name()], f.given[run.Job{Run: m.ID(), Index: index, K: 1}.Name()]
			if same := slices.Equal(first, second); same != (workers == 1) {
				t.Fatalf("%d workers: job %d by %v and %v", workers, index, first, second)
			}
		}
	}
}

// TestOrderlyStopsNeverCount stops a worker in the middle of every job again and again:
// nothing is given up, and the job is handed out at once.
func TestOrderlyStopsNeverCount(t *testing.T) {
	f := newFarm(t, 2, 1)
	m := runtest.NewToy(t, 3, 2, runtest.Toy{Took: 20})
	f.begin(m, link.Open{})
	for range 30 {
		f.run(5*time.Second, func() bool { return len(f.workers[0].jobs) > 0 })
		if len(f.workers[0].jobs) != 1 {
			t.Fatal("the worker has no job within five seconds")
		}
		f.workers[0].stop()
		f.workers[0].start()
	}
	if !f.run(time.Hour, f.ended) || f.store.ended[m.ID()].Failed != "" {
		t.Errorf("%+v", f.store.ended)
	}
}

// TestMuteWorker shows that a worker that asks for all it can get and never answers holds
// no more jobs than it has cores, and fails nobody's run.
func TestMuteWorker(t *testing.T) {
	f := newFarm(t, 3, 3)
	f.workers[0].mute, f.workers[0].cores = true, 2
	m := runtest.NewToy(t, 200, 3, runtest.Toy{Took: 5})
	f.begin(m, link.Open{})
	most := 0
	over := f.run(6*time.Hour, func() bool {
		if w := f.at.workers[f.workers[0].id]; w != nil {
			most = max(most, len(w.has))
		}
		return f.ended()
	})
	if e := f.store.ended[m.ID()]; !over || e.Failed != "" || most > 2 {
		t.Errorf("over %v, %+v; it had %d jobs", over, e, most)
	}
}

// TestFailures shows that a job is given up when different workers could not do it, and not
// because one worker can do nothing.
func TestFailures(t *testing.T) {
	f := newFarm(t, 4, 3)
	f.workers[0].fails = true
	m := runtest.NewToy(t, 60, 4, runtest.Toy{Took: 5})
	f.begin(m, link.Open{})
	over := f.run(6*time.Hour, func() bool {
		if r := f.at.tasks[m.ID()]; r != nil {
			for index := range r.failures {
				if index < r.folded {
					t.Fatalf("a failure of job %d is remembered when it is done", index)
				}
			}
		}
		return f.ended()
	})
	if !over || f.store.ended[m.ID()].Text != runtest.ToyAlone(t, m) {
		t.Fatalf("%+v", f.store.ended)
	}
	for n := range 3 {
		f := newFarm(t, 5, n+1)
		for _, w := range f.workers {
			w.fails = true
		}
		f.begin(m, link.Open{})
		if !f.run(time.Hour, f.ended) || !strings.Contains(f.store.ended[m.ID()].Failed, "nothing works here") {
			t.Errorf("%d workers that can do nothing: %+v", n+1, f.store.ended)
		}
	}
}

// TestSilence shows that a job that kills its workers is given up after two different ones,
// never after one, and that the others are done.
func TestSilence(t *testing.T) {
	for _, workers := range []int{1, 2, 4} {
		f := newFarm(t, 6, workers)
		m := runtest.NewToy(t, 20, 6, runtest.Toy{Took: 5})
		f.begin(m, link.Open{})
		poison := run.Job{Run: m.ID(), Index: 3}.Name()
		over := f.run(3*time.Hour, func() bool {
			for _, w := range f.workers {
				if w.jobs[poison] != nil {
					w.kill()
					w.spool = nil
					w.start()
				}
			}
			return f.ended()
		})
		if workers == 1 {
			if over {
				t.Errorf("one worker has given a job up: %+v", f.store.ended)
			}
			continue
		}
		if e := f.store.ended[m.ID()]; !over || !strings.Contains(e.Failed, "the first is 3") || e.Folded != 3 {
			t.Errorf("%d workers: %+v", workers, e)
		}
	}
}

// TestShares shows that runs get the seconds of work that their shares say, whatever their
// jobs take, and that a higher priority comes first.
func TestShares(t *testing.T) {
	f := newFarm(t, 7, 6)
	long, short, double := runtest.NewToy(t, 5000, 7, runtest.Toy{Took: 60}), runtest.NewToy(t, 50000, 8, runtest.Toy{Took: 3}), runtest.NewToy(t, 50000, 9, runtest.Toy{Took: 20})
	f.begin(long, link.Open{Name: "long"})
	f.begin(short, link.Open{Name: "short"})
	f.begin(double, link.Open{Name: "double", Share: 2})
	f.run(3*time.Hour, nil)
	seconds := func(m *run.Manifest) (sum float64) {
		for _, w := range f.workers {
			sum += w.seconds[m.ID()]
		}
		return sum
	}
	all := seconds(long) + seconds(short) + seconds(double)
	for m, want := range map[*run.Manifest]float64{long: 0.25, short: 0.25, double: 0.5} {
		if got := seconds(m) / all; math.Abs(got-want) > 0.03 {
			t.Errorf("jobs of %s have %.3f of the time, want %.2f", m.Params, got, want)
		}
	}
	urgent := runtest.NewToy(t, 300, 10, runtest.Toy{Took: 30})
	f.begin(urgent, link.Open{Name: "urgent", Priority: 1})
	before := seconds(long)
	if !f.run(time.Hour, func() bool { _, over := f.store.ended[urgent.ID()]; return over }) {
		t.Error("the urgent run is not over")
	}
	if got := seconds(long) - before; got > 6*90 {
		t.Errorf("a run of lower priority got %.0f s meanwhile", got)
	}
}

func TestOperators(t *testing.T) {
	f := newFarm(t, 11, 2)
	m := runtest.NewToy(t, 400, 11, runtest.Toy{Took: 5})
	f.begin(m, link.Open{})
	f.run(time.Minute, nil)
	o := f.store.open[m.ID()]
	o.Paused = true
	f.store.open[m.ID()] = o
	f.run(time.Minute, nil)
	done := f.workers[0].done
	if f.run(time.Minute, nil); f.workers[0].done != done || !strings.Contains(f.workers[0].note, "paused") {
		t.Errorf("a paused run goes on, or nobody says that it is paused: %q", f.workers[0].note)
	}
	o.Paused = false
	f.store.open[m.ID()] = o
	f.workers[1].stop()
	if f.run(2*time.Minute, nil); f.workers[0].done == done {
		t.Error("a run that is no longer paused does not go on")
	}
	f.store.bans = []link.Ban{{Worker: strings.TrimSuffix(f.workers[0].id, ".m"), Reason: "test"}}
	f.run(time.Minute, nil)
	if !strings.Contains(f.workers[0].refused, "banned: test") {
		t.Errorf("a banned worker is told %q", f.workers[0].refused)
	}
	if v := f.at.View(f.now); len(v.Runs) != 1 || v.Runs[0].Folded != 0 {
		t.Errorf("results of a banned worker count: %+v", v.Runs[0].Folded)
	}
	f.store.bans = nil
	f.workers[0].refused = ""
	f.run(time.Minute, nil)
	if v := f.at.View(f.now); v.Runs[0].Folded < 10 || v.Runs[0].Left <= 0 {
		t.Errorf("after the ban was lifted %d jobs are folded, %.0f s left", v.Runs[0].Folded, v.Runs[0].Left)
	}
}

// TestCancel shows that workers end the jobs of a run that was cancelled, those too that they
// got before the coordinator had heard of it.
func TestCancel(t *testing.T) {
	f := newFarm(t, 18, 3)
	m := runtest.NewToy(t, 100, 18, runtest.Toy{Took: 3600})
	f.begin(m, link.Open{})
	f.run(time.Minute, nil)
	must.Succeed(t, f.store.PutEnd(t.Context(), link.End{Open: link.Open{Run: m.ID()}, Failed: "cancelled"}))
	for _, w := range f.workers {
		w.jobs = map[string]*doing{} // as they hear of it; they ask again before the coordinator looks
		w.act()
	}
	f.run(2*usual.Alive, nil)
	for _, w := range f.workers {
		if len(w.jobs) > 0 {
			t.Errorf("a worker goes on with %d jobs of a run that was cancelled", len(w.jobs))
		}
	}
}

// TestDispute shows that the fold stops where two machines differ, tells both, and goes on
// with the owner's value; a ban of the machine at fault lets its other jobs be done again.
func TestDispute(t *testing.T) {
	f := newFarm(t, 12, 3)
	f.workers[1].lies = true
	m := runtest.NewToy(t, 30, 12, runtest.Toy{Took: 5, Copies: 2})
	f.begin(m, link.Open{})
	f.run(20*time.Minute, nil)
	view := f.at.View(f.now).Runs[0]
	lied := f.workers[1].id
	if !strings.Contains(view.Held, lied) || !strings.Contains(view.Held, "wrong") || strings.Count(view.Held, " on h: ") != 2 {
		t.Fatalf("held: %q", view.Held)
	}
	// The owner's verdict counts.
	owner := f.worker()
	owner.dead = true
	at := view.Folded
	owner.publish(&doing{job: run.Job{Run: m.ID(), Index: at, K: run.VerdictCopy}})
	f.run(time.Minute, nil)
	if now := f.at.View(f.now).Runs[0].Folded; now <= at {
		t.Errorf("%d jobs are folded after the verdict on job %d", now, at)
	}
	f.store.bans = []link.Ban{{Worker: lied}}
	if !f.run(time.Hour, f.ended) || f.store.ended[m.ID()].Text != runtest.ToyAlone(t, m) {
		t.Errorf("%+v, want %s", f.store.ended[m.ID()], runtest.ToyAlone(t, m))
	}
}

// TestCanonicalSubjects shows that a second result of a job under another spelling of its
// subject is none, and that one copied from another job is none.
func TestCanonicalSubjects(t *testing.T) {
	f := newFarm(t, 13, 1)
	m := runtest.NewToy(t, 5, 13, runtest.Toy{Took: 5})
	f.begin(m, link.Open{})
	liar := f.worker()
	liar.lies, liar.dead = true, true
	liar.publish(&doing{job: run.Job{Run: m.ID(), Index: 4}})
	lie := f.store.results[0].Data
	f.store.results = nil
	f.store.taken = map[string]bool{}
	for _, subject := range []string{"00.0", "+0.0", "0.00", "0.+0", "-0.0", "0", "0.0.0", "x.0", "1.0", "0.1", "99.0", "0.12"} {
		f.store.put("res."+m.ID()+"."+subject, lie)
	}
	if !f.run(time.Hour, f.ended) || f.store.ended[m.ID()].Text != runtest.ToyAlone(t, m) {
		t.Errorf("%+v, want %s", f.store.ended[m.ID()], runtest.ToyAlone(t, m))
	}
}

func TestAdmission(t *testing.T) {
	f := newFarm(t, 14, 0)
	m := runtest.NewToy(t, 5, 14, runtest.Toy{Took: 5, Clock: true})
	m.Bench = 7
	f.begin(m, link.Open{})
	f.run(time.Minute, nil)
	for want, change := range map[string]func(*link.Ask){
		"version 2 of the protocol":    func(a *link.Ask) { a.Protocol = 2 },
		"this worker knows version 3":  func(a *link.Ask) { a.Kinds = map[string]int{"toy": 3} },
		"this worker knows version 0":  func(a *link.Ask) { a.Kinds = nil },
		"this worker has 8: it has an": func(a *link.Ask) { a.Bench = 8 },
		"no free core":                 func(a *link.Ask) { a.Timed = false },
		"":                             func(*link.Ask) {},
	} {
		a := link.Ask{Machine: link.Machine{Protocol: link.Protocol, Kinds: map[string]int{"toy": 1}, Bench: 7, Cores: 1, Boot: want}, Timed: true}
		change(&a)
		var got link.Answer
		text, err := json.Marshal(&a)
		must.Succeed(t, err)
		f.at.Take(f.now, link.Incoming{What: "ask", From: "U." + fmt.Sprint(len(want)), Data: text, Answer: func(v any) { got = v.(link.Answer) }})
		f.run(2*usual.Hold, nil)
		if !strings.Contains(got.Refused+got.Note, want) || (got.Job != nil) != (want == "") {
			t.Errorf("want %q: %+v", want, got)
		}
	}
}

// TestFullStore shows that nothing is handed out while the store is full, that a run whose
// owner does not fetch its files waits, and that runs that were over long ago go.
func TestFullStore(t *testing.T) {
	f := newFarm(t, 15, 1)
	f.config.Keep = 24 * time.Hour
	f.restart()
	f.store.used, f.store.limit = 95<<20, 100<<20
	m := runtest.NewToy(t, 10, 15, runtest.Toy{Took: 5})
	f.begin(m, link.Open{})
	f.run(time.Minute, nil)
	if f.workers[0].done != 0 || !strings.Contains(f.workers[0].note, "the store is full: 95 of 100 MiB") {
		t.Errorf("%d jobs are done; %q", f.workers[0].done, f.workers[0].note)
	}
	f.store.used = 10 << 20
	f.run(10*time.Second, nil)
	f.at.tasks[m.ID()].stored = 60 << 20
	f.run(time.Minute, nil)
	if !strings.Contains(f.workers[0].note, "half of the store") || !strings.Contains(f.at.View(f.now).Runs[0].Held, "half of the store") {
		t.Errorf("%q, %+v", f.workers[0].note, f.at.View(f.now).Runs[0])
	}
	f.at.tasks[m.ID()].stored = 0
	if !f.run(10*time.Minute, f.ended) {
		t.Error("the run is not over when there is space")
	}
	f.run(26*time.Hour, func() bool { f.now = f.now.Add(10 * time.Second); return len(f.store.ended) == 0 })
	if len(f.store.ended) != 0 || len(f.store.results) != 0 {
		t.Errorf("%d runs and %d results are kept for more than a day", len(f.store.ended), len(f.store.results))
	}
}

// TestManyJobs counts a run of a hundred thousand jobs on a thousand workers, as a count of
// perft 12 has them, in virtual time.
func TestManyJobs(t *testing.T) {
	if testing.Short() {
		t.Skip("signs a hundred thousand results")
	}
	f := newFarm(t, 16, 1000)
	m := runtest.NewToy(t, 100_000, 16, runtest.Toy{Took: 120})
	f.begin(m, link.Open{})
	f.run(10*time.Minute, nil)
	jobs := 0
	for _, w := range f.workers {
		jobs += w.done
	}
	for name, workers := range f.given {
		if len(workers) > 1 {
			t.Fatalf("job %s was handed out %d times although nobody failed", name, len(workers))
		}
	}
	// The workers are at work nearly all the time: 1,000 × 600 s / 120 s a job.
	if v := f.at.View(f.now).Runs[0]; jobs < 4200 || v.Folded < 3500 || v.Running < 990 {
		t.Errorf("%d jobs are done, %d folded, %d under way", jobs, v.Folded, v.Running)
	}
}
