package chess_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// bare returns two kings and more.
func bare(more func(s *chess.Setup)) chess.Setup {
	var s chess.Setup
	s.Put(chess.MakePiece(chess.White, chess.King), chess.E1)
	s.Put(chess.MakePiece(chess.Black, chess.King), chess.E8)
	if more != nil {
		more(&s)
	}
	return s
}

// TestEqual tells positions apart that differ in one thing.
func TestEqual(t *testing.T) {
	different := []string{
		"1r2k3/8/8/8/8/8/8/RR2K1RR w A - 4 9", "1r2k3/8/8/8/8/8/8/RR2K1RR w B - 4 9", "1r2k3/8/8/8/8/8/8/RR2K1RR w - - 4 9",
		"1r2k3/8/8/8/8/8/8/RR2K1RR w G - 4 9", "1r2k3/8/8/8/8/8/8/RR2K1RR w H - 4 9", "1r2k3/8/8/8/8/8/8/RR2K1RR w Ab - 4 9",
		"rr2k1rr/8/8/8/8/8/8/4K3 b a - 4 9", "rr2k1rr/8/8/8/8/8/8/4K3 b b - 4 9", "rr2k1rr/8/8/8/8/8/8/4K3 b g - 4 9",
		"rr2k1rr/8/8/8/8/8/8/4K3 b h - 4 9", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 9", "4k3/8/8/8/4P3/8/8/4K3 b - e3 0 9",
		"4k3/8/8/8/4P3/8/8/4K3 b - - 1 9", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 8", "4k3/8/8/8/4P3/8/8/4K3 w - - 0 9",
	}
	for i, a := range different {
		for j, b := range different {
			if kit.Position(t, a).Equal(kit.Position(t, b)) != (i == j) {
				t.Errorf("Equal takes %s and %s for the same: %v", a, b, i != j)
			}
		}
	}
}

func TestSetupRefused(t *testing.T) {
	piece := chess.MakePiece
	for _, c := range []struct {
		name          string
		setup         chess.Setup
		field, reason string
		square        chess.Square
	}{
		{"empty", chess.Setup{}, "placement", "white has 0 kings", chess.NoSquare},
		{"two on a square", bare(func(s *chess.Setup) { s.Put(piece(chess.White, chess.Rook), chess.E8) }), "placement", "two pieces on e8", chess.E8},
		{"pawn on the last rank", bare(func(s *chess.Setup) { s.Put(piece(chess.White, chess.Pawn), chess.A8) }), "placement", "pawn on a8", chess.A8},
		{"nine pawns", bare(func(s *chess.Setup) { s.Pieces[chess.White][chess.Pawn] = chess.Rank2 | chess.A3.Bitboard() }), "placement", "9 pawns", chess.NoSquare},
		{"no side", bare(func(s *chess.Setup) { s.Side = 2 }), "side", "2, want White or Black", chess.NoSquare},
		{"in check", bare(func(s *chess.Setup) { s.Put(piece(chess.White, chess.Rook), chess.A8) }), "side", "black is in check", chess.E8},
		{"no rook", bare(func(s *chess.Setup) { s.Castling = chess.A1.Bitboard() }), "castling", "no rook on a1", chess.A1},
		{"rook off the rank", bare(func(s *chess.Setup) {
			s.Put(piece(chess.White, chess.Rook), chess.A2)
			s.Castling = chess.A2.Bitboard()
		}), "castling", "not on the rank", chess.A2},
		{"king away", chess.Setup{Pieces: [2][6]chess.Bitboard{
			{chess.King: chess.E2.Bitboard(), chess.Rook: chess.A1.Bitboard()}, {chess.King: chess.E8.Bitboard()},
		}, Castling: chess.A1.Bitboard()}, "castling", "king stands on e2", chess.E2},
		{"two rooks of a wing", bare(func(s *chess.Setup) {
			s.Put(piece(chess.White, chess.Rook), chess.G1, chess.H1)
			s.Castling = s.Pieces[chess.White][chess.Rook]
		}), "castling", "two rooks of white", chess.H1},
		{"two squares passed", bare(func(s *chess.Setup) { s.EnPassant = chess.Rank6 }), "en passant", "8 squares", chess.NoSquare},
		{"no pawn", bare(func(s *chess.Setup) { s.EnPassant = chess.D6.Bitboard() }), "en passant", "no black pawn on d5", chess.D6},
		{"a1 passed", bare(func(s *chess.Setup) { s.EnPassant = 1 }), "en passant", "a1 is not behind", chess.A1},
		{"clock", bare(func(s *chess.Setup) { s.Halfmove = -1 }), "halfmove clock", "-1 out of range 0 to 9999", chess.NoSquare},
		{"number", bare(func(s *chess.Setup) { s.Fullmove = 10000 }), "fullmove number", "10000 out of range 1 to 9999", chess.NoSquare},
	} {
		p := chess.NewPosition()
		err := c.setup.Into(p)
		var refused *chess.SetupError
		if !errors.As(err, &refused) || refused.Field != c.field || !strings.Contains(refused.Reason, c.reason) || refused.Square != c.square {
			t.Errorf("%s: %+v, want %s: …%s… on %s", c.name, err, c.field, c.reason, c.square)
		}
		if got := p.FEN(); got != chess.StartFEN {
			t.Errorf("%s: after a refusal the position is %s", c.name, got)
		}
		if _, err := c.setup.Position(); err == nil {
			t.Errorf("%s: Position accepts what Into refuses", c.name)
		}
	}
}

