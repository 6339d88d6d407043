package main

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// TestPerft counts both copies of all jobs as workers do, which know the manifest and the input of a job; of no
// positions the count is 0.
func TestPerft(t *testing.T) {
	for _, tt := range []struct{ fen, want string }{
		{chess.StartFEN, "119060324"}, {"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "0"},
	} {
		owner := newPerft()
		_, _, err := owner.order(t.Context(), &spec{FEN: tt.fen, Depth: 6}, here(t))
		testkit.Succeed(t, err)
		m := manifestOf(t, "perft", 0, owner)
		owner, worker := newPerft(), newPerft()
		testkit.Succeed(t, m.Read(owner))
		testkit.Succeed(t, m.Read(worker))
		for index := range m.Jobs {
			var copies [2]string
			for i := range copies {
				j := run.Job{Run: m.ID(), Index: index, Copy: i, Input: owner.Input(index)}
				data, _, err := worker.Do(t.Context(), j, nil)
				testkit.Succeed(t, err)
				copies[i] = string(data)
			}
			if copies[0] != copies[1] {
				t.Errorf("%s: job %d: %s, then %s", tt.fen, index, copies[0], copies[1])
			}
			testkit.Succeed(t, owner.Add(run.Job{Index: index}, []byte(copies[0])))
		}
		var out strings.Builder
		if err := owner.result(&out, run.Outcome{}); err != nil || !strings.HasSuffix(out.String(), "\n"+tt.want+"\n") {
			t.Errorf("%s: %v, %q, want %s", tt.fen, err, &out, tt.want)
		}
	}
	if _, _, err := newPerft().order(t.Context(), &spec{FEN: chess.StartFEN, Depth: 41}, here(t)); err == nil {
		t.Error("depth 41 is taken")
	}
}
