package work

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestOutcomeIsOne runs toys on any number of threads, at a place that hands results over twice and in disorder, with
// and without a journal: they come to one chain.
func TestOutcomeIsOne(t *testing.T) {
	for _, lag := range []int{0, 1, 5} {
		want := outcome(t, 60, lag)
		places := map[string]Executor{"three threads": Local(3), "sixteen threads": Local(16)}
		if lag == 0 { // with a lag it would wait for jobs that it holds back
			places["disorder"] = shuffled{7}
		}
		for name, at := range places {
			for _, file := range []string{"", filepath.Join(t.TempDir(), "j")} {
				k, reports := &toy{N: 60, Lag: lag, Sleep: time.Millisecond}, 0
				err := Run(t.Context(), k.spec(t), k, at, RunOptions{Journal: file, Report: func() { reports++ }})
				if err != nil || k.chain != want || reports != 60 {
					t.Errorf("lag %d, %s, journal %q: %x, want %x; %d reports, %v", lag, name, file, k.chain, want, reports, err)
				}
			}
		}
	}
}

// TestGoesFurther continues a run that came to its end with more jobs, and a finished one not at all.
func TestGoesFurther(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	for _, tt := range []struct{ jobs, reports int }{{10, 10}, {10, 0}, {25, 15}} {
		k, reports := &toy{N: tt.jobs}, 0
		err := Run(t.Context(), k.spec(t), k, Local(2), RunOptions{Journal: name, Report: func() { reports++ }})
		if err != nil || k.chain != outcome(t, tt.jobs, 0) || reports != tt.reports {
			t.Errorf("%d jobs: %v, chain %x; %d reports, want %d", tt.jobs, err, k.chain, reports, tt.reports)
		}
	}
	for _, want := range []error{errToy, nil} { // of Finish
		k := &toy{N: 25}
		o := RunOptions{Journal: name, Finish: func() error {
			if _, err := os.Stat(name); err != nil || k.chain != outcome(t, 25, 0) {
				t.Errorf("at the end: %v, chain %x", err, k.chain)
			}
			return want
		}}
		if err := Run(t.Context(), k.spec(t), k, refuses{}, o); !errors.Is(err, want) {
			t.Errorf("error %v, want %v", err, want)
		}
		if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) != (want == nil) {
			t.Errorf("the journal after %v: %v", want, err)
		}
	}
}

// refuses is a place at which no job is to be done.
type refuses struct{}

func (refuses) Do(ctx context.Context, _ *Spec, _ Kind, _ Inputs, next func(context.Context) (Job, bool), _ func(JobResult) error) error {
	if j, ok := next(ctx); ok {
		return fmt.Errorf("job %d is done again", j.Index)
	}
	return nil
}

// TestKeepsWhatWaits interrupts a run whose job 0 does not end: the jobs behind it are done once.
func TestKeepsWhatWaits(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	ctx, cancel := context.WithCancel(t.Context())
	k := &toy{N: 40, Stuck: 1}
	time.AfterFunc(time.Second, cancel)
	if err := Run(ctx, k.spec(t), k, Local(2), RunOptions{Journal: name}); !errors.Is(err, context.Canceled) || len(k.folded) != 1 {
		t.Fatalf("%v, %d jobs folded, want 1", err, len(k.folded))
	}
	k = &toy{N: 40}
	before, now := map[int]bool{}, []int{}
	stored := func(index int, added bool) {
		if added {
			now = append(now, index)
		} else {
			before[index] = true
		}
	}
	kit.Succeed(t, Run(t.Context(), k.spec(t), k, Local(1), RunOptions{Journal: name, Stored: stored}))
	if len(now) != 1 || now[0] != 1 || len(before) != 39 || before[1] || k.chain != outcome(t, 40, 0) {
		t.Errorf("jobs %v are done again, want 1 alone; %d were stored", now, len(before))
	}
}

// TestAwaits runs a kind whose inputs come slowly: results are folded meanwhile, and the end of ctx or an error ends
// the wait.
func TestAwaits(t *testing.T) {
	for _, tt := range []struct {
		name   string
		fail   error
		folded int
	}{{"all", nil, 9}, {"an error", errToy, 4}, {"an interruption", context.Canceled, 4}} {
		k := &slow{toy: &toy{N: 9}, inputs: make(chan error)}
		reports, folded := make(chan bool), 0
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for i := range 10 { // the last one is the end
				if i == 4 && tt.fail == context.Canceled {
					cancel()
					return
				}
				if i == 4 && tt.fail != nil {
					k.inputs <- tt.fail
					return
				}
				k.inputs <- nil
				if i < 9 {
					<-reports // the next input comes once this one has been folded
				}
			}
		}()
		err := Run(ctx, k.spec(t), k, Local(3), RunOptions{Report: func() { folded++; reports <- true }})
		if cancel(); !errors.Is(err, tt.fail) || folded != tt.folded {
			t.Errorf("%s: %v, %d jobs folded, want %d", tt.name, err, folded, tt.folded)
		}
	}
}

