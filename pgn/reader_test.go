package pgn_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// dump writes the movetext of a game in a compact form that shows the
// structure: moves in UCI text of Chess960, NAGs, comments and variations.
func dump(l pgn.Line) string {
	var words []string
	add := func(comments []string) {
		for _, c := range comments {
			words = append(words, "{"+c+"}")
		}
	}
	add(l.Comments)
	for _, n := range l.Moves {
		words = append(words, n.Move.String())
		for _, nag := range n.NAGs {
			words = append(words, nag.String())
		}
		add(n.Comments)
		for _, v := range n.Variations {
			words = append(words, "("+dump(v)+")")
		}
	}
	return strings.Join(words, " ")
}

func readAll(text string) (games []*pgn.Game, errs []error) {
	for g, err := range pgn.NewReader(strings.NewReader(text)).Games() {
		if err != nil {
			errs = append(errs, err)
			continue
		}
		games = append(games, g)
	}
	return games, errs
}

// oneGame reads a text that holds one good game.
func oneGame(t *testing.T, text string) *pgn.Game {
	t.Helper()
	games, errs := readAll(text)
	if len(games) != 1 || len(errs) > 0 {
		t.Fatalf("%q: %d games, errors %v", text, len(games), errs)
	}
	return games[0]
}

func TestRead(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"plain", "1. e4 e5 2. Nf3 1-0", "e2e4 e7e5 g1f3 = 1-0"},
		{"no spaces", "1.e4 e5 2.Nf3*", "e2e4 e7e5 g1f3 = *"},
		{"numbers of every kind", "1 . e4 1... e5 2.Nf3 2...Nc6 3 Bb5 1/2-1/2", "e2e4 e7e5 g1f3 b8c6 f1b5 = 1/2-1/2"},
		{"no numbers", "e4 e5 0-1", "e2e4 e7e5 = 0-1"},
		{"no marker", "1. e4 e5", "e2e4 e7e5 = *"},
		{"result of the tag without a marker", "[Result \"0-1\"]\n\n1. e4 e5", "e2e4 e7e5 = 0-1"},
		{"marker before tag", "[Result \"0-1\"]\n\n1. e4 e5 1-0", "e2e4 e7e5 = 1-0"},
		{"comments", "{a} {b} 1. e4 {c} {d} e5 ; e } f\n2. Nf3 *", "{a} {b} e2e4 {c} {d} e7e5 {e } f} g1f3 = *"},
		{"no nesting of braces", "1. e4 {a { b ( c ; d} e5 *", "e2e4 {a { b ( c ; d} e7e5 = *"},
		{"empty comment", "1. e4 {} {  } e5 *", "e2e4 e7e5 = *"},
		{"comment over lines", "1. e4 {one\ntwo\r\nthree} e5 *", "e2e4 {one two three} e7e5 = *"},
		{"comment in place of tags", "1. e4 {\n[White \"x\"]\n} e5 *", "e2e4 {[White \"x\"]} e7e5 = *"},
		{"a semicolon comment at the end", "1. e4 ; last", "e2e4 {last} = *"},
		{"NAGs", "1. e4 $1 $255 e5 $0 *", "e2e4 ! $255 e7e5 $0 = *"},
		{"marks", "1. e4! e5?? 2. Nf3!? Nc6 ?! 3. Bb5+!! *", "e2e4 ! e7e5 ?? g1f3 !? b8c6 ?! f1b5 !! = *"},
		{"variation", "1. e4 (1. d4 d5 2. c4) e5 *", "e2e4 (d2d4 d7d5 c2c4) e7e5 = *"},
		{"nested", "1. e4 e5 (1... c5 2. Nf3 (2. c3 {x} (2. d4)) 2... d6) (1... e6) 2. Nf3 *",
			"e2e4 e7e5 (c7c5 g1f3 (c2c3 {x} (d2d4)) d7d6) (e7e6) g1f3 = *"},
		{"comment at the start of a variation", "1. e4 ({a} 1. d4) *", "e2e4 ({a} d2d4) = *"},
		{"comment behind a variation", "1. e4 (1. d4) {a} e5 *", "e2e4 {a} (d2d4) e7e5 = *"},
		{"variation of a comment alone", "1. e4 ({a}) () e5 *", "e2e4 ({a}) e7e5 = *"},
		{"asterisk inside a variation", "1. e4 (1. d4 *) e5 0-1", "e2e4 (d2d4) e7e5 = 0-1"},
		{"null moves", "1. e4 -- 2. d4 (2. Z0) *", "e2e4 0000 d2d4 (0000) = *"},
		{"variation of a null move", "1. d4 -- (1... e5) 2. Nc3 e5 3. Bf4 d6 4. Qd2 c6 5. O-O-O *", "d2d4 0000 (e7e5) b1c3 e7e5 c1f4 d7d6 d1d2 c7c6 e1a1 = *"},
		{"figurines", "1. ♘f3 ♞f6 2.♙g3 (2. ♞c3!? ♟e5) ♟g6 *", "g1f3 g8f6 g2g3 (b1c3 !? e7e5) g7g6 = *"},
		{"castling with zeros", "1. e4 e5 2. Nf3 Nf6 3. Bc4 Bc5 4. 0-0 O-O *", "e2e4 e7e5 g1f3 g8f6 f1c4 f8c5 e1h1 e8h8 = *"},
		{"escape lines", "% one\n1. e4\n%[two\ne5 *", "e2e4 e7e5 = *"},
		{"byte order mark", "\xef\xbb\xbf[Event \"x\"]\n\n1. e4 *", "e2e4 = *"},
		{"Windows lines", "[Event \"x\"]\r\n\r\n1. e4\r\ne5 ; a\r\n2. d4 *\r\n", "e2e4 e7e5 {a} d2d4 = *"},
		{"no moves", "[Event \"x\"]\n\n*\n", " = *"},
		{"a result alone", "1-0", " = 1-0"},
		{"en passant words", "1. e4 a6 2. e5 d5 3. exd6e.p. *", "e2e4 a7a6 e4e5 d7d5 e5d6 = *"},
		{"en passant words apart", "1. e4 a6 2. e5 d5 3. exd6 e.p. *", "e2e4 a7a6 e4e5 d7d5 e5d6 = *"},
		{"FEN tag", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 30\"]\n[SetUp \"1\"]\n\n30... Kd7 31. e4 *", "e8d7 e2e4 = *"},
		{"Chess960", "[Variant \"Chess960\"]\n[FEN \"nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w KQkq - 0 1\"]\n\n1. g3 g6 2. Qg2 Qg7 3. O-O O-O *",
			"g2g3 g7g6 f1g2 f8g7 e1g1 e8g8 = *"},
		{"Chess960 in a file of Shredder", "[Variant \"fischerandom\"]\n[FEN \"rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EAea - 0 1\"]\n\n1. O-O-O Kb7 2. Kc2 *", "b1a1 b8b7 c1c2 = *"},
		{"a knight behind a double push takes no pawn", "1. d4 Nc6 2. e3 Na5 3. b4 Nb3 4. axb3 a6 5. b5 *",
			"d2d4 b8c6 e2e3 c6a5 b2b4 a5b3 a2b3 a7a6 b4b5 = *"},
		{"over-disambiguated", "1. e4 e5 2. Nc3 Nc6 3. Ng1e2 Ng8f6 4. d4 exd4 5. Ne2xd4 *",
			"e2e4 e7e5 b1c3 b8c6 g1e2 g8f6 d2d4 e5d4 e2d4 = *"},
		{"disambiguated capture", "[FEN \"4k3/8/8/8/8/2N5/4b3/4K1N1 w - - 0 1\"]\n\n1. Ng1xe2 *", "g1e2 = *"},
		{"long castling check", "[FEN \"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1\"]\n\n1. O-O-O+ Ke7 *", "e1a1 d8e7 = *"},
	}
	whole := func(r io.Reader) io.Reader { return r }
	for _, c := range cases {
		for _, pieces := range []func(io.Reader) io.Reader{whole, iotest.OneByteReader, iotest.DataErrReader} {
			r := pgn.NewReader(pieces(strings.NewReader(c.text)))
			g, err := r.Read()
			if err != nil {
				t.Errorf("%s: %q: %v", c.name, c.text, err)
				break
			}
			if got := dump(g.Main) + " = " + g.Result.String(); got != c.want {
				t.Errorf("%s: %q\n got %s\nwant %s", c.name, c.text, got, c.want)
			}
			if g, err := r.Read(); err != io.EOF {
				t.Errorf("%s: %q: a second game %v, %v, want io.EOF", c.name, c.text, g, err)
			}
		}
	}
}

