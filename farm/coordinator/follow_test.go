package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// followed is what became of a run.
type followed struct {
	Status
	err  error
	kept []int // jobs whose files the owner was asked to keep
	told int   // jobs folded by the last report
}

// TestFollow follows runs whose results are there already, as workers have stored them.
func TestFollow(t *testing.T) {
	conn, err := link.Dial(t.Context(), link.Options{Process: runtest.Server(t)}, time.Minute)
	must.Succeed(t, err)
	t.Cleanup(conn.Close)
	must.Succeed(t, conn.Ensure(t.Context()))
	f := newFarm(t, 21, 3)
	good, other, liar := f.workers[0], f.workers[1], f.workers[2]
	liar.lies = true
	const jobs = 6
	for seed, tt := range []struct {
		name   string
		toy    runtest.Toy
		by     [][]*simulated // copies of the first jobs and, as the last says, of the others
		change func(id string)
		refuse int // > 0: what this job has made cannot be; < 0: its files cannot be kept at first
		failed string
		err    string
		folded int
		single int
		kept   []int
	}{
		{name: "files", toy: runtest.Toy{File: 100}, by: [][]*simulated{{good}}, refuse: -2, folded: jobs, kept: []int{0, 1, 2, 2, 3, 4, 5}},
		{name: "one machine and two", toy: runtest.Toy{Copies: 2}, by: [][]*simulated{{good, good}, {other, other}, {good, other}}, folded: jobs, single: 2},
		{name: "one copy", by: [][]*simulated{{good, good}}, folded: jobs},
		{name: "a dispute", toy: runtest.Toy{Copies: 2}, by: [][]*simulated{{good, other}, {good, liar}, {good, good}, {good, other}}, folded: jobs, single: 1},
		{name: "banned", by: [][]*simulated{{liar, good}}, change: func(string) {
			must.Succeed(t, conn.PutBan(t.Context(), link.Ban{Worker: liar.id}))
		}, folded: jobs},
		{name: "cancelled", by: [][]*simulated{{good}, {}}, change: func(id string) {
			must.Succeed(t, conn.PutEnd(t.Context(), link.End{Open: link.Open{Run: id}, Failed: "cancelled"}))
		}, failed: "cancelled", folded: 1},
		{name: "over before", by: [][]*simulated{{}}, change: func(id string) {
			must.Succeed(t, conn.PutEnd(t.Context(), link.End{Open: link.Open{Run: id}}))
		}, failed: "farm forget"},
		{name: "a value that cannot be", toy: runtest.Toy{File: 8}, by: [][]*simulated{{good}}, refuse: 3, err: "job 3: the owner's own value cannot be: not a game", folded: 3, kept: []int{0, 1, 2, 3, 3}},
		{name: "given up", by: [][]*simulated{{good}, {}}, err: context.Canceled.Error(), folded: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := runtest.NewToy(t, jobs, uint64(seed), tt.toy)
			id := m.ID()
			f.begin(m, link.Open{})
			for index := range jobs {
				for k, w := range tt.by[min(index, len(tt.by)-1)] {
					w.store(conn, run.Job{Run: id, Index: index, K: k})
				}
			}
			if tt.change != nil {
				tt.change(id)
			}
			stop := jobs
			if tt.name == "given up" {
				stop = tt.folded
			}
			got := follow(t, conn, m, tt.refuse, stop)
			if got.Folded != tt.folded || got.Single != tt.single || got.Held != "" && tt.err == "" || !slices.Equal(got.kept, tt.kept) || got.told != got.Folded {
				t.Errorf("%+v, want %d jobs, %d by one machine, kept %v", got, tt.folded, tt.single, tt.kept)
			}
			if (got.err == nil) != (tt.err == "") || got.err != nil && !strings.Contains(got.err.Error(), tt.err) {
				t.Errorf("error %v, want %q", got.err, tt.err)
			}
			if !strings.Contains(got.Failed, tt.failed) || (got.Failed == "") != (tt.failed == "") {
				t.Errorf("failed: %q, want %q", got.Failed, tt.failed)
			}
			over := tt.folded == jobs
			if text := got.Fold.Text(); over && text != runtest.ToyAlone(t, m) {
				t.Errorf("%s, want %s", text, runtest.ToyAlone(t, m))
			}
			end, ended, err := conn.Ended(t.Context(), id)
			_, open, also := conn.Opened(t.Context(), id)
			kept, last := conn.Kept(t.Context(), id)
			must.Succeed(t, errors.Join(err, also, last))
			if ended != (over || tt.failed != "") || open == ended || over && (end.Text != got.Fold.Text() || end.Failed != "" || end.Took != got.Took || end.Jobs != jobs || kept != jobs) {
				t.Errorf("ended %v, open %v: %+v, %d jobs are kept", ended, open, end, kept)
			}
			if left, err := conn.Latest(t.Context(), link.Art, "art."+id+".>"); err != nil || over && len(left) > 0 {
				t.Errorf("%d files are left, %v", len(left), err)
			}
		})
	}
}