// slow is a kind whose inputs come by a channel.
type slow struct {
	*toy
	inputs chan error
}

func (s *slow) Await(ctx context.Context) error {
	select {
	case err := <-s.inputs:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// TestDone ends a run early: jobs under way are not waited for, and results behind the end do not count.
func TestDone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	k := &toy{N: 1000, Stop: 7, Stuck: 9}
	if err := Run(t.Context(), k.spec(t), k, Local(4), RunOptions{Journal: name}); err != nil || len(k.folded) != 7 {
		t.Errorf("%v, %d jobs folded, want 7", err, len(k.folded))
	}
	// Without the end it goes on.
	k = &toy{N: 20}
	if err := Run(t.Context(), k.spec(t), k, Local(4), RunOptions{Journal: name}); err != nil || k.chain != outcome(t, 20, 0) {
		t.Errorf("%v, %d jobs folded", err, len(k.folded))
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name  string
		toy   toy
		least int // jobs folded, of 3: one that fails does not wait for those before it
	}{{"a job", toy{N: 9, Fails: errToy}, 0}, {"the fold", toy{N: 9, Refuse: true}, 3}} {
		k, name := tt.toy, filepath.Join(t.TempDir(), "j")
		err := Run(t.Context(), k.spec(t), &k, Local(2), RunOptions{Journal: name})
		if n := len(k.folded); !errors.Is(err, errToy) || !strings.Contains(err.Error(), "job 3: ") || n < tt.least || n > 3 {
			t.Errorf("%s: %v, %d jobs folded, want %d to 3", tt.name, err, n, tt.least)
		}
		again := &toy{N: 9}
		if err := Run(t.Context(), again.spec(t), again, Local(2), RunOptions{Journal: name}); err != nil || again.chain != outcome(t, 9, 0) {
			t.Errorf("%s, continued without it: %v", tt.name, err)
		}
	}
}

// TestOtherRun names the first difference between a run and the one that the journal belongs to.
func TestOtherRun(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	k := &toy{N: 3}
	first := k.spec(t)
	first.Inputs = []string{"a"}
	kit.Succeed(t, Run(t.Context(), first, k, Local(1), RunOptions{Journal: name}))
	before := kit.Read(t, name)
	for want, change := range map[string]func(*Spec){
		"kind toy, not other":                               func(s *Spec) { s.Kind = "other" },
		"toy version 1; this program has version 2":         func(s *Spec) { s.Version = 2 },
		"whose bench visits 0 nodes, not 5":                 func(s *Spec) { s.Search = 5 },
		"with other input files":                            func(s *Spec) { s.Inputs = []string{"b"} },
		"with other settings: lag 0, not 4":                 func(s *Spec) { s.Params = []byte(`{"lag":4}`) },
		"with other settings: lag 0, not not set":           func(s *Spec) { s.Params = []byte(`{}`) },
		"with other settings: extra not set, not \"\\\"x\"": func(s *Spec) { s.Params = []byte(`{"extra":"\"x","lag":0}`) },
	} {
		s := *first
		change(&s)
		err := Run(t.Context(), &s, &toy{N: 3}, Local(1), RunOptions{Journal: name})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if got := kit.Read(t, name); string(got) != string(before) {
		t.Error("the journal was changed")
	}
	other := &toy{N: 3, Lag: 2}
	kit.Succeed(t, Run(t.Context(), other.spec(t), other, Local(1), RunOptions{Journal: name, Restart: true}))
	kit.Write(t, name, []byte("Dear diary"))
	if err := Run(t.Context(), first, &toy{N: 3}, Local(1), RunOptions{Journal: name, Restart: true}); err == nil ||
		string(kit.Read(t, name)) != "Dear diary" {
		t.Errorf("a file that is no journal: %v", err)
	}
}

// backward is a place that hands results over last first, one of them spoilt.
type backward struct{ spoilt int }

func (p backward) Do(ctx context.Context, _ *Spec, k Kind, in Inputs, next func(context.Context) (Job, bool),
	got func(JobResult) error) error {
	w, err := k.Open(ctx, in)
	if err != nil {
		return err
	}
	defer w.Close()
	var results []JobResult
	for {
		j, ok := next(ctx)
		if !ok {
			break
		}
		data, _, err := w.Do(ctx, j)
		if err != nil {
			return err
		}
		if j.Index == p.spoilt {
			data = []byte("junk")
		}
		results = append(results, JobResult{j.Index, data})
	}
	for _, r := range slices.Backward(results) {
		if err := got(r); err != nil {
			return err
		}
	}
	return nil
}

// TestRefused: what the kind does not accept is told at once, whatever its turn, and the next start does that job
// again and no other.
func TestRefused(t *testing.T) {
	for _, spoilt := range []int{0, 4, 8} {
		name := filepath.Join(t.TempDir(), "j")
		k := &toy{N: 9}
		err := Run(t.Context(), k.spec(t), k, backward{spoilt}, RunOptions{Journal: name})
		if err == nil || !strings.Contains(err.Error(), `"junk" is no hash`) {
			t.Fatalf("job %d: error %v, want the one of its result", spoilt, err)
		}
		k = &toy{N: 9}
		var again []int
		stored := func(index int, now bool) {
			if now {
				again = append(again, index)
			}
		}
		err = Run(t.Context(), k.spec(t), k, Local(1), RunOptions{Journal: name, Stored: stored})
		if err != nil || !slices.Equal(again, []int{spoilt}) || k.chain != outcome(t, 9, 0) {
			t.Errorf("after the refusal of job %d: %v; jobs %v were done again", spoilt, err, again)
		}
	}
	var refused *RefusedError
	k := &toy{N: 9, Refuse: true}
	if err := Run(t.Context(), k.spec(t), k, Local(1), RunOptions{}); !errors.As(err, &refused) || !errors.Is(err, errToy) {
		t.Errorf("error %v, want a refusal", err)
	}
}

// TestInUse starts a run twice at a time.
func TestInUse(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	j, err := journal.Open(name, func(journal.Location, []byte) error { return nil })
	kit.Succeed(t, err)
	defer j.Close()
	k := &toy{N: 3}
	if err := Run(t.Context(), k.spec(t), k, Local(1), RunOptions{Journal: name}); !errors.Is(err, files.ErrInUse) {
		t.Errorf("error %v, want %v", err, files.ErrInUse)
	}
}

// TestDamage flips bits of a journal: the jobs whose results are lost are done again, and the damage is told.
func TestDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j")
	k := &toy{N: 30}
	kit.Succeed(t, Run(t.Context(), k.spec(t), k, Local(3), RunOptions{Journal: name}))
	good := kit.Read(t, name)
	head := strings.Index(string(good), "\n") + 1
	head += strings.Index(string(good[head:]), "\n") + 1
	for range 20 {
		bad := []byte(string(good))
		for range 3 {
			bad[head+rand.IntN(len(bad)-head)] ^= 1 << rand.IntN(8)
		}
		kit.Write(t, name, bad)
		told, k := 0, &toy{N: 30}
		err := Run(t.Context(), k.spec(t), k, Local(3), RunOptions{Journal: name, Damaged: func(journal.Damage) { told++ }})
		if err != nil || k.chain != outcome(t, 30, 0) || told == 0 && string(bad[len(bad)-1]) == "\n" {
			t.Fatalf("%v, %d jobs folded, damage told %d times", err, len(k.folded), told)
		}
	}
	other := filepath.Join(t.TempDir(), "j")
	j, err := journal.Open(other, nil)
	kit.Succeed(t, err)
	_, err = j.Append(map[string]int{"Config": 1})
	kit.Succeed(t, errors.Join(err, j.Close()))
	err = Run(t.Context(), k.spec(t), &toy{N: 30}, Local(3), RunOptions{Journal: other})
	if err == nil || !strings.Contains(err.Error(), other+`: record 1: "{\"Config\":1}" is no result of a job`) {
		t.Errorf("the journal of something else: %v", err)
	}
	// Without its first record a journal belongs to no run.
	kit.Write(t, name, append([]byte(journal.Magic), good[head:]...))
	if err := Run(t.Context(), k.spec(t), &toy{N: 30}, Local(3), RunOptions{Journal: name}); err == nil ||
		!strings.Contains(err.Error(), "it belongs to a run whose settings are lost") {
		t.Errorf("without a spec: %v", err)
	}
}

// killedName names the journal of the process that is killed.
const killedName = "TABULA_WORK_KILLED"

// TestKilled kills runs again and again, later ones after a longer time, until one comes to its end: nothing that was
// finished is done again, and the outcome is that of a run without interruption.
func TestKilled(t *testing.T) {
	if name := os.Getenv(killedName); name != "" {
		k := &toy{N: 300, Lag: 20, Sleep: 4 * time.Millisecond}
		kit.Succeed(t, Run(t.Context(), k.spec(t), k, Local(4), RunOptions{Journal: name}))
		return
	}
	name, held := filepath.Join(t.TempDir(), "j"), int64(0)
	for kills := 0; ; kills++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedName+"="+name)
		kit.Succeed(t, cmd.Start())
		timer := time.AfterFunc(rand.N(40*time.Millisecond)<<(kills/5), func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if info, bad := os.Stat(name); bad == nil {
			if info.Size() < held/2 {
				t.Errorf("the journal has %d bytes after %d", info.Size(), held)
			}
			held = info.Size()
		}
		if err == nil || kills == 100 {
			t.Logf("%d kills, then %v", kills, err)
			break
		}
	}
	k := &toy{N: 300, Lag: 20}
	if err := Run(t.Context(), k.spec(t), k, refuses{}, RunOptions{Journal: name}); err != nil || k.chain != outcome(t, 300, 20) {
		t.Errorf("%v, chain %x", err, k.chain)
	}
}

