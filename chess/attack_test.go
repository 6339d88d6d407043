package chess_test

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// TestPawnsAttacks holds sets of pawns against their pawns one by one.
func TestPawnsAttacks(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		set := chess.Bitboard(r.Uint64() & r.Uint64())
		for c := chess.White; c <= chess.Black; c++ {
			want := chess.Bitboard(0)
			for b := set; b != 0; {
				want |= chess.PawnAttacks(c, b.Pop())
			}
			if got := chess.PawnsAttacks(c, set); got != want {
				t.Fatalf("%v pawns on %#x attack %#x, want %#x", c, uint64(set), uint64(got), uint64(want))
			}
		}
	}
}

// TestAttackers asks each piece which squares it attacks, and each square by whom it is
// attacked, with some of the pieces taken off the board.
func TestAttackers(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, fen := range []string{
		chess.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"4k3/8/3Pp1p1/2p1PpPp/2P1pP1P/3p1P2/8/4K3 b - - 0 1",
		"q3k2b/1n5N/2R2r2/3Q4/3pP3/2B2b2/1N4n1/Q2K1B1q w - - 0 1",
	} {
		p := parse(t, fen)
		for range 20 {
			occ := p.Occupied() & chess.Bitboard(r.Uint64()|r.Uint64())
			var want [64]chess.Bitboard
			for s := chess.A1; s <= chess.H8; s++ {
				piece := p.Piece(s)
				if piece == chess.NoPiece {
					continue
				}
				attacks := chess.PieceAttacks(piece.Type(), s, occ)
				if piece.Type() == chess.Pawn {
					attacks = chess.PawnAttacks(piece.Color(), s)
				}
				for to := range attacks.Squares() {
					want[to] |= s.Bitboard()
				}
			}
			for s := chess.A1; s <= chess.H8; s++ {
				if got := p.AttackersTo(s, occ); got != want[s] {
					t.Fatalf("%s, %#x occupied: %v is attacked from %#x, want %#x", fen, uint64(occ), s, uint64(got), uint64(want[s]))
				}
				for c := chess.White; c <= chess.Black; c++ {
					if got := p.Attacked(s, c, occ); got != (want[s]&p.ByColor(c) != 0) {
						t.Fatalf("%s, %#x occupied: %v attacks %v: %v", fen, uint64(occ), c, s, got)
					}
				}
			}
		}
	}
}
