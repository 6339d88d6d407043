package pgn_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestVariantOnce rewrites games of Chess960 whose Variant tags say nothing: they
// get one that does, and no more however often they are written.
func TestVariantOnce(t *testing.T) {
	const fen = "[FEN \"rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EAea - 0 1\"]\n\n1. O-O-O *"
	for _, c := range []struct{ tags, want string }{
		{"", "Chess960"},
		{"[Variant \"\"]\n", "Chess960"},
		{"[Variant \"\"]\n[Variant \"\"]\n", "Chess960"},
		{"[Variant \"\"]\n[Variant \"Fischerandom\"]\n", ""},
		{"[Variant \"Fischerandom\"]\n", "Fischerandom"},
	} {
		text := c.tags + fen
		var first string
		for i := range 3 {
			g := oneGame(t, text)
			text = write(t, g)
			if i == 0 {
				first = text
			}
			if got := g.Tag("Variant"); i > 0 && got != c.want {
				t.Errorf("%q: Variant %q after %d writings, want %q", c.tags, got, i, c.want)
			}
		}
		if text != first {
			t.Errorf("%q: written three times\n%s\nwritten once\n%s", c.tags, text, first)
		}
	}
}

func write(t *testing.T, g *pgn.Game) string {
	t.Helper()
	var buf bytes.Buffer
	if err := pgn.NewWriter(&buf).Write(g); err != nil {
		t.Fatalf("%s: %v", dump(g.Main), err)
	}
	return buf.String()
}

// whole returns a game as text, but for its tags.
func whole(g *pgn.Game) string { return fmt.Sprint(g.Position(), " ", dump(g.Main), " ", g.Result) }

// roundTrip writes a game and reads it back twice: everything but the tags
// that the writer makes itself comes back, and the second time everything.
func roundTrip(t *testing.T, g *pgn.Game) {
	t.Helper()
	text := write(t, g)
	back := oneGame(t, text)
	if want, got := whole(g), whole(back); want != got {
		t.Fatalf("written and read:\n got %s\nwant %s\n%s", got, want, text)
	}
	for _, tag := range g.Tags {
		switch tag.Name {
		case "Result", "FEN", "SetUp":
			continue
		}
		if want, got := g.Tag(tag.Name), back.Tag(tag.Name); want != got && want != "" {
			t.Fatalf("tag %s: %q, want %q in\n%s", tag.Name, got, want, text)
		}
	}
	again := write(t, back)
	if again != text {
		t.Fatalf("written again (-first +second):\n%s", cmp.Diff(text, again))
	}
}

func TestRoundTrip(t *testing.T) {
	for _, text := range []string{
		"1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1-0",
		"{a} {b} 1. e4! $7 {c} (1. d4 {d} d5 (1... Nf6) 2. c4) ({e} 1. c4) 1... e5 ; with } a brace\n2. Nf3 (;} alone\n) *",
		"1. e4 ({only } 1. d4 --) *",
		"[White \"a \\\"b\\\" \\\\\"]\n[Opening \"x\"]\n[Date \"2026.11.20\"]\n[White \"twice\"]\n\n1. e4 1/2-1/2",
		"[FEN \"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 40\"]\n\n40... O-O-O 41. O-O+ *",
		"[FEN \"rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EAea - 0 1\"]\n\n1. O-O-O *",
		"[Event \"no moves\"]\n\n0-1",
		"1. e4 {" + strings.Repeat("[%clk 0:00:01] %eval  word ", 20) + "} e5 {" + strings.Repeat("x", 200) + "} (1... c5 {" + strings.Repeat("ab ", 60) + "}) *",
		"1. e4 {Łódź \xff\xfe latin} *",
		"1. e4 e5 ;z {Ke7\n2. Nf3 ;y }\n 2... Nc6 ;x {[Event \"y\"]\n3. Bb5 {a} *",
	} {
		roundTrip(t, oneGame(t, text))
	}
}

// randomLine plays random legal moves from p with random comments, glyphs and
// variations, and leaves p where it was.
func randomLine(r *rand.Rand, p *chess.Position, plies, depth int) pgn.Line {
	var l pgn.Line
	for range plies {
		if !p.HasLegalMove() {
			break
		}
		m := chess.NoMove
		for !p.IsLegal(m) {
			m = chess.Move(r.IntN(1 << 16))
		}
		n := pgn.Node{Move: m}
		for range r.IntN(2) {
			n.NAGs = append(n.NAGs, pgn.NAG(r.IntN(256)))
		}
		for range r.IntN(2) {
			n.Comments = append(n.Comments, strings.TrimSpace(strings.Repeat("a few words; ", 1+r.IntN(9))))
		}
		if depth < 3 && r.IntN(12) == 0 {
			n.Variations = append(n.Variations, randomLine(r, p, 1+r.IntN(9), depth+1))
		}
		l.Moves = append(l.Moves, n)
		p.Make(m)
	}
	for range l.Moves {
		p.Unmake()
	}
	return l
}

// TestRoundTripRandom plays from every twentieth start of Chess960.
func TestRoundTripRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 18; n < chess.Chess960Starts; n += 20 { // 518 is among them
		p, err := chess.NewDoubleChess960(n, (n*7+34)%chess.Chess960Starts)
		kit.Succeed(t, err)
		roundTrip(t, &pgn.Game{Start: p, Main: randomLine(r, p.Clone(), 60, 0), Result: chess.Result(r.IntN(4))})
	}
}

