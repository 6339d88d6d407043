package perft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestPaths counts the suites of package movegen on every path, up to a size of tree.
func TestPaths(t *testing.T) {
	limit := uint64(2_000_000)
	if testing.Short() {
		limit = 20_000
	}
	for _, name := range []string{"published.epd", "random.epd", "chess960.epd"} {
		for _, line := range kit.Suite(t, name) {
			p := kit.Position(t, line.FEN)
			for path := movegen.Magic; path <= movegen.NEON; path++ {
				if path.Supported() != nil {
					continue
				}
				for i, want := range line.Counts {
					if want > limit {
						break
					}
					got, err := Count(t.Context(), p, i+1, Options{Path: path.String()})
					if got != want || err != nil {
						t.Errorf("%s depth %d on %v: %d, %v, want %d", line.FEN, i+1, path, got, err, want)
					}
				}
			}
		}
	}
}

var startNodes = []uint64{1, 20, 400, 8902, 197281, 4865609, 119060324}

func TestPerftStart(t *testing.T) {
	table, err := NewTable(1, 0)
	kit.Succeed(t, err)
	for p := movegen.Magic; p <= movegen.NEON; p++ {
		if p.Supported() != nil {
			continue
		}
		path := p.String()
		for _, opt := range []Options{
			{Path: path}, {Path: path, Threads: 1000}, {Path: path, Table: table}, {Path: path, Table: table, Threads: 2},
			{Path: path, Table: TableOf(make([][8]uint64, 1), 1)},
		} {
			for depth, want := range startNodes[:6] {
				got, err := Count(context.Background(), chess.NewPosition(), depth, opt)
				if err != nil || got != want {
					t.Errorf("%s, depth %d, %d threads, table %v: %d, %v, want %d",
						path, depth, opt.Threads, opt.Table != nil, got, err, want)
				}
			}
		}
	}
}

func TestDivide(t *testing.T) {
	var last, most atomic.Int64
	opt := Options{Threads: 2, Progress: func(done, total int) { last.Store(int64(done)); most.Store(int64(total)) }}
	branches, err := Divide(context.Background(), chess.NewPosition(), 4, opt)
	kit.Succeed(t, err)
	seen, sum := map[chess.Move]bool{}, uint64(0)
	for _, b := range branches {
		seen[b.Move] = true
		sum += b.Nodes
	}
	if len(branches) != 20 || len(seen) != 20 || sum != startNodes[4] {
		t.Errorf("%d branches of %d moves with %d nodes, want 20 and %d", len(branches), len(seen), sum, startNodes[4])
	}
	if last.Load() != most.Load() || most.Load() < 20 {
		t.Errorf("progress ends at %d of %d", last.Load(), most.Load())
	}
}

func TestPerftStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	opt := Options{Threads: 2, Progress: func(int, int) { cancel() }}
	if _, err := Count(ctx, chess.NewPosition(), 6, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func TestPerftRefuses(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	start := chess.NewPosition()
	for name, run := range map[string]func() (uint64, error){
		"canceled":    func() (uint64, error) { return CountSubtree(ended, start, 4, Options{}) },
		"depth -1":    func() (uint64, error) { return CountSubtree(t.Context(), start, -1, Options{}) },
		"depth 41":    func() (uint64, error) { return CountSubtree(t.Context(), start, 41, Options{}) },
		"depth -3":    func() (uint64, error) { return Count(t.Context(), start, -3, Options{}) },
		"depth 65":    func() (uint64, error) { return Count(t.Context(), start, 65, Options{}) },
		`"nonesuch"`:  func() (uint64, error) { return Count(t.Context(), start, 3, Options{Path: "nonesuch"}) },
		`"none"`:      func() (uint64, error) { return Count(t.Context(), start, 0, Options{Path: "none"}) },
		"context":     func() (uint64, error) { return Count(ended, start, 0, Options{}) },
		"2^64 leaves": func() (uint64, error) { return Count(t.Context(), start, 14, Options{Table: known(t)}) },
	} {
		if n, err := run(); err == nil || n != 0 || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %d nodes, error %v; want none and an error that says so", name, n, err)
		}
	}
	for _, depth := range []int{0, MaxDepth + 1} {
		if b, err := Divide(t.Context(), start, depth, Options{}); err == nil || b != nil {
			t.Errorf("divide %d: %d branches, error %v; want none and an error", depth, len(b), err)
		}
	}
}

// known returns a table which holds that twelve plies after any two moves of the start
// position have 2^62 leaves: counts that fit, whose sum does not.
func known(t *testing.T) *Table {
	table, err := NewTable(1, 0)
	kit.Succeed(t, err)
	j := job{Options: Options{Table: table}, lines: table.lines()}
	j.cut(chess.NewPosition(), 14)
	for _, u := range j.units {
		p := chess.NewPosition()
		for _, m := range u.moves {
			p.Make(m)
		}
		k := table.keys.of(p, 12)
		table.at(k, j.lines).store(k.check, 1<<62)
	}
	return table
}

const divided = "r3k2r/1P6/8/2pP4/8/8/8/R3K2R w KQkq c6 0 1"

func divide(t *testing.T, fen string, depth int) (*chess.Position, []Branch) {
	t.Helper()
	p := kit.Position(t, fen)
	right, err := Divide(t.Context(), p, depth, Options{})
	kit.Succeed(t, err)
	return p, right
}

