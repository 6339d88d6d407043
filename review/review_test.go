package review

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// testNodes is enough for what the games here show.
const testNodes = 20_000

func read(t *testing.T, text string) *pgn.Game {
	t.Helper()
	g, err := pgn.NewReader(strings.NewReader(text)).Read()
	kit.Succeed(t, err)
	return g
}

func write(t *testing.T, g *pgn.Game) string {
	t.Helper()
	var b strings.Builder
	kit.Succeed(t, pgn.NewWriter(&b).Write(g))
	return b.String()
}

// review reviews a game with an engine of its own.
func review(t *testing.T, g *pgn.Game) *Report {
	t.Helper()
	e, err := search.NewEngine(16)
	kit.Succeed(t, err)
	r, err := Game(t.Context(), e, g, Options{Limits: Limits{Nodes: testNodes}, Why: true}, nil)
	kit.Succeed(t, err)
	return r
}

const (
	foolsMate = "1. f3 e5 2. g4 Qh4# 0-1"
	operaGame = `1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7
8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7
14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0`
)

func TestJudgments(t *testing.T) {
	for _, tt := range []struct {
		name, game string
		ply        int
		want       Judgment
		mate       [2]int // missed, allowed
		best       string // first move of the better line, "" for any
		refutation string
	}{
		{name: "allows mate in one", game: foolsMate, ply: 3, want: Blunder, mate: [2]int{0, 1}, refutation: "Qh4#"},
		{name: "loses the queen", game: "1. e4 e5 2. Qh5 Nc6 3. Qxh7 Rxh7 *", ply: 5, want: Blunder, refutation: "Rxh7"},
		{name: "misses mate in one and is mated", game: `[FEN "6k1/r4ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"]` + "\n\n1. Rb7 Ra1+ *", ply: 1, want: Blunder, mate: [2]int{1, 2}, best: "Rb8#", refutation: "Ra1+"},
		{name: "repeats a won position for the third time", game: `[FEN "6k1/8/8/8/8/8/8/RR4K1 w - - 0 1"]` + "\n\n1. Kh1 Kh8 2. Kg1 Kg8 3. Kh1 Kh8 4. Kg1 Kg8 5. Kh1 *", ply: 9, want: Blunder, mate: [2]int{2, 0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := review(t, read(t, tt.game))
			m := r.Moves[tt.ply-1]
			if m.Judgment != tt.want || [2]int{m.MissedMate, m.AllowsMate} != tt.mate {
				t.Errorf("%s: %q, mates %v, loss %v (%v to %v); want %q, %v", m.SAN, m.Judgment, [2]int{m.MissedMate, m.AllowsMate}, m.Loss, m.Before, m.After, tt.want, tt.mate)
			}
			if (m.Best != nil) != (tt.want != "") || tt.best != "" && m.Best.SAN[0] != tt.best {
				t.Errorf("%s: better is %+v, want %q", m.SAN, m.Best, tt.best)
			}
			if tt.refutation != "" && (m.Refutation == nil || m.Refutation.SAN[0] != tt.refutation) {
				t.Errorf("%s: refuted by %+v, want %q", m.SAN, m.Refutation, tt.refutation)
			}
		})
	}
}

func TestPuzzles(t *testing.T) {
	for _, tt := range []struct {
		name, game, first string
		ply               int
		found             bool
	}{
		{"mate allowed and given", foolsMate, "Qh4#", 4, true},
		{"mate missed", `[FEN "6k1/r4ppp/8/8/8/8/5PPP/1R4K1 w - - 0 1"]` + "\n\n1. Rb7 *", "Rb8#", 1, false},
	} {
		r := review(t, read(t, tt.game))
		if len(r.Puzzles) != 1 {
			t.Fatalf("%s: %d puzzles, want 1", tt.name, len(r.Puzzles))
		}
		if p := r.Puzzles[0]; p.Ply != tt.ply || p.Found != tt.found || p.Solution.SAN[0] != tt.first || len(p.Solution.SAN)%2 != 1 {
			t.Errorf("%s: %+v", tt.name, p)
		}
	}
	for _, p := range review(t, read(t, operaGame)).Puzzles {
		pos, err := chess.ParseFEN(p.FEN)
		if err != nil || pos.SideToMove().String() != p.Side {
			t.Errorf("puzzle %+v: %v", p, err)
		}
	}
}

func TestSameBytes(t *testing.T) {
	e, err := search.NewEngine(16)
	kit.Succeed(t, err)
	var want []byte
	for range 2 { // what the engine did before makes no difference
		r, err := Game(t.Context(), e, read(t, operaGame), Options{Limits: Limits{Nodes: 5000}}, nil)
		kit.Succeed(t, err)
		got, err := json.Marshal(r)
		kit.Succeed(t, err)
		if want != nil && !bytes.Equal(got, want) {
			t.Error(cmp.Diff(want, got))
		}
		want = got
		var back Report
		kit.Succeed(t, json.Unmarshal(got, &back))
		if again, _ := json.Marshal(&back); !bytes.Equal(again, got) {
			t.Error("a report read and written is another one")
		}
	}
}

