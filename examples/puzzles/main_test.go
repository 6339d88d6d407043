package main

import (
	"strings"
	"testing"
)

// puzzles are made up for the test: two that are solved, a wrong solution, and bad rows.
const puzzles = `PuzzleId,FEN,Moves,Rating
backrank,6k1/5ppp/8/8/8/8/1r3PPP/R5K1 b - - 0 1,b2b3 a1a8,600
queen,8/6k1/8/3q4/8/8/3R2PP/6K1 b - - 0 1,g7g8 d2d5,900
wrong,6k1/5ppp/8/8/8/8/1r3PPP/R5K1 b - - 0 1,b2b3 h2h3,600
illegal,6k1/5ppp/8/8/8/8/1r3PPP/R5K1 b - - 0 1,b2a8 a1a8,600
nofen,8/8,a1a2,600
short,8
`

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), strings.NewReader(puzzles), &out, 20_000); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	for i, want := range []string{
		"wrong: move 1: 2. Ra8+", "illegal: move \"b2a8\"", "nofen: FEN placement: ", "short: too few columns (2), want", "2 of 6 solved",
	} {
		if i >= len(lines) || !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d: got\n%s\nwant %s", i, out.String(), want)
		}
	}
}
