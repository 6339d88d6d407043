package games

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// want is what a game must come to. The zero want is met by every start.
type want struct {
	position *chess.Position // nil for any
	men      int             // of the position: captures are for ever
	home     chess.Bitboard  // its pawns that have not moved: moves of pawns are for ever

	// What holds at the position or later.
	material [][2 * chess.King]int // numbers of men but the kings, White's and then Black's; nil for any
	left     int                   // men of the material, kings too
	pieces   [chess.NoPiece]chess.Bitboard
}

// newWant returns what a query asks for, and checks its filter.
func newWant(q *Query) (*want, error) {
	switch {
	case q.Color != nil && q.Player == "":
		return nil, fmt.Errorf("%w: a color needs a player", ErrQuery)
	case q.MaxRating != 0 && q.MaxRating < q.MinRating:
		return nil, fmt.Errorf("%w: ratings from %d to %d", ErrQuery, q.MinRating, q.MaxRating)
	case q.Until != 0 && q.Until.last() < q.Since:
		return nil, fmt.Errorf("%w: dates from %v to %v", ErrQuery, q.Since, q.Until)
	}
	for _, f := range []struct{ name, text string }{{"player", q.Player}, {"event", q.Event}, {"time control", q.TimeControl}} {
		if f.text != "" && len(plainWords(f.text)) == 0 {
			return nil, fmt.Errorf("%w: %s %.40q: want a letter or a digit", ErrQuery, f.name, f.text)
		}
	}
	w := &want{position: q.Position}
	if p := q.Position; p != nil {
		w.men, w.home = p.Occupied().Count(), atHome(p)
	}
	if q.Material != "" {
		if err := w.readMaterial(q.Material); err != nil {
			return nil, err
		}
	}
	for word := range strings.FieldsFuncSeq(q.Squares, func(r rune) bool { return r == ',' || r == ' ' }) {
		pc, err := chess.ParsePiece(word[:1])
		s, err2 := chess.ParseSquare(word[1:])
		if err != nil || err2 != nil || pc == chess.NoPiece {
			return nil, fmt.Errorf("%w: squares %.40q: %.10q: want a piece and a square, such as Nf5 or pg7", ErrQuery,
				q.Squares, word)
		}
		w.pieces[pc] |= s.Bitboard()
	}
	return w, nil
}

// readMaterial reads text such as KRPvKR, which is met with either color.
func (w *want) readMaterial(text string) error {
	var men [2 * chess.King]int
	a, b, ok := strings.Cut(text, "v")
	for i, side := range []string{a, b} {
		if !ok || !strings.HasPrefix(side, "K") {
			return fmt.Errorf("%w: material %.40q: want two sides, such as KRPvKR", ErrQuery, text)
		}
		for _, letter := range side[1:] {
			t := strings.IndexRune("PNBRQ", letter)
			if t < 0 {
				return fmt.Errorf("%w: material %.40q: %q: want P, N, B, R or Q", ErrQuery, text, letter)
			}
			men[i*int(chess.King)+t]++
		}
	}
	w.left = len(a) + len(b)
	turned := men
	copy(turned[copy(turned[:], men[chess.King:]):], men[:chess.King])
	w.material = [][2 * chess.King]int{men, turned}
	return nil
}

// atHome returns the pawns on the squares that they begin on.
func atHome(p *chess.Position) chess.Bitboard {
	return p.Pieces(chess.White, chess.Pawn)&chess.Rank2 | p.Pieces(chess.Black, chess.Pawn)&chess.Rank7
}

// reached reports whether p is the position that is wanted.
func (w *want) reached(p *chess.Position) bool {
	q := w.position
	return q == nil || q.Key() == p.Key() && identify(q) == identify(p)
}

// held reports whether p has the material and the pieces on squares that are wanted.
func (w *want) held(p *chess.Position) bool {
	if w.material != nil && (p.Occupied().Count() != w.left || !slices.Contains(w.material, materialOf(p))) {
		return false
	}
	for pc, squares := range w.pieces {
		c, t := chess.Piece(pc).Color(), chess.Piece(pc).Type()
		if squares != 0 && squares&^p.Pieces(c, t) != 0 {
			return false
		}
	}
	return true
}

func materialOf(p *chess.Position) (men [2 * chess.King]int) {
	for i := range men {
		c, t := chess.Color(i/int(chess.King)), chess.PieceType(i%int(chess.King))
		men[i] = p.Pieces(c, t).Count()
	}
	return men
}

// find replays game i of a block on p up to what is wanted and returns the ply and the
// move played then, NoMove where the game ends. ok is false where it does not come to it.
func (w *want) find(s *segment, b *block, i int, p *chess.Position) (ply int, m chess.Move, ok bool, err error) {
	reached := false
	err = s.replay(b, i, p, func(next chess.Move) bool {
		reached = reached || w.reached(p)
		if ok = reached && w.held(p); ok {
			m = next
			return false
		}
		ply++
		men := p.Occupied().Count() // from which on it may come to it
		return men >= w.left && (reached || men >= w.men && w.home&^atHome(p) == 0)
	})
	return ply, m, ok, err
}