func TestTags(t *testing.T) {
	games, errs := readAll("[Event \"a \\\"b\\\" \\\\ \\c\"] [ Site\t\"\" ]\n[UTF8 \"Łódź\"]\n[Event \"again\"]\n[X_1 \"a\tb\"]\n\n1. e4 *")
	if len(errs) > 0 || len(games) != 2 {
		t.Fatalf("games %v, errors %v", games, errs)
	}
	want := []pgn.Tag{{"Event", `a "b" \ \c`}, {"Site", ""}, {"UTF8", "Łódź"}}
	for i, tag := range want {
		if got := games[0].Tags[i]; got != tag {
			t.Errorf("tag %d: %q, want %q", i, got, tag)
		}
	}
	if got := games[1].Tag("X_1"); got != "a b" {
		t.Errorf("X_1 = %q, want a space for the tabulator", got)
	}
	g := games[1]
	g.SetTag("X_1", "new")
	g.SetTag("More", "yes")
	if g.Tag("X_1") != "new" || g.Tag("More") != "yes" || g.Tag("None") != "" || len(g.Tags) != 3 {
		t.Errorf("after SetTag: %v", g.Tags)
	}
}

func TestReadErrors(t *testing.T) {
	const after = "\n\n[Event \"next\"]\n[White \"w\"]\n\n1. d4 *\n"
	cases := []struct {
		name, text   string
		line, column int
		reason       string
		is           error
	}{
		{"illegal", "[Event \"x\"]\n\n1. e4 e5\n2. Ke3 d6 *", 4, 4, `move "Ke3": illegal in`, chess.ErrIllegal},
		{"illegal, number attached", "1. e4 e5\n2.Ke3", 2, 3, "illegal", chess.ErrIllegal},
		{"ambiguous", "[FEN \"6k1/8/8/8/8/8/K7/R6R w - - 0 1\"]\n\n1. Rd1 *", 3, 4, "ambiguous", nil},
		{"symbol", "1. e4 ♠f6 *", 1, 7, "unexpected '♠'", nil},
		{"FEN", "[Event \"x\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*", 2, 1, "white has 0 kings", nil},
		{"variant", "[Event \"x\"]\n[Variant \"Atomic\"]\n[Site \"y\"]\n\n1. e4 *", 2, 1, `unknown variant "Atomic"`, nil},
		{"nesting", "1. e4 " + strings.Repeat("(1. d4 ", pgn.MaxNesting+1), 1, 7 + 7*pgn.MaxNesting, "nested deeper", nil},
	}
	for _, c := range cases {
		games, errs := readAll(c.text + after)
		var e *pgn.Error
		if len(games) != 1 || len(errs) != 1 || !errors.As(errs[0], &e) {
			t.Errorf("%s: %q: %d games, errors %v, want one of each", c.name, c.text, len(games), errs)
			continue
		}
		if e.Game != 1 || e.Line != c.line || e.Column != c.column || !strings.Contains(e.Reason, c.reason) || c.is != nil && !errors.Is(e, c.is) {
			t.Errorf("%s: %q\n got %v\nwant game 1, line %d, column %d: …%s…, %v", c.name, c.text, e, c.line, c.column, c.reason, c.is)
		}
		if g := games[0]; g.Tag("Event") != "next" || g.Tag("White") != "w" || dump(g.Main) != "d2d4" {
			t.Errorf("%s: %q: the next game came as %v %s", c.name, c.text, g.Tags, dump(g.Main))
		}
	}
}

