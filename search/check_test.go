//go:build tabula_check

package search

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search/plain"
)

// TestGamesHoldTheirSteps plays games of the checking search with itself:
// standard chess and Chess960 from random openings, endgames, and positions
// late in the fifty moves. Whatever does not hold panics.
func TestGamesHoldTheirSteps(t *testing.T) {
	games := 200
	if testing.Short() {
		games = 12
	}
	r := rand.New(rand.NewPCG(2, 14))
	e, err := NewEngine(1)
	if err != nil {
		t.Fatal(err)
	}
	plies := 0
	for g := range games {
		p := openingOf(t, g, r)
		e.Clear()
		o := Options{MultiPV: 1 + g%3}
		threads := 1
		if g%20 == 0 {
			threads = 2
		}
		if err := e.SetThreads(threads); err != nil {
			t.Fatal(err)
		}
		for n := 0; n < 120 && p.Outcome() == chess.Ongoing; n++ {
			l := Limits{Nodes: 40 + r.Uint64N(120)}
			if n%16 == 0 {
				l.Nodes = 1500
			}
			result := e.Search(p, l, o, func(i Info) { checkLine(t, p.FEN(), i) })
			if !p.IsLegal(result.Best) {
				t.Fatalf("%s: best move %v is not legal", p, result.Best)
			}
			p.Make(result.Best)
			plies++
		}
	}
	t.Logf("%d games, %d plies", games, plies)
}

// openingOf returns the position from which game g starts.
func openingOf(t *testing.T, g int, r *rand.Rand) *chess.Position {
	t.Helper()
	fens := [...]string{
		"8/5k2/8/3K4/8/2R5/8/8 w - - 80 100", "8/8/4k3/8/2KQ4/8/8/7r w - - 90 120", "8/1P6/8/k1K5/8/8/6p1/8 w - - 0 1",
		"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 96 90", "4k3/pppp4/8/8/8/8/4PPPP/4K3 w - - 0 1", "8/8/8/2k5/4K3/8/B7/N7 w - - 0 1",
	}
	var p *chess.Position
	switch g % 4 {
	case 0:
		p = parse(t, fens[g/4%len(fens)])
	case 1:
		var err error
		if p, err = chess.NewChess960(r.IntN(960)); err != nil {
			t.Fatal(err)
		}
	default:
		p = chess.NewPosition()
	}
	if g%4 != 0 {
		for range 8 {
			if moves := movegen.Legal(p, nil); len(moves) > 0 {
				p.Make(moves[r.IntN(len(moves))])
			}
		}
	}
	return p
}

// word is how well a way of settling keeps its word: of the bounds it gave,
// those that a plain search to the same depth confirms.
type word struct{ given, kept int }

// TestSettledNodesKeepTheirWord compares nodes of real searches, by the way
// they ended, with a plain search of the same depth and evaluation. What no
// heuristic may break panics by itself; here a gamble may be lost, but not
// more often than the share that stands below.
func TestSettledNodesKeepTheirWord(t *testing.T) {
	e := engine(t)
	w := e.workers[0]
	s := plain.Search{Eval: func(*chess.Position) eval.Score { return w.evaluate() }, Quiet: true, Limit: 3000}
	var words [reasons][2]word // bounds from below, from above
	seen := [reasons]int{}
	w.checks.observe = func(n settledNode) {
		if n.excluded || n.ply == 0 || n.depth > 4 && !rare(n.by) {
			return
		}
		if seen[n.by]++; seen[n.by]%thinning(n.by) == 0 {
			judge(w, &s, n, &words)
		}
	}
	for _, fen := range smallPositions {
		e.Clear()
		e.Search(parse(t, fen), Limits{Nodes: 15000}, Options{}, nil)
	}
	for by, sides := range words {
		for side, got := range sides {
			want := leastKept[reason(by)][side]
			share := 100 * float64(got.kept) / float64(max(1, got.given))
			t.Logf("%-18s %s: %5d judged, %5.1f %% kept", reason(by), [2]string{"at least", "at most "}[side], got.given, share)
			if want > 0 && (got.given < 10 || share < want) {
				t.Errorf("%v: %d of %d bounds kept, want %v %% of at least 10", reason(by), got.kept, got.given, want)
			}
		}
	}
}

