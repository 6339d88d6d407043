package movegen_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/test/kit"
)

// judge asks the rules of a move by steps in files and ranks, without tables.
type judge struct {
	p    *chess.Position
	at   [64]chess.Piece
	us   chess.Color
	king chess.Square
}

func newJudge(p *chess.Position) *judge {
	j := &judge{p: p, us: p.SideToMove(), king: p.King(p.SideToMove())}
	for s := range j.at {
		j.at[s] = p.Piece(chess.Square(s))
	}
	return j
}

// steps returns the way from one square to another in files and ranks.
func steps(from, to chess.Square) (df, dr, far, near int) {
	df, dr = to.File()-from.File(), to.Rank()-from.Rank()
	a, b := max(df, -df), max(dr, -dr)
	return df, dr, max(a, b), min(a, b)
}

// between returns the squares between two on a line, none for others.
func between(from, to chess.Square) (set chess.Bitboard) {
	df, dr, far, near := steps(from, to)
	if near != 0 && near != far {
		return 0
	}
	for i := 1; i < far; i++ {
		set |= chess.MakeSquare(from.File()+df*i/far, from.Rank()+dr*i/far).Bitboard()
	}
	return set
}

// moves reports whether a piece, no pawn, moves that way on an empty board.
func moves(t chess.PieceType, from, to chess.Square) bool {
	_, _, far, near := steps(from, to)
	switch t {
	case chess.Knight:
		return far == 2 && near == 1
	case chess.King:
		return far == 1
	case chess.Bishop:
		return far > 0 && near == far
	case chess.Rook:
		return far > 0 && near == 0
	}
	return far > 0 && (near == 0 || near == far)
}

// pawnTakes reports whether a pawn of colour c on from attacks to.
func pawnTakes(c chess.Color, from, to chess.Square) bool {
	df, dr, _, _ := steps(from, to)
	return (df == 1 || df == -1) && dr == 1-2*int(c)
}

// occupied returns which squares of a set hold a piece.
func (j *judge) occupied(set chess.Bitboard) (held chess.Bitboard) {
	for s := range set.Squares() {
		if j.at[s] != chess.NoPiece {
			held |= s.Bitboard()
		}
	}
	return held
}

// attackers returns the enemy's pieces that attack a square.
func (j *judge) attackers(to chess.Square) (set chess.Bitboard) {
	for s, pc := range j.at {
		from := chess.Square(s)
		switch {
		case pc == chess.NoPiece || pc.Color() == j.us:
		case pc.Type() == chess.Pawn && pawnTakes(pc.Color(), from, to),
			pc.Type() != chess.Pawn && moves(pc.Type(), from, to) && j.occupied(between(from, to)) == 0:
			set |= from.Bitboard()
		}
	}
	return set
}

// broken is the rules that a move breaks, with the pieces that each names.
type broken map[movegen.Rule]chess.Bitboard

// implied returns the move that the squares of one of kind Normal imply.
func (j *judge) implied(m chess.Move) chess.Move {
	from, to := m.From(), m.To()
	if m != chess.NewMove(from, to, chess.Normal) {
		return m
	}
	if j.at[from] == chess.MakePiece(j.us, chess.Pawn) && to == j.p.EnPassant() && pawnTakes(j.us, from, to) {
		return chess.NewMove(from, to, chess.EnPassant)
	}
	for wing := chess.KingSide; wing <= chess.QueenSide; wing++ {
		rook := j.p.CastlingRook(j.us, wing)
		kingTo, _ := chess.CastlingTargets(j.us, wing)
		if _, _, far, _ := steps(from, to); from == j.king && rook != chess.NoSquare && (to == rook || to == kingTo && far > 1) {
			return chess.NewMove(from, rook, chess.Castling)
		}
	}
	return m
}