// TestGamesOneAfterAnother reads games in every kind of neighbourhood.
func TestGamesOneAfterAnother(t *testing.T) {
	const text = "1. e4 * 1. d4 d5 1-0\n\n\n[White \"a\"]\n1. c4 0-1\n[White \"b\"]\n\n[Event \"no movetext\"]\n[Event \"c\"]\n\n1. f4\n[Event \"d\"]\n\n*{left over}\n"
	games, errs := readAll(text)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	var got []string
	for _, g := range games {
		got = append(got, g.Tag("Event")+"/"+g.Tag("White")+"/"+dump(g.Main)+"/"+g.Result.String())
	}
	want := "//e2e4/* //d2d4 d7d5/1-0 /a/c2c4/0-1 no movetext/b//* c//f2f4/* d//{left over}/*"
	if strings.Join(got, " ") != want {
		t.Errorf("got %s\nwant %s", strings.Join(got, " "), want)
	}
}

// stalled gives nothing and never ends.
type stalled struct{}

func (stalled) Read([]byte) (int, error) { return 0, nil }

// TestReaderFails gives the games before a fault, then the fault.
func TestReaderFails(t *testing.T) {
	broken := errors.New("broken pipe")
	for want, fault := range map[error]io.Reader{broken: iotest.ErrReader(broken), io.ErrNoProgress: stalled{}} {
		r := pgn.NewReader(io.MultiReader(strings.NewReader("1. e4 e5 * 1. d4"), fault))
		if g, err := r.Read(); err != nil {
			t.Errorf("first game: %v, %v", g, err)
		}
		for range 2 {
			if g, err := r.Read(); err != want {
				t.Errorf("after the input broke: %v, %v, want %v", g, err, want)
			}
		}
		for g, err := range r.Games() {
			if err != want {
				t.Errorf("%v, %v, want %v", g, err, want)
			}
		}
	}
}

