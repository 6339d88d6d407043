package lab

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// Explanation explains by the rules why a move is legal or illegal.
type Explanation struct {
	FEN     string   `json:"fen"`
	Move    string   `json:"move"` // UCI
	Legal   bool     `json:"legal"`
	Reasons []Cause  `json:"reasons"`
	Figures []Figure `json:"figures"`
}

// Cause is a reason of package movegen.
type Cause struct {
	Text    string `json:"text"`
	By      string `json:"by"`      // set of the pieces that make the rule apply
	Squares string `json:"squares"` // set that the rule is about
}

// Figure is a drawing of a set that the move generator uses.
type Figure struct {
	Title   string `json:"title"`
	Text    string `json:"text"`
	Squares string `json:"squares"` // set that the figure is about
	Marked  string `json:"marked"`  // set of the pieces or squares that stand out in it
}

// Explain returns why a move is illegal and draws the sets that decide it. The text is UCI or SAN. If
// a SAN fits several pieces, it explains the move that breaks the fewest rules. Errors: a [*Fault].
func Explain(p *chess.Position, text string) (*Explanation, error) {
	m, reasons, err := attempt(p, text)
	if err != nil {
		return nil, err
	}
	out := &Explanation{FEN: p.FEN(), Move: m.String(), Legal: p.IsLegal(m), Reasons: causes(reasons), Figures: figures(p)}
	if out.Legal {
		out.Move = p.UCI(m)
	}
	return out, nil
}

// causes converts reasons to messages.
func causes(reasons []movegen.Reason) []Cause {
	out := []Cause{}
	for _, r := range reasons {
		out = append(out, Cause{Text: r.Text, By: set(r.By), Squares: set(r.Squares)})
	}
	return out
}

// attempt returns the move of a text, legal or not, and why it is illegal.
func attempt(p *chess.Position, text string) (chess.Move, []movegen.Reason, error) {
	if m, err := p.ParseUCI(text); err == nil || errors.Is(err, chess.ErrIllegal) {
		if m.Kind() == chess.Normal {
			m = between(p, m.From(), m.To())
		}
		return m, movegen.Explain(p, m), nil
	}
	m, err := p.ReadMove(text)
	if err == nil {
		return m, nil, nil
	}
	var nearest chess.Move
	var reasons []movegen.Reason
	for _, m := range meant(p, strings.TrimRight(text, "+#!?")) {
		why := movegen.Explain(p, m)
		if len(why) == 0 { // one of several that the text may mean
			reasons = nil
			break
		}
		if reasons == nil || why[0].Rule > reasons[0].Rule {
			nearest, reasons = m, why
		}
	}
	if reasons == nil {
		return chess.NoMove, nil, &Fault{Field: "move", Reason: err.Error()}
	}
	return nearest, reasons, nil
}

// between returns the move from one square to another. A pawn that reaches the last rank becomes a
// queen, because the text does not name the piece.
func between(p *chess.Position, from, to chess.Square) chess.Move {
	us := p.SideToMove()
	if p.Has(chess.MakePiece(us, chess.Pawn), from) && to.Relative(us).Rank() == 7 {
		return chess.NewPromotion(from, to, chess.Queen)
	}
	return p.Infer(chess.NewMove(from, to, chess.Normal))
}

// meant returns the moves that an illegal SAN may mean.
func meant(p *chess.Position, text string) (moves []chess.Move) {
	us := p.SideToMove()
	if castle := strings.ToUpper(strings.ReplaceAll(text, "0", "O")); castle == "O-O" || castle == "O-O-O" {
		king, _ := chess.CastlingTargets(us, chess.Wing(len(castle)/2-1))
		return []chess.Move{between(p, p.King(us), king)}
	}
	body, _, _ := strings.Cut(text, "=")
	kind := chess.Pawn
	if i := strings.IndexByte("NBRQK", (body + " ")[0]); i >= 0 {
		kind, body = chess.Knight+chess.PieceType(i), body[1:]
	}
	at := max(0, len(body)-2)
	to, err := chess.ParseSquare(body[at:])
	if err != nil {
		return nil
	}
	for sq := range p.Pieces(us, kind).Squares() {
		if strings.Contains(sq.String(), strings.TrimSuffix(body[:at], "x")) && sq != to {
			moves = append(moves, between(p, sq, to))
		}
	}
	return moves
}

// figures draws the sets that a legal move generator computes before it lists moves.
func figures(p *chess.Position) []Figure {
	us := p.SideToMove()
	king, checkers := p.King(us), p.Checkers()
	seen := chess.QueenAttacks(king, p.Occupied()) | chess.KnightAttacks(king)
	out := []Figure{{"Super-piece", "From " + king.String() +
		" the king looks like every piece at once. What he sees that way may see him: " +
		either(checkers, "check from %s.", "no check."), set(seen), set(checkers)}}
	mask, text := ^chess.Bitboard(0), "No check, so every square is a target."
	switch {
	case checkers.MoreThanOne():
		mask, text = 0, "Two checks at once: the mask is empty, and only the king moves."
	case checkers != 0:
		mask = checkers | chess.Between(king, checkers.First())
		text = "The checker and between(king, checker): where every move but the king's must end."
	}
	out = append(out, Figure{"Check mask", text, set(mask), set(checkers)})
	out = append(out, pins(p, king)...)
	if sq := p.EnPassant(); sq != chess.NoSquare {
		captors := chess.PawnAttacks(us.Other(), sq) & p.Pieces(us, chess.Pawn)
		out = append(out, Figure{"En passant", "A pawn has just passed " + sq.String() + ". " +
			either(captors, "%s may capture there, if the king stays safe.",
				"No pawn can capture there."), set(sq.Bitboard()), set(captors)})
	}
	for w, side := range [2]string{"king's side", "queen's side"} {
		rook := p.CastlingRook(us, chess.Wing(w))
		if rook == chess.NoSquare {
			continue
		}
		empty, safe := p.CastlingPath(us, chess.Wing(w))
		out = append(out, Figure{"Castling, " + side,
			"The coloured squares must be empty; those with a ring must not be attacked.", set(empty), set(safe)})
	}
	return out
}

// pins draws each line on which a piece shields its king.
func pins(p *chess.Position, king chess.Square) []Figure {
	us := p.SideToMove()
	var out []Figure
	for pinned := range (p.Blockers(us) & p.ByColor(us)).Squares() {
		line := chess.Line(king, pinned)
		pinners := p.AttackersTo(king, p.Occupied()^pinned.Bitboard()) & p.ByColor(us.Other()) & line &^ p.Checkers()
		reach := pinners
		for s := range pinners.Squares() {
			reach |= chess.Between(king, s)
		}
		out = append(out, Figure{"Pin line",
			fmt.Sprintf("The rays of king and %s cross on %s: a piece there may move on line(king, %[2]s) only.",
				squareList(pinners), pinned), set(reach), set(pinned.Bitboard())})
	}
	if out == nil {
		out = []Figure{{"Pin lines", "No piece alone shields its king.", word(0), word(0)}}
	}
	return out
}

// either returns some with the squares of a set, or none if the set is empty.
func either(b chess.Bitboard, with, without string) string {
	if b == 0 {
		return without
	}
	return fmt.Sprintf(with, squareList(b))
}

// squareList names the squares of a set.
func squareList(b chess.Bitboard) string {
	var all []string
	for s := range b.Squares() {
		all = append(all, s.String())
	}
	return strings.Join(all, " and ")
}
