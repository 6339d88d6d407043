package chess_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestMake holds the whole position after one move, counters included, and
// whether the move gives check; the position before comes back.
func TestMake(t *testing.T) {
	for _, c := range []struct {
		name, fen, move, want string
		check                 bool
	}{
		{"a quiet move counts", "4k3/8/8/8/8/8/8/R3K3 w Q - 7 9", "a1b1", "4k3/8/8/8/8/8/8/1R2K3 b - - 8 9", false},
		{"a pawn move resets the clock", "4k3/8/8/8/8/4P3/8/4K3 w - - 7 9", "e3e4", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 9", false},
		{"a capture resets the clock", "4k3/8/8/8/8/8/r7/R3K3 w - - 7 9", "a1a2", "4k3/8/8/8/8/8/R7/4K3 b - - 0 9", false},
		{"a double step", "4k3/8/8/8/8/8/4P3/4K3 w - - 7 9", "e2e4", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 9", false},
		{"both rooks lose their rights", "r3k3/8/8/8/8/8/8/R3K3 w Qq - 7 9", "a1a8", "R3k3/8/8/8/8/8/8/4K3 b - - 0 9", true},
		{"castling", "4k3/8/8/8/8/8/8/R3K2R w KQ - 7 9", "e1h1", "4k3/8/8/8/8/8/8/R4RK1 b - - 8 9", false},
		{"castling gives check with the rook", "5k2/8/8/8/8/8/8/4K2R w K - 7 9", "e1h1", "5k2/8/8/8/8/8/8/5RK1 b - - 8 9", true},
		{"promotion with a capture", "1r2k3/P7/8/8/8/8/8/4K3 w - - 7 9", "a7b8n", "1N2k3/8/8/8/8/8/8/4K3 b - - 0 9", false},
		{"promotion gives check through its own square", "8/4P3/8/8/4k3/8/8/K7 w - - 7 9", "e7e8q", "4Q3/8/8/8/4k3/8/8/K7 b - - 0 9", true},
		{"promotion gives check along the pawn's file", "8/4P3/8/4k3/8/8/8/K7 w - - 0 9", "e7e8r", "4R3/8/8/4k3/8/8/8/K7 b - - 0 9", true},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 9", false},
		{"en passant: the pawn taken uncovers a bishop", "6k1/8/8/3pP3/8/1B6/8/4K3 w - d6 0 9", "e5d6", "6k1/8/3P4/8/8/1B6/8/4K3 b - - 0 9", true},
		{"en passant: both pawns uncover a rook", "8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 9", "e5d6", "8/8/3P4/R6k/8/8/8/4K3 b - - 0 9", true},
		{"en passant: the capturing pawn uncovers a rook", "4k3/8/8/3pP3/8/8/8/K3R3 w - d6 0 9", "e5d6", "4k3/8/3P4/8/8/8/8/K3R3 b - - 0 9", true},
	} {
		for _, twin := range []bool{false, true} {
			fen, text, want := c.fen, c.move, c.want
			if twin {
				fen, text, want = kit.Mirror(fen), kit.MirrorMove(text), strings.Replace(kit.Mirror(want), " 9", " 10", 1)
			}
			p := kit.Position(t, fen)
			before, key := p.Clone(), p.Key()
			check := played(t, p, kit.Move(t, p, text))
			if p.FEN() != want || check != c.check || p.Key() != p.ComputeKey() {
				t.Errorf("%s: %s after %s:\n got %s, check %v, key %x\nwant %s, check %v, key %x",
					c.name, fen, text, p, check, p.Key(), want, c.check, p.ComputeKey())
			}
			p.Unmake()
			if !p.Equal(before) || p.Key() != key {
				t.Errorf("%s: %s after %s and back: %s", c.name, fen, text, p)
			}
		}
	}
}

// TestLongGame plays more reversible moves than sixteen bits can count: the
// counters stand still in the text, and what is written can be read.
func TestLongGame(t *testing.T) {
	p := chess.NewPosition()
	var moves [4]chess.Move
	for i, text := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
		moves[i] = kit.Move(t, p, text)
		p.Make(moves[i])
	}
	const plies = 100_000
	for i := 4; i < plies; i++ {
		p.Make(moves[i%4])
	}
	if got := p.HalfmoveClock(); got != chess.MaxHalfmoveClock {
		t.Errorf("half-move clock %d after %d plies, want %d", got, plies, chess.MaxHalfmoveClock)
	}
	if got := p.FullmoveNumber(); got != plies/2+1 {
		t.Errorf("move number %d after %d plies, want %d", got, plies, plies/2+1)
	}
	if got := p.Repetitions(); got != plies/4 {
		t.Errorf("%d repetitions after %d plies, want %d", got, plies, plies/4)
	}
	if got := p.Outcome(); got != chess.SeventyFiveMoves {
		t.Errorf("outcome %v after %d plies, want %v", got, plies, chess.SeventyFiveMoves)
	}
	back, err := chess.ParseFEN(p.FEN())
	if err != nil || back.Key() != p.Key() {
		t.Errorf("%s does not come back: %v", p.FEN(), err)
	}
	if _, err := p.Setup().Position(); err != nil {
		t.Errorf("%s: its setup is refused: %v", p.FEN(), err)
	}
	for range plies {
		p.Unmake()
	}
	if got := p.FEN(); got != chess.StartFEN {
		t.Errorf("all moves taken back: %s", got)
	}
}

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
		p := kit.Position(t, fen)
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

// TestPlayParsed plays moves that were read without their position.
func TestPlayParsed(t *testing.T) {
	for _, c := range []struct{ fen, move, want string }{
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1", "4k3/8/8/8/8/8/8/R4RK1 b - - 1 1"},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1a1", "4k3/8/8/8/8/8/8/2KR3R b - - 1 1"},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 1"},
		{"4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8n", "N3k3/8/8/8/8/8/8/4K3 b - - 0 1"},
		{"4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1g1", ""},
		{"4k3/8/8/8/8/8/8/4K3 w - - 0 1", "0000", ""},
	} {
		p := kit.Position(t, c.fen)
		var m chess.Move
		err := m.UnmarshalText([]byte(c.move))
		if err == nil {
			err = p.Play(m)
		}
		if c.want == "" && (!errors.Is(err, chess.ErrIllegal) || p.FEN() != c.fen) || c.want != "" && (err != nil || p.FEN() != c.want) {
			t.Errorf("%s: %s: %s, %v, want %s", c.fen, c.move, p, err, c.want)
		}
	}
	p := chess.NewPosition()
	if err := p.PlayText("1. e4"); err != nil || p.LastMove().String() != "e2e4" {
		t.Errorf("e4: %v, %v", p.LastMove(), err)
	}
	if err := p.PlayText("Ke4"); !errors.Is(err, chess.ErrIllegal) || p.Plies() != 1 {
		t.Errorf("Ke4: %v after %d moves", err, p.Plies())
	}
}

func TestCopyBoard(t *testing.T) {
	q := kit.Position(t, "r3k2r/8/8/8/8/8/4P3/R3K2R w KQkq - 5 40")
	q.Make(kit.Move(t, q, "e4"))
	p := chess.NewPosition()
	p.MakeNull()
	p.CopyBoard(q)
	if !p.Equal(q) || p.Key() != q.Key() || p.Plies() != 0 || q.Plies() != 1 || p.Repetitions() != 0 {
		t.Errorf("%s with %d plies, want %s with none", p, p.Plies(), q)
	}
	want := q.FEN()
	p.Make(kit.Move(t, p, "O-O"))
	p.Unmake()
	if p.FEN() != want || q.FEN() != want {
		t.Errorf("%s, a copy of %s; want %s", p, q, want)
	}
}