func TestReplay(t *testing.T) {
	games, _ := readAll("1. f3 e5 2. g4 (2. e4) Qh4# 0-1")
	plies, last := 0, ""
	var end *chess.Position
	for p, n := range games[0].Replay() {
		plies, last, end = plies+1, p.SAN(n.Move), p
	}
	if plies != 4 || last != "Qh4#" || end.Outcome() != chess.Checkmate {
		t.Errorf("%d plies, last %s, outcome %v", plies, last, end.Outcome())
	}
}

// TestInputOffset cuts a text at the offsets: each piece is one game, good or bad as it
// was in the whole, and nothing is left out.
func TestInputOffset(t *testing.T) {
	text := strings.Join([]string{
		"\xef\xbb\xbf[Event \"a\"]\n\n1. e4 *", "[Event \"b\"]\n[FEN \"x\"]", "[Event \"c\"]\n\n1. e5 {x}\n%y\n* 1. d4", "[Site \"d\"]\n\n1. d4 d5 1-0", " 1. c4 0-1",
		"[Event \"e\"]\n\n1. e4 {open", "[Event \"f\"]\n\n* ",
	}, "\n\n")
	r := pgn.NewReader(iotest.HalfReader(strings.NewReader(text)))
	var kinds, pieces string
	from := r.InputOffset()
	for g, err := range r.Games() {
		piece := text[from:r.InputOffset()]
		from = r.InputOffset()
		games, errs := readAll(piece)
		if err == nil && (len(games) != 1 || len(errs) != 0 || dump(games[0].Main) != dump(g.Main)) || err != nil && (len(games) != 0 || len(errs) == 0) {
			t.Errorf("%q: %d games, errors %v; in the whole %v", piece, len(games), errs, err)
		}
		pieces += piece
		kinds += map[bool]string{true: "g", false: "b"}[err == nil]
	}
	if kinds != "gbbgggg" || strings.TrimSpace(strings.TrimPrefix(text, pieces)) != "" || pieces == "" {
		t.Errorf("games %s, want gbbgggg; left %q", kinds, strings.TrimPrefix(text, pieces))
	}
}

