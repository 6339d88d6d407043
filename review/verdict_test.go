package review

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// verdict is what a fake engine says of a position: scores for the side to move and the
// line that it would play; the first legal moves where there is none.
type verdict struct {
	score, second eval.Score
	line          string
}

// fake is an engine that knows what it is told, by the moves that led to a position.
type fake struct {
	t        *testing.T
	start    *chess.Position
	known    map[string]verdict
	searched []string
	options  []search.Options
}

func (e *fake) Clear() {}

func (e *fake) Analyse(_ context.Context, p *chess.Position, _ search.Limits, o search.Options, _ func(search.Info)) (search.Analysis, error) {
	var moves []chess.Move
	for back := range p.Plies() {
		moves = append([]chess.Move{p.Step(back).Move}, moves...)
	}
	text, err := e.start.SANLine(moves)
	kit.Succeed(e.t, err)
	e.searched, e.options = append(e.searched, text), append(e.options, o)
	v := e.known[text]
	line := []chess.Move{movegen.Legal(p, nil)[0]}
	if v.line != "" {
		line = nil
		q := p.Clone()
		for _, san := range strings.Fields(v.line) {
			m, err := q.ParseSAN(san)
			kit.Succeed(e.t, err)
			line = append(line, m)
			q.Make(m)
		}
	}
	a := search.Analysis{Result: search.Result{Best: line[0], Score: v.score}, Lines: []search.Variation{{Score: v.score, Moves: line}}}
	if o.MultiPV > 1 {
		for _, m := range movegen.Legal(p, nil) {
			if m != line[0] {
				a.Lines = append(a.Lines, search.Variation{Score: v.second, Moves: []chess.Move{m}})
				break
			}
		}
	}
	return a, nil
}

// judged reviews a game with a fake engine.
func judged(t *testing.T, game string, known map[string]verdict, o Options) (*Report, *pgn.Game, *fake) {
	t.Helper()
	g := read(t, game)
	e := &fake{t: t, start: g.Position(), known: known}
	o.Limits = Limits{Nodes: 1}
	r, err := Game(context.Background(), e, g, o, nil)
	kit.Succeed(t, err)
	return r, g, e
}

