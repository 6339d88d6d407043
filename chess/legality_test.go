package chess_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// rich are positions with castling, en passant, promotions, checks and pins.
var rich = []string{
	chess.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1", // en passant would uncover a queen
	"8/8/3k4/8/2pPp3/8/8/3RK3 b - d3 0 1",
	"8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1", // en passant takes the checker
	"4k3/8/8/K2pP2q/8/8/8/8 w - d6 0 1",
	"4k3/8/8/3pP3/4K3/8/8/8 w - d6 0 1", // in check by a pawn that can be taken
	"2r1kr2/8/8/8/8/8/8/1R2K1R1 w GBfc - 0 1",
	"1rk3r1/6p1/8/8/8/8/8/1RK3R1 w KQkq - 0 1",
	"4k3/8/8/8/8/8/8/qRK4R w HB - 0 1", // the castling rook is pinned
	"3rkr2/8/8/8/8/8/8/R3K2R w KQ - 0 1",
	"nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w GBgb - 0 1",
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"4k3/4r3/8/8/7b/8/3PRP2/3QKB2 w - - 0 1",
	"4k3/8/8/8/4r3/3n4/2BQ4/4K2R w K - 0 1", // a double check
	"7k/8/8/8/8/3p2p1/6P1/r3NKRB w K - 0 1", // castling is the only move
	"7k/8/8/8/8/p1p2p2/P1P5/1BRKN2r w Q - 0 1",
	"4k3/6b1/8/3pP3/8/8/1K6/8 w - d6 0 1", // en passant would uncover a bishop
	"4k3/8/8/7r/K6r/7r/4P3/8 w - - 0 1",   // a double push is the only move
	"4k3/8/7r/K6r/7r/4P3/8/8 w - - 0 1",   // a pawn that has moved has none
}

// TestLegality asks all encodings of a move in positions behind every kind of move, and holds the answers to the first
// generator of the course, which knows letters on a board, and in Chess960 to package movegen.
func TestLegality(t *testing.T) {
	seen := map[string]int{}
	r := rand.New(rand.NewPCG(1, 2))
	games := 8
	if testing.Short() {
		games = 3
	}
	for _, fen := range rich {
		for _, fen := range []string{fen, kit.Mirror(fen)} {
			for range games {
				p := kit.Position(t, fen)
				var m chess.Move
				for ply := 0; ply < 12; ply++ {
					legal := sameMoves(t, p)
					if t.Failed() {
						t.Fatalf("after %s from %s", m, fen)
					}
					if len(legal) == 0 {
						break
					}
					m = legal[r.IntN(len(legal))]
					for range 8 { // rare moves more often
						if special(p, m) == "" {
							m = legal[r.IntN(len(legal))]
						}
					}
					seen[special(p, m)]++
					if played(t, p, m) {
						seen["check"]++
					}
				}
			}
		}
	}
	for _, kind := range []string{"castling", "castling of Chess960", "en passant", "double push", "promotion", "check", ""} {
		if seen[kind] < 10 {
			t.Errorf("%d moves of kind %q were tried", seen[kind], kind)
		}
	}
}

