package testkit

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// Board is what a reference generator offers to a tester.
type Board interface {
	Legal(buf []chess.Move) []chess.Move
	PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move)
	Make(m chess.Move)
	Unmake()
	InCheck() bool
	Perft(depth int) uint64
	Setup() chess.Setup
}

// Conform runs the conformance test that every reference move generator must pass: published counts and, move by move,
// the moves that package movegen lists.
func Conform[B Board](t *testing.T, construct func(*chess.Position) (B, error)) {
	for _, line := range Suite(t, "published.epd") {
		for _, fen := range []string{line.FEN, Mirror(line.FEN)} {
			depth := 2
			if testing.Short() || line.Counts[0] > 15 {
				depth = 1
			}
			b := walk(t, construct, fen, depth)
			count(t, b, fen, line.Counts)
		}
	}
	for _, fen := range rare {
		for _, fen := range []string{fen, Mirror(fen)} {
			walk(t, construct, fen, 2)
		}
	}
	for _, fen := range []string{
		"4k3/8/8/8/8/8/8/R4K1R w K - 0 1", "4k3/8/8/8/8/8/8/R3K1R1 w K - 0 1", "4k1r1/8/8/8/8/8/8/4K3 w g - 0 1",
	} {
		if _, err := construct(Position(t, fen)); err == nil || !strings.Contains(err.Error(), "Chess960") {
			t.Errorf("New(%s): %v, want an error that names Chess960", fen, err)
		}
	}
}

// rare are positions of what is easily got wrong.
var rare = []string{
	// Every square of the castling king's way attacked or occupied, and those of the rook.
	"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1",
	"4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/7r/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/3r4/8/8/R3K2R w KQ - 0 1",
	"4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/r7/8/8/R3K2R w KQ - 0 1",
	"4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/R1B1K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/R2QK2R w KQ - 0 1",
	"4k3/8/8/8/8/8/8/R3Kn1R w KQ - 0 1", "4k3/8/8/8/8/8/8/R3K1NR w KQ - 0 1",
	"4k3/8/8/8/8/4n3/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/7p/R3K2R w KQ - 0 1", "8/8/8/8/8/8/6k1/R3K2R w Q - 0 1",
	// Rights that stand, and go with king, rook and a captured rook.
	"4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "r3k3/8/8/8/8/8/8/4K2R b Kq - 0 1",
	// Two checkers, one of which could be captured or blocked.
	"4r2k/8/8/8/8/5n2/6B1/4K3 w - - 0 1", "4r2k/8/8/8/8/5n2/R7/4K3 w - - 0 1",
	"4r2k/8/8/b7/8/8/R7/4K1B1 w - - 0 1", "4r1k1/8/8/8/8/3n4/P1P5/B3K2R w K - 0 1",
	// Double pushes, en passant, promotions.
	"rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1",
	"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1", "8/8/8/8/8/5k2/8/5K1R b - - 0 1",
}

// walk sets a board up on a position, compares them for some plies and returns the board.
func walk[B Board](t *testing.T, construct func(*chess.Position) (B, error), fen string, depth int) B {
	t.Helper()
	p := Position(t, fen)
	b, err := construct(p)
	Succeed(t, err)
	b.Unmake() // nothing to take back
	compare(t, b, p, depth)
	return b
}

// compare holds a board to a position, and then to what every legal move makes of it.
func compare(t *testing.T, b Board, p *chess.Position, depth int) {
	t.Helper()
	setup, fen := p.Setup(), p.FEN()
	setup.Halfmove, setup.Fullmove = 0, 0 // which no move depends on
	same := func(after string) {
		t.Helper()
		if got := b.Setup(); got != setup {
			q, err := got.Position()
			t.Fatalf("%s: %s the board is %v, %v", fen, after, q, err)
		}
	}
	same("as it was set up or moved")
	if b.InCheck() != p.InCheck() {
		t.Errorf("%s: InCheck = %v", fen, b.InCheck())
	}
	legal := b.Legal(nil)
	equal(t, fen, "legal", legal, movegen.Legal(p, nil))
	tactical, quiet := b.PseudoSplit(nil, nil)
	var wantTactical, wantQuiet []chess.Move
	for _, m := range movegen.Pseudo(p, nil) {
		if p.IsTactical(m) {
			wantTactical = append(wantTactical, m)
		} else {
			wantQuiet = append(wantQuiet, m)
		}
	}
	equal(t, fen, "tactical", tactical, wantTactical)
	equal(t, fen, "quiet", withoutCastling(quiet), withoutCastling(wantQuiet))
	for _, m := range slices.Concat(tactical, quiet) { // those that leave the king to be captured too
		b.Make(m)
		b.Unmake()
		same("after Make and Unmake of " + m.String())
	}
	if depth == 0 {
		return
	}
	for _, m := range legal {
		b.Make(m)
		p.Make(m)
		compare(t, b, p, depth-1)
		b.Unmake()
		p.Unmake()
	}
}

// withoutCastling returns the moves without castling: before the king's safety is asked,
// generators differ in what of it they have looked at.
func withoutCastling(moves []chess.Move) []chess.Move {
	return slices.DeleteFunc(slices.Clone(moves), func(m chess.Move) bool { return m.Kind() == chess.Castling })
}

// equal compares moves as sets without repetition.
func equal(t *testing.T, fen, what string, got, want []chess.Move) {
	t.Helper()
	got, want = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s moves\n got %v\nwant %v", fen, what, got, want)
	}
}

// count holds the perft of a board to published counts.
func count(t *testing.T, b Board, fen string, counts []uint64) {
	t.Helper()
	limit := uint64(1_500_000)
	if testing.Short() {
		limit = 100_000
	}
	for i, want := range counts {
		if want > limit {
			break
		}
		if got := b.Perft(i + 1); got != want {
			t.Errorf("%s: Perft(%d) = %d, want %d", fen, i+1, got, want)
		}
	}
	compare(t, b, Position(t, fen), 0)
}

// SuiteLine is a position of a perft suite with its counts for depth 1, 2, ….
type SuiteLine struct {
	FEN    string
	Counts []uint64
}

// Suite reads a perft suite of movegen/testdata, lines of "FEN ;D1 n ;D2 n …". Lines that
// begin with # say where the counts come from.
func Suite(t testing.TB, name string) []SuiteLine {
	t.Helper()
	dir := "testdata" // of the package that is tested, or of one above it
	for range 3 {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			break
		}
		dir = filepath.Join("..", dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	Succeed(t, err)
	var suite []SuiteLine
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, ";")
		l := SuiteLine{FEN: strings.TrimSpace(fields[0])}
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