// follow follows a run as a command does, until it is over or a report counts stop of its jobs.
func follow(t *testing.T, conn *link.Conn, m *run.Manifest, refuse, stop int) (got followed) {
	t.Helper()
	plan, err := runtest.OpenToy(m)
	must.Succeed(t, err)
	var toy runtest.Toy
	must.Succeed(t, m.Read(&toy))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	f := Follower{
		Conn: conn, Manifest: m, Plan: plan, Times: link.Times{Poll: time.Millisecond, Alive: time.Millisecond}, Log: slog.New(slog.DiscardHandler), Host: "owner",
		Open: link.Open{Run: m.ID(), Name: "test", Kind: m.Kind, Jobs: m.Jobs},
		Report: func(st Status) {
			if got.told = st.Folded; got.told == stop && stop < m.Jobs {
				cancel()
			}
		},
	}
	if toy.File > 0 {
		f.Keep = func(ctx context.Context, r *run.Result, get func(context.Context, run.Artefact) ([]byte, error)) error {
			got.kept = append(got.kept, r.Index)
			if n := len(got.kept); refuse < 0 && r.Index == -refuse && got.kept[n-2] != r.Index {
				return errors.New("the disk is full")
			} else if r.Index == refuse {
				return run.Refused(errors.New("not a game"))
			}
			data, err := get(ctx, r.Files[0])
			if err == nil && len(data) != toy.File {
				t.Errorf("job %d has a file of %d bytes, want %d", r.Index, len(data), toy.File)
			}
			return err
		}
	}
	got.Status, got.err = Follow(ctx, f)
	return got
}

// scored is a plan whose values count one each.
type scored struct{ run.Plan }

func (scored) Scores(json.RawMessage) []run.Number { return []run.Number{{Name: "n", Value: 1}} }

// TestReader counts what results bring, and reads them again where bans or a verdict change
// what was folded.
func TestReader(t *testing.T) {
	f := newFarm(t, 22, 3)
	first, second := f.workers[0], f.workers[1]
	const jobs, size = 6, 8
	m := runtest.NewToy(t, jobs, 22, runtest.Toy{Copies: 2, File: size})
	f.begin(m, link.Open{})
	plan, err := runtest.OpenToy(m)
	must.Succeed(t, err)
	r := newReader(m, scored{plan}, slog.New(slog.DiscardHandler))
	put := func(w *simulated, index, k int, took float64) {
		j := run.Job{Run: m.ID(), Index: index, K: k}
		message, _ := w.result(j, took)
		f.store.put(j.Subject(), message)
	}
	for i := range jobs {
		put(first, i, 0, 2)
		put(second, i, 1, 3)
	}
	check := func(what string, folded, results int, again bool) {
		t.Helper()
		must.Succeed(t, r.read(t.Context(), f.store))
		if r.folded != folded || r.results != results || r.again != again || r.dispute != nil || r.failed != nil {
			t.Errorf("%s: %d jobs of %d results are folded, want %d of %d; again %v, %v, %v", what, r.folded, r.results, folded, results, r.again, r.dispute, r.failed)
		}
		r.again = false
	}
	check("all", jobs, 2*jobs, true)
	want := map[string]*Done{
		first.id:  {Host: "h", Jobs: jobs, Units: jobs, Took: 2 * jobs, Scores: map[string]float64{"n": jobs}},
		second.id: {Host: "h", Jobs: jobs, Units: jobs, Took: 3 * jobs, Scores: map[string]float64{}},
	}
	if d := cmp.Diff(want, r.done()); d != "" || r.took != 5*jobs {
		t.Errorf("in %v seconds (-want +got):\n%s", r.took, d)
	}
	for kept, left := range []int64{2 * jobs, 2*jobs - 2, 2*jobs - 4} {
		if r.setKept(kept); r.stored != left*size {
			t.Errorf("%d bytes are stored when %d jobs are kept, want %d", r.stored, kept, left*size)
		}
	}
	for _, tt := range []struct {
		what   string
		bans   []link.Ban
		folded int
		again  bool
	}{
		{"a ban of somebody else", []link.Ban{{Worker: f.workers[2].id}}, jobs, false},
		{"a ban", []link.Ban{{Worker: f.workers[2].id}, {Worker: first.id}}, 0, true},
		{"the same ban", []link.Ban{{Worker: first.id}}, 0, false},
		{"no ban", nil, jobs, true},
	} {
		r.setBans(tt.bans)
		check(tt.what, tt.folded, 2*jobs, tt.again)
	}
	put(first, 4, run.VerdictCopy, 1)
	check("a verdict that agrees", jobs, 2*jobs+1, false)
	f.workers[2].lies = true
	put(f.workers[2], 1, run.VerdictCopy, 1)
	check("one that differs", jobs, 2*jobs+2, true)
	if r.fold.Text() == runtest.ToyAlone(t, m) || r.stored != (2*jobs-4+1)*size {
		t.Errorf("after the verdict %s, %d bytes", r.fold.Text(), r.stored)
	}
	if r.setKept(99); r.stored != 0 || r.kept != jobs {
		t.Errorf("%d bytes are stored when all is kept, of %d jobs", r.stored, r.kept)
	}
}