// TestReadDivide reads a whole divide back in each of the formats that programs write.
func TestReadDivide(t *testing.T) {
	p, right := divide(t, divided, 2)
	long := func(m chess.Move) string {
		text := p.UCI(m)
		if m.Kind() == chess.Promotion {
			return text[:2] + "-" + text[2:4] + "=" + strings.ToUpper(text[4:])
		}
		return text[:2] + "-" + text[2:]
	}
	for name, line := range map[string]func(i int, b Branch) string{
		"Stockfish":       func(_ int, b Branch) string { return fmt.Sprintf("%s: %d", p.UCI(b.Move), b.Nodes) },
		"king takes rook": func(_ int, b Branch) string { return fmt.Sprintf("%s: %d", b.Move, b.Nodes) },
		"a space":         func(_ int, b Branch) string { return fmt.Sprintf("  %s %d\r", p.UCI(b.Move), b.Nodes) },
		"a dash":          func(_ int, b Branch) string { return fmt.Sprintf("%s - %d", p.UCI(b.Move), b.Nodes) },
		"numbers before":  func(i int, b Branch) string { return fmt.Sprintf("%d. %s: %d", i+1, p.UCI(b.Move), b.Nodes) },
		"a word before":   func(_ int, b Branch) string { return fmt.Sprintf("move %s => %d nodes", p.UCI(b.Move), b.Nodes) },
		"a table":         func(_ int, b Branch) string { return fmt.Sprintf("| %s | %d | 0.1 s |", p.UCI(b.Move), b.Nodes) },
		"grouped digits":  func(_ int, b Branch) string { return fmt.Sprintf("%s: 0,0%02d", p.UCI(b.Move), b.Nodes) },
		"SAN":             func(_ int, b Branch) string { return fmt.Sprintf("%s: %d", p.SAN(b.Move), b.Nodes) },
		"SAN, zeros castle": func(_ int, b Branch) string {
			return fmt.Sprintf("%s %d", strings.ReplaceAll(p.SAN(b.Move), "O", "0"), b.Nodes)
		},
		"long algebraic": func(_ int, b Branch) string { return fmt.Sprintf("%s: %d", long(b.Move), b.Nodes) },
		"capitals promote": func(_ int, b Branch) string {
			return fmt.Sprintf("%s %d", strings.Replace(p.UCI(b.Move), "q", "Q", 1), b.Nodes)
		},
		"tabs and a percent": func(_ int, b Branch) string { return fmt.Sprintf("%s\t%d\t(12 %%)", p.UCI(b.Move), b.Nodes) },
	} {
		text := "info string e2e4 is a move\nStockfish 16 by the authors\nDivide of depth 2\n\n"
		for i, b := range right {
			text += line(i, b) + "\n"
		}
		text += "\nNodes searched: 1234\nTotal time (ms) : 17\n9 moves\n"
		counts, err := ReadDivide(p, text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, c := range counts {
			if c.Move != right[i].Move || c.Nodes != right[i].Nodes || c.Line != i+5 {
				t.Errorf("%s: line %d: %v, want %v", name, i+5, c, right[i])
			}
		}
		if len(counts) != len(right) || Compare(p, right, counts) != nil {
			t.Errorf("%s: %d moves, differences %v", name, len(counts), Compare(p, right, counts))
		}
	}
}

func TestReadDivideRefused(t *testing.T) {
	p, _ := divide(t, divided, 1)
	for _, c := range []struct {
		text string
		line int
		want string
	}{
		{"", 0, "no line with a move"},
		{"Nodes searched: 20", 0, "no line with a move"},
		{"e1e2: 20\ne1e9: 20", 2, "e1e9"},
		{"e1e2: 20\n\ne1f2:", 3, "no count behind it"},
		{"e1e2: 20\ne1-e2 20", 2, "first in line 1"},
		{"O-O: 20\ne1g1: 20", 2, "first in line 1"},
		{"e1e2: 18446744073709551616", 1, "below 2^64"},
		{"Rb1: 3\nR9: 3", 2, "R9"},
		{"e1e1: 2", 1, "itself"},
	} {
		_, err := ReadDivide(p, c.text)
		var at *DivideError
		if !errors.As(err, &at) || at.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want line %d and %q", c.text, err, c.line, c.want)
		}
	}
}

func TestCompare(t *testing.T) {
	p, right := divide(t, "r3k2r/8/8/8/8/8/5r2/R3K2R w KQkq - 0 1", 1)
	counts, err := ReadDivide(p, "a1b1: 1\na1c1: 7\ne1g1: 1\nQd5: 1\ne1d1: 1")
	kit.Succeed(t, err)
	var got []string
	for _, d := range Compare(p, right, counts) {
		got = append(got, d.String())
		if d.Legal == (len(d.Reasons) > 0) && d.Move != chess.NoMove {
			t.Errorf("%+v", d)
		}
	}
	var missing []string
	for _, m := range movegen.Legal(p, nil) {
		if text := p.UCI(m); !slices.Contains([]string{"a1b1", "a1c1", "e1d1"}, text) {
			missing = append(missing, text+": missing")
		}
	}
	want := append(missing, "Qd5: not legal. No piece can move so.",
		"e1g1: not legal. The king would cross or reach f1, attacked by the rook on f2.")
	slices.Sort(want)
	slices.Sort(got[:len(got)-1])
	if want = append(want, "a1c1: 7, want 1"); !slices.Equal(got, want) {
		t.Errorf("differences\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
