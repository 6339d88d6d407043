// Package gentest holds the conformance test that every reference move
// generator must pass, in the manner of testing/fstest. It knows a generator
// only by the method set [Board] and shares no code with any of them; apart
// from the published counts it proves the filter of a generator against its
// own pseudo-legal moves: a move is illegal exactly when the reply can take
// the king.
package gentest

import (
	"strings"
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
	Setup() chess.Setup
}

// A New makes a board of a position.
type New func(p *chess.Position) (Board, error)

// Adapt turns a generator's constructor into a New.
func Adapt[B Board](construct func(*chess.Position) (B, error)) New {
	return func(p *chess.Position) (Board, error) {
		b, err := construct(p)
		if err != nil {
			return nil, err
		}
		return b, nil
	}
}

// Run runs the whole conformance test on the generator.
func Run(t *testing.T, construct New) {
	t.Run("Published", func(t *testing.T) { testPublished(t, construct) })
	t.Run("Castling", func(t *testing.T) { testCastling(t, construct) })
	t.Run("Make", func(t *testing.T) { testMake(t, construct) })
	t.Run("Setup", func(t *testing.T) { testSetup(t, construct) })
	t.Run("Tree", func(t *testing.T) { testTree(t, construct) })
}

func mustNew(t testing.TB, construct New, fen string) Board {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	b, err := construct(p)
	if err != nil {
		t.Fatalf("New(%s): %v", fen, err)
	}
	return b
}

// fenOf returns the position of a board as a FEN, or why its parts are none.
func fenOf(b Board) string {
	p, err := b.Setup().Position()
	if err != nil {
		return err.Error()
	}
	return p.FEN()
}

// testSetup takes boards apart as they were put together, asks that the
// position given is not kept, and that castling of Chess960 is refused.
func testSetup(t *testing.T, construct New) {
	for _, fen := range []string{
		chess.StartFEN, kiwipeteFEN,
		"rnbqkbnr/pppp1ppp/8/8/3Pp3/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 3",
		"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9",
		"8/8/8/8/8/5k2/8/5K1R b - - 99 120",
		"r3k3/8/8/8/8/8/8/4K2R b Kq - 9999 9999",
	} {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		b, err := construct(p)
		if err != nil {
			t.Errorf("New(%s): %v", fen, err)
			continue
		}
		if got := b.Setup(); got != p.Setup() {
			t.Errorf("New(%s).Setup() is %s", fen, fenOf(b))
		}
		b.Make(b.Legal(nil)[0])
		if got := p.FEN(); got != fen {
			t.Errorf("New(%s): a move of the board made the position %s", fen, got)
		}
	}
	for _, fen := range []string{
		"4k3/8/8/8/8/8/8/R4K1R w K - 0 1", "4k3/8/8/8/8/8/8/R3K1R1 w K - 0 1", "4k1r1/8/8/8/8/8/8/4K3 w g - 0 1",
	} {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := construct(p); err == nil || !strings.Contains(err.Error(), "Chess960") {
			t.Errorf("New(%s): %v, want an error that names Chess960", fen, err)
		}
	}
}

const kiwipeteFEN = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
