package movegen_test

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// counter is a way to count: a perft of a position set up once.
type counter struct {
	name string
	open func(fen string) (func(depth int) uint64, error)
}

// counters returns the generator of the search by playing every move, on every path that
// this machine can run.
func counters(t *testing.T) []counter {
	list := []counter{
		{"walk", func(fen string) (func(int) uint64, error) {
			p, err := chess.ParseFEN(fen)
			return func(depth int) uint64 { return perft.Walk(p, depth) }, err
		}},
	}
	for path := movegen.Magic; path <= movegen.AVX512; path++ {
		if err := path.Supported(); err != nil {
			t.Log(err)
			continue
		}
		list = append(list, counter{"lists on " + path.String(), func(fen string) (func(int) uint64, error) {
			p, err := chess.ParseFEN(fen)
			return func(depth int) uint64 { return walkOn(path, p, depth) }, err
		}})
	}
	return list
}

// walkOn counts by playing every move that is listed on a path but the last.
func walkOn(path movegen.Path, p *chess.Position, depth int) uint64 {
	var buf [chess.MaxMoves]chess.Move
	moves := movegen.GenerateOn(path, p, movegen.All, buf[:0])
	if depth <= 1 {
		return uint64(len(moves))
	}
	var n uint64
	for _, m := range moves {
		p.Make(m)
		n += walkOn(path, p, depth-1)
		p.Unmake()
	}
	return n
}

// TestSuites counts the suites of testdata on every generator that applies,
// up to a number of nodes a count.
func TestSuites(t *testing.T) {
	for _, suite := range []struct {
		name             string
		limit, longLimit uint64
	}{
		{"published.epd", 20_000, 1_000_000},
		{"random.epd", 2_000, 100_000},
		{"chess960.epd", 2_000, 300_000},
	} {
		limit := suite.longLimit
		if testing.Short() {
			limit = suite.limit
		}
		lines := gentest.Suite(t, suite.name)
		for _, c := range counters(t) {
			t.Run(suite.name+"/"+c.name, func(t *testing.T) { countSuite(t, lines, c, limit) })
		}
	}
}

func countSuite(t *testing.T, lines []gentest.Line, c counter, limit uint64) {
	for _, l := range lines {
		perft, err := c.open(l.FEN)
		if err != nil {
			t.Errorf("%s: %v", l.FEN, err)
			continue
		}
		for i, want := range l.Counts {
			if want > limit {
				break
			}
			if got := perft(i + 1); got != want {
				t.Errorf("%s: perft %d = %d, want %d", l.FEN, i+1, got, want)
				break
			}
		}
	}
}
