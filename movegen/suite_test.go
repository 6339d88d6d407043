package movegen_test

import (
	"context"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/movegen/reference/mailbox"
	"github.com/tabula-chess/tabula/movegen/reference/rays"
	"github.com/tabula-chess/tabula/movegen/reference/x88"
)

// counter is a way to count: a perft of a position set up once.
type counter struct {
	name     string
	chess960 bool
	open     func(fen string) (func(depth int) uint64, error)
}

// referenceCounter makes a counter of a reference generator.
func referenceCounter[B interface{ Perft(depth int) uint64 }](name string, construct func(*chess.Position) (B, error)) counter {
	return counter{name, false, func(fen string) (func(int) uint64, error) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return nil, err
		}
		b, err := construct(p)
		return b.Perft, err
	}}
}

// hashCounter counts all positions by one table.
func hashCounter(t *testing.T) counter {
	hash, err := perft.NewHash(4)
	if err != nil {
		t.Fatal(err)
	}
	return counter{"one table", true, func(fen string) (func(int) uint64, error) {
		p, err := chess.ParseFEN(fen)
		return func(depth int) uint64 {
			n, err := perft.New(perft.Options{Hash: hash}).Count(context.Background(), p, depth)
			if err != nil {
				t.Errorf("%s: %v", fen, err)
			}
			return n
		}, err
	}}
}

// counters returns the generator of the search by playing every move, on every path that
// this machine can run, the reference generators, and counts by a hash table.
func counters(t *testing.T) []counter {
	list := []counter{
		{"walk", true, func(fen string) (func(int) uint64, error) {
			p, err := chess.ParseFEN(fen)
			return func(depth int) uint64 { return perft.Walk(p, depth) }, err
		}},
		referenceCounter("mailbox", mailbox.New), referenceCounter("x88", x88.New), referenceCounter("rays", rays.New),
		hashCounter(t),
	}
	for path := movegen.Magic; path <= movegen.AVX512; path++ {
		if err := path.Supported(); err != nil {
			t.Log(err)
			continue
		}
		list = append(list, counter{"lists on " + path.String(), true, func(fen string) (func(int) uint64, error) {
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
		chess960         bool
		limit, longLimit uint64
	}{
		{"published.epd", false, 20_000, 1_000_000},
		{"random.epd", false, 2_000, 100_000},
		{"chess960.epd", true, 2_000, 300_000},
	} {
		limit := suite.longLimit
		if testing.Short() {
			limit = suite.limit
		}
		lines := gentest.Suite(t, suite.name)
		for _, c := range counters(t) {
			if suite.chess960 && !c.chess960 {
				continue
			}
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