// TestSetupSpoiled changes parts of good positions at random: what is refused is
// refused with a typed error, and what is not comes back from its parts and from
// its text, with a key that agrees.
func TestSetupSpoiled(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	good := 0
	for i := range 20_000 {
		p := kit.Position(t, roundTrips[i%len(roundTrips)].fen)
		s := p.Setup()
		for range 1 + r.IntN(3) {
			switch at := chess.Square(r.IntN(64)).Bitboard(); r.IntN(6) {
			case 0, 1:
				s.Pieces[r.IntN(2)][r.IntN(6)] ^= at
			case 2:
				s.Side = chess.Color(r.IntN(3))
			case 3:
				s.Castling ^= at
			case 4:
				s.EnPassant ^= at
			case 5:
				s.Halfmove, s.Fullmove = r.IntN(12000)-1000, r.IntN(12000)-1000
			}
		}
		q, err := s.Position()
		if err != nil {
			var refused *chess.SetupError
			if !errors.As(err, &refused) || refused.Field == "" || refused.Reason == "" || refused.Square > chess.NoSquare {
				t.Fatalf("%+v: %#v", s, err)
			}
			continue
		}
		good++
		s.Fullmove = max(1, s.Fullmove)
		if q.Setup() != s || q.Key() != q.ComputeKey() {
			t.Fatalf("%+v: comes back as %+v, key %x, computed anew %x", s, q.Setup(), q.Key(), q.ComputeKey())
		}
		back, err := chess.ParseFEN(q.FEN())
		if err != nil || !back.Equal(q) || back.Key() != q.Key() {
			t.Fatalf("%s comes back as %v, %v", q, back, err)
		}
	}
	if good < 1000 {
		t.Errorf("%d positions left, want at least 1000", good)
	}
}

// TestFENErrorIsSetupError shows that a text and its parts are refused alike,
// the text with the place.
func TestFENErrorIsSetupError(t *testing.T) {
	_, err := chess.ParseFEN("4k3/8/8/8/8/8/8/P3K3 w - - 0 1")
	var fen *chess.FENError
	var setup *chess.SetupError
	if !errors.As(err, &fen) || !errors.As(err, &setup) || fen.Offset != 16 || setup.Square != chess.A1 || fen.Reason != setup.Reason {
		t.Errorf("got %#v and %#v, want both errors of the pawn on a1 at byte 16", fen, setup)
	}
	if _, err := chess.ParseFEN("x"); errors.As(err, &setup) && err != nil {
		t.Errorf("%v is an error of the text, not of a setup", err)
	}
}

func TestChess960Starts(t *testing.T) {
	seen := map[string]int{}
	for n := range chess.Chess960Starts {
		p, err := chess.NewChess960(n)
		if err != nil {
			t.Fatalf("start %d: %v", n, err)
		}
		fen := p.FEN()
		if other, ok := seen[fen]; ok {
			t.Errorf("starts %d and %d are both %s", other, n, fen)
		}
		seen[fen] = n
		rank := fen[:8]
		for piece, want := range map[string]int{"k": 1, "q": 1, "r": 2, "b": 2, "n": 2} {
			if got := strings.Count(rank, piece); got != want {
				t.Errorf("start %d, %s: %d of %s, want %d", n, rank, got, piece, want)
			}
		}
		if (strings.Index(rank, "b")+strings.LastIndex(rank, "b"))%2 == 0 {
			t.Errorf("start %d, %s: bishops on squares of one colour", n, rank)
		}
		if k := strings.Index(rank, "k"); k < strings.Index(rank, "r") || k > strings.LastIndex(rank, "r") {
			t.Errorf("start %d, %s: king not between the rooks", n, rank)
		}
		if p.Castling() != chess.AllCastling || p.Chess960() != (rank[0] != 'r' || rank[4] != 'k' || rank[7] != 'r') {
			t.Errorf("start %d, %s: castling rights %04b, Chess960 %v", n, fen, p.Castling(), p.Chess960())
		}
		if none := kit.Position(t, fen[:43]+" w - - 0 1"); none.Chess960() {
			t.Errorf("%s: Chess960 without a right to castle", none)
		}
		// Published numbers.
		if want := map[int]string{0: "bbqnnrkr", chess.StandardStart: "rnbqkbnr", 534: "rnbkqbnr", 959: "rkrnnqbb"}[n]; want != "" && rank != want {
			t.Errorf("start %d: %s, want %s", n, rank, want)
		}
	}
}