// TestFullDisk stores results on a disk that is full sooner or later: the error says so, and with space the run goes
// on.
func TestFullDisk(t *testing.T) {
	dir := kit.SmallDisk(t, 64<<10)
	name, ballast := filepath.Join(dir, "j"), filepath.Join(dir, "ballast")
	for _, taken := range []int{60 << 10, 48 << 10, 40 << 10, 0} {
		_ = os.Remove(ballast)
		_ = os.WriteFile(ballast, make([]byte, taken), 0o666)
		k := &toy{N: 250}
		err := Run(t.Context(), k.spec(t), k, Local(2), RunOptions{Journal: name})
		if taken > 0 && !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("%d bytes taken: %v", taken, err)
		}
		if taken == 0 && (err != nil || k.chain != outcome(t, 250, 0)) {
			t.Errorf("with space: %v, %d jobs folded", err, len(k.folded))
		}
	}
}

// TestOutputIsJournal runs a kind whose output holds what was folded: the run begins behind it.
func TestOutputIsJournal(t *testing.T) {
	k := &toy{N: 12}
	kit.Succeed(t, Run(t.Context(), k.spec(t), k, Local(2), RunOptions{}))
	k.N = 20
	if err := Run(t.Context(), k.spec(t), k, Local(2), RunOptions{First: 12}); err != nil || k.chain != outcome(t, 20, 0) {
		t.Errorf("%v, %d jobs folded", err, len(k.folded))
	}
}

