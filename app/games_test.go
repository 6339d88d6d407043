//go:build !js

package app

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/openings/polyglot"
	"github.com/tabula-chess/tabula/test/kit"
)

// run runs tabula games on a database and returns what it prints and its exit code.
func run(t *testing.T, dir, in string, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	root := &cli.Command{Name: "tabula", Writer: &o, ErrWriter: &e, Commands: []*cli.Command{gamesCommand(strings.NewReader(in))}}
	code = command.Run(context.Background(), root, append([]string{"tabula", "games", "--db", dir}, args...))
	return o.String(), e.String(), code
}

// TestCommands imports games and asks for them by each command.
func TestCommands(t *testing.T) {
	dir, db := t.TempDir(), filepath.Join(t.TempDir(), "db")
	var text, packed bytes.Buffer
	kit.Succeed(t, kit.WriteGames(&text, 300, 4))
	z := gzip.NewWriter(&packed)
	z.Write(text.Bytes())
	z.Close()
	name := filepath.Join(dir, "a.pgn.gz")
	kit.Write(t, name, packed.Bytes())
	var done games.Imported
	out, errOut, code := run(t, db, "", "import", "--json", name)
	if err := json.Unmarshal([]byte(out), &done); err != nil || code != 0 || done.Games != 300 {
		t.Fatalf("import: %d, %s%s", code, out, errOut)
	}
	e, err := zstd.NewWriter(nil)
	kit.Succeed(t, err)
	other := filepath.Join(dir, "a.pgn.zst")
	kit.Write(t, other, e.EncodeAll(text.Bytes(), nil))
	if out, errOut, code := run(t, db, "", "import", other); code != 0 || !strings.HasPrefix(out, "0 new games, 300 duplicates") {
		t.Errorf("by zstd: %d, %s%s", code, out, errOut)
	}
	wide := filepath.Join(dir, "wide.pgn.zst") // a frame with a window of 2 GiB
	kit.Write(t, wide, []byte{0x28, 0xb5, 0x2f, 0xfd, 0, 21 << 3, 9, 0, 0, '*'})
	out, errOut, code = run(t, db, "", "import", wide, other)
	if code == 0 || !strings.HasPrefix(out, "0 new games, 300 duplicates") || !strings.Contains(errOut, "--long=31") {
		t.Errorf("a window that is too large, and another file: %d, %s%s", code, out, errOut)
	}
	if out, _, code := run(t, db, text.String(), "import", "-"); code != 0 || !strings.HasPrefix(out, "0 new games, 300 duplicates") {
		t.Errorf("again: %d, %s", code, out)
	}
	short := "[Event \"short\"]\n\n1. e4 e4 *\n"
	if out, errOut, code := run(t, db, short, "import", "--strict", "-"); code != exit.Failed || out != "0 new games, 0 duplicates, 0 shortened, 1 unreadable\n" || !strings.Contains(errOut, "standard input: game 1, line 3") {
		t.Errorf("an illegal move, strictly: %d, %s%s", code, out, errOut)
	}
	other = filepath.Join(t.TempDir(), "db")
	if out, errOut, code := run(t, other, short, "import", "-"); code != 0 || out != "1 new game, 0 duplicates, 1 shortened, 0 unreadable\n" || !strings.HasPrefix(errOut, "warning: standard input: game 1, line 3, column 7: move \"e4\": illegal") {
		t.Errorf("an illegal move: %d, %s%s", code, out, errOut)
	}
	if out, _, code := run(t, other, "", "export"); code != 0 || !strings.HasSuffix(out, "\n1. e4 *\n\n") {
		t.Errorf("an illegal move, exported: %d, %s", code, out)
	}
	bad := "[Event \"x\"]\n\n1. e5 e4 *\n"
	if _, errOut, code := run(t, db, bad, "import", "-"); code != exit.Failed || !strings.Contains(errOut, "standard input: game 1, line 3") {
		t.Errorf("a bad game: %d, %s", code, errOut)
	}
	var r games.Report
	out, _, code = run(t, db, "", "show", "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 || r.Total.Games < 200 || len(r.Top) != 5 || len(r.Latest) != 5 {
		t.Fatalf("show: %d, %v, %s", code, err, out)
	}
	best := r.Moves[0]
	if out, _, code = run(t, db, "", "show", best.SAN, "date=2000..", "rating=..3000"); code != 0 || !strings.Contains(out, "all") {
		t.Errorf("show with words: %d, %s", code, out)
	}
	out, _, code = run(t, db, "", "find", chess.StartFEN, "result=1-0")
	if n := strings.Count(out, "\n"); code != 0 || n != r.Total.White {
		t.Errorf("find: %d, %d games, want %d", code, n, r.Total.White)
	}
	found := filepath.Join(dir, "found.pgn")
	if out, errOut, code = run(t, db, "", "find", "squares=Ke1,ke8", "--out", found); code != 0 {
		t.Errorf("find --out: %d, %s%s", code, out, errOut)
	}
	for _, args := range [][]string{{"find", "event=nowhere", "--out", found + "2"}, {"export", "squares=Ka8,ka1", "--out", found + "2"}} {
		_, errOut, code := run(t, db, "", args...)
		if _, err := os.Stat(found + "2"); code != 0 || errOut != "no game matches: "+found+"2 is not written\n" || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %d, %q, %v", args, code, errOut, err)
		}
	}
	before := kit.Read(t, found)
	if _, errOut, code := run(t, db, "", "find", "event=nowhere", "--out", found); code != 0 || !bytes.Equal(kit.Read(t, found), before) {
		t.Errorf("find --out over a file: %d, %s", code, errOut)
	}
	exported, _, code := run(t, db, "", "export")
	if code != 0 || exported != text.String() {
		t.Errorf("export: %d, %d bytes, want the %d that were imported", code, len(exported), text.Len())
	}
	for _, args := range [][]string{{"stats"}, {"stats", "--json"}, {"check"}, {"compact"}} {
		if out, errOut, code := run(t, db, "", args...); code != 0 {
			t.Errorf("%v: %d, %s%s", args, code, out, errOut)
		}
	}
	defer func() { // at the end: stats notices zeros in a file whose end is sound
		names, err := filepath.Glob(filepath.Join(db, "segment-*"))
		kit.Succeed(t, err)
		data := kit.Read(t, names[0])
		clear(data[len(data)/2 : len(data)/2+64])
		kit.Write(t, names[0], data)
		if out, errOut, code := run(t, db, "", "stats"); code == 0 || out != "" || !strings.Contains(errOut, "damaged") {
			t.Errorf("stats of a file with a hole: %d, %s%s", code, out, errOut)
		}
	}()
	file := filepath.Join(dir, "book.bin")
	if out, errOut, code := run(t, db, "", "book", "--out", file, "games=2"); code != 0 {
		t.Fatalf("book: %d, %s%s", code, out, errOut)
	}
	book, err := polyglot.Open(file)
	kit.Succeed(t, err)
	defer book.Close()
	if moves, err := book.Moves(chess.NewPosition()); err != nil || len(moves) == 0 {
		t.Errorf("the book has %v, %v", moves, err)
	}
}