func TestDoubleChess960(t *testing.T) {
	p, err := chess.NewDoubleChess960(chess.StandardStart, 0)
	if want := "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAhf - 0 1"; err != nil || p.FEN() != want {
		t.Errorf("got %v, %v, want %s", p, err, want)
	}
	for _, c := range []struct {
		white, black int
		want         string
	}{
		{-1, 0, "Chess960 start -1, want 0 to 959 for white"}, {960, 0, "Chess960 start 960, want 0 to 959 for white"},
		{0, -1, "Chess960 start -1, want 0 to 959 for black"}, {960, 960, "Chess960 start 960, want 0 to 959"},
	} {
		if p, err := chess.NewDoubleChess960(c.white, c.black); err == nil || err.Error() != c.want {
			t.Errorf("starts %d and %d: %v, %v, want %s", c.white, c.black, p, err, c.want)
		}
	}
}

// TestMirror compares with the text that is turned over, and turns back.
func TestMirror(t *testing.T) {
	for _, fen := range []string{
		chess.StartFEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 3 20",
		"4k3/8/8/8/4Pp2/8/8/4K3 b - e3 0 9", "1r2k3/8/8/8/8/8/8/RR2K1RR w Bb - 4 9",
	} {
		p := kit.Position(t, fen)
		q, want := p.Mirror(), kit.Position(t, kit.Mirror(fen))
		if !q.Equal(want) || q.Key() != want.Key() || q.PawnKey() != want.PawnKey() || q.FEN() != want.FEN() || q.Plies() != 0 {
			t.Errorf("%s: %s, want %s", fen, q, want)
		}
		if back := q.Mirror(); !back.Equal(p) || back.Key() != p.Key() {
			t.Errorf("%s: back comes %s", fen, back)
		}
	}
	p := kit.Position(t, "4k3/8/8/8/8/8/8/4RK2 b - - 0 9")
	p.MakeNull() // in check
	if q := p.Mirror(); q.FEN() != "4rk2/8/8/8/8/8/8/4K3 b - - 1 10" || !q.CanTakeKing() {
		t.Errorf("%s of %s", q, p)
	}
}

// TestComposed: positions beyond what a game can bring pass where they are asked for, and play on.
func TestComposed(t *testing.T) {
	for name, more := range map[string]func(s *chess.Setup){
		"nine queens beside six pawns": func(s *chess.Setup) {
			s.Pieces[chess.White][chess.Queen] = chess.Rank1&^chess.E1.Bitboard() | chess.A2.Bitboard() | chess.B2.Bitboard()
			s.Pieces[chess.White][chess.Pawn] = chess.Rank3 &^ (chess.A3.Bitboard() | chess.B3.Bitboard())
		},
		"fifteen pawns": func(s *chess.Setup) {
			s.Pieces[chess.Black][chess.Pawn] = chess.Rank7 | chess.Rank6&^chess.A6.Bitboard()
		},
	} {
		s := bare(more)
		if _, err := s.Position(); err == nil || !strings.Contains(err.Error(), "too many pieces") {
			t.Errorf("%s: %v, want too many pieces", name, err)
		}
		s.Composed = true
		p, err := s.Position()
		kit.Succeed(t, err)
		if again, err := p.Setup().Position(); err != nil || !again.Equal(p) || !p.Setup().Composed {
			t.Errorf("%s: comes back as %v, %v", name, again, err)
		}
		if !p.Composed() || !p.Mirror().Composed() || !p.Clone().Composed() || chess.NewPosition().Composed() {
			t.Errorf("%s: composed %v", name, p.Composed())
		}
		if text, err := p.MarshalText(); err == nil {
			t.Errorf("%s: %q is a text that cannot be read", name, text)
		}
		if p.Mirror().Mirror().FEN() != p.FEN() {
			t.Errorf("%s: mirrored twice it is another", name)
		}
		p.MakeNull()
		if legal := p.HasLegalMove(); !legal {
			t.Errorf("%s: no legal move", name)
		}
	}
	for name, s := range map[string]chess.Setup{
		"seventeen": bare(func(s *chess.Setup) { s.Pieces[chess.White][chess.Pawn] = chess.Rank2 | chess.Rank3 }),
		"two kings": bare(func(s *chess.Setup) { s.Put(chess.MakePiece(chess.White, chess.King), chess.A1) }),
		"no check":  bare(func(s *chess.Setup) { s.Put(chess.MakePiece(chess.White, chess.Rook), chess.A8) }),
	} {
		s.Composed = true
		if _, err := s.Position(); err == nil {
			t.Errorf("%s: a position", name)
		}
	}
}
