package main

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// TestUnique counts different positions as others have: OEIS A083276, where en
// passant counts only if a capture is legal for the right to differ.
func TestUnique(t *testing.T) {
	p, err := chess.ParseFEN(chess.StartFEN)
	testkit.Succeed(t, err)
	for plies, want := range []int{1, 20, 400, 5362, 72078} {
		subtrees, _, err := unique(context.Background(), p, plies)
		testkit.Succeed(t, err)
		ways := uint64(0)
		for i := range subtrees {
			ways += subtrees[i].ways
		}
		all, err := perft.Count(context.Background(), p, plies, perft.Options{})
		if err != nil || len(subtrees) != want || ways != all {
			t.Errorf("ply %d: %d positions by %d ways, want %d by %d; %v", plies, len(subtrees), ways, want, all, err)
		}
	}
}

// TestSplits counts positions with every split, with the jobs of every copy, as
// a walk of all moves does: castling on both sides, en passant, promotion,
// Chess960, mates.
func TestSplits(t *testing.T) {
	for _, fen := range []string{
		chess.StartFEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
		"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
		"nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
	} {
		p, err := chess.ParseFEN(fen)
		testkit.Succeed(t, err)
		for depth := range 4 {
			want := fmt.Sprint(perft.Walk(p, depth))
			for split := range depth + 1 {
				m := countOf(t, p, depth, split)
				for k := range 2 {
					if got := perftOf(t, m, k); got != want {
						t.Errorf("%s depth %d, split %d, copy %d: %s, want %s", fen, depth, split, k, got, want)
					}
				}
			}
		}
	}
}

func countOf(t *testing.T, p *chess.Position, depth, split int) *run.Manifest {
	t.Helper()
	return manifestOf(t, "perft", 0, divided(t, p, depth, split))
}

func divided(t *testing.T, root *chess.Position, depth, split int) *perftRun {
	t.Helper()
	q := &perftRun{Depth: depth}
	testkit.Succeed(t, q.divide(t.Context(), root, split))
	return q
}

// perftOf does the jobs of a run one after the other.
func perftOf(t *testing.T, m *run.Manifest, k int) string {
	t.Helper()
	p := new(perftRun)
	testkit.Succeed(t, m.Read(p))
	for i := range m.Jobs {
		j := run.Job{Run: m.ID(), Index: i, Copy: k}
		data, _, err := p.Do(context.Background(), j, nil)
		if err == nil {
			err = p.Add(j, data)
		}
		testkit.Succeed(t, err)
	}
	return p.Sum.String()
}

// TestJobsAreCounted holds the sum of many jobs, each with plies left to count and
// all with one table for each copy, against a walk of all moves, which takes no
// table, list of positions or fast frame.
func TestJobsAreCounted(t *testing.T) {
	const fen, depth = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4
	root, err := chess.ParseFEN(fen)
	testkit.Succeed(t, err)
	want := perft.Walk(root, depth)
	for split := 1; split < depth; split++ {
		q := divided(t, root, depth, split)
		q.PerJob = (q.Items + 6) / 7 // the last job is a short one
		m := manifestOf(t, "perft", 7, q)
		for k := range 2 {
			if got := perftOf(t, m, k); got != fmt.Sprint(want) {
				t.Errorf("split %d, %d jobs, copy %d: %s, want %d", split, m.Jobs, k, got, want)
			}
		}
	}
}