func TestOpen(t *testing.T) {
	k := &toy{Lag: 4}
	s := k.spec(t)
	got, err := toys.Open(s, Env{})
	if err != nil || got.(*toy).Lag != 4 {
		t.Errorf("%+v, %v", got, err)
	}
	for want, change := range map[string]func(*Spec){
		"a run of kind other, want toy":             func(s *Spec) { s.Kind = "other" },
		"toy version 3: this program has version 1": func(s *Spec) { s.Version = 3 },
		"parameters of toy: lag -1":                 func(s *Spec) { s.Params = []byte(`{"lag":-1}`) },
		"parameters of toy: json":                   func(s *Spec) { s.Params = []byte(`{"lag":"x"}`) },
	} {
		other := *s
		change(&other)
		if _, err := toys.Open(&other, Env{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := toys.Spec(&toy{Lag: -1}, 0); err == nil {
		t.Error("a lag of -1 is taken")
	}
	if a, b := k.spec(t).ID(), (&toy{Lag: 9}).spec(t).ID(); len(a) != 32 || a == b {
		t.Errorf("IDs %s and %s", a, b)
	}
	a, b := Job{Run: "x", Index: 1}, Job{Run: "x", Index: 2}
	if a.Seed() == b.Seed() {
		t.Error("two jobs have one seed")
	}
}

func TestClean(t *testing.T) {
	got := Clean("a\x1b[31mb\n c\xff" + strings.Repeat("x", 300))
	if len(got) != 200 || !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\n") {
		t.Errorf("%q", got)
	}
}