func TestWriteExportFormat(t *testing.T) {
	g := oneGame(t, "[Opening \"x\"]\n[Black \"b\"]\n[FEN \"nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w KQkq - 0 1\"]\n[White \"w\"]\n\n1.e3 e6?! {c} 2.d3 (2.d4 d5) d6 1/2")
	const want = `[Event "?"]
[Site "?"]
[Date "????.??.??"]
[Round "?"]
[White "w"]
[Black "b"]
[Result "1/2-1/2"]
[Opening "x"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w KQkq - 0 1"]

1. e3 e6 $6 {c} 2. d3 (2. d4 d5) 2... d6 1/2-1/2

`
	if got := write(t, g); got != want {
		t.Errorf("(-want +got):\n%s", cmp.Diff(want, got))
	}
}

// TestWriteWidth nests variations at every offset of the line and measures.
func TestWriteWidth(t *testing.T) {
	for offset := range 80 {
		text := "1. e4 {" + strings.Repeat("x", offset) + "} (1. d4 (1. c4 (1. f4)) {ab cd ef}) 1... e5 2. Nf3 (2. Nc3 Nc6) 2... Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O {" +
			strings.Repeat("word ", offset) + "} *"
		g := oneGame(t, text)
		for line := range strings.Lines(write(t, g)) {
			if n := len(line) - 1; n > 79 && strings.Contains(line, " ") {
				t.Errorf("offset %d: a line of %d columns: %s", offset, n, line)
			}
		}
		roundTrip(t, g)
	}
}

func TestWriteRefuses(t *testing.T) {
	e4 := kit.Move(t, chess.NewPosition(), "e4")
	deep := pgn.Line{Moves: []pgn.Node{{Move: e4}}}
	for range pgn.MaxNesting + 1 {
		deep = pgn.Line{Moves: []pgn.Node{{Move: e4, Variations: []pgn.Line{deep}}}}
	}
	check := kit.Position(t, "4k3/8/8/8/8/8/4R3/4K3 b - - 0 1")
	takes := chess.NewMove(chess.E2, chess.E8, chess.Normal)
	setup := chess.NewPosition().Setup()
	setup.Put(chess.MakePiece(chess.White, chess.Queen), chess.A3) // beside eight pawns
	setup.Pieces[chess.White][chess.Knight] = 0
	setup.Composed = true
	composed, err := setup.Position()
	kit.Succeed(t, err)
	cases := []struct {
		name, reason string
		game         pgn.Game
	}{
		{"a start that cannot be read", "too many pieces", pgn.Game{Start: composed}},
		{"illegal", "illegal move", pgn.Game{Main: pgn.Line{Moves: []pgn.Node{{Move: e4}, {Move: e4}}}}},
		{"the king taken behind a null move in check", "illegal move", pgn.Game{Start: check, Main: pgn.Line{Moves: []pgn.Node{{}, {Move: takes}}}}},
		{"tag name", "tag name", pgn.Game{Tags: []pgn.Tag{{"a b", "c"}}}},
		{"empty tag name", "tag name", pgn.Game{Tags: []pgn.Tag{{"", "c"}}}},
		{"nesting", "nested deeper", pgn.Game{Main: deep}},
	}
	for _, c := range cases {
		var buf bytes.Buffer
		if err := pgn.NewWriter(&buf).Write(&c.game); err == nil || !strings.Contains(err.Error(), c.reason) || buf.Len() > 0 {
			t.Errorf("%s: %v and %d bytes, want an error with %q and none", c.name, err, buf.Len(), c.reason)
		}
	}
	broken := errors.New("disk full")
	if err := pgn.NewWriter(failing{broken}).Write(&pgn.Game{}); err != broken {
		t.Errorf("a broken writer: %v, want %v", err, broken)
	}
}

// failing is a writer that fails.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestTagValues writes any value and reads it back, and reads values as programs write
// them that do not escape.
func TestTagValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.StringOf(rapid.SampledFrom([]rune(`"\][ \"a{}%;é`))).Draw(t, "value")
		var b strings.Builder
		kit.Succeed(t, pgn.NewWriter(&b).Write(&pgn.Game{Tags: []pgn.Tag{{Name: "Event", Value: "x"}, {Name: "White", Value: value}, {Name: "Note", Value: value}}}))
		games, errs := readAll(b.String())
		if len(games) != 1 || len(errs) > 0 || games[0].Tag("White") != value && value != "" || games[0].Tag("Note") != value {
			t.Errorf("%q: %d games, %v, from\n%s", value, len(games), errs, &b)
		}
		if strings.Contains(value, `\`) || strings.Contains(strings.ReplaceAll(value, " ", ""), `"]`) {
			return // what is not escaped says something else
		}
		games, errs = readAll(`[Event "x"]` + "\n" + `[White "` + value + `"] [Black "b"]` + "\n" + `[Note "` + value + `" ]` + "\n\n*\n")
		if len(games) != 1 || len(errs) > 0 || games[0].Tag("White") != value || games[0].Tag("Black") != "b" || games[0].Tag("Note") != value {
			t.Errorf("%q, not escaped: %v, %v", value, games, errs)
		}
	})
}

// TestCommentBreaks breaks lines of comments before any word: what stands at the
// beginning of a line must not become an escape line or a tag.
func TestCommentBreaks(t *testing.T) {
	for _, word := range []string{"%a", "[Event \"x\"]", "[a", ";a", "(a", "$1", "*"} {
		for n := range 80 {
			g := &pgn.Game{Main: pgn.Line{Comments: []string{strings.Repeat("x", n+1) + " " + strings.TrimSpace(strings.Repeat(word+" ", 40))}}}
			roundTrip(t, g)
			if _, movetext, _ := strings.Cut(write(t, g), "\n\n"); strings.Contains(movetext, "\n%") || strings.Contains(movetext, "\n[") {
				t.Fatalf("a line begins with %q:\n%s", word, movetext)
			}
		}
	}
}