// TestVerdicts reviews games whose verdicts follow from what the engine says.
func TestVerdicts(t *testing.T) {
	for _, tt := range []struct {
		name, game   string
		known        map[string]verdict
		judgments    string // of the moves, a letter each: - i m b, f for forced, 0 for a null move
		before       string // scores before the moves, and behind the last, as White sees them
		counted      [2]int
		missed, lets int // mates of the last move
	}{
		{"losses on both sides", "1. e4 e5 2. Nf3 Nc6 *", map[string]verdict{
			"":                {20, 0, "d4 d5"},
			"1. e4":           {100, 0, "c5 Nf3"},
			"1. e4 e5":        {-40, 0, "Nf3 Nc6"},
			"1. e4 e5 2. Nf3": {40, 0, "Nf6"}, "1. e4 e5 2. Nf3 Nc6": {116, 0, "d4"},
		}, "mi-b", "+0.20 -1.00 -0.40 -0.40 +1.16", [2]int{2, 2}, 0, 0},
		{"a move better than thought", "1. e4 e5 *", map[string]verdict{"": {0, 0, "d4"}, "1. e4": {-90, 0, "e5"}, "1. e4 e5": {90, 0, "d4"}},
			"--", "+0.90 +0.90 +0.90", [2]int{1, 1}, 0, 0},
		{"forced moves are not counted", `[FEN "7k/8/6K1/8/8/8/8/R7 b - - 0 1"]` + "\n\n1... Kg8 2. Ra7 *", map[string]verdict{
			"1... Kg8": {900, 0, "Ra2"}, "1... Kg8 2. Ra7": {0, 0, "Kf8"},
		}, "fb", "+9.00 +9.00 +0.00", [2]int{1, 0}, 0, 0},
		{"a game that goes on behind its end", `[FEN "4k3/8/8/8/8/8/r7/R3K3 w - - 150 100"]` + "\n\n100. Rxa2 *", map[string]verdict{"100. Rxa2": {900, 0, "Kd7"}}, "f", "+0.00 -9.00", [2]int{0, 0}, 0, 0},
		{"two moves are a choice", `[FEN "7k/8/5K2/8/8/8/8/R7 b - - 0 1"]` + "\n\n1... Kh7 *", map[string]verdict{"": {0, 0, "Kh7"}}, "-", "+0.00 +0.00", [2]int{0, 1}, 0, 0},
		{"a null move", "1. -- e5 *", map[string]verdict{"": {300, 0, "d4"}, "1. --": {300, 0, "e5"}, "1. -- e5": {-300, 0, "d4"}}, "0-", "+3.00 -3.00 -3.00", [2]int{0, 1}, 0, 0},
		{"a mate is missed", "1. e4 *", map[string]verdict{"": {eval.Mate - 3, 0, "d4 d5 e4"}, "1. e4": {-3000, 0, "e5"}}, "i", "#2 +30.00", [2]int{1, 0}, 2, 0},
		{"a mate in three is missed", "1. e4 *", map[string]verdict{"": {eval.Mate - 5, 0, "d4 d5 e4"}, "1. e4": {-3000, 0, "e5"}}, "i", "#3 +30.00", [2]int{1, 0}, 3, 0},
		{"a mate in four is missed", "1. e4 *", map[string]verdict{"": {eval.Mate - 7, 0, "d4 d5 e4"}, "1. e4": {-3000, 0, "e5"}}, "-", "#4 +30.00", [2]int{1, 0}, 4, 0},
		{"a mate stays one", "1. e4 *", map[string]verdict{"": {eval.Mate - 3, 0, "d4 d5 e4"}, "1. e4": {-eval.Mate + 8, 0, "e5"}}, "-", "#2 #4", [2]int{1, 0}, 0, 0},
		{"mated already", "1. e4 *", map[string]verdict{"": {-eval.Mate + 4, 0, "d4"}, "1. e4": {eval.Mate - 1, 0, "e5"}}, "-", "#-2 #-1", [2]int{1, 0}, 0, 0},
		{"mates unseen", "1. f3 e5 2. g4 Qh4# 0-1", map[string]verdict{"1. f3 e5": {0, 0, "d4"}},
			"--b-", "+0.00 +0.00 +0.00 #-1 #", [2]int{2, 2}, 0, 0},
		{"stalemate", `[FEN "7k/8/6K1/8/8/8/5Q2/8 w - - 0 1"]` + "\n\n1. Qf7 *", map[string]verdict{"": {800, 0, "Qe3"}}, "b", "+8.00 +0.00", [2]int{1, 0}, 0, 0},
		{"stalemate behind another move", `[FEN "6k1/8/6K1/8/8/8/5Q2/8 b - - 0 1"]` + "\n\n1... Kh8 2. Qf7 *", map[string]verdict{"1... Kh8": {800, 0, "Qe3"}},
			"fb", "+8.00 +8.00 +0.00", [2]int{1, 0}, 0, 0},
		{"a draw that can be claimed", "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *", map[string]verdict{
			"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8":       {-500, 0, "d4"},
			"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4": {500, 0, "e5"},
		}, "--------b", "+0.00 +0.00 +0.00 +0.00 +0.00 +0.00 +0.00 +0.00 +0.00 -5.00", [2]int{5, 4}, 0, 0},
		{"a draw that can be claimed and is not", "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4 *", map[string]verdict{
			"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8":       {-500, 0, "e4"},
			"1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 5. e4": {500, 0, "e5"},
		}, "---------", "+0.00 +0.00 +0.00 +0.00 +0.00 +0.00 +0.00 +0.00 +0.00 -5.00", [2]int{5, 4}, 0, 0},
	} {
		r, _, _ := judged(t, tt.game, tt.known, Options{})
		letters, before := "", ""
		var counts [2][3]int
		for _, m := range r.Moves {
			side := map[string]int{chess.Black.String(): 1}[m.Side]
			switch m.Judgment {
			case Inaccuracy:
				counts[side][0]++
			case Mistake:
				counts[side][1]++
			case Blunder:
				counts[side][2]++
			}
			after := kit.Position(t, m.FEN)
			if want := m.Judgment != "" && after.HasLegalMove(); (m.Refutation != nil) != want {
				t.Errorf("%s: %s has a refutation: %v, want %v", tt.name, m.SAN, !want, want)
			}
			if m.Best != nil && m.Best.Score != m.Before || m.Refutation != nil && m.Refutation.Score != m.After {
				t.Errorf("%s: %s: better %+v, refuted by %+v, want scores %v and %v", tt.name, m.SAN, m.Best, m.Refutation, m.Before, m.After)
			}
			letter := map[Judgment]string{"": "-", Inaccuracy: "i", Mistake: "m", Blunder: "b"}[m.Judgment]
			if m.Forced && m.Judgment == "" {
				letter = "f"
			} else if m.Null && m.Judgment == "" {
				letter = "0"
			}
			letters, before = letters+letter, before+m.Before.String()+" "
		}
		last := r.Moves[len(r.Moves)-1]
		if before += last.After.String(); letters != tt.judgments || before != tt.before {
			t.Errorf("%s: judged %s, want %s; scores %s, want %s", tt.name, letters, tt.judgments, before, tt.before)
		}
		w, b := r.White, r.Black
		if got := [2][3]int{{w.Inaccuracies, w.Mistakes, w.Blunders}, {b.Inaccuracies, b.Mistakes, b.Blunders}}; got != counts {
			t.Errorf("%s: inaccuracies, mistakes and blunders %v, want %v", tt.name, got, counts)
		}
		if got := [2]int{r.White.Moves, r.Black.Moves}; got != tt.counted {
			t.Errorf("%s: counted %v moves, want %v", tt.name, got, tt.counted)
		}
		for _, s := range []Side{r.White, r.Black} {
			if (s.Accuracy == nil) != (s.Moves == 0) {
				t.Errorf("%s: accuracy %v of %d moves", tt.name, s.Accuracy, s.Moves)
			}
		}
		if last.MissedMate != tt.missed && tt.missed > 0 || tt.missed == 0 && last.MissedMate != 0 || last.AllowsMate != tt.lets {
			t.Errorf("%s: mates %d missed and %d allowed, want %d and %d", tt.name, last.MissedMate, last.AllowsMate, tt.missed, tt.lets)
		}
	}
}

