package movegen

import (
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// Rule is a rule of chess that a move can break.
type Rule uint8

// The rules, in the order in which [Explain] asks. The first three concern what is to
// be moved, the next ones how pieces move, and the last ones the safety of the king.
const (
	// the 16 bits are no move: from a square to itself, or a promotion piece without a promotion
	RuleEncoding         Rule = iota
	RuleOwnPiece              // the side to move has no piece on the square that the move leaves
	RuleCastlingRight         // castling: there is no right to castle with what stands on the target square
	RuleEnPassant             // en passant: no pawn, or the target is not the square that a pawn has just passed
	RulePromotion             // a pawn promotes on the last rank, always; nothing else ever does
	RuleOwnTarget             // a piece of the side to move stands on the target square
	RuleMovement              // the piece does not move that way, not even on an empty board
	RuleBlocked               // something stands in the way
	RuleNothingToCapture      // a pawn moves diagonally to capture only
	RuleKingAttacked          // the king would stand on an attacked square
	RuleCheck                 // the king is in check, and the move neither captures nor blocks the checker
	RuleDoubleCheck           // two pieces give check, so that only the king may move
	RulePin                   // the move uncovers an attack on the king
	RuleCastlingInCheck       // a king that is in check does not castle
	RuleCastlingAttacked      // the king would cross or reach an attacked square
)

// Reason is why a move is illegal.
type Reason struct {
	Rule Rule

	// By holds the pieces that make the rule apply: those in the way, on the target
	// square, giving check, attacking, or uncovered. It is empty for a rule that needs none.
	By chess.Bitboard

	// Squares holds the squares that the rule is about: those where the piece could go
	// under it for RuleMovement, RuleCheck and RulePin; the attacked squares of a king
	// that moves or castles; the square that a pawn has passed for RuleEnPassant; those
	// that must be empty for RuleBlocked.
	Squares chess.Bitboard

	// Text is a sentence that names the pieces, the squares and the rule.
	Text string
}

// String returns the sentence.
func (r Reason) String() string { return r.Text }

// Explain returns every reason why m is not a legal move of p, in the order of the
// rules, and nil for a legal move. Any of the 65,536 encodings may be asked. A move of kind Normal is taken for the one
// that its squares imply, as [chess.Position.Infer] does: e1g1 castles where White has the right to.
//
// Safety of the king is asked only of a move that the piece could make otherwise, and
// nothing more is asked of a move without a piece.
func Explain(p *chess.Position, m chess.Move) []Reason {
	if m == chess.NewMove(m.From(), m.To(), chess.Normal) {
		m = p.Infer(m)
	}
	if p.IsLegal(m) {
		return nil
	}
	e := explainer{p: p, m: m, us: p.SideToMove(), from: m.From(), to: m.To()}
	switch piece := p.Piece(e.from); {
	case m.Kind() != chess.Promotion && m>>12&3 != 0:
		e.add(RuleEncoding, 0, 0, "The bits of a promotion are set in a move that does not promote.")
	case e.from == e.to:
		e.add(RuleEncoding, 0, 0, "A move leads from one square to another.")
	case piece == chess.NoPiece:
		e.add(RuleOwnPiece, 0, 0, "No piece stands on "+e.from.String()+".")
	case piece.Color() != e.us:
		e.add(RuleOwnPiece, e.from.Bitboard(), 0,
			"It is "+sides[e.us]+"'s turn, and "+e.pieces(e.from.Bitboard())+" is "+sides[piece.Color()]+"'s.")
	case m.Kind() == chess.Castling:
		e.castling()
	default:
		e.piece = piece.Type()
		e.movement()
		if len(e.reasons) == 0 {
			e.safety()
		}
	}
	return e.reasons
}

// explainer collects the reasons of one move.
type explainer struct {
	p        *chess.Position
	m        chess.Move
	us       chess.Color
	from, to chess.Square
	piece    chess.PieceType
	reasons  []Reason
}

func (e *explainer) add(rule Rule, by, squares chess.Bitboard, text string) {
	e.reasons = append(e.reasons, Reason{rule, by, squares, text})
}

// movement asks whether the piece can go to the target, its king aside.
func (e *explainer) movement() {
	lastRank := e.to.Relative(e.us).Rank() == 7
	switch kind := e.m.Kind(); {
	case kind == chess.EnPassant && (e.piece != chess.Pawn || e.to != e.p.EnPassant()):
		e.noEnPassant()
	case kind == chess.Promotion && e.piece != chess.Pawn:
		e.add(RulePromotion, 0, 0, "Only a pawn promotes.")
	case kind == chess.Promotion && !lastRank:
		e.add(RulePromotion, 0, 0, "A pawn promotes on the last rank only.")
	case kind == chess.Normal && e.piece == chess.Pawn && lastRank:
		e.add(RulePromotion, 0, 0, "A pawn that reaches the last rank promotes.")
	}
	target := e.to.Bitboard()
	if own := target & e.p.ByColor(e.us); own != 0 {
		e.add(RuleOwnTarget, own, 0, "The target "+e.to.String()+" is taken by "+e.pieces(own)+" of the same side.")
	}
	captures, pushes := chess.PieceAttacks(e.piece, e.from, 0), chess.Bitboard(0)
	if e.piece == chess.Pawn {
		captures, pushes = chess.PawnAttacks(e.us, e.from), e.pushes()
	}
	if e.m.Kind() == chess.EnPassant {
		pushes = 0
	}
	switch {
	case (captures|pushes)&target == 0:
		e.add(RuleMovement, 0, captures|pushes,
			"A "+names[e.piece]+" on "+e.from.String()+" does not move to "+e.to.String()+e.castlingHint()+".")
		return
	case e.piece == chess.Pawn && captures&target != 0:
		if e.m.Kind() != chess.EnPassant && e.p.Piece(e.to) == chess.NoPiece {
			e.add(RuleNothingToCapture, 0, 0,
				"A pawn moves diagonally to capture only, and nothing stands on "+e.to.String()+".")
		}
		return
	}
	empty := chess.Between(e.from, e.to)
	if e.piece == chess.Pawn {
		empty |= target &^ e.p.ByColor(e.us)
	}
	if by := empty & e.p.Occupied(); by != 0 {
		e.add(RuleBlocked, by, empty, "The way from "+e.from.String()+" to "+e.to.String()+" is blocked by "+e.pieces(by)+".")
	}
}

// noEnPassant tells that the move is no capture en passant.
func (e *explainer) noEnPassant() {
	passed := e.p.EnPassant()
	switch {
	case passed == chess.NoSquare:
		e.add(RuleEnPassant, 0, 0, "No pawn has just moved two squares, so that none can be captured en passant.")
	case e.piece != chess.Pawn:
		e.add(RuleEnPassant, 0, passed.Bitboard(), "Only a pawn captures en passant.")
	default:
		e.add(RuleEnPassant, 0, passed.Bitboard(),
			"En passant captures on "+passed.String()+", which a pawn has just passed, and nowhere else.")
	}
}

// castlingHint tells of a king that moves two squares on its first rank.
func (e *explainer) castlingHint() string {
	if e.piece == chess.King && e.from.Relative(e.us) == chess.E1 && e.from.Rank() == e.to.Rank() &&
		chess.Distance(e.from, e.to) == 2 {
		return ", except by castling, to which " + sides[e.us] + " has no right on that side"
	}
	return ""
}

// pushes returns the squares ahead of a pawn.
func (e *explainer) pushes() chess.Bitboard {
	one := e.from + 8
	if e.us == chess.Black {
		one = e.from - 8
	}
	if e.from.Relative(e.us).Rank() != 1 {
		return one.Bitboard()
	}
	return one.Bitboard() | (2*one - e.from).Bitboard()
}

// safety asks what would attack the king after a move that is legal but for that.
func (e *explainer) safety() {
	them := e.p.ByColor(e.us.Other())
	king, checkers := e.p.King(e.us), e.p.Checkers()
	captured := e.to.Bitboard()
	if e.m.Kind() == chess.EnPassant {
		captured = (e.to ^ 8).Bitboard()
	}
	after := e.p.Occupied()&^(e.from.Bitboard()|captured) | e.to.Bitboard()
	if e.piece == chess.King {
		by := e.p.AttackersTo(e.to, after) & them &^ captured
		e.add(RuleKingAttacked, by, e.to.Bitboard(),
			"The king would stand on "+e.to.String()+", attacked by "+e.pieces(by)+".")
		return
	}
	attackers := e.p.AttackersTo(king, after) & them &^ captured
	if by := attackers & checkers; checkers.MoreThanOne() {
		e.add(RuleDoubleCheck, checkers, 0,
			"The king on "+king.String()+" is in check by "+e.pieces(checkers)+" at once: only the king can move.")
	} else if by != 0 {
		checker := by.First()
		e.add(RuleCheck, by, chess.Between(king, checker)|by,
			"The king on "+king.String()+" is in check by "+e.pieces(by)+", and the move does not end it.")
	}
	if by := attackers &^ checkers; by != 0 {
		line := by
		for s := range by.Squares() {
			line |= chess.Between(king, s)
		}
		e.add(RulePin, by, line, "The move would open the line of "+e.pieces(by)+" to the king on "+king.String()+".")
	}
}

// castling asks the rules of castling.
func (e *explainer) castling() {
	wing := chess.KingSide
	if e.to < e.from {
		wing = chess.QueenSide
	}
	king := e.p.King(e.us)
	if e.from != king || e.p.CastlingRook(e.us, wing) != e.to {
		e.add(RuleCastlingRight, 0, 0,
			"There is no right to castle with the king on "+king.String()+" and a rook on "+e.to.String()+".")
		return
	}
	occupied, them := e.p.Occupied(), e.us.Other()
	empty, safe := e.p.CastlingPath(e.us, wing)
	if by := empty & occupied; by != 0 {
		e.add(RuleBlocked, by, empty, "The way of king and rook is blocked by "+e.pieces(by)+".")
	}
	if e.p.Blockers(e.us).Has(e.to) {
		by := e.p.AttackersTo(king, occupied^e.to.Bitboard()) & e.p.ByColor(them) &^ e.p.Checkers()
		e.add(RulePin, by, chess.Between(king, by.First())|by,
			"The rook on "+e.to.String()+" shields its king from "+e.pieces(by)+".")
	}
	if by := e.p.Checkers(); by != 0 {
		e.add(RuleCastlingInCheck, by, king.Bitboard(), "The king is in check by "+e.pieces(by)+" and may not castle.")
	}
	var attacked, by chess.Bitboard
	for s := range (safe &^ king.Bitboard()).Squares() {
		if attackers := e.p.AttackersTo(s, occupied^king.Bitboard()) & e.p.ByColor(them); attackers != 0 {
			attacked, by = attacked|s.Bitboard(), by|attackers
		}
	}
	if by != 0 {
		e.add(RuleCastlingAttacked, by, attacked,
			"The king would cross or reach "+squareNames(attacked)+", attacked by "+e.pieces(by)+".")
	}
}

// The sides and the kinds of pieces in words.
var (
	sides = [2]string{"White", "Black"}
	names = [6]string{"pawn", "knight", "bishop", "rook", "queen", "king"}
)

// pieces names the pieces on a set of squares, such as "the rook on e8 and the bishop on b4".
func (e *explainer) pieces(set chess.Bitboard) string {
	var all []string
	for s := range set.Squares() {
		all = append(all, "the "+names[e.p.Piece(s).Type()]+" on "+s.String())
	}
	return enumerate(all)
}

// squareNames names the squares of a set.
func squareNames(set chess.Bitboard) string {
	var all []string
	for s := range set.Squares() {
		all = append(all, s.String())
	}
	return enumerate(all)
}

// enumerate joins words by commas and, before the last, "and".
func enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
