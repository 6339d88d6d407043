package eval

import "github.com/tabula-chess/tabula/chess"

// Part is the share of one group of terms in an evaluation, for people to look
// at. White and Black are each side's own; the evaluation counts White - Black.
// A joint part, pawn structure and tempo, is kept as one number, in White.
type Part struct {
	Name         string
	White, Black Pair
	Joint        bool
}

// Parts returns the parts of the evaluation of p, whose differences add up to
// the sum that [Evaluator.Terms] returns.
func (e *Evaluator) Parts(p *chess.Position) []Part {
	e.prepare(p)
	var parts []Part
	add := func(name string, term func(chess.Color) Pair) {
		parts = append(parts, Part{Name: name, White: term(chess.White), Black: term(chess.Black)})
	}
	// In the order of Terms: later terms use what earlier ones note.
	add("knights", e.knights)
	add("bishops", e.bishops)
	add("rooks", e.rooks)
	add("queens", e.queens)
	e.pawns = e.probePawns()
	parts = append(parts, Part{Name: "pawns", White: e.pawns.score, Joint: true})
	add("king", e.king)
	add("threats", e.threats)
	add("passed pawns", e.passed)
	return append(parts, Part{Name: "tempo", White: e.tempo(), Joint: true})
}
