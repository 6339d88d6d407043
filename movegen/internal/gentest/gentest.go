// Package gentest holds the conformance test that every reference move
// generator must pass, in the manner of testing/fstest. It knows a generator
// only by the method set [Board] and shares no code with any of them; apart
// from the published counts it proves the filter of a generator against its
// own pseudo-legal moves: a move is illegal exactly when the reply can take
// the king.
package gentest

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// Board is what a reference generator offers to a tester.
type Board interface {
	Legal(buf []chess.Move) []chess.Move
	Pseudo(buf []chess.Move) []chess.Move
	PseudoSplit(tactical, quiet []chess.Move) (t, q []chess.Move)
	Make(m chess.Move)
	Unmake()
	InCheck() bool
	Perft(depth int) uint64
	FEN() string
}

// A TacticalBoard can also generate tactical moves alone.
type TacticalBoard interface {
	Board
	PseudoTactical(buf []chess.Move) []chess.Move
}

// A New makes a board of a FEN.
type New func(fen string) (Board, error)

// Adapt turns a generator's constructor into a New.
func Adapt[B Board](construct func(string) (B, error)) New {
	return func(fen string) (Board, error) {
		b, err := construct(fen)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
}

// Run runs the whole conformance test on the generator.
func Run(t *testing.T, construct New) {
	t.Run("Published", func(t *testing.T) { testPublished(t, construct) })
	t.Run("Suites", func(t *testing.T) { testSuites(t, construct) })
	t.Run("WorkedExample", func(t *testing.T) { testWorkedExample(t, construct) })
	t.Run("Castling", func(t *testing.T) { testCastling(t, construct) })
	t.Run("Make", func(t *testing.T) { testMake(t, construct) })
	t.Run("FEN", func(t *testing.T) { testFEN(t, construct) })
	t.Run("FENErrors", func(t *testing.T) { testFENErrors(t, construct) })
	t.Run("Tree", func(t *testing.T) { testTree(t, construct) })
	t.Run("Allocations", func(t *testing.T) { testAllocations(t, construct) })
}

// Bench measures perft in nodes per second on two positions.
func Bench(b *testing.B, construct New) {
	for _, bench := range []struct {
		name, fen string
		depth     int
	}{
		{"start", StartFEN, 4},
		{"kiwipete", kiwipeteFEN, 3},
	} {
		b.Run("position="+bench.name, func(b *testing.B) {
			board := mustNew(b, construct, bench.fen)
			b.ReportAllocs()
			nodes := uint64(0)
			for b.Loop() {
				nodes += board.Perft(bench.depth)
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}

func mustNew(t testing.TB, construct New, fen string) Board {
	t.Helper()
	b, err := construct(fen)
	if err != nil {
		t.Fatalf("New(%q): %v", fen, err)
	}
	return b
}

// StartFEN is the start position.
const StartFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

const kiwipeteFEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
