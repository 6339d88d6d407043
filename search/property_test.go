package search

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// drawPosition draws a position of few pieces, of a random game or a set-up.
func drawPosition(t *rapid.T) *chess.Position {
	if rapid.Bool().Draw(t, "game") {
		return drawGame(t)
	}
	return drawSetUp(t)
}

// drawGame draws the end of a random game.
func drawGame(t *rapid.T) *chess.Position {
	p := chess.NewPosition()
	for range rapid.IntRange(1, 80).Draw(t, "plies") {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		p.Make(moves[rapid.IntRange(0, len(moves)-1).Draw(t, "move")])
	}
	return p
}

// drawSetUp draws a position of White's heavy pieces against few pieces.
func drawSetUp(t *rapid.T) *chess.Position {
	men := "KkQRRBNPPpqrbnppp"
	for {
		s := chess.Setup{Side: chess.Color(rapid.IntRange(0, 1).Draw(t, "side"))}
		var taken chess.Bitboard
		for _, man := range men[:2+rapid.IntRange(1, len(men)-2).Draw(t, "men")] {
			pc, err := chess.ParsePiece(string(man))
			kit.Succeed(t, err)
			if at := chess.Square(rapid.IntRange(0, 63).Draw(t, "square")); !taken.Has(at) {
				s.Put(pc, at)
				taken |= at.Bitboard()
			}
		}
		if p, err := s.Position(); err == nil {
			return p
		}
	}
}

// TestColoursAreAlike: what the search knows of a position does not depend on
// the colour of the side to move. The network looks from each side alike, so
// that it is its own mirror.
func TestColoursAreAlike(t *testing.T) {
	w := engine(t).workers[0]
	rapid.Check(t, func(t *rapid.T) {
		p := drawPosition(t)
		if p, err := p.Setup().Position(); err != nil { // without its history
			t.Fatal(err)
		} else if here, there := look(w, p, false), look(w, p.Mirror(), true); here != there {
			t.Fatalf("%s: %+v, in the mirror %+v", p, here, there)
		}
	})
}

// view is what a colour must not change.
type view struct {
	eval            eval.Score
	moves, captures int
	gains           uint64 // which moves win material by exchange
	checks, drawn   int
}

// look returns the view of p. Squares of the mirror are turned back.
func look(w *worker, p *chess.Position, mirrored bool) view {
	w.prepare(p, nil)
	w.at(0).checksKnown = false
	v := view{eval: w.evaluate(), drawn: btoi(w.isDraw(1))}
	for _, m := range movegen.Legal(w.pos, nil) {
		v.moves++
		v.captures += btoi(isTactical(w.pos, m))
		v.checks += btoi(w.givesCheck(0, m))
		turn := chess.Square(0)
		if mirrored {
			turn = 56
		}
		for _, threshold := range []int{-300, 0, 1, 300} {
			if see(w.pos, m, threshold) {
				v.gains += uint64(threshold+1000) * (uint64(m.From()^turn)*64 + uint64(m.To()^turn)) * uint64(m.PromotionType()+1)
			}
		}
	}
	return v
}