// TestTablesAreUsed demands that every search of a review may use the tables, and that
// what they say of an endgame is the verdict.
func TestTablesAreUsed(t *testing.T) {
	tables := search.Tables{Pieces: 3, Depth: 1}
	r, _, e := judged(t, `[FEN "8/8/8/8/4k3/4p3/4K3/8 w - - 0 1"]`+"\n\n1. Kd1 *", map[string]verdict{
		"": {0, -29000, "Ke1"}, "1. Kd1": {29000, 0, "Kd3"},
	}, Options{Tables: tables})
	if r.Moves[0].Judgment != Blunder || r.Moves[0].Best.SAN[0] != "Ke1" || len(r.Puzzles) == 0 || r.Puzzles[0].Solution.Text != "1. Ke1" {
		t.Errorf("%+v, puzzles %v", r.Moves[0], r.Puzzles)
	}
	for i, o := range e.options {
		if o.Tables != tables {
			t.Errorf("search of %q with %+v", e.searched[i], o)
		}
	}
}

// TestPuzzleBounds makes puzzles of moments at which the engine knows one good move.
func TestPuzzleBounds(t *testing.T) {
	const game = "1. e4 *"
	for _, tt := range []struct {
		name                string
		best, second, after eval.Score // for White, for White, for Black
		want                int        // puzzles about the move played
	}{
		{"one good move", 300, 0, 0, 1},
		{"two good ones", 300, 150, 0, 0},
		{"the gap just there", 0, -155, 300, 1},
		{"the gap just not there", 0, -153, 300, 0},
		{"an inaccuracy", 300, 0, -220, 0},
		{"a mistake", 300, 0, -170, 1},
		{"to lose more slowly", -60, -900, 900, 0},
		{"to hold", -40, -900, 900, 1},
	} {
		r, _, _ := judged(t, game, map[string]verdict{"": {tt.best, tt.second, "d4"}, "1. e4": {tt.after, tt.after, "e5"}}, Options{})
		if len(r.Puzzles) != tt.want {
			t.Errorf("%s: %d puzzles, want %d (loss %v)", tt.name, len(r.Puzzles), tt.want, r.Moves[0].Loss)
		}
	}
	known := map[string]verdict{"1. e4": {0, 0, "e5"}}
	line := "a3 a6 b3 b6 c3 c6 d3 d6 e3 e6 f3 f6 g3 g6 h3 h6"
	p := chess.NewPosition()
	var moves []chess.Move
	for i, san := range strings.Fields(line) {
		text, err := chess.NewPosition().SANLine(moves)
		kit.Succeed(t, err)
		known[text] = verdict{300, 0, strings.Join(strings.Fields(line)[i:], " ")}
		m := kit.Move(t, p, san)
		moves = append(moves, m)
		p.Make(m)
	}
	r, g, _ := judged(t, game, known, Options{})
	if len(r.Puzzles) != 1 || len(r.Puzzles[0].Solution.SAN) != 2*mostMoves-1 || r.Puzzles[0].Found {
		t.Fatalf("a long solution: %+v", r.Puzzles)
	}
	kit.Succeed(t, r.Annotate(g))
	if v := g.Main.Moves[0].Variations; len(v) != 1 || len(v[0].Moves) != 10 {
		t.Errorf("the better line is written as %v, want ten plies", v)
	}
}

