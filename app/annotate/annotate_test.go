package annotate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
)

const fiveGames = `[Event "one"]
[White "<script>alert(1)</script>"]

1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 6. Rf1 Qxe4+ 7. Be2 Nf3# 0-1

[Event "two"]

1. e4 e5 2. Ke3 *

[Event "three"]

1. f3 {a "comment" & <b>} e5 2. g4 Qh4# 0-1

[Event "four"]
[Variant "Chess960"]
[FEN "4k3/8/8/8/8/8/6q1/R3KR2 w FA - 0 1"]

1. O-O-O Qb7 *

[Event "five"]

*

`

// gameFiles writes the games into a directory and returns the settings of a run there.
func gameFiles(t *testing.T, text string) Settings {
	t.Helper()
	dir := t.TempDir()
	in := filepath.Join(dir, "in.pgn")
	kit.Write(t, in, []byte(text))
	return settings(dir)
}

// settings returns those of a run in a directory that has in.pgn.
func settings(dir string) Settings {
	return Settings{
		Files: []string{filepath.Join(dir, "in.pgn")}, Out: filepath.Join(dir, "out.pgn"), JSON: filepath.Join(dir, "out.json"), HTML: filepath.Join(dir, "out.html"),
		Limits: review.Limits{Nodes: 1000}, Threads: 1, Hash: 1, Strict: true, In: strings.NewReader(""), Stdout: new(bytes.Buffer), Err: new(bytes.Buffer),
	}
}

func outputsOf(t *testing.T, s Settings) (all [3]string) {
	t.Helper()
	for i, name := range []string{s.Out, s.JSON, s.HTML} {
		data := kit.Read(t, name)
		all[i] = string(data)
	}
	return all
}

