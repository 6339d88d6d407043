package gentest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/chesstest"
)

// Line is a position of a perft suite with its counts for depth 1, 2, ….
type Line struct {
	FEN    string
	Counts []uint64
}

// Suite reads a perft suite of movegen/testdata, lines of "FEN ;D1 n ;D2 n …". Lines that
// begin with # say where the counts come from.
func Suite(t testing.TB, name string) []Line {
	t.Helper()
	dir := "testdata" // of the package that is tested, or of one above it
	for range 3 {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			break
		}
		dir = filepath.Join("..", dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	var suite []Line
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, ";")
		l := Line{FEN: strings.TrimSpace(fields[0])}
		for i, field := range fields[1:] {
			n, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(field), "D"+strconv.Itoa(i+1)+" "), 10, 64)
			if err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			l.Counts = append(l.Counts, n)
		}
		suite = append(suite, l)
	}
	if len(suite) < 20 {
		t.Fatalf("%s: %d positions, want at least 20", name, len(suite))
	}
	return suite
}

// testPublished counts the published positions, and their twins of the other colour.
func testPublished(t *testing.T, construct New) {
	limit := uint64(1_500_000)
	if testing.Short() {
		limit = 100_000
	}
	for _, line := range Suite(t, "published.epd") {
		for _, fen := range []string{line.FEN, chesstest.Mirror(line.FEN)} {
			b := mustNew(t, construct, fen)
			for i, want := range line.Counts {
				if want > limit {
					break
				}
				if got := b.Perft(i + 1); got != want {
					t.Errorf("%s: Perft(%d) = %d, want %d", fen, i+1, got, want)
					break
				}
			}
			if got := fenOf(b); got != fen {
				t.Errorf("%s: Perft left the board at %s", fen, got)
			}
		}
	}
}
