package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestWhyCommand counts the mistakes of a game by the band of who made them, and takes no game without ratings, of
// programs, or of less time.
func TestWhyCommand(t *testing.T) {
	dir := t.TempDir()
	name := func(i string) string { return filepath.Join(dir, i+".pgn") }
	tags := "[White \"Anna\"]\n[Black \"Ben\"]\n[WhiteElo \"1500\"]\n[BlackElo \"2100\"]\n[TimeControl \"180+2\"]\n"
	const moves = "\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n"
	kit.Write(t, name("one"), []byte(tags+moves))
	kit.Write(t, name("none"), []byte(strings.Replace(tags, "180+2", "60+0", 1)+moves+"[WhiteTitle \"BOT\"]\n"+tags+moves+
		strings.Replace(tags, "1500", "?", 1)+moves))
	out, told, code := call(t, "why", "--nodes", "5000", "--deeper", "2", name("one"))
	if code != 0 {
		t.Fatal(told)
	}
	var rows []string
	for line := range strings.Lines(out) {
		if f := strings.Split(line, "\t"); len(f) > 8 {
			rows = append(rows, strings.Join([]string{f[0], f[2], f[3], f[6], f[7], f[8]}, ";"))
		}
	}
	if got, want := strings.Join(rows, "\n"), "2000 to 2399;6;Nf6;allows mate;true;Allows 4. Qxf7#: mate in 1."; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for _, want := range []string{
		"\n2000 to 2399                    1         1        1\n", "\nallows mate                     1         1        1\n",
		"\nbelow 1600                      0         0        0\n", "\n1 game, 7 moves, 5000 nodes a position",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, tt := range []said{
		{[]string{"why", name("none")}, 1, "no game"}, {[]string{"why"}, 2, "want PGN files"}, {[]string{"why", name("absent")}, 2, "absent.pgn"},
		{[]string{"why", "--mistakes", "0", name("one")}, 2, "mistakes"}, {[]string{"why", "--bands", "2000,1800", name("one")}, 2, "bands"},
	} {
		out, told, code := call(t, tt.args...)
		if code != tt.code || !strings.Contains(out+told, tt.want) {
			t.Errorf("%v: exit %d, %s%s, want %d and %q", tt.args, code, out, told, tt.code, tt.want)
		}
	}
}
