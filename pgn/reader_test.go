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
		{"illegal", "[Event \"x\"]\n\n1. Ke3 d6 *", 3, 4, `move "Ke3": illegal in`, chess.ErrIllegal},
		{"illegal, number attached", "\n1.Ke3", 2, 3, "illegal", chess.ErrIllegal},
		{"ambiguous", "[FEN \"6k1/8/8/8/8/8/K7/R6R w - - 0 1\"]\n\n1. Rd1 *", 3, 4, "ambiguous", nil},
		{"symbol", "1. ♠f3 *", 1, 4, "unexpected '♠'", nil},
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
		before := c.text[:e.Offset]
		if line := strings.LastIndexByte(before, '\n') + 1; strings.Count(before, "\n")+1 != c.line || e.Offset-line+1 != c.column {
			t.Errorf("%s: %q: byte %d is not line %d, column %d", c.name, c.text, e.Offset, c.line, c.column)
		}
		if g := games[0]; g.Tag("Event") != "next" || g.Tag("White") != "w" || dump(g.Main) != "d2d4" {
			t.Errorf("%s: %q: the next game came as %v %s", c.name, c.text, g.Tags, dump(g.Main))
		}
	}
}

// TestVariants: a game of other rules is refused, whatever its start position is. In one of Chess960 the rook may stand
// anywhere.
func TestVariants(t *testing.T) {
	const start = "[FEN \"4k3/8/8/8/8/8/8/4K1R1 w K - 0 1\"]\n\n1. Kd1 *"
	for want, names := range map[string][]string{
		"refused": {
			"Atomic960", "Crazyhouse960", "Chess960 Atomic", "960 Atomic chess", "S-Chess", "SChess", "Seirawan",
			"Seirawan-Chess", "Loser", "Loser's", "Losers chess", "Antichess", "Anti-chess 960",
		},
		"Chess960": {
			"Chess960", "960", "chess 960", "Fischerandom", "FRC", "Freestyle Chess", "Chess 960 Blitz", "Standard960",
		},
		"standard": {"Standard", "Chess", "Sicilian"},
	} {
		for _, name := range names {
			g, err := pgn.NewReader(strings.NewReader("[Variant \"" + name + "\"]\n" + start)).Read()
			got := "refused"
			if err == nil {
				got = map[bool]string{true: "standard", false: "Chess960"}[strings.Contains(g.Start.FEN(), " w - ")]
			}
			if got != want {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
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

// TestGameOffset: an index of a file is made by ReadTags alone.
func TestGameOffset(t *testing.T) {
	text := "\ufeff\n[Event \"a\"]\n\n1. e4 e5 *\n\n\n[Event \"b\"]\n\n1. d4 *\n"
	r := pgn.NewReader(strings.NewReader(text))
	for _, want := range []string{"a", "b"} {
		if _, err := r.ReadTags(); err != nil {
			t.Fatal(err)
		}
		games, errs := readAll(text[r.GameOffset():])
		if len(errs) != 0 || games[0].Tag("Event") != want || r.GameOffset() != int64(strings.Index(text, "[Event \""+want)) {
			t.Errorf("%s: at %d: %v, %v", want, r.GameOffset(), games, errs)
		}
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

// TestTagNameLength: the name of a tag that is not written as the standard has it may have 80 bytes.
func TestTagNameLength(t *testing.T) {
	for n, want := range map[int]int{79: 1, 80: 1, 81: 0, 200: 0} {
		name := "A" + strings.Repeat("!", n-1)
		g, err := pgn.NewReader(strings.NewReader("[" + name + "\"v\"]\n\n1. e4 *\n")).Read()
		if err != nil || len(g.Tags) != want || want == 1 && g.Tags[0].Value != "v" || want == 0 && len(g.Main.Comments) != 1 {
			t.Errorf("%d bytes: %+v, %v, want %d tags", n, g, err, want)
		}
	}
}