// TestPerftRefuses shows that what cannot be ends a run.
func TestPerftRefuses(t *testing.T) {
	for _, text := range []string{"", "-1", "1e9", "340282366920938463463374607431768211456", `{"sum":"8902"}`} {
		if new(perftRun).Add(run.Job{}, []byte(text)) == nil {
			t.Errorf("%s is folded", text)
		}
	}
	testkit.Succeed(t, new(perftRun).Add(run.Job{}, []byte("8902")))
	open := func(params string) error {
		return (&run.Manifest{Kind: "perft", Params: json.RawMessage(params), Jobs: 1}).Read(new(perftRun))
	}
	for _, params := range []string{`{"fen":"x"}`, `{"fen":"8/8/8/8/8/8/8/8 w - - 0 1","perjob":1}`, `{"depth":-1}`,
		`{"depth":2,"split":3}`, `{"items":9,"perjob":1}`, `3`,
		`{"fen":"8/8/8/8/8/8/8/k1K5 w - - 0 1","depth":21,"items":1,"perjob":1}`,
		`{"fen":"8/8/8/8/8/8/8/k1K5 w - - 0 1","depth":2,"split":-1,"items":1,"perjob":1}`,
		`{"fen":"8/8/8/8/8/8/8/k1K5 w - - 0 1","items":-1,"perjob":1}`,
		`{"fen":"8/8/8/8/8/8/8/k1K5 w - - 0 1","items":1,"perjob":0}`} {
		if open(params) == nil {
			t.Errorf("params %s are taken", params)
		}
	}
	testkit.Succeed(t, open(`{"fen":"8/8/8/8/8/8/8/k1K5 w - - 0 1","depth":20,"items":1,"perjob":1}`))
	for _, bad := range []int{-1, 21} {
		if _, _, err := new(perftRun).order(t.Context(), &spec{FEN: chess.StartFEN, Depth: bad}, place{}); err == nil {
			t.Errorf("depth %d is taken", bad)
		}
	}
}

// TestCopiesErrApart shows that a wrong count which a table holds makes one copy of
// a job wrong and not the other, so that they differ: it is found out. Copies have
// tables of their own.
func TestCopiesErrApart(t *testing.T) {
	const fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
	other, err := chess.ParseFEN("1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 0 1")
	testkit.Succeed(t, err)
	_, wrong := perft.FrameOf(other) // castling by other rooks: all that is counted with it is wrong
	root, err := chess.ParseFEN(fen)
	testkit.Succeed(t, err)
	q := divided(t, root, 4, 1)
	q.PerJob = q.Items // all in one job
	m := manifestOf(t, "perft", 5, q)
	right := perftOf(t, m, 0)
	p := new(perftRun)
	testkit.Succeed(t, m.Read(p))
	table, err := p.prepare(t.Context(), run.Job{Run: m.ID()})
	testkit.Succeed(t, err)
	for i := range p.subtrees {
		_, err := perft.CountFrame(t.Context(), &p.subtrees[i].frame, &wrong, p.Depth-p.Split, perft.Options{Table: table})
		testkit.Succeed(t, err)
	}
	for k, wantRight := range []bool{false, true} {
		data, _, err := p.Do(t.Context(), run.Job{Run: m.ID(), Copy: k}, nil)
		testkit.Succeed(t, err)
		if (string(data) == right) != wantRight {
			t.Errorf("copy %d: %s, the right sum is %s; want equal: %v", k, data, right, wantRight)
		}
	}
}

// TestPerftSizes shows that jobs of deep counts take one to ten minutes, and how many there are:
// from the known counts of the start position and the speed that was measured.
func TestPerftSizes(t *testing.T) {
	for depth, leaves := range map[int]float64{9: 2_439_530_234_167, 10: 69_352_859_712_417, 11: 2_097_651_003_696_806,
		12: 62_854_969_236_701_747} {
		n := jobs(4_865_609, depth, 5)
		seconds := leaves / 5e9 / n
		t.Logf("depth %d: %.0f jobs of %.0f s", depth, n, seconds)
		if n < fewestJobs || depth > 9 && (seconds < 60 || seconds > 600) {
			t.Errorf("depth %d: %.0f jobs of %.0f s", depth, n, seconds)
		}
	}
}

// TestOtherList shows that a worker with another list of positions than the run's counts nothing.
func TestOtherList(t *testing.T) {
	p := &perftRun{FEN: chess.StartFEN, Depth: 3, Split: 2, Blocks: run.Blocks{Items: 399, PerJob: 1000}}
	if _, _, err := p.Do(t.Context(), run.Job{}, nil); err == nil {
		t.Error("400 positions are counted as 399")
	}
}