// screen is a terminal.
type screen struct{ bytes.Buffer }

func (*screen) Size() (width, height int) { return 100, 24 }

// TestImportWithoutGames reads a file without games with progress.
func TestImportWithoutGames(t *testing.T) {
	name, errOut := filepath.Join(t.TempDir(), "numbers.csv"), new(screen)
	kit.Write(t, name, []byte(strings.Repeat("1 ", 200_000)))
	root := &cli.Command{Name: "tabula", Writer: io.Discard, ErrWriter: errOut, Commands: []*cli.Command{gamesCommand(nil)}}
	code := command.Run(t.Context(), root, []string{"tabula", "games", "--db", filepath.Join(t.TempDir(), "db"), "import", name})
	for _, want := range []string{"\rno games yet, numbers.csv █", name + ": no games\n"} {
		if code != 0 || !strings.Contains(errOut.String(), want) {
			t.Errorf("exit code %d, no %q in %q", code, want, errOut)
		}
	}
}

// twenty are twenty games of 1. e4 e5, with their number as Event, packed by bzip2.
const twenty = "QlpoOTFBWSZTWRyeK+QAAMNfgAAQUAN/4AIAAAoCAQUAIACVBJFB+qBptQAVIqHoh6QD1PZGCLEfiMkbkZI2I9bVXfPGN+b02222wEUCKkjgEXBE" +
	"iMIiPARN2Rd1VVVVX0jmRZHQRojBGiNEfxdyRThQkByeK+Q="