func (j *judge) reasons(m chess.Move) broken {
	m = j.implied(m)
	from, to, found := m.From(), m.To(), broken{}
	pc := j.at[from]
	switch {
	case from == to || m.Kind() != chess.Promotion && m&(3<<12) != 0:
		return broken{movegen.RuleEncoding: 0}
	case pc == chess.NoPiece:
		return broken{movegen.RuleOwnPiece: 0}
	case pc.Color() != j.us:
		return broken{movegen.RuleOwnPiece: from.Bitboard()}
	case m.Kind() == chess.Castling:
		return j.castling(from, to)
	}
	passing := m.Kind() == chess.EnPassant
	if passing && (pc.Type() != chess.Pawn || to != j.p.EnPassant()) {
		found[movegen.RuleEnPassant] = 0
	}
	last := pc.Type() == chess.Pawn && to.Rank() == 7-7*int(j.us)
	if !passing && last != (m.Kind() == chess.Promotion) {
		found[movegen.RulePromotion] = 0
	}
	if j.at[to] != chess.NoPiece && j.at[to].Color() == j.us {
		found[movegen.RuleOwnTarget] = to.Bitboard()
	}
	j.ways(found, pc, from, to, passing)
	if len(found) == 0 {
		j.safety(found, pc, from, to, passing)
	}
	return found
}

// ways asks how the piece moves and what is in its way.
func (j *judge) ways(found broken, pc chess.Piece, from, to chess.Square, passing bool) {
	way := between(from, to)
	if pc.Type() == chess.Pawn {
		df, dr, _, _ := steps(from, to)
		forward := 1 - 2*int(j.us)
		pushes := !passing && df == 0 && (dr == forward || dr == 2*forward && from.Rank() == 1+5*int(j.us))
		takes := pawnTakes(j.us, from, to)
		if takes && !passing && j.at[to] == chess.NoPiece {
			found[movegen.RuleNothingToCapture] = 0
		}
		if !pushes && !takes {
			found[movegen.RuleMovement] = 0
		}
		if !pushes {
			return
		}
		if j.at[to] != chess.NoPiece && j.at[to].Color() != j.us {
			way |= to.Bitboard()
		}
	} else if !moves(pc.Type(), from, to) {
		found[movegen.RuleMovement] = 0
		return
	} else if pc.Type() == chess.Knight {
		way = 0
	}
	if by := j.occupied(way); by != 0 {
		found[movegen.RuleBlocked] = by
	}
}

// safety plays the move and looks at what attacks the king.
func (j *judge) safety(found broken, pc chess.Piece, from, to chess.Square, passing bool) {
	checkers, after := j.attackers(j.king), *j
	after.at[from], after.at[to] = chess.NoPiece, pc
	if passing {
		after.at[to^8] = chess.NoPiece
	}
	if pc.Type() == chess.King {
		if by := after.attackers(to); by != 0 {
			found[movegen.RuleKingAttacked] = by
		}
		return
	}
	by := after.attackers(j.king)
	if checkers.Count() > 1 {
		found[movegen.RuleDoubleCheck] = checkers
	} else if by&checkers != 0 {
		found[movegen.RuleCheck] = checkers
	}
	if by&^checkers != 0 {
		found[movegen.RulePin] = by &^ checkers
	}
}

func (j *judge) castling(from, to chess.Square) broken {
	wing := chess.KingSide
	if to < from {
		wing = chess.QueenSide
	}
	if from != j.king || j.p.CastlingRook(j.us, wing) != to {
		return broken{movegen.RuleCastlingRight: 0}
	}
	found := broken{}
	kingTo, rookTo := chess.CastlingTargets(j.us, wing)
	moved := *j
	moved.at[from], moved.at[to] = chess.NoPiece, chess.NoPiece
	way := between(from, kingTo) | kingTo.Bitboard() | between(to, rookTo) | rookTo.Bitboard()
	if by := moved.occupied(way); by != 0 {
		found[movegen.RuleBlocked] = by
	}
	checkers := j.attackers(from)
	if checkers != 0 {
		found[movegen.RuleCastlingInCheck] = checkers
	}
	withoutRook, withoutKing := *j, *j
	withoutRook.at[to] = chess.NoPiece
	if by := withoutRook.attackers(from) &^ checkers; by != 0 {
		found[movegen.RulePin] = by
	}
	withoutKing.at[from] = chess.NoPiece
	var by chess.Bitboard
	for s := range ((between(from, kingTo) | kingTo.Bitboard()) &^ from.Bitboard()).Squares() {
		by |= withoutKing.attackers(s)
	}
	if by != 0 {
		found[movegen.RuleCastlingAttacked] = by
	}
	return found
}

