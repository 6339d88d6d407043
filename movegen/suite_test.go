package movegen_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/count"
	"github.com/tabula-chess/tabula/movegen/mailbox"
	"github.com/tabula-chess/tabula/movegen/rays"
	"github.com/tabula-chess/tabula/movegen/x88"
)

// suiteLine is a position with its counts for depth 1, 2, ….
type suiteLine struct {
	fen    string
	counts []uint64
}

// readSuite reads lines of the form "FEN ;D1 n ;D2 n …" from testdata; lines
// that begin with # say where the numbers come from.
func readSuite(t *testing.T, name string, atLeast int) []suiteLine {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var lines []suiteLine
	for scanner := bufio.NewScanner(file); scanner.Scan(); {
		if strings.HasPrefix(scanner.Text(), "#") {
			continue
		}
		fields := strings.Split(scanner.Text(), ";")
		l := suiteLine{fen: strings.TrimSpace(fields[0])}
		for i, field := range fields[1:] {
			n, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(field), "D"+strconv.Itoa(i+1)+" "), 10, 64)
			if err != nil {
				t.Fatalf("%s: %q: %v", name, scanner.Text(), err)
			}
			l.counts = append(l.counts, n)
		}
		lines = append(lines, l)
	}
	if len(lines) < atLeast {
		t.Fatalf("%s: %d positions, want at least %d", name, len(lines), atLeast)
	}
	return lines
}

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
	hash, err := movegen.NewPerftHash(4)
	if err != nil {
		t.Fatal(err)
	}
	return counter{"one table", true, func(fen string) (func(int) uint64, error) {
		p, err := chess.ParseFEN(fen)
		return func(depth int) uint64 {
			n, err := movegen.Perft(context.Background(), p, depth, movegen.PerftOptions{Hash: hash})
			if err != nil {
				t.Errorf("%s: %v", fen, err)
			}
			return n
		}, err
	}}
}

// counters returns the back ends that this machine can run, the generator of
// the search by playing every move, and the reference generators.
func counters(t *testing.T) []counter {
	list := []counter{
		{"walk", true, func(fen string) (func(int) uint64, error) {
			p, err := chess.ParseFEN(fen)
			return func(depth int) uint64 { return movegen.Walk(p, depth) }, err
		}},
		referenceCounter("mailbox", mailbox.New), referenceCounter("x88", x88.New), referenceCounter("rays", rays.New),
		hashCounter(t),
	}
	for path := count.Magic; path <= count.AVX512; path++ {
		backend, err := count.For(path)
		if err != nil {
			t.Log(err)
			continue
		}
		list = append(list, counter{path.String(), true, func(fen string) (func(int) uint64, error) {
			p, err := chess.ParseFEN(fen)
			return func(depth int) uint64 {
				n, err := movegen.Perft(context.Background(), p, depth, movegen.PerftOptions{Backend: backend})
				if err != nil {
					t.Errorf("%s: %s: %v", path, fen, err)
				}
				return n
			}, err
		}}, counter{"lists on " + path.String(), true, func(fen string) (func(int) uint64, error) {
			p, err := chess.ParseFEN(fen)
			return func(depth int) uint64 { return walkOn(path, p, depth) }, err
		}})
	}
	return list
}

// walkOn counts by playing every move that is listed on a path but the last.
func walkOn(path count.Path, p *chess.Position, depth int) uint64 {
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
		positions        int
		chess960         bool
		limit, longLimit uint64
	}{
		{"published.epd", 22, false, 20_000, 5_000_000},
		{"random.epd", 200, false, 2_000, 100_000},
		{"chess960.epd", 100, true, 2_000, 300_000},
	} {
		limit := suite.longLimit
		if testing.Short() {
			limit = suite.limit
		}
		lines := readSuite(t, suite.name, suite.positions)
		for _, c := range counters(t) {
			if suite.chess960 && !c.chess960 {
				continue
			}
			t.Run(suite.name+"/"+c.name, func(t *testing.T) { countSuite(t, lines, c, limit) })
		}
	}
}

func countSuite(t *testing.T, lines []suiteLine, c counter, limit uint64) {
	for _, l := range lines {
		perft, err := c.open(l.fen)
		if err != nil {
			t.Errorf("%s: %v", l.fen, err)
			continue
		}
		for i, want := range l.counts {
			if want > limit {
				break
			}
			if got := perft(i + 1); got != want {
				t.Errorf("%s: perft %d = %d, want %d", l.fen, i+1, got, want)
				break
			}
		}
	}
}
