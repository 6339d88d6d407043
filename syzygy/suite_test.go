package syzygy

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
)

// shared returns a path of the data that is shared between projects.
func shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("TABULA_SHARED")
	if root == "" {
		root = "../../shared"
	}
	path := filepath.Join(root, "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("needs tables of four men in TABULA_SHARED: ", err)
	}
	return path
}

// openTables opens tables until the test ends.
func openTables(t testing.TB, dirs ...string) *Tables {
	t.Helper()
	tables, err := Open(dirs...)
	must.Succeed(t, err)
	t.Cleanup(func() { must.Succeed(t, tables.Close()) })
	return tables
}

// suiteLine is a position with its known values.
type suiteLine struct {
	fen      string
	wdl, dtz int
}

func readSuite(t testing.TB) []suiteLine {
	t.Helper()
	file, err := os.Open(shared(t, "syzygy.epd"))
	must.Succeed(t, err)
	defer file.Close()
	var lines []suiteLine
	for s := bufio.NewScanner(file); s.Scan(); {
		fields := strings.Split(s.Text(), " ; ")
		if len(fields) != 3 {
			t.Fatalf("line %q", s.Text())
		}
		wdl, err1 := strconv.Atoi(strings.TrimPrefix(fields[1], "wdl "))
		dtz, err2 := strconv.Atoi(strings.TrimPrefix(fields[2], "dtz "))
		if err1 != nil || err2 != nil {
			t.Fatalf("line %q", s.Text())
		}
		lines = append(lines, suiteLine{fields[0], wdl, dtz})
	}
	return lines
}

// both returns a position and the same with the colours exchanged.
func both(t testing.TB, fen string) []*chess.Position {
	t.Helper()
	p := chesstest.Position(t, fen)
	return []*chess.Position{p, chesstest.Exchanged(t, p)}
}

// TestSuite looks up every position of syzygy.epd, and with the colours
// exchanged.
func TestSuite(t *testing.T) {
	tables := openTables(t, shared(t, "syzygy"))
	lines := readSuite(t)
	if len(lines) != 4400 {
		t.Errorf("%d positions, want 4400", len(lines))
	}
	for _, l := range lines {
		for _, p := range both(t, l.fen) {
			wdl, err := tables.WDL(p)
			if err != nil || wdl != l.wdl {
				t.Errorf("%s: WDL %d (%v), want %d", p, wdl, err, l.wdl)
			}
			dtz, err := tables.DTZ(p)
			if err != nil || dtz != l.dtz {
				t.Errorf("%s: DTZ %d (%v), want %d", p, dtz, err, l.dtz)
			}
		}
	}
}