// explained are positions in which rules apply that random games seldom meet.
var explained = []string{
	"4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1",           // castling in check
	"4k3/8/8/8/8/8/8/qR1K4 w B - 0 1",              // the rook shields its king
	"4kr2/8/8/8/8/8/8/RN2K2R w KQ - 0 1",           // blocked, and past an attacked square
	"8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",             // en passant opens the rank
	"4k3/8/4r3/8/8/3n4/PPP3PP/RNBQKB1R w KQ - 0 1", // double check
	"4r2k/8/8/b7/8/8/R2R4/4K1B1 w - - 0 1",         // a pinned piece while a piece gives check twice
	"4k3/8/8/3Pp3/8/8/8/4K2b w - e6 0 1",
	// Castling of Chess960: what the rook shields, and squares that king and rook cross or share.
	"k7/8/8/8/8/8/8/nR1K4 w B - 0 1", "k7/8/8/8/8/8/8/5KRr w G - 0 1", "k7/8/8/8/8/8/8/5KRb w G - 0 1",
	"4k1r1/8/8/8/8/8/8/5KR1 w G - 0 1", "kr6/8/8/8/8/8/8/1R1K4 w B - 0 1", "k7/8/8/8/8/8/8/2K4R w H - 0 1",
	"7k/8/8/8/8/8/8/RN1K4 w A - 0 1", "k7/8/8/8/8/8/8/1RK2N1R w H - 0 1", "k3r3/8/8/8/8/8/8/1RK4R w H - 0 1",
	"k3r3/8/8/8/8/6p1/6P1/5KRB w G - 0 1", "k2r4/8/8/8/8/1p6/1P6/BRK5 w B - 0 1", // the only move
}

// TestExplain asks every encoding on many positions of both colours: a legal move has no
// reason, an illegal one exactly those that apply, each with a sentence.
func TestExplain(t *testing.T) {
	seen := map[movegen.Rule]int{}
	check := func(p *chess.Position) {
		j, legal := newJudge(p), movegen.Legal(p, nil)
		if p.HasLegalMove() != (len(legal) > 0) || perft.Legal(p) != len(legal) {
			t.Fatalf("%s: %d moves, HasLegalMove %v, counted %d", p, len(legal), p.HasLegalMove(), perft.Legal(p))
		}
		for i := range 1 << 16 {
			m := chess.Move(i)
			got, last := broken{}, movegen.Rule(0)
			for n, r := range movegen.Explain(p, m) {
				if n > 0 && r.Rule <= last || !strings.HasSuffix(r.Text, ".") {
					t.Errorf("%s: %v: rule %d behind rule %d: %q", p, m, r.Rule, last, r.Text)
				}
				got[r.Rule], last = r.By, r.Rule
				seen[r.Rule]++
			}
			if listed := slices.Contains(legal, m); listed != p.IsLegal(m) || slices.Contains(legal, j.implied(m)) != (len(got) == 0) {
				t.Fatalf("%s: %v (%#04x): listed %v, legal %v, reasons %v", p, m, i, listed, p.IsLegal(m), got)
			}
			if want := j.reasons(m); !maps.Equal(got, want) {
				t.Fatalf("%s: %v (%#04x): rules and pieces\n got %v\nwant %v", p, m, i, got, want)
			}
		}
	}
	for _, fen := range slices.Concat(starts, explained) {
		p := kit.Position(t, fen)
		check(p)
		check(p.Mirror())
	}
	n := 0
	visit(t, games(20), func(p *chess.Position, _ []chess.Move, r *rand.Rand) {
		if n++; n%43 == 0 {
			check(p)
		}
	})
	for rule := movegen.RuleEncoding; rule <= movegen.RuleCastlingAttacked; rule++ {
		if seen[rule] == 0 {
			t.Errorf("no move breaks rule %d", rule)
		}
	}
}

