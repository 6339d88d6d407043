package games

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// want is what a game must come to.
type want struct {
	position *chess.Position // nil for any
	men      int             // of the position: captures are for ever
	home     chess.Bitboard  // its pawns that have not moved: moves of pawns are for ever
	stages   []stage         // what holds at the position or later, and what holds after that
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
	for _, f := range []struct{ name, text string }{{"player", q.Player}, {"event", q.Event},
		{"time control", q.TimeControl}} {
		if f.text != "" && len(plainWords(f.text)) == 0 {
			return nil, fmt.Errorf("%w: %s %.40q: want a letter or a digit", ErrQuery, f.name, f.text)
		}
	}
	w := &want{position: q.Position}
	if p := q.Position; p != nil {
		w.men, w.home = p.Occupied().Count(), atHome(p)
	}
	w.stages = []stage{nil}
	if q.Pattern != "" {
		var err error
		if w.stages, err = readPattern(q.Pattern); err != nil {
			return nil, err
		}
	}
	list := strings.Join(strings.FieldsFunc(q.Squares, func(r rune) bool { return r == ',' || r == ' ' }), ",")
	for _, f := range []struct {
		name, text string
		read       func(*patternReader, []token) stage
	}{{"material", q.Material, material}, {"squares", list, squares}} {
		r := &patternReader{}
		if f.text != "" {
			w.stages[0] = append(w.stages[0], f.read(r, []token{{text: f.text}})...)
		}
		if r.bad != nil {
			return nil, fmt.Errorf("%w: %s %.40q: %w", ErrQuery, f.name, f.text, r.bad)
		}
	}
	return w, nil
}

// atHome returns the pawns on the squares that they begin on.
func atHome(p *chess.Position) chess.Bitboard {
	return p.Pieces(chess.White, chess.Pawn)&chess.Rank2 | p.Pieces(chess.Black, chess.Pawn)&chess.Rank7
}

// reached reports whether p is the position that is wanted.
func (w *want) reached(p *chess.Position) bool {
	q := w.position
	return q.Key() == p.Key() && identify(q) == identify(p)
}

// replayer is where games are replayed.
type replayer struct {
	position chess.Position
	board    board
}

// find replays game i of a block up to what is wanted and returns the ply. m is the move that was played at the wanted
// position, NoMove where the game ended. ok is false where the game does not come to it.
func (w *want) find(s *segment, b *block, i int, r *replayer) (ply int, m chess.Move, ok bool, err error) {
	if ply, m, ok, err = w.reach(s, b, i, &r.position); !ok || err != nil {
		return ply, m, false, err
	}
	r.board.set(&r.position)
	stages := w.stages
	for moves := b.moves[i][2*ply:]; ; moves = moves[2:] {
		if stages[0].holds(&r.board) {
			if stages = stages[1:]; len(stages) == 0 {
				return ply, m, true, nil
			}
		}
		if len(moves) == 0 {
			return ply, m, false, nil
		}
		if !r.board.play(readMove(moves)) {
			return ply, m, false, s.illegal(b, i)
		}
		ply++
	}
}

// reach replays a game up to the position that is wanted.
func (w *want) reach(s *segment, b *block, i int, p *chess.Position) (ply int, m chess.Move, ok bool, err error) {
	if w.position == nil {
		return 0, m, true, s.begin(b, i, p)
	}
	err = s.replay(b, i, p, func(next chess.Move) bool {
		if ok = w.reached(p); ok {
			m = next
			return false
		}
		ply++
		return p.Occupied().Count() >= w.men && w.home&^atHome(p) == 0 // or it cannot come to it any more
	})
	return ply, m, ok, err
}