// rare reports whether a way is rare and taken by deep nodes.
func rare(by reason) bool { return by == byTableCut || by == byProbCut || by == byMultiCut }

// thinning says that each so-many-th node that ends this way is looked at.
func thinning(by reason) int {
	switch by {
	case byTableCut:
		return 1
	case byProbCut, byMultiCut, byRazor, byNull, byRule:
		return 5
	}
	return 71
}

// leastKept is the share of bounds, in percent, that each way has to keep: the
// bounds from below, then those from above. A rule has to keep all, a gamble
// most; 0 stands where a way gives none.
var leastKept = [reasons][2]float64{
	byRule:     {100, 100},
	byReturn:   {100, 0},
	byTable:    {85, 75}, // it may have been found on another way there
	byRazor:    {0, 90},
	byReverse:  {95, 0},
	byNull:     {95, 0},
	byTableCut: {90, 0},
	byProbCut:  {90, 0},
	byMultiCut: {85, 0},
	byStandPat: {90, 0},
	byMoves:    {88, 78},
}

// judge asks a plain search about the bound that n gave.
func judge(w *worker, s *plain.Search, n settledNode, words *[reasons][2]word) {
	var got *word
	var alpha, beta eval.Score
	switch {
	case n.score >= n.beta:
		got, alpha, beta = &words[n.by][0], n.beta-1, n.beta
	case n.score <= n.alpha:
		got, alpha, beta = &words[n.by][1], n.alpha, n.alpha+1
	default:
		return
	}
	rule := n.by == byRule || n.by == byReturn
	if asked := (node{alpha: n.alpha, beta: n.beta}); !rule && (asked.winning() || asked.losing()) {
		return // between scores so far from a draw only mates count, and a false mate panics
	}
	const deepest = 3 // that a plain search is asked for
	depth := min(n.depth, deepest)
	switch n.by {
	case byReturn:
		depth = max(1, depth) // the repetition is a ply away
	case byTable:
		var e entry
		if w.engine.table.read(&e, w.pos.Key(), n.ply); e.depth > deepest {
			return // it stands for a deeper search than the plain one can repeat
		}
		depth = e.depth
	}
	v, ok := s.Value(w.pos, n.ply, int(depth), alpha, beta)
	if !ok {
		return
	}
	got.given++
	if n.score >= n.beta && v >= beta || n.score <= n.alpha && v <= alpha {
		got.kept++
	}
}

// smallPositions have few moves, so that a plain search of some depth is to be
// had; among them are zugzwang, stalemate, the edge of the fifty moves,
// underpromotion and repetition.
var smallPositions = []string{
	"8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",         // zugzwang of pieces
	"1q1k4/2Rr4/8/2Q3K1/8/8/8/8 w - - 0 1",                    // zugzwang
	"7k/5K2/5P1p/3p4/6P1/3p4/8/8 w - - 0 1",                   // null moves lose
	"8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",                       //
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",               // en passant and pins
	"8/5P1k/8/5K2/8/8/8/6R1 w - - 0 1",                        // underpromotion
	"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",                         // underpromotion against stalemate
	"7k/8/5K2/6P1/8/8/8/8 b - - 0 1",                          // stalemate
	"8/8/4k3/8/2KQ4/8/8/7r w - - 92 120",                      // fifty moves
	"6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 96 90",                 // fifty moves
	"6k1/6p1/8/8/8/4Q3/q4PPK/8 w - - 10 60",                   // perpetual checks
	"2r3k1/p4pp1/1p3n1p/8/1p1p4/1P1P3P/PB3RB1/6K1 w - - 2 17", //
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r2qk2r/pp1nnppp/2p1p3/3pPb2/1bPP4/1Q3N1P/PP1N1PP1/R1B1KB1R w KQkq - 2 9",
	"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1", // corresponding squares
	"4k3/1p1b1p2/p3p1p1/3p4/3P1P2/2P1P3/PP3K2/5B2 w - - 0 1",
	"3r2k1/5ppp/1q2p3/8/3P4/1Q6/5PPP/2R3K1 w - - 0 1",
}
