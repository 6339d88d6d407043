package quorum

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/farm/run"
)

// said is what a worker said of copy k of job 0; a capital letter was alone.
type said struct {
	k      int
	worker string
	value  string
	alone  bool
}

func TestLedger(t *testing.T) {
	for _, tt := range []struct {
		name   string
		copies int
		said   []said
		ban    []string
		alone  bool
		value  string // agreed, "" for none
		want   Want   // of the next copy, where there is no value
		none   bool   // no copy is wanted
		liars  []string
		copied int
	}{
		{name: "nothing", copies: 2, want: Want{0, -1}},
		{name: "one suffices", copies: 1, said: []said{{0, "a", "1", false}}, value: "1"},
		{name: "another must", copies: 2, said: []said{{0, "a", "1", false}}, want: Want{1, 0}},
		{name: "two agree", copies: 2, said: []said{{0, "a", "1", false}, {1, "b", "1", false}}, value: "1"},
		{name: "one twice", copies: 2, said: []said{{0, "a", "1", false}, {1, "a", "1", false}}, want: Want{2, 0}},
		{name: "one twice, alone, not allowed", copies: 2, said: []said{{0, "a", "1", true}, {1, "a", "1", true}}, want: Want{2, 0}},
		{name: "one twice, alone", copies: 2, said: []said{{0, "a", "1", true}, {1, "a", "1", true}}, alone: true, value: "1", copied: 1},
		{name: "one twice, not alone", copies: 2, said: []said{{0, "a", "1", false}, {1, "a", "1", false}}, alone: true, want: Want{2, 0}},
		{name: "they differ", copies: 2, said: []said{{0, "a", "1", false}, {1, "b", "2", false}}, want: Want{2, -1}},
		{name: "a third decides", copies: 2, said: []said{{0, "a", "1", false}, {1, "b", "2", false}, {2, "c", "2", false}}, value: "2", liars: []string{"a"}},
		{name: "a liar cannot decide", copies: 2, said: []said{{0, "a", "1", false}, {1, "b", "2", false}, {2, "a", "1", false}}, want: Want{3, -1}},
		{name: "one corrects itself", copies: 2, said: []said{{0, "a", "1", false}, {1, "b", "2", false}, {2, "a", "2", false}}, value: "2"},
		{name: "banned", copies: 1, said: []said{{0, "a", "1", false}}, ban: []string{"a"}, want: Want{1, -1}},
		{name: "banned, others agree", copies: 2, said: []said{{0, "a", "1", false}, {1, "b", "2", false}, {2, "c", "2", false}}, ban: []string{"a"}, value: "2"},
		{name: "junk", copies: 1, said: []said{{0, "", "", false}}, want: Want{1, -1}},
		{name: "a gap", copies: 1, said: []said{{1, "", "", false}}, want: Want{0, -1}},
		{name: "eight differ", copies: 2, none: true, said: []said{
			{0, "a", "1", false}, {1, "b", "2", false}, {2, "c", "3", false}, {3, "d", "4", false},
			{4, "e", "5", false}, {5, "f", "6", false}, {6, "g", "7", false}, {7, "h", "8", false}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := New("r", 1, 4, func(int) int { return tt.copies })
			if tt.alone {
				l.AllowAlone()
			}
			for _, s := range tt.said {
				var r *run.Result
				if s.worker != "" {
					r = &run.Result{Run: "r", K: s.k, Worker: s.worker, Value: json.RawMessage(s.value), Alone: s.alone}
				}
				if err := l.Add(run.Job{Run: "r", K: s.k}, r); err != nil {
					t.Fatal(err)
				}
			}
			for _, w := range tt.ban {
				l.Ban(w)
			}
			value := ""
			if r := l.Agreed(0); r != nil {
				value = string(r.Value)
			}
			want, ok := l.Wanted(0)
			if value != tt.value || ok != (tt.value == "" && !tt.none) || ok && want != tt.want {
				t.Errorf("value %q, next %+v %v; want %q, %+v", value, want, ok, tt.value, tt.want)
			}
			if got := l.Liars(); !slices.Equal(got, tt.liars) {
				t.Errorf("liars %v, want %v", got, tt.liars)
			}
			agreed, copied := l.Count()
			if (agreed == 1) != (tt.value != "") || copied != tt.copied {
				t.Errorf("%d agreed, %d by one worker; want %q, %d", agreed, copied, tt.value, tt.copied)
			}
		})
	}
}

// TestGivenUp shows that a job that was given up is asked of nobody, and what is
// no job of the run is refused.
func TestGivenUp(t *testing.T) {
	l := New("r", 3, 4, func(int) int { return 1 })
	l.GiveUp(run.Job{Run: "r", Index: 1})
	if _, ok := l.Wanted(1); ok || !l.Spent(run.Job{Run: "r", Index: 1}) {
		t.Error("a job that was given up is wanted")
	}
	if dead, disputed := l.Stuck(); !slices.Equal(dead, []int{1}) || disputed != nil {
		t.Errorf("stuck: %v, %v", dead, disputed)
	}
	for _, j := range []run.Job{{Run: "other"}, {Run: "r", Index: 3}, {Run: "r", K: 4 * MaxCopies}} {
		if l.Add(j, nil) == nil {
			t.Errorf("%+v was taken", j)
		}
	}
}

// TestRefuse shows that a value that a check refuses is asked for again, and that
// banning a worker opens again what it alone has said.
func TestRefuse(t *testing.T) {
	l := New("r", 2, 4, func(int) int { return 1 })
	for i := range 2 {
		_ = l.Add(run.Job{Run: "r", Index: i}, &run.Result{Worker: "a", Index: i, Value: json.RawMessage("1")})
	}
	if got := l.Refuse(0); !slices.Equal(got, []string{"a"}) {
		t.Errorf("refused results are of %v", got)
	}
	if w, ok := l.Wanted(0); !ok || w != (Want{1, -1}) {
		t.Errorf("next %+v %v", w, ok)
	}
	if !l.Ban("a") || l.Ban("a") || l.Agreed(1) != nil {
		t.Error("the ban has opened nothing")
	}
}

// TestSlots divides workers into groups in turn; only groups that there are can be
// given to one that has reported something.
func TestSlots(t *testing.T) {
	l := New("r", 5, 4, func(int) int { return 2 })
	for i, worker := range []string{"a", "b", "c", "d", "e"} {
		if err := l.Add(run.Job{Run: "r", Index: i}, &run.Result{Worker: worker, Index: i, Value: json.RawMessage("1")}); err != nil {
			t.Fatal(err)
		}
		if got := l.Slots()[worker]; got != i%4 {
			t.Errorf("%s is of group %d, want %d", worker, got, i%4)
		}
	}
	l.Regroup("a", 4)
	l.Regroup("b", -1)
	l.Regroup("nobody", 1)
	l.Regroup("c", 3)
	if s := l.Slots(); s["a"] != 0 || s["b"] != 1 || s["c"] != 3 || len(s) != 5 {
		t.Errorf("groups %v", s)
	}
	l.Ban("b")
	if got := l.Suspect(); !slices.Equal(got, []int{1}) {
		t.Errorf("suspect jobs %v, want that of the banned worker", got)
	}
}
