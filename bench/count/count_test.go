package count

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// TestUnique counts different positions as others have: OEIS A083276, where en passant counts only if a capture is
// legal for the right to differ.
func TestUnique(t *testing.T) {
	p := chess.NewPosition()
	for plies, want := range []int{1, 20, 400, 5362, 72078} {
		subtrees, err := unique(t.Context(), p, plies)
		kit.Succeed(t, err)
		ways := uint64(0)
		for i := range subtrees {
			ways += subtrees[i].ways
		}
		all, err := perft.Count(t.Context(), p, plies, perft.Options{})
		if err != nil || len(subtrees) != want || ways != all {
			t.Errorf("ply %d: %d positions by %d ways, want %d by %d; %v", plies, len(subtrees), ways, want, all, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(ctx, p, 9); err == nil {
		t.Error("an interruption does not end the preparation")
	}
}

// counted returns the sum of a count that is opened from its spec and whose results are stored.
func counted(t *testing.T, c *Count, threads int) string {
	t.Helper()
	s, err := Type().Spec(c, 0)
	kit.Succeed(t, err)
	other, err := Type().Open(s, work.Env{})
	kit.Succeed(t, err)
	other.(*Count).Hash = c.Hash
	kit.Succeed(t, work.Run(t.Context(), s, other, work.Local(threads), work.RunOptions{}))
	return other.(*Count).Sum.String()
}

// TestCount counts positions with every split, jobs of several sizes, with and without a table, as a walk of all moves
// does: castling on both sides, en passant, promotion, Chess960, mates.
func TestCount(t *testing.T) {
	for _, fen := range []string{
		chess.StartFEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 99 80",
		"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
		"nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
	} {
		p, err := chess.ParseFEN(fen)
		kit.Succeed(t, err)
		depths := 4
		if p.Castling() == chess.AllCastling {
			depths = 5
		}
		for depth := range depths {
			want := fmt.Sprint(perft.Walk(p, depth))
			for split := range min(depth, 2) + 1 {
				c, err := divided(t.Context(), p, depth, split)
				kit.Succeed(t, err)
				for _, perJob := range []int{c.PerJob, (c.Positions + 6) / 7} {
					c.PerJob, c.Hash = max(1, min(perJob, maxPerJob)), depth%2
					if got := counted(t, c, 2); got != want {
						t.Errorf("%s depth %d, split %d, %d in a job: %s, want %s", fen, depth, split, perJob, got, want)
					}
				}
			}
		}
	}
}

// TestRefused shows what is no result and no count.
func TestRefused(t *testing.T) {
	for _, text := range []string{"", "-1", "1e9", "340282366920938463463374607431768211456", `{"sum":"8902"}`} {
		if c := new(Count); c.Add(0, []byte(text)) == nil || c.Folded != 0 {
			t.Errorf("%s is folded", text)
		}
	}
	for _, input := range []string{"", "x\n", "1 8/8/8/8/8/8/8/8 w - -\n", "a 8/8/8/8/8/8/8/k1K5 w - -\n"} {
		if _, _, err := (counter{&Count{Positions: 1}}).Do(t.Context(), work.Job{Input: []byte(input)}); err == nil {
			t.Errorf("%q is counted", input)
		}
	}
	c := &Count{FEN: chess.StartFEN, Depth: 3, Split: 2, Positions: 399, PerJob: 1000}
	if _, err := c.Next(0); err == nil || !strings.Contains(err.Error(), "at ply 2: 400, but the run says 399") {
		t.Errorf("another list of positions: %v", err)
	}
	const fen = `"fen":"8/8/8/8/8/8/8/k1K5 w - - 0 1"`
	open := func(params string) error {
		s := &work.Spec{Kind: "count", Version: 1, Params: json.RawMessage(params)}
		_, err := Type().Open(s, work.Env{})
		return err
	}
	kit.Succeed(t, open(`{`+fen+`,"depth":20,"positions":1,"perjob":1}`))
	for want, params := range map[string]string{
		"FEN ": `{"fen":"x","perjob":1}`, "depth -1": `{"depth":-1}`, "depth 41": `{` + fen + `,"depth":41,"perjob":1}`,
		"split 3": `{"depth":2,"split":3}`, "split -1": `{"split":-1}`, "positions -1": `{"positions":-1,"perjob":1}`,
		"perjob 0": `{` + fen + `,"positions":1}`, "perjob 2001": `{` + fen + `,"positions":1,"perjob":2001}`,
	} {
		if err := open(params); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("params %s: error %v, want %q", params, err, want)
		}
	}
}