// TestCutOff imports archives that are cut off: each is an error that names the file and the last game, and when the
// whole one has come, the rest is imported.
func TestCutOff(t *testing.T) {
	bz2, err := base64.StdEncoding.DecodeString(twenty)
	kit.Succeed(t, err)
	var text, gz bytes.Buffer
	kit.Succeed(t, kit.WriteGames(&text, 300, 4))
	z := gzip.NewWriter(&gz)
	z.Write(text.Bytes())
	z.Close()
	e, err := zstd.NewWriter(nil)
	kit.Succeed(t, err)
	for kind, packed := range map[string][]byte{"gz": gz.Bytes(), "bz2": bz2, "zst": e.EncodeAll(text.Bytes(), nil)} {
		db, name := filepath.Join(t.TempDir(), "db"), filepath.Join(t.TempDir(), "a.pgn."+kind)
		for cut := 0; cut < len(packed); cut += 1 + min(cut, len(packed)/20) {
			kit.Write(t, name, packed[:cut])
			out, errOut, code := run(t, db, "", "import", "--json", name)
			if code != exit.Failed || !strings.Contains(errOut, name+": ") || !strings.Contains(errOut, "cut off") {
				t.Errorf("%s, %d of %d bytes: %d, %s%s", kind, cut, len(packed), code, out, errOut)
			}
		}
		other := filepath.Join(filepath.Dir(name), "b.pgn")
		kit.Write(t, other, []byte("[Event \"b\"]\n\n1. d4 *\n"))
		kit.Write(t, name, packed[:len(packed)-1])
		run(t, db, "", "import", name, filepath.Join(db, "none.pgn"), other)
		if out, _, code := run(t, db, "", "find", "event=b"); code != 0 || strings.Count(out, "\n") != 1 {
			t.Errorf("%s: of the other file there is %q", kind, out)
		}
		out, _, _ := run(t, db, "", "stats", "--json")
		var stats games.Stats
		kit.Succeed(t, json.Unmarshal([]byte(out), &stats))
		stored := stats.Games - 1
		kit.Write(t, name, packed)
		want := 300
		if kind == "bz2" {
			want = 20
		}
		var done games.Imported
		out, errOut, code := run(t, db, "", "import", "--json", name)
		if err := json.Unmarshal([]byte(out), &done); err != nil || code != 0 || done.Games+stored != want || done.Repeated != stored || kind != "bz2" && stored == 0 {
			t.Errorf("%s whole: %d, %+v, %s, %d before", kind, code, done, errOut, stored)
		}
	}
}

func TestWrongUse(t *testing.T) {
	db := filepath.Join(t.TempDir(), "db")
	for _, name := range []string{"show", "compact", "repair"} {
		if _, errOut, code := run(t, db, "", name); code != exit.Usage || !strings.Contains(errOut, "there is no database") {
			t.Errorf("%s, no database: %d, %s", name, code, errOut)
		}
	}
	if _, errOut, code := run(t, db, "", "import", "-"); code != 0 {
		t.Fatal(errOut)
	}
	for _, args := range []string{"find player=Zork", "export player=Zork", "find --json player=Zork"} {
		if out, errOut, code := run(t, db, "", strings.Fields(args)...); code != 0 || out != "" || !strings.HasSuffix(errOut, "no game matches\n") {
			t.Errorf("%s: %d, %q, %q", args, code, out, errOut)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"import", "no file"}, {"import none.pgn", "none.pgn"}, {"show e5", `move "e5": illegal`}, {"show rating=x", "rating=x: want 2400"}, {"find rating=2000..x", "rating=2000..x: want"},
		{"find plyer=Anna", "unknown word plyer=, want one of player=, color="}, {"find plyer=Anna", "pattern=; did you mean player?"}, {"book --out x.bin plais=3", "unknown word plais="}, {"find --json --out x.pgn", "not both"}, {"find color=x rating=y date=z", "\"x\": want white or black"}, {"find player=A player=B", "player= is given twice"},
		{"show date=20x0", "date=20x0: want 2015.06.30"}, {"find " + t.TempDir(), "it is a directory"},
		{"show date=2010.13", "date"}, {"find date=2012..2010", "dates from 2012"}, {"find date=????", "date=????: want"}, {"find rating=-5", "rating=-5: want"}, {"find rating=0", "rating=0: want"}, {"find rating=2400..0", "rating=2400..0: want"}, {"find event=?", "want a letter or a digit"}, {"find date=..", "date=..: want"}, {"show color=red", "red"}, {"show color=white", "needs a player"}, {"show player=", "has no value"},
		{"find material=KRP", "material"}, {"find squares=e4", "squares"}, {"show material=KvK", "find"}, {"export e5", "e5"},
		{"book", "--out"}, {"book --out x.bin plies=0", "plies"}, {"frobnicate", "frobnicate"},
	} {
		if _, errOut, code := run(t, db, "", strings.Fields(tt.args)...); code != exit.Usage || !strings.Contains(errOut, tt.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: %d, %s; want one line with %s", tt.args, code, errOut, tt.want)
		}
	}
}