// TestProof: games, reports and page have the reason of a mistake, and its proof as far as they have room for it.
func TestProof(t *testing.T) {
	s := gameFiles(t, `[SetUp "1"]
[FEN "4r1k1/5ppp/8/4N3/8/6B1/5PPP/6K1 w - - 0 1"]

1. Bh4 *
`)
	s.Limits.Nodes, s.Why = 20_000, true
	kit.Succeed(t, Run(t.Context(), s))
	for i, want := range []string{
		"Blunder. Allows 1... Rxe5: the knight on e5 has lost its only defender, the bishop that was on g3.",
		`"changed":"4r1k1/5ppp/8/4N3/8/6B1/5PPP/6K1 b - - 0 1"`, "<dt>with the bishop back on g3, by a capture on e5, ",
	} {
		if text := strings.Join(strings.Fields(outputsOf(t, s)[i]), " "); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestRun(t *testing.T) {
	s := gameFiles(t, fiveGames)
	err := Run(t.Context(), s)
	if err == nil || exit.Code(err) != exit.Failed || !strings.Contains(err.Error(), "1 of 5 games") {
		t.Errorf("error %v, want one of the broken game", err)
	}
	told := s.Err.(*bytes.Buffer).String()
	if want := s.Files[0] + `: game 2, line 8, column 13: move "Ke3"`; !strings.Contains(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if want := "games annotated: 4, in " + s.Out + ", " + s.JSON + ", " + s.HTML + "\n"; !strings.HasSuffix(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	all := outputsOf(t, s)
	var events []string
	for g, err := range pgn.NewReader(strings.NewReader(all[0])).Games() {
		if err != nil || g.Shortened {
			events = append(events, "bad")
			continue
		}
		events = append(events, g.Tag("Event"))
	}
	if diff := cmp.Diff([]string{"one", "bad", "three", "four", "five"}, events); diff != "" {
		t.Error(diff)
	}
	if want := "\n\n[Event \"two\"]\n\n1. e4 e5 2. Ke3 *\n\n[Event \"three\"]\n"; !strings.Contains(all[0], want) {
		t.Errorf("no %q in\n%s", want, all[0])
	}
	for _, want := range []string{`[ECO "C50"] [Opening "Italian Game: Blackburne-Kostić Gambit"]`, "[%eval ", "$4", `a "comment" & <b>}`, "(2. ", "{Accuracy: White"} {
		if !strings.Contains(strings.Join(strings.Fields(all[0]), " "), want) {
			t.Errorf("no %q in\n%s", want, all[0])
		}
	}
	lines := strings.Split(strings.TrimSpace(all[1]), "\n")
	var g AnnotatedGame
	if err := json.Unmarshal([]byte(lines[1]), &g); err != nil || len(lines) != 4 || g.White.Blunders != 1 || len(g.Moves) != 4 {
		t.Errorf("%d lines of JSON, the second %+v, %v", len(lines), g, err)
	}
	if strings.Contains(all[2], "<script") || !strings.Contains(all[2], "&lt;script&gt;alert(1)") || strings.Count(all[2], "<section") != 4 || !strings.HasSuffix(all[2], "</html>\n") {
		t.Errorf("the page is not whole or not escaped:\n%.3000s", all[2])
	}
	for _, outside := range []string{"src=", "url(", "<link", "@import"} {
		if strings.Contains(all[2], outside) {
			t.Errorf("the page has %s", outside)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(s.Out), "*"))
	if err != nil || len(left) != 4 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestShortened annotates a game up to an illegal move and keeps what follows as a comment; again, nothing is lost.
func TestShortened(t *testing.T) {
	s := gameFiles(t, "[Event \"short\"]\n\n1. f3 e5 2. Ke3 {why} (2. g4 $4 Qh4#) d6 0-1\n\n"+fiveGames)
	s.Strict = false
	kit.Succeed(t, Run(t.Context(), s))
	told := s.Err.(*bytes.Buffer).String()
	if want := s.Files[0] + `: game 1, line 3, column 13: move "Ke3": illegal`; !strings.HasPrefix(told, "warning: "+want) {
		t.Errorf("told %q, want %q", told, want)
	}
	if want := "games annotated: 6 (shortened: 2), in "; !strings.Contains(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
	games := string(kit.Read(t, s.Out))
	for range 2 {
		g, err := pgn.NewReader(strings.NewReader(games)).Read()
		if err != nil || len(g.Main.Moves) != 2 || g.Shortened || g.Result != chess.BlackWins ||
			!strings.Contains(strings.Join(g.Main.Moves[1].Comments, " "), "Ke3 why (2. g4 $4 Qh4#) d6") {
			t.Errorf("%v in\n%s", err, games)
		}
		s.Files, s.Out = []string{s.Out}, filepath.Join(t.TempDir(), "again.pgn")
		kit.Succeed(t, Run(t.Context(), s))
		games = string(kit.Read(t, s.Out))
	}
}

// TestMistakes writes exercises of both sides, of one player, and of a run that goes on from its journal.
func TestMistakes(t *testing.T) {
	const lost = "[White \"Berg, Anna\"]\n[Black \"Ben\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Qxh7 a6 4. Qh5 *\n\n"
	sides := func(player string, interrupt bool) (all string) {
		s := gameFiles(t, lost+strings.ReplaceAll(lost, "White", "Blanc"))
		s.Limits.Nodes, s.Player, s.Mistakes = 5000, player, s.JSON+".mistakes"
		if interrupt {
			ctx, cancel := context.WithCancel(t.Context())
			s.kept = func(int) { cancel() }
			if err := Run(ctx, s); !errors.Is(err, exit.ErrInterrupted) {
				t.Fatal(err)
			}
			s.kept = nil
		}
		kit.Succeed(t, Run(t.Context(), s))
		for g, err := range pgn.NewReader(bytes.NewReader(kit.Read(t, s.Mistakes))).Games() {
			kit.Succeed(t, err)
			_, err = review.ReadExercise(g)
			kit.Succeed(t, err)
			all += g.Position().SideToMove().String()[:1]
		}
		return all
	}
	both := sides("", false)
	if !strings.Contains(both, "w") || !strings.Contains(both, "b") {
		t.Errorf("both sides' mistakes: %q", both)
	}
	if again := sides("", true); again != both {
		t.Errorf("after an interruption %q, want %q", again, both)
	}
	if anna := sides("berg anna", false); strings.Contains(anna, "b") || len(anna) == 0 || len(anna) > strings.Count(both, "w")/2 {
		t.Errorf("Anna's mistakes: %q of %q", anna, both)
	}
	s := gameFiles(t, lost)
	s.Player, s.HTML = "Anna", ""
	if err := Run(t.Context(), s); err == nil || exit.Code(err) != exit.Usage {
		t.Errorf("a player without --mistakes: %v", err)
	}
}

// TestClocks: the page has a bar for each move whose time is known, tables of both sides, and one over all games of the
// player, with the games without clocks counted apart; JSON has the same figures. A page without clocks has none of it.
func TestClocks(t *testing.T) {
	const timed = `[White "Anna <b>"]
[Black "Ben"]
[TimeControl "60"]

1. e4 {[%clk 0:00:58]} e5 {[%clk 0:00:59]} 2. Nf3 {[%clk 0:00:04]} Nc6 3. Nxe5 {[%clk 0:00:03]} Nxe5 {[%emt 7]} *

[White "Ben"]
[Black "Anna"]

1. f3 e5 2. g4 Qh4# 0-1

[White "Ben"]
[Black "Cy"]
[TimeControl "60"]

1. e4 {[%clk 0:00:01]} *
`
	s := gameFiles(t, timed)
	s.Player, s.Limits.Nodes = "anna", 5000
	kit.Succeed(t, Run(t.Context(), s))
	page := string(kit.Read(t, s.HTML))
	rows := regexp.MustCompile(`<tr><th scope="row">([^<]*)</th><td>(\d+)</td><td>([^<]*)</td><td>([^<]*)</td><td>(\d+)</td><td>([^<]*)</td><td>(\d+)</td><td>([^<]*)</td></tr>`)
	var got []string
	for _, row := range rows.FindAllStringSubmatch(page, -1) {
		if row[2] != "0" {
			got = append(got, strings.Join(row[1:], " | "))
		}
	}
	anna := "3 | 19.0 s | 0, 0, 1 | 2 | 0, 0, 1 | 1 | 0, 0, 1"
	want := []string{
		"Anna &lt;b&gt;, opening | " + anna, "Anna &lt;b&gt;, all | " + anna,
		"Ben, opening | 3 | 4.0 s | 0, 0, 0 | 0 | – | 1 | 0, 0, 0", "Ben, all | 3 | 4.0 s | 0, 0, 0 | 0 | – | 1 | 0, 0, 0",
		"Ben, opening | 1 | 59.0 s | 0, 0, 0 | 1 | 0, 0, 0 | 0 | –", "Ben, all | 1 | 59.0 s | 0, 0, 0 | 1 | 0, 0, 0 | 0 | –",
		"opening | " + anna, "all | " + anna,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tables (-want +got):\n%s", d)
	}
	if n := strings.Count(page, "<rect class=\"white"); n != 4 || strings.Count(page, "<rect class=\"black\"") != 2 || strings.Count(page, "<rect class=\"white trouble\"") != 3 {
		t.Errorf("%d bars of White", n)
	}
	if !strings.Contains(page, "Games with clocks: 1. Without, left out: 1.") {
		t.Error("the games of Anna are not counted")
	}
	var first AnnotatedGame
	kit.Succeed(t, json.NewDecoder(bytes.NewReader(kit.Read(t, s.JSON))).Decode(&first))
	if c := first.White.Clock; c == nil || c.Rows[3].Spent != 57000 || *first.Moves[5].Clock.Spent != 7000 {
		t.Errorf("JSON: %+v", c)
	}
	s = gameFiles(t, fiveGames)
	kit.Succeed(t, ignore(Run(t.Context(), s)))
	if page := string(kit.Read(t, s.HTML)); strings.Contains(page, "Time in all games") || strings.Contains(page, "class=\"times\"") {
		t.Error("figures of games without clocks")
	}
}

// ignore returns an error that is not [ErrUnread].
func ignore(err error) error {
	if errors.Is(err, ErrUnread) {
		return nil
	}
	return err
}

// TestTables reviews an endgame that a short search takes for a win and tables for the
// draw that it is.
func TestTables(t *testing.T) {
	const game = "[FEN \"8/8/8/8/4k3/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd4 *\n"
	tables, err := syzygy.Open()
	kit.Succeed(t, err)
	evals := map[bool]string{}
	for _, with := range []bool{false, true} {
		s := gameFiles(t, game)
		if s.Limits.Nodes = 40; with {
			s.Tables = tables
		}
		kit.Succeed(t, Run(t.Context(), s))
		_, eval, _ := strings.Cut(outputsOf(t, s)[0], "[%eval ")
		evals[with], _, _ = strings.Cut(eval, "]")
	}
	if evals[true] != "0.00" || evals[false] == "0.00" {
		t.Errorf("evaluations %v, want 0.00 with tables alone", evals)
	}
}

func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(s *Settings)
		want   string
	}{
		{"no file", func(s *Settings) { s.Files = nil }, "want PGN files"},
		{"a file that is not there", func(s *Settings) { s.Files = []string{"/nowhere.pgn"} }, "/nowhere.pgn"},
		{"a directory", func(s *Settings) { s.Files = []string{"/"} }, "not a regular file"},
		{"no output", func(s *Settings) { s.Out = "" }, "the name of the output is empty"},
		{"input twice", func(s *Settings) { s.Files = []string{"-", "-"} }, "once"},
		{"output twice", func(s *Settings) { s.Out, s.JSON = "-", "-" }, "two outputs"},
		{"a file twice", func(s *Settings) { s.HTML = s.JSON }, "two outputs"},
		{"a file twice, spelt otherwise", func(s *Settings) { s.HTML = filepath.Dir(s.JSON) + "/./out.json" }, "two outputs"},
		{"reports in place of the games", func(s *Settings) { s.JSON = s.Files[0] }, "is an input, want another file for the JSON"},
		{"mistakes in place of the games", func(s *Settings) { s.Mistakes = s.Files[0] }, "want another file for the mistakes"},
		{"a page in place of the games", func(s *Settings) { s.HTML = link(t, os.Link, s.Files[0]) }, "want another file for the HTML"},
		{"no place for the output", func(s *Settings) { s.Out = "/nowhere/out.pgn" }, "/nowhere"},
		{"no place for the page", func(s *Settings) { s.HTML = "/nowhere/out.html" }, "/nowhere"},
		{"no hash", func(s *Settings) { s.Hash = 0 }, "hash size 0"},
	} {
		s := gameFiles(t, fiveGames)
		tt.change(&s)
		if err := Run(t.Context(), s); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
}

// link returns another name of a file.
func link(t *testing.T, make func(old, new string) error, name string) string {
	t.Helper()
	other := filepath.Join(filepath.Dir(name), "other.pgn")
	kit.Succeed(t, make(name, other))
	return other
}

// TestInPlace writes the annotated games over the games, by any name. What cannot be read
// is there afterwards, byte for byte and where it was, and a second run finds the same.
func TestInPlace(t *testing.T) {
	bad := []string{
		"[Event \"b0\"]\r\n\r\n1. e4 Ke7\t {a  }\r\n% escaped\r\n2. x  *",
		"[Event \"b1\"]\n[White \"open]\n[FEN \"8/8\"]\n\n1. d4 {not closed\n\n1-0",
		"[Site \"b2\"]\n[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n*",
		"1. c4 c4 {\xff\xfe}",
	}
	good := []string{"[Event \"g0\"]\n\n1. e4 *", "[Event \"g1\"]\n\n1. d4 d5 1-0", "[Event \"g2\"]\n\n*"}
	text := strings.Join([]string{"\xef\xbb\xbf" + bad[0], good[0], bad[1], bad[0], good[1], bad[3], bad[2], good[2], bad[3]}, "\n\n")
	same := func(s *Settings) string { return s.Files[0] }
	for _, tt := range []struct {
		name   string
		out    func(s *Settings) string
		change []string // names that have the new text
	}{
		{"the same name", same, []string{"in.pgn"}},
		{"a symbolic link", func(s *Settings) string { return link(t, os.Symlink, s.Files[0]) }, []string{"in.pgn", "other.pgn"}},
		{"a hard link", func(s *Settings) string { return link(t, os.Link, s.Files[0]) }, []string{"other.pgn"}},
	} {
		s := gameFiles(t, text)
		s.JSON, s.HTML = "", ""
		s.Out, s.Threads = tt.out(&s), 2
		var first []byte
		for run := range 2 {
			err := Run(t.Context(), s)
			if exit.Code(err) != exit.Failed || !strings.Contains(err.Error(), "6 of 9 games") {
				t.Errorf("%s, run %d: %v", tt.name, run, err)
			}
			var got []byte
			for _, name := range tt.change {
				got, err = os.ReadFile(filepath.Join(filepath.Dir(s.Out), name))
				kit.Succeed(t, err)
				rest := string(got)
				for _, want := range []string{bad[0], "[Event \"g0\"]", bad[1], bad[0], "[Event \"g1\"]", bad[3], bad[2], "[Event \"g2\"]", bad[3]} {
					_, after, found := strings.Cut(rest, want+"\n")
					if !found {
						t.Fatalf("%s, run %d, %s: no %q in the rest of\n%s", tt.name, run, name, want, got)
					}
					rest = after
				}
				if !strings.Contains(string(got), "[%eval ") || strings.TrimSpace(rest) != "" {
					t.Errorf("%s, run %d, %s:\n%s", tt.name, run, name, got)
				}
			}
			if s.Files[0] = filepath.Join(filepath.Dir(s.Out), tt.change[0]); run > 0 && !bytes.Equal(first, got) {
				t.Errorf("%s: annotated twice: %s", tt.name, cmp.Diff(first, got))
			}
			first = got
		}
	}
}

// screen is a terminal.
type screen struct{ bytes.Buffer }

func (*screen) Size() (width, height int) { return 100, 24 }

// TestNoGames: a file without games is read with progress, and no output is written, so that a file that is no PGN is
// not replaced by nothing.
func TestNoGames(t *testing.T) {
	s := gameFiles(t, strings.Repeat("1 ", 200_000))
	errOut := new(screen)
	s.Err, s.Out = errOut, s.Files[0]
	before := kit.Read(t, s.Files[0])
	kit.Succeed(t, Run(t.Context(), s))
	if !bytes.Equal(kit.Read(t, s.Files[0]), before) {
		t.Error("the input was replaced")
	}
	for _, name := range []string{s.JSON, s.HTML, s.Out + suffix} {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, want := range []string{
		"no games yet, " + s.Files[0], s.Files[0] + ": no games\n",
		"not written: " + strings.Join([]string{s.Out, s.JSON, s.HTML}, ", ") + "\n",
	} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("no %q in %q", want, errOut)
		}
	}
}