// TestSides sums up two sides; what to expect was computed by another program from the
// words of the package's documentation.
func TestSides(t *testing.T) {
	var r Report
	before := Score(0)
	for i := range 100 {
		m := Move{Side: chess.Color(i % 2).String(), Before: before, Chance: 0.5, Accuracy: float64(50 + i*29%50), Loss: float64(i*13%20) / 100, Forced: i%7 == 3, Null: i%11 == 5}
		if i >= 20 {
			m.Chance = 0.3 + float64(i*37%41)/400
		}
		r.Moves = append(r.Moves, m)
	}
	r.sides()
	for _, tt := range []struct {
		side     Side
		moves    int
		accuracy float64
		loss     float64
	}{{r.White, 40, 73.4, 0.091}, {r.Black, 38, 72.4, 0.1053}} {
		if tt.side.Moves != tt.moves || tt.side.MeanLoss != tt.loss || *tt.side.Accuracy != tt.accuracy {
			t.Errorf("%d moves, mean loss %v, accuracy %v; want %d, %v, %v", tt.side.Moves, tt.side.MeanLoss, *tt.side.Accuracy, tt.moves, tt.loss, tt.accuracy)
		}
	}
	if w := r.weights(); slices.Min(w) != 0.005 || slices.Max(w) > 0.12 {
		t.Errorf("weights %v to %v", slices.Min(w), slices.Max(w))
	}
}

// TestThresholds judges losses about and exactly at the bounds that the documentation gives.
func TestThresholds(t *testing.T) {
	exact := map[float64]bool{}
	for before := Score(-300); before <= 600; before++ {
		for after := before - 220; after <= before; after++ {
			m := Move{Before: before, After: after}
			m.judge(chess.White, false)
			loss := math.Round(1e4*(before.Chance()-after.Chance())) / 1e4
			want := Judgment("")
			for _, at := range []struct {
				loss float64
				word Judgment
			}{{0.05, Inaccuracy}, {0.1, Mistake}, {0.15, Blunder}} {
				if loss >= at.loss {
					want = at.word
				}
				exact[at.loss] = exact[at.loss] || loss == at.loss
			}
			if m.Judgment != want {
				t.Fatalf("%v to %v, a loss of %v: %q, want %q", before, after, loss, m.Judgment, want)
			}
		}
	}
	if !exact[0.05] || !exact[0.1] || !exact[0.15] {
		t.Errorf("no loss was exactly at a bound: %v", exact)
	}
}

