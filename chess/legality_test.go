package chess_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// slowBoard is the rules once more, written for the eye: letters on a board, steps in
// files and ranks. It shares nothing with package chess but the names of squares.
type slowBoard struct {
	at    [64]byte // FEN letters, 0 for empty
	white bool
	ep    int            // square behind a pawn that has moved two ranks, -1 for none
	rooks map[int]string // castling rooks by square, with the wing
}

// slow reads a position from its FEN in Shredder style.
func slow(p *chess.Position) *slowBoard {
	f := strings.Fields(p.FormatFEN(chess.FENStyle{Castling: chess.CastlingShredder}))
	b := &slowBoard{white: f[1] == "w", ep: -1, rooks: map[int]string{}}
	s := 56
	for _, c := range []byte(f[0]) {
		switch {
		case c == '/':
			s -= 16
		case c <= '8':
			s += int(c - '0')
		default:
			b.at[s] = c
			s++
		}
	}
	if f[3] != "-" {
		b.ep = int(f[3][0]-'a') + 8*int(f[3][1]-'1')
	}
	for _, c := range []byte(f[2]) {
		rook, king := int(c-'A'), b.find('K')
		if c >= 'a' {
			rook, king = int(c-'a')+56, b.find('k')
		}
		if c == '-' {
			break
		}
		b.rooks[rook] = "queen"
		if rook > king {
			b.rooks[rook] = "king"
		}
	}
	return b
}

func (b *slowBoard) find(c byte) int { return strings.IndexByte(string(b.at[:]), c) }

func isWhite(c byte) bool { return c >= 'A' && c <= 'Z' }

// reaches reports whether the piece on from attacks to.
func (b *slowBoard) reaches(from, to int) bool {
	c := b.at[from]
	df, dr := to%8-from%8, to/8-from/8
	far, near := max(abs(df), abs(dr)), min(abs(df), abs(dr))
	straight := far > 0 && (near == 0 || near == far)
	switch c | 0x20 {
	case 'p':
		return abs(df) == 1 && (dr == 1 && isWhite(c) || dr == -1 && !isWhite(c))
	case 'n':
		return far == 2 && near == 1
	case 'k':
		return far == 1
	case 'b':
		straight = far > 0 && near == far
	case 'r':
		straight = far > 0 && near == 0
	case 'q':
	default:
		return false
	}
	if !straight {
		return false
	}
	for i := 1; i < far; i++ {
		if b.at[from+i*(df/far+8*(dr/far))] != 0 {
			return false
		}
	}
	return true
}

func abs(n int) int { return max(n, -n) }

// attacked reports whether a piece of a colour attacks a square.
func (b *slowBoard) attacked(square int, white bool) bool {
	for from, c := range b.at {
		if c != 0 && isWhite(c) == white && b.reaches(from, square) {
			return true
		}
	}
	return false
}

// safe reports whether the king of the side to move is, once pieces stand as change says.
func (b slowBoard) safe(change func(at *[64]byte)) bool {
	king := byte('k')
	if b.white {
		king = 'K'
	}
	change(&b.at)
	return !b.attacked(b.find(king), !b.white)
}

// legal says what package chess should say of a move.
func (b *slowBoard) legal(m chess.Move) bool {
	from, to := int(m>>6&63), int(m&63)
	c, kind, promotion := b.at[from], m&(3<<14), m>>12&3
	if c == 0 || isWhite(c) != b.white || from == to || kind != chess.Move(chess.Promotion) && promotion != 0 {
		return false
	}
	if kind == chess.Move(chess.Castling) {
		return c|0x20 == 'k' && b.castles(from, to)
	}
	forward, home, last := -8, 6, 0
	if b.white {
		forward, home, last = 8, 1, 7
	}
	victim, captured := to, b.at[to]
	if captured != 0 && isWhite(captured) == b.white {
		return false
	}
	if c|0x20 != 'p' {
		return kind == 0 && b.reaches(from, to) && b.safe(func(at *[64]byte) { at[to], at[from] = c, 0 })
	}
	passing := kind == chess.Move(chess.EnPassant)
	if passing != (to == b.ep && captured == 0 && b.reaches(from, to)) || (kind == chess.Move(chess.Promotion)) != (to/8 == last) {
		return false
	}
	switch {
	case passing:
		victim = to - forward
	case b.reaches(from, to):
		if captured == 0 {
			return false
		}
	case captured != 0 || to != from+forward && (to != from+2*forward || from/8 != home || b.at[from+forward] != 0):
		return false
	}
	return b.safe(func(at *[64]byte) { at[victim], at[from], at[to] = 0, 0, c })
}

// castles reports whether the king on from may castle with the rook on to.
func (b *slowBoard) castles(from, to int) bool {
	wing, ok := b.rooks[to]
	if !ok || to/8 != from/8 || isWhite(b.at[to]) != b.white {
		return false
	}
	kingTo, rookTo := from/8*8+2, from/8*8+3
	if wing == "king" {
		kingTo, rookTo = from/8*8+6, from/8*8+5
	}
	for s := min(from, kingTo, to, rookTo); s <= max(from, kingTo, to, rookTo); s++ {
		between := s >= min(from, kingTo) && s <= max(from, kingTo) || s >= min(to, rookTo) && s <= max(to, rookTo)
		if between && s != from && s != to && b.at[s] != 0 {
			return false
		}
	}
	for s := min(from, kingTo); s <= max(from, kingTo); s++ {
		if !b.safe(func(at *[64]byte) { king := at[from]; at[from] = 0; at[s] = king }) {
			return false
		}
	}
	return b.safe(func(at *[64]byte) {
		king, rook := at[from], at[to]
		at[from], at[to] = 0, 0
		at[kingTo], at[rookTo] = king, rook
	})
}

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

// TestLegality asks all encodings of a move in positions behind every kind of move, and
// holds the answers, and those about checks, to rules written a second time.
func TestLegality(t *testing.T) {
	seen := map[string]int{}
	r := rand.New(rand.NewPCG(1, 2))
	games := 8
	if testing.Short() {
		games = 3
	}
	for _, fen := range rich {
		for _, fen := range []string{fen, testkit.Mirror(fen)} {
			for range games {
				p := testkit.Position(t, fen)
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
	b := slow(p)
	king := byte('k')
	if b.white {
		king = 'K'
	}
	if b.attacked(b.find(king), !b.white) != check || p.InCheck() != check {
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
	case p.Piece(m.From()).Type() == chess.Pawn && abs(int(m.To())-int(m.From())) == 16:
		return "double push"
	}
	return ""
}

// sameMoves compares the legal moves of p with the slow ones and returns them.
func sameMoves(t *testing.T, p *chess.Position) (legal []chess.Move) {
	t.Helper()
	b := slow(p)
	passing := false
	for i := range 1 << 16 {
		m := chess.Move(i)
		want := b.legal(m)
		if p.IsLegal(m) != want {
			t.Errorf("%s: IsLegal(%s, kind %d, promotion %d) = %v", p, m, m>>14, m>>12&3, !want)
		}
		if want {
			legal = append(legal, m)
			passing = passing || m.Kind() == chess.EnPassant
		}
	}
	if p.HasLegalMove() != (len(legal) > 0) || p.EnPassantLegal() != passing {
		t.Errorf("%s: HasLegalMove %v, EnPassantLegal %v of %v", p, p.HasLegalMove(), p.EnPassantLegal(), legal)
	}
	return legal
}