// TestExplainSquares holds the squares that a page draws, and the sentence.
func TestExplainSquares(t *testing.T) {
	set := func(names string) (b chess.Bitboard) {
		for _, name := range strings.Fields(names) {
			s, err := chess.ParseSquare(name)
			kit.Succeed(t, err)
			b |= s.Bitboard()
		}
		return b
	}
	for _, c := range []struct{ fen, move, squares, text string }{
		{"4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "a1a8", "e2", "The king on e1 is in check by the rook on e2, and the move does not end it."},
		{"4k3/4r3/8/8/8/8/4N3/4K3 w - - 0 1", "e2c3", "e2 e3 e4 e5 e6 e7", "The move would open the line of the rook on e7 to the king on e1."},
		{"4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "e1c1", "d1 d2 e2 f1 f2", "A king on e1 does not move to c1, except by castling, to which White has no right on that side."},
		{"r3k2r/8/8/8/8/8/8/R3KR2 b kq - 0 1", "e8g8", "f8", "The king would cross or reach f8, attacked by the rook on f1."},
		{"4k3/8/8/8/8/8/8/4KB1R w K - 0 1", "e1g1", "f1 g1", "The way of king and rook is blocked by the bishop on f1."},
		{"4k3/8/8/8/8/8/8/4KB1R w K - 0 1", "e1h1", "f1 g1", "The way of king and rook is blocked by the bishop on f1."},
		{"4k1r1/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "g1", "The king would cross or reach g1, attacked by the rook on g8."},
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1c1", "d1 d2 e2 f1 f2", "A king on e1 does not move to c1, except by castling, to which White has no right on that side."},
		{"4k3/8/8/8/8/8/8/4K2R w - - 0 1", "e1h1", "", "There is no right to castle with the king on e1 and a rook on h1."},
		{"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", "e2e4", "", "It is Black's turn, and the pawn on e2 is White's."},
		{"4k3/8/8/8/8/4n3/4P3/4K3 w - - 0 1", "e2e4", "e3 e4", "The way from e2 to e4 is blocked by the knight on e3."},
		{"4k3/8/8/8/1b6/8/3r4/4K3 w - - 0 1", "e1d1", "d1", "The king would stand on d1, attacked by the rook on d2."},
		{"4k3/8/8/2PpP3/8/8/8/4K3 w - - 0 1", "e5d6", "", "A pawn moves diagonally to capture only, and nothing stands on d6."},
	} {
		p := kit.Position(t, c.fen)
		m, err := p.ParseUCI(c.move)
		if !errors.Is(err, chess.ErrIllegal) {
			t.Errorf("%s: %s: %v", c.fen, c.move, err)
		}
		if strings.HasPrefix(c.text, "There is no right") {
			m = chess.NewMove(m.From(), m.To(), chess.Castling)
		}
		reasons := movegen.Explain(p, m)
		if len(reasons) != 1 || reasons[0].String() != c.text {
			t.Errorf("%s: %s: %+v, want %q", c.fen, c.move, reasons, c.text)
		} else if c.squares != "" && reasons[0].Squares != set(c.squares) {
			t.Errorf("%s: %s: squares\n%swant\n%s", c.fen, c.move, reasons[0].Squares, set(c.squares))
		}
	}
}
