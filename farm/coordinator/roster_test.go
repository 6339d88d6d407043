package coordinator

import (
	"encoding/json"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/quorum"
	"github.com/tabula-chess/tabula/farm/run"
)

// TestRoster shows who counts as living and as alone, by a clock of the test.
func TestRoster(t *testing.T) {
	now := time.Unix(1000, 0)
	w := newRoster(5*time.Second, func() time.Time { return now })
	for _, step := range []struct {
		after   time.Duration
		hear    string // "-a": a leaves
		live    []string
		settled bool
	}{
		{0, "", nil, false},
		{time.Second, "a", []string{"a"}, false},
		{18 * time.Second, "b", []string{"a", "b"}, false},
		{1 * time.Second, "", []string{"a", "b"}, false}, // 20 s since the start
		{time.Second, "", []string{"a", "b"}, true},      // a was silent for 20 s
		{time.Millisecond, "", []string{"b"}, true},      // and now for longer
		{0, "a", []string{"a", "b"}, true},
		{0, "-b", []string{"a"}, true},
		{21 * time.Second, "", nil, true},
	} {
		now = now.Add(step.after)
		if name := step.hear; name != "" && name[0] == '-' {
			w.hear(name[1:], true)
		} else if name != "" {
			w.hear(name, false)
		}
		live := w.live()
		if !slices.Equal(live, step.live) || w.settled() != step.settled || w.alone() != (step.settled && len(step.live) == 1) {
			t.Errorf("%v later, %q: live %v, settled %v, alone %v", step.after, step.hear, live, w.settled(), w.alone())
		}
	}
}

// TestOneGroup shows that workers are parted who, after others have come and gone,
// are all of one group, which must not take the second copy of what any of it has
// done; and not before all who live have had the time to say so.
func TestOneGroup(t *testing.T) {
	for _, tt := range []struct {
		name  string
		hears []string // who live
		later time.Duration
		parts bool
	}{
		{"both of one group", []string{"a", "e"}, 21 * time.Second, true},
		{"too early", []string{"a", "e"}, 19 * time.Second, false},
		{"one is of another group", []string{"a", "b", "e"}, 21 * time.Second, false},
		{"one has not reported", []string{"a", "e", "new"}, 21 * time.Second, false},
		{"only one lives", []string{"a"}, 21 * time.Second, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now := time.Unix(1000, 0)
			s := &coordinator{log: slog.New(slog.DiscardHandler), alive: newRoster(5*time.Second, func() time.Time { return now })}
			s.book = quorum.New("r", 5, link.Lanes, func(int) int { return 2 })
			for index, worker := range []string{"a", "b", "c", "d", "e"} { // the fifth is of the first's group
				r := &run.Result{Run: "r", Index: index, Worker: worker, Value: json.RawMessage("1")}
				if err := s.book.Add(run.Job{Run: "r", Index: index}, r); err != nil {
					t.Fatal(err)
				}
			}
			now = now.Add(tt.later)
			for _, worker := range tt.hears {
				s.alive.hear(worker, false)
			}
			s.regroup(nil)
			slots := s.book.Slots()
			if parted := slots["a"] != slots["e"]; parted != tt.parts {
				t.Errorf("groups %v", slots)
			}
			// What a has done, e may take where they are parted, and the reverse.
			for index, other := range map[int]string{0: "e", 4: "a"} {
				w, ok := s.book.Wanted(index)
				if may := w.Away != slots[other]; !ok || may != tt.parts {
					t.Errorf("job %d: group %d must not take it, %s is of %d", index, w.Away, other, slots[other])
				}
			}
			// Another coordinator takes over what was published.
			before := slots["b"]
			s.regroup(map[string]int{"b": (before + 1) % link.Lanes, "nobody": 1})
			if slots["b"] != (before+1)%link.Lanes || slots["nobody"] != 0 {
				t.Errorf("published groups are not taken over: %v", slots)
			}
		})
	}
}
