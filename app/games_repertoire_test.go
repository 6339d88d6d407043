//go:build !js

package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestDocumentedGames runs the commands of docs/games.md on files in testdata, in their order, and compares the output.
func TestDocumentedGames(t *testing.T) {
	page := string(kit.Read(t, "../docs/games.md"))
	files, err := filepath.Abs("../games/testdata")
	kit.Succeed(t, err)
	t.Chdir(t.TempDir())
	kit.Succeed(t, os.MkdirAll("games", 0o777))
	kit.Succeed(t, os.Symlink(files, "games/testdata"))
	ran := 0
	for _, block := range regexp.MustCompile("(?ms)^```\\w*\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		if !strings.Contains(block[1], " --db mine.db ") {
			continue
		}
		for _, step := range strings.Split("\n"+block[1], "\n$ tabula games ")[1:] {
			line, want, _ := strings.Cut(step, "\n")
			var args []string
			for _, word := range regexp.MustCompile(`(?:"[^"]*"|[^" ])+`).FindAllString(line, -1) {
				args = append(args, strings.ReplaceAll(word, `"`, ""))
			}
			got, errOut, code := run(t, "none", "", args...)
			if code != 0 || errOut != "" || strings.TrimSpace(got) != strings.TrimSpace(want) {
				t.Errorf("%s: %d, %s\n got\n%s\nwant\n%s", line, code, errOut, got, want)
			}
			ran++
		}
	}
	if ran < 4 {
		t.Errorf("%d commands have run", ran)
	}
	n := 0
	for g, err := range pgn.NewReader(strings.NewReader(string(kit.Read(t, "drill.pgn")))).Games() {
		kit.Succeed(t, err)
		if e, err := review.ReadExercise(g); err != nil || e.Kind != review.Repertoire {
			t.Errorf("exercise %d: %+v, %v", n+1, e, err)
		}
		n++
	}
	if n != 16 {
		t.Errorf("%d exercises", n)
	}
}

// TestRepertoireCommands: what is bad input, and what is told of it.
func TestRepertoireCommands(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	if _, errOut, code := run(t, db, "[White \"A\"]\n\n1. e4 e5 2. d4 *\n", "import", "-"); code != 0 {
		t.Fatal(errOut)
	}
	const bad = "1. e4 e5 2. Nf3 Nf3 3. d4 *\n\n[Event \"2\"]\n\n1. e5 *\n"
	out, errOut, code := run(t, db, bad, "repertoire", "check", "-", "--player", "a", "--json")
	var r []games.RepertoireReport
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != exit.Failed || len(r) != 1 || r[0].Games != 1 || len(r[0].Left) != 1 {
		t.Errorf("a bad game: %d, %v, %s", code, err, out)
	}
	for _, want := range []string{
		"warning: standard input: game 1, line 1, column 17: move \"Nf3\": illegal", "standard input: game 2, line 5, column 4: move \"e5\": illegal", "standard input: 1 game is not used",
	} {
		if !strings.Contains(errOut, want) {
			t.Errorf("no %q in %s", want, errOut)
		}
	}
	if out, errOut, code := run(t, db, "1. e4 e5 *", "repertoire", "check", "-", "--player", "b", "--color", "white", "event=x"); code != 0 || out != "As White: 1 position and 0 games; 0 stayed in it, 0 never came to it.\n" {
		t.Errorf("no games: %d, %s%s", code, out, errOut)
	}
	out, _, code = run(t, db, "1. e4 e5 2. Nf3 (2. Nc3) *", "repertoire", "exercises", "-", "--color", "white")
	g, err := pgn.NewReader(strings.NewReader(out)).Read()
	if err != nil || code != 0 || g.Tag("Exercise") != "repertoire" {
		t.Errorf("exercises: %d, %v, %s", code, err, out)
	}
	for _, tt := range []struct{ in, args, want string }{
		{"", "check", "required, but not given"}, {"", "check --player a", "0 files, want one"}, {"", "check x y --player a", "2 files, want one"}, {"1. e4", "check - --player a --color red", "--color \"red\": want white or black"},
		{"", "check none.pgn --player a", "none.pgn"}, {"1. e4", "check - --player a player=b", "unknown word player="}, {"1. e4", "check - --player ?", "player \"?\": want a letter or a digit"},
		{"1. e4", "check - --player a rating=x", "rating=x: want"}, {"", "exercises", "0 files"}, {"", "frobnicate", "frobnicate"}, {"", "exercises " + t.TempDir(), "directory"},
	} {
		if _, errOut, code := run(t, db, tt.in, append([]string{"repertoire"}, strings.Fields(tt.args)...)...); code != exit.Usage || !strings.Contains(errOut, tt.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: %d, %s; want one line with %s", tt.args, code, errOut, tt.want)
		}
	}
	for _, in := range []string{"", "hello", "1. e5 *"} {
		if _, errOut, code := run(t, db, in, "repertoire", "exercises", "-"); code != exit.Failed || !strings.Contains(errOut, "standard input: no game with a move that can be read") {
			t.Errorf("%q: %d, %s", in, code, errOut)
		}
	}
	if _, errOut, code := run(t, db, "\x1f\x8b", "repertoire", "exercises", "-"); code == 0 || !strings.Contains(errOut, "standard input: ") {
		t.Errorf("a packed file that is cut off: %d, %s", code, errOut)
	}
	if _, errOut, code := run(t, filepath.Join(t.TempDir(), "db"), "1. e4", "repertoire", "check", "-", "--player", "a"); code != exit.Usage || !strings.Contains(errOut, "there is no database") {
		t.Errorf("no database: %d, %s", code, errOut)
	}
}

// TestClockCommand: filters choose the games, and words without --clock are refused.
func TestClockCommand(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	if _, errOut, code := run(t, db, "", "import", "../games/testdata/anna.pgn"); code != 0 {
		t.Fatal(errOut)
	}
	table := func(args ...string) (c review.ClockTable) {
		t.Helper()
		out, errOut, code := run(t, db, "", append([]string{"stats", "--clock", "--json"}, args...)...)
		if err := json.Unmarshal([]byte(out), &c); err != nil || code != 0 {
			t.Errorf("%q: %d, %v, %s", args, code, err, errOut)
		}
		return c
	}
	if c := table(); c.Games != 3 || c.Without != 2 || c.Rows[3].All.Moves != 17+12+10 {
		t.Errorf("all games: %+v", c)
	}
	if c := table("player=Anna", "color=black"); c.Games != 1 || c.Without != 0 || c.Rows[3].Timed != 5 || c.Rows[3].Spent != 78000 || c.Rows[3].Fast.Moves != 3 {
		t.Errorf("as Black: %+v", c)
	}
	if c := table("e4", "c6"); c.Games != 0 || c.Without != 1 {
		t.Errorf("in a position: %+v", c)
	}
	if out, _, code := run(t, db, "", "stats", "--clock", "event=none"); code != 0 || out != "0 games with clocks, 0 of them reviewed; 0 without are left out\n" {
		t.Errorf("no games: %d, %s", code, out)
	}
	for args, want := range map[string]string{"stats tc=300+3": "unexpected argument", "stats --clock tc=": "has no value", "stats --clock color=white": "needs a player"} {
		if _, errOut, code := run(t, db, "", strings.Fields(args)...); code != exit.Usage || !strings.Contains(errOut, want) {
			t.Errorf("%s: %d, %s", args, code, errOut)
		}
	}
}