// played makes m, compares what p said of it with what came of it, and reports whether
// it gave check.
func played(t *testing.T, p *chess.Position, m chess.Move) bool {
	t.Helper()
	was, before, men := p.FEN(), p.Step(0), p.Occupied().Count()
	kinds := [2]bool{p.IsCapture(m), p.IsTactical(m)}
	start, rights, after := p.Clone(), p.Castling(), p.KeyAfter(m)
	check, moved, victim := p.GivesCheck(m), p.Piece(m.From()), p.Piece(m.To())
	p.Make(m)
	if p.Unmake(); !p.Equal(start) || p.Key() != start.Key() || p.PawnKey() != start.PawnKey() || p.Checkers() != start.Checkers() {
		t.Fatalf("%s after %s and back: %s, key %x, want %x", was, m, p, p.Key(), start.Key())
	}
	p.Make(m)
	if p.Key() != p.ComputeKey() || m.Kind() == chess.Normal && p.Castling() == rights && !p.EnPassantLegal() && p.Key() != after {
		t.Fatalf("%s after %s: key %x, foreseen %x, computed anew %x", was, m, p.Key(), after, p.ComputeKey())
	}
	nullMove(t, p)
	us := p.SideToMove()
	if p.Attacked(p.King(us), us.Other(), p.Occupied()) != check || p.InCheck() != check {
		t.Fatalf("%s after %s: GivesCheck %v, InCheck %v", p, m, check, p.InCheck())
	}
	captured, promoted := p.Occupied().Count() < men, m.Kind() == chess.Promotion
	if want := [2]bool{captured, captured || promoted}; kinds != want {
		t.Fatalf("%s: %s is a capture, tactical: %v, want %v", was, m, kinds, want)
	}
	switch {
	case !captured:
		victim = chess.NoPiece
	case m.Kind() == chess.EnPassant:
		victim = chess.MakePiece(p.SideToMove(), chess.Pawn)
	}
	if want := (chess.Step{Key: p.Key(), Move: m, Moved: moved, Captured: victim}); p.Step(0) != want || p.Step(1) != before {
		t.Fatalf("%s after %s: steps %+v and %+v, want %+v and %+v", p, m, p.Step(0), p.Step(1), want, before)
	}
	return check
}

// nullMove passes and takes it back: all but the turn, en passant and the counters stays.
func nullMove(t *testing.T, p *chess.Position) {
	t.Helper()
	if p.InCheck() {
		return
	}
	before, foreseen := p.Clone(), p.KeyAfterNull()
	p.MakeNull()
	s := before.Setup()
	s.Side, s.EnPassant, s.Halfmove, s.Fullmove = s.Side.Other(), 0, s.Halfmove+1, s.Fullmove+int(s.Side)
	want, err := s.Position()
	if err != nil || !p.Equal(want) || p.Key() != want.Key() || p.Key() != foreseen || p.Blockers(s.Side) != want.Blockers(s.Side) || before.Blockers(s.Side) != want.Blockers(s.Side) {
		t.Fatalf("%s after a null move: %s, key %x, foreseen %x, want %v, %v", before, p, p.Key(), foreseen, want, err)
	}
	if p.Unmake(); !p.Equal(before) || p.Key() != before.Key() {
		t.Fatalf("%s after a null move and back: %s", before, p)
	}
}

// special names the kind of a move, "" for an ordinary one.
func special(p *chess.Position, m chess.Move) string {
	switch {
	case m.Kind() == chess.Castling && p.Chess960():
		return "castling of Chess960"
	case m.Kind() == chess.Castling:
		return "castling"
	case m.Kind() == chess.EnPassant:
		return "en passant"
	case m.Kind() == chess.Promotion:
		return "promotion"
	case p.Piece(m.From()).Type() == chess.Pawn && m.From()^m.To() == 16:
		return "double push"
	}
	return ""
}

// sameMoves compares the moves that are legal in p with those of another generator and returns them.
func sameMoves(t *testing.T, p *chess.Position) (legal []chess.Move) {
	t.Helper()
	var got, want []string
	passing := false
	for i := range 1 << 16 {
		if m := chess.Move(i); p.IsLegal(m) {
			legal, got = append(legal, m), append(got, p.UCI(m))
			passing = passing || m.Kind() == chess.EnPassant
		}
	}
	if !p.Chess960() {
		want = array.Moves(p.FEN())
	} else {
		for _, m := range movegen.Legal(p, nil) {
			want = append(want, p.UCI(m))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s: legal are\n%s, want\n%s", p, got, want)
	}
	if p.HasLegalMove() != (len(legal) > 0) || p.EnPassantLegal() != passing {
		t.Errorf("%s: HasLegalMove %v, EnPassantLegal %v of %v", p, p.HasLegalMove(), p.EnPassantLegal(), legal)
	}
	return legal
}