func TestAnnotate(t *testing.T) {
	const game = `[White "A"]

{Before.} 1. f3 {[%eval 0.5] [%clk 0:01:00] slow} e5 $1 (1... d5 {also} 2. d4 (2. c4)) 2. g4 $1 {[%csl Rh4]} {careless} Qh4# {so it is} 0-1
`
	g := read(t, game)
	r := review(t, g)
	kit.Succeed(t, r.Annotate(g))
	text := write(t, g)
	for _, want := range []string{
		`[Annotator "Tabula"]`, "{Before.} {Accuracy: White", "[%clk 0:01:00] slow}", "2. g4 $1 {[%eval #-1]", "[%csl Rh4]} {careless} {Blunder. Allows 2... Qh4#: mate in 1.",
		"{also} 2. d4 (2. c4)", "(2. ", "Qh4# {so it is}",
	} {
		if !strings.Contains(strings.Join(strings.Fields(text), " "), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "0.5]") || strings.Contains(text, "$4") {
		t.Errorf("two evaluations or assessments of a move:\n%s", text)
	}
	again := read(t, text)
	kit.Succeed(t, r.Annotate(again))
	if diff := cmp.Diff(text, write(t, again)); diff != "" {
		t.Errorf("annotated twice: %s", diff)
	}
	if err := r.Annotate(read(t, operaGame)); err == nil {
		t.Error("a report of another game was written into one")
	}
}

// TestAnnotateOver: another report takes the place of an earlier one, beside what people have written.
func TestAnnotateOver(t *testing.T) {
	g := read(t, `[Annotator "Tabula"]

{Accuracy: White 100.0 %, Black 22.1 %.} {Accuracy counts.} 1. f3 $6 {[%eval 0.5]} {Inaccuracy. Nf3 was best.} e5 $4 {Blunder. Passes by 1... e6: the
knight attacks the rook on a1 and the queen on d1. Allows mate in 3. e6 was best.} 2. g4 $1 {Blunder. I was tired.}
Qh4# {[%eval #0] mates} {[%eval #0]} 0-1`)
	r := review(t, g)
	kit.Succeed(t, r.Annotate(g))
	text := strings.Join(strings.Fields(write(t, g)), " ")
	for _, gone := range []string{"22.1", "Inaccuracy. Nf3", "Passes by", "#0", "$6 {", "e5 $4"} {
		if strings.Contains(text, gone) {
			t.Errorf("%q stays in\n%s", gone, text)
		}
	}
	for _, want := range []string{"{Accuracy counts.}", "{Accuracy: White ", "2. g4 $1", "Blunder. I was tired.}", "{Blunder. Allows 2... Qh4#", "Qh4# {mates}"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestEvaluate: nothing in a comment changes but evaluations.
func TestEvaluate(t *testing.T) {
	m := Move{After: 17}
	for _, tt := range []struct{ comments, want []string }{
		{nil, []string{"[%eval 0.17]"}},
		{[]string{"Good.  See [%cal Ge2e4] here, [%emt 65]"}, []string{"[%eval 0.17] Good.  See [%cal Ge2e4] here, [%emt 65]"}},
		{[]string{"a", "[%clk 0:01:00] [%eval 1.0] [%eval x]", "[%eval]"}, []string{"a", "[%eval 0.17] [%clk 0:01:00]"}},
		{[]string{"[%evaluate 3]"}, []string{"[%eval 0.17] [%evaluate 3]"}},
	} {
		n := pgn.Node{Comments: tt.comments}
		m.evaluate(&n)
		if diff := cmp.Diff(n.Comments, tt.want); diff != "" {
			t.Errorf("%q: %s", tt.comments, diff)
		}
	}
}

// TestAnnotateAgain annotates what was annotated, by this program or others: nothing stands there twice, and an
// evaluation stays where it stood.
func TestAnnotateAgain(t *testing.T) {
	for _, tt := range []struct{ game, want string }{
		{"1. f3 e5 2. g4 Qh4# 0-1", "2. g4 $4 {[%eval #-1]} {Blunder."},
		{"1. f3 e5 2. g4 {[%eval 0.1]} {careless} Qh4# 0-1", "2. g4 $4 {[%eval #-1]} {careless} {Blunder."},
		{"1. f3 e5 2. g4 {careless} {[%eval 0.1]} {[%eval 0.2]} Qh4# 0-1", "2. g4 $4 {careless} {[%eval #-1]} {Blunder."},
		{"1. f3 e5 2. g4 {[%clk 0:01:00]} Qh4# 0-1", "2. g4 $4 {[%eval #-1] [%clk 0:01:00]} {Blunder."},
	} {
		g := read(t, tt.game)
		r := review(t, g)
		kit.Succeed(t, r.Annotate(g))
		once := write(t, g)
		if !strings.Contains(strings.Join(strings.Fields(once), " "), tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.game, tt.want, once)
		}
		again := read(t, once)
		kit.Succeed(t, r.Annotate(again))
		if diff := cmp.Diff(once, write(t, again)); diff != "" {
			t.Errorf("%s annotated twice: %s", tt.game, diff)
		}
		for _, n := range again.Main.Moves {
			for i, text := range n.Comments {
				n.Comments[i] = pgn.ParseComment(text).Text
			}
		}
		kit.Succeed(t, r.Annotate(again))
		if n := strings.Count(write(t, again), "Blunder."); n != 1 {
			t.Errorf("%s annotated without its evaluations: %d blunders", tt.game, n)
		}
	}
}

func TestProgressAndCancel(t *testing.T) {
	e, err := search.NewEngine(1)
	kit.Succeed(t, err)
	var done []int
	o := Options{Limits: Limits{Nodes: 500}}
	if _, err := Game(t.Context(), e, read(t, foolsMate), o, func(p Progress) {
		done = append(done, p.Done)
		if p.Total != 5 || (p.Move != nil) != (p.Done > 1) {
			t.Errorf("progress %+v", p)
		}
	}); err != nil || !slices.Equal(done, []int{1, 2, 3, 4, 5}) {
		t.Errorf("progress %v, %v", done, err)
	}
	// The last moves of a game that ends by mate are little work, and an ending with few men is less than an opening.
	_, err = Game(t.Context(), e, read(t, operaGame), o, func(p Progress) {
		if p.Done == 5 && (p.Share <= 0 || p.Share > 0.1) || p.Done == p.Total && (p.Share != 1 || p.Nodes < 29*500 || p.Nodes > 29*3000) {
			t.Errorf("progress %+v", p)
		}
	})
	kit.Succeed(t, err)
	ctx, cancel := context.WithCancelCause(t.Context())
	because := errors.New("the reader has gone")
	o.Limits = Limits{Nodes: 1 << 40}
	_, err = Game(ctx, e, read(t, operaGame), o, func(p Progress) { cancel(because) })
	if !errors.Is(err, because) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestLimitsCheck(t *testing.T) {
	for _, tt := range []struct {
		limits Limits
		ok     bool
	}{
		{Limits{}, false}, {Limits{Nodes: 1}, true}, {Limits{MoveTime: 1}, true}, {Limits{Nodes: 1, MoveTime: 1}, false}, {Limits{MoveTime: -1}, false},
		{Limits{Depth: 1}, true}, {Limits{Depth: search.MaxPly - 1}, true}, {Limits{Depth: -1}, false}, {Limits{Depth: search.MaxPly}, false},
		{Limits{Depth: 1, Nodes: 1}, false}, {Limits{Depth: 1, MoveTime: 1}, false},
	} {
		if err := tt.limits.Check(); (err == nil) != tt.ok {
			t.Errorf("%+v: %v", tt.limits, err)
		}
	}
}

func TestScore(t *testing.T) {
	for _, tt := range []struct {
		score      Score
		text, json string
		chance     float64
	}{
		{0, "+0.00", `{"cp":0}`, 0.5},
		{100, "+1.00", `{"cp":100}`, 0.5987},
		{-250, "-2.50", `{"cp":-250}`, 0.2689},
		{Score(eval.Mate), "#", `{"mate":0,"winner":"white"}`, 1},
		{-Score(eval.Mate), "#", `{"mate":0,"winner":"black"}`, 0},
		{Score(eval.Mate) - 1, "#1", `{"mate":1}`, 1},
		{Score(eval.Mate) - 2, "#1", `{"mate":1}`, 1},
		{Score(eval.Mate) - 3, "#2", `{"mate":2}`, 1},
		{5 - Score(eval.Mate), "#-3", `{"mate":-3}`, 0},
		{4 - Score(eval.Mate), "#-2", `{"mate":-2}`, 0},
	} {
		text, err := json.Marshal(tt.score)
		if tt.score.String() != tt.text || string(text) != tt.json || err != nil || tt.score.Chance() != tt.chance {
			t.Errorf("%d: %s %s %v %v, want %s %s %v", tt.score, tt.score, text, err, tt.score.Chance(), tt.text, tt.json, tt.chance)
		}
		var back Score
		if err := json.Unmarshal(text, &back); err != nil || back.String() != tt.text || back.Chance() != tt.chance {
			t.Errorf("%s read as %v, %v", text, back, err)
		}
	}
	for _, text := range []string{`{}`, `{"cp":1,"mate":1}`, `{"cp":31999}`, `{"mate":500}`, `"x"`} {
		if err := new(Score).UnmarshalJSON([]byte(text)); err == nil {
			t.Errorf("%s is taken for a score", text)
		}
	}
}

// TestCastlingText demands the king's step in standard chess and king takes rook from
// other squares.
func TestCastlingText(t *testing.T) {
	for rank, want := range map[string]string{"R3K2R w KQ": "e1c1", "R4K1R w HA": "f1a1"} {
		g := read(t, `[Variant "Chess960"]`+"\n"+`[FEN "4k3/8/8/8/8/6p1/8/`+rank+` - 0 1"]`+"\n\n1. O-O-O *")
		if got := review(t, g).Moves[0].UCI; got != want {
			t.Errorf("%s: O-O-O is %s, want %s", rank, got, want)
		}
	}
}

// TestGlyphs gives a blunder its glyph beside an assessment of the position, and none
// beside one of the move.
func TestGlyphs(t *testing.T) {
	for given, want := range map[string]string{"$14": "2. g4 $14 $4", "$2": "2. g4 $2 {", "$140": "2. g4 $140 $4"} {
		g := read(t, "1. f3 e5 2. g4 "+given+" Qh4# 0-1")
		kit.Succeed(t, review(t, g).Annotate(g))
		if text := strings.Join(strings.Fields(write(t, g)), " "); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", given, want, text)
		}
	}
}

func TestWords(t *testing.T) {
	for _, tt := range []struct {
		m    Move
		want string
	}{
		{Move{SAN: "Nf3"}, ""},
		{Move{SAN: "Nf3", Judgment: Mistake}, "Mistake."},
		{Move{SAN: "Nf3", Judgment: Mistake, Best: &Line{SAN: []string{"e4", "e5"}}}, "Mistake. e4 was best."},
		{Move{SAN: "Nf3", Judgment: Blunder, AllowsMate: 2, Best: &Line{SAN: []string{"Nf3"}}}, "Blunder. Allows mate in 2."},
		{Move{SAN: "Nf3", Judgment: Inaccuracy, MissedMate: 1, Best: &Line{SAN: []string{"Qh7#"}}}, "Inaccuracy. Misses mate in 1. Qh7# was best."},
	} {
		if got := tt.m.Words(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// TestNameOpening adds what a game lacks and leaves what it says.
func TestNameOpening(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1. Kd1 *", ""}, // not legal
		{"1. e4 c5 2. Kd1 *", "B20/Sicilian Defense"},
		{"1. e4 c5 2. a3 a6 3. Ra2 *", "B20/Sicilian Defense: Mengarini Variation"},
		{"[ECO \"?\"]\n\n1. e4 c5 *", "?/Sicilian Defense"},
		{"[Opening \"mine\"]\n[ECO \"C00\"]\n\n1. e4 c5 *", "C00/mine"},
		{"1. a3 (1. e4) *", "A00/Anderssen's Opening"},
		{"*", "/"},
		{"[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *", "/"},
	} {
		g, err := pgn.NewReader(strings.NewReader(c.text)).Read()
		if (err == nil) != (c.want != "") {
			t.Errorf("%s: %v", c.text, err)
		}
		if err != nil {
			continue
		}
		if nameOpening(g); g.Tag("ECO")+"/"+g.Tag("Opening") != c.want {
			t.Errorf("%s: tags %v, want %s", c.text, g.Tags, c.want)
		}
	}
}

// TestNullInCheck reviews a game in which a side passes in check: nothing is said of the position behind it.
func TestNullInCheck(t *testing.T) {
	g := read(t, "1. e4 e5 2. Qh5 Nc6 3. Qxf7+ -- 4. Nf3 Kxf7 *")
	r := review(t, g)
	if m := r.Moves[5]; !m.Null || m.Judgment != "" || r.Moves[6].Judgment != "" || len(r.Moves) != 8 {
		t.Errorf("%+v\n%+v", m, r.Moves[6])
	}
	kit.Succeed(t, r.Annotate(g))
	double := Report{Start: chess.StartFEN, Moves: []Move{{UCI: "e2e4"}, {UCI: "f7f6"}, {UCI: "d1h5"}, {UCI: "0000", Null: true},
		{UCI: "d2d4"}, {UCI: "g7g6", Loss: mistakeLoss, Side: "black", Best: &Line{UCI: []string{"g7g6"}}}}} // the only move is as good as any
	if all, err := double.Exercises(nil, nil); err != nil || len(all) != 1 {
		t.Errorf("a double push behind it: %d exercises, %v", len(all), err)
	}
	if text := write(t, g); !strings.Contains(text, "3... -- ") || text != write(t, read(t, text)) {
		t.Errorf("written as\n%s", text)
	}
}