func TestThemes(t *testing.T) {
	mateIn := func(n int) Score { return Score(eval.Mate) - Score(2*n-1) }
	for _, c := range []struct {
		name, fen, line string
		score           Score
		want            string // all themes, in order
	}{
		{"a move that threatens nothing", "4k3/8/8/8/5N2/8/8/4K3 w - - 0 40", "Nd3", 0, "endgame oneMove equality"},
		{"a royal fork", "q3k3/8/8/1N6/8/8/8/4K3 w - - 0 40", "Nc7+ Kd7 Nxa8", 500, "endgame short advantage fork"},
		{"the back rank", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 40", "Ra8#", mateIn(1), "endgame oneMove mate mateIn1 backRankMate"},
		{"a smothered king", "6rk/6pp/8/6N1/8/8/8/4K3 w - - 0 40", "Nf7#", mateIn(1), "endgame oneMove mate mateIn1 smotheredMate"},
		{"a black mate", "r3k3/8/8/8/8/8/5PPP/6K1 b - - 0 40", "Ra1#", -mateIn(1), "endgame oneMove mate mateIn1 backRankMate"},
		{"a rook is pinned", "4k3/4r3/8/8/8/8/8/R5K1 w - - 0 40", "Re1", 250, "endgame oneMove advantage pin"},
		{"a skewer", "8/8/8/3k3r/8/8/8/B3K3 w - - 0 40", "Bb2", 0, "endgame oneMove equality"},
		{"a rook behind the king", "7r/8/8/4k3/8/8/3B4/4K3 w - - 0 40", "Bc3+ Kd5 Bxh8", 400, "endgame short advantage skewer"},
		{"a pawn behind the king", "8/6p1/8/4k3/8/8/3B4/4K3 w - - 0 40", "Bc3+ Kd5 Bxg7", 300, "endgame short advantage"},
		{"an unguarded bishop", "4k3/8/8/3b4/8/8/3R4/4K3 w - - 0 40", "Rxd5", 500, "endgame oneMove advantage hangingPiece"},
		{"a guarded bishop", "4k3/8/4p3/3b4/8/8/3R4/4K3 w - - 0 40", "Rxd5", 100, "endgame oneMove equality"},
		{"a bishop guarded through the square of the capturing rook", "4k3/8/8/3b4/8/8/3R3K/3r4 w - - 0 40", "Rxd5", 100, "endgame oneMove equality"},
		{"a king that is not quite smothered", "4k3/8/8/8/4n3/8/4n1PP/7K b - - 0 40", "Nf2#", -mateIn(1), "endgame oneMove mate mateIn1"},
		{"a pawn becomes a knight", "8/4P1k1/8/8/2q5/8/8/4K3 w - - 0 40", "e8=N+", 0, "endgame oneMove equality underPromotion"},
		{"a discovered check", "4k3/8/8/4B3/8/8/8/4R1K1 w - - 0 40", "Bd6+", 900, "endgame oneMove crushing discoveredAttack"},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 40", "exd6", 250, "endgame oneMove advantage enPassant"},
		{"a queen given up", "r5rk/6pp/8/6N1/8/1Q6/8/4K3 w - - 0 40", "Qxg8+ Rxg8 Nf7#", mateIn(2), "endgame short mate mateIn2 sacrifice smotheredMate"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kit.Position(t, c.fen)
			var moves []chess.Move
			q := p.Clone()
			for _, san := range strings.Fields(c.line) {
				m := kit.Move(t, q, san)
				moves = append(moves, m)
				q.Make(m)
			}
			if got := themes(p, moves, c.score); !slices.Equal(got, strings.Fields(c.want)) {
				t.Errorf("%q, want %q", strings.Join(got, " "), c.want)
			}
			if p.FEN() != c.fen {
				t.Errorf("the position was changed: %s", p.FEN())
			}
		})
	}
}
