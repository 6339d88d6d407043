package games

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// want is what a game must come to. The zero want is met by every start.
type want struct {
	position *chess.Position // nil for any
	id       positionID
	material [][2][chess.King]int // numbers of men but the kings, by color and kind; nil for any
	pieces   [chess.NoPiece]chess.Bitboard

	men    int            // at least so many: captures are for ever
	home   chess.Bitboard // pawns that have not moved: moves of pawns are for ever
	rights chess.CastlingRights
}

// newWant returns what a query asks for.
func newWant(q *Query) (*want, error) {
	w := &want{}
	if p := q.Position; p != nil {
		w.position, w.id = p, identify(p)
		w.men, w.home, w.rights = p.Occupied().Count(), atHome(p), p.Castling()
	}
	if q.Material != "" {
		if err := w.readMaterial(q.Material); err != nil {
			return nil, err
		}
	}
	for word := range strings.FieldsFuncSeq(q.Squares, func(r rune) bool { return r == ',' || r == ' ' }) {
		if len(word) != 3 {
			return nil, fmt.Errorf("%w: squares %.40q: %.10q is no piece and square, such as Nf5 or pg7", ErrQuery, q.Squares, word)
		}
		pc, err := chess.ParsePiece(word[:1])
		s, err2 := chess.ParseSquare(word[1:])
		if err != nil || err2 != nil || pc == chess.NoPiece {
			return nil, fmt.Errorf("%w: squares %.40q: %.10q is no piece and square, such as Nf5 or pg7", ErrQuery, q.Squares, word)
		}
		w.pieces[pc] |= s.Bitboard()
	}
	return w, nil
}

// readMaterial reads text such as KRPvKR, which is met with either color.
func (w *want) readMaterial(text string) error {
	var sides [2][chess.King]int
	a, b, ok := strings.Cut(text, "v")
	for i, side := range []string{a, b} {
		if !ok || !strings.HasPrefix(side, "K") {
			return fmt.Errorf("%w: material %.40q: want two sides, such as KRPvKR", ErrQuery, text)
		}
		for _, letter := range side[1:] {
			t := strings.IndexRune("PNBRQ", letter)
			if t < 0 {
				return fmt.Errorf("%w: material %.40q: %q is none of P, N, B, R and Q", ErrQuery, text, letter)
			}
			sides[i][t]++
			w.men++
		}
	}
	w.men += 2
	w.material = [][2][chess.King]int{sides, {sides[1], sides[0]}}
	return nil
}

// atHome returns the pawns on the squares that they begin on.
func atHome(p *chess.Position) chess.Bitboard {
	return p.Pieces(chess.White, chess.Pawn)&chess.Rank2 | p.Pieces(chess.Black, chess.Pawn)&chess.Rank7
}

// possible reports whether play may still lead from p to what is wanted.
func (w *want) possible(p *chess.Position) bool {
	return p.Occupied().Count() >= w.men && w.home&^atHome(p) == 0 && w.rights&^p.Castling() == 0
}

// met reports whether p is what is wanted.
func (w *want) met(p *chess.Position) bool {
	if w.position != nil && !samePosition(w.position, p) {
		return false
	}
	if w.material != nil && !w.sameMaterial(p) {
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

func (w *want) sameMaterial(p *chess.Position) bool {
	if p.Occupied().Count() != w.men {
		return false
	}
	for _, sides := range w.material {
		same := true
		for c := chess.White; c <= chess.Black; c++ {
			for t, n := range sides[c] {
				same = same && p.Pieces(c, chess.PieceType(t)).Count() == n
			}
		}
		if same {
			return true
		}
	}
	return false
}

// samePosition reports whether positions are the same but for their counters.
func samePosition(p, q *chess.Position) bool {
	if p.Key() != q.Key() || p.ByColor(chess.White) != q.ByColor(chess.White) {
		return false
	}
	for t := chess.Pawn; t <= chess.King; t++ {
		if p.ByType(t) != q.ByType(t) {
			return false
		}
	}
	return true
}

// find replays game i of a block on p up to what is wanted and returns the ply and the
// move played then, NoMove where the game ends. ok is false where it does not come to it.
func (w *want) find(s *segment, b *block, i int, p *chess.Position) (ply int, m chess.Move, ok bool, err error) {
	if err := b.begin(p, i); err != nil {
		return 0, 0, false, s.damaged("game %d: %w", b.number*blockGames+i+1, err)
	}
	for rest := b.moves[i]; ; ply++ {
		ok = w.met(p)
		if !ok && !w.possible(p) || len(rest) == 0 {
			return ply, chess.NoMove, ok, nil
		}
		if m, rest, err = readMove(rest, p); err != nil {
			return 0, 0, false, s.damaged("game %d: %w", b.number*blockGames+i+1, err)
		}
		if ok {
			return ply, m, true, nil
		}
		if m == chess.NoMove {
			p.MakeNull()
		} else {
			p.Make(m)
		}
	}
}