// A reader with a bound passes over longer games, variations counted, and goes on.
func TestMaxMoves(t *testing.T) {
	r := pgn.NewReader(strings.NewReader("1. e4 (1. d4) e5 *\n\n[White \"x\"]\n\n1. e4 (1. d4 d5) e5 *\n\n[White \"y\"]\n\n1. e4 e5 2. Nf3 *\n"))
	r.MaxMoves = 3
	var got []string
	for g, err := range r.Games() {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, fmt.Sprint(len(g.Main.Moves)))
	}
	want := []string{"2", "game 2, line 5, column 18: more than 3 moves, variations included", "3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestBounds: a game beyond a bound is reported with its number, and the next one is read.
func TestBounds(t *testing.T) {
	shuffle := "Nf3 Nf6 Ng1 Ng8 "
	many := func(text string, n int) string { return strings.Repeat(text, n) }
	for _, tt := range []struct{ name, text, want string }{
		{"as many moves as may be", many(shuffle, 16383) + "Nf3 Nf6", ""},
		{"a move more", many(shuffle, 16383) + "Nf3 Nf6 Ng1", "more than 65534 moves in a row"},
		{"a long variation", "e4 (" + many(shuffle, 16384) + ") e5", "more than 65534 moves in a row"},
		{"variations", "e4 " + many("(d4)", pgn.MaxParts/2), "more than 1048576 moves, comments, NAGs and variations"},
		{"comments", "e4 " + many("{}", pgn.MaxParts), "more than 1048576 moves"},
		{"NAGs", "e4 " + many("$1", pgn.MaxParts), "more than 1048576 moves"},
		{"a long comment", "e4 {" + many("x", pgn.MaxGameSize) + "}", "a game of more than 32 MiB"},
		{"a comment of lines", "e4 {" + many("\n", pgn.MaxGameSize) + "}", "32 MiB"},
		{"a comment to the end of the line", "e4 ;" + many("x", pgn.MaxGameSize) + "\n", "32 MiB"},
		{"a comment among the tags", "[A \"\"]\n{" + many("x", pgn.MaxGameSize) + "}\n[B \"\"]\n\n", "32 MiB"},
		{"a tag", "[Event \"" + many("x", pgn.MaxGameSize) + "\"]\n\ne4", "32 MiB"},
		{"backslashes in a tag", "[Event \"" + many("\\", pgn.MaxGameSize) + "\"]\n\ne4", "32 MiB"},
		{"the name of a tag", "[Event \"a\"]\n[" + many("x", pgn.MaxGameSize) + " \"\"]\n\ne4", "32 MiB"},
		{"a word", "e4 " + many("x", pgn.MaxGameSize), "32 MiB"},
		{"many tags", many("[A \"\"]\n", pgn.MaxTagSize/5+1) + "\ne4", "tags of more than 128 KiB"},
		{"a tag as long as may be", "[Event \"" + many("x", pgn.MaxTagSize-9) + "\"]\n\ne4", ""},
		{"a longer tag", "[Event \"" + many("x", pgn.MaxTagSize-8) + "\"]\n\ne4", "tags of more than 128 KiB"},
	} {
		var got []string
		for _, err := range pgn.NewReader(strings.NewReader("e4 *\n\n" + tt.text + " *\n\n[Event \"next\"]\n\ne4 *\n")).Games() {
			got = append(got, fmt.Sprint(err))
		}
		if tt.want != "" && len(got) > 1 && strings.HasPrefix(got[1], "game 2, line ") && strings.Contains(got[1], tt.want) {
			got[1] = "<nil>"
		}
		if want := []string{"<nil>", "<nil>", "<nil>"}; !slices.Equal(got, want) {
			t.Errorf("%s: %.200q, want an error %q of game 2 alone", tt.name, got, tt.want)
		}
	}
}

// TestEncoding reads bytes that are not UTF-8 as Windows-1252, whatever stands beside them.
func TestEncoding(t *testing.T) {
	for text, want := range map[string]string{
		"M\xfcller":            "Müller",
		"Müller \x96 M\xfcl":   "Müller – Mül",
		"\x80\x81\x9f\xa0\xff": "€\u0081Ÿ\u00a0ÿ",
		"\ufffd 李雷":            "\ufffd 李雷",
	} {
		g, err := pgn.NewReader(strings.NewReader("[White \"" + text + "\"]\n[Black \"" + text + "\" ]\n\n1. e4 {" + text + "} *\n")).Read()
		if err != nil || g.Tag("White") != want || g.Tag("Black") != want || g.Main.Moves[0].Comments[0] != want {
			t.Errorf("%q: %+v, %v; want %q", text, g, err, want)
		}
	}
}

// TestTwice: a tag that a game has twice is written twice.
func TestTwice(t *testing.T) {
	g, err := pgn.NewReader(strings.NewReader("[White \"A\"]\n[Result \"0-1\"]\n[Result \"x\"]\n[White \"B\"]\n[Odd \"1\"]\n[Odd \"2\"]\n\n1. e4 1-0\n")).Read()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tag := range g.ExportTags() {
		names = append(names, tag.Name+" "+tag.Value)
	}
	want := []string{"Event ?", "Site ?", "Date ????.??.??", "Round ?", "White A", "Black ?", "Result 1-0", "White B", "Odd 1", "Odd 2"}
	if !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
