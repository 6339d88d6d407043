package games

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// Book makes an opening book of what was played from the standard start on, plies deep,
// by moves that at least the given number of games have. The weight of a move is two for each game
// that its side won, and one for each draw or game without a result. It looks one position up
// after the other and holds the book in memory.
func (db *DB) Book(ctx context.Context, plies, games int) (*polyglot.Builder, error) {
	if plies < 1 || games < 1 {
		return nil, fmt.Errorf("a book of %d plies and moves of %d games: want at least 1", plies, games)
	}
	book := &polyglot.Builder{}
	start := chess.NewPosition()
	seen := map[chess.Key]bool{start.Key(): true}
	for level := []*chess.Position{start}; plies > 0 && len(level) > 0; plies-- {
		var next []*chess.Position
		for _, p := range level {
			r, err := db.Show(ctx, p, Filter{})
			if err = errors.Join(err, context.Cause(ctx)); err != nil {
				return nil, err
			}
			for _, m := range r.Moves {
				if m.Games < games {
					break
				}
				wins, losses := m.White, m.Black
				if p.SideToMove() == chess.Black {
					wins, losses = losses, wins
				}
				book.Add(p, m.Move, m.Games+wins-losses)
				after := p.Clone()
				after.Make(m.Move)
				if !seen[after.Key()] {
					seen[after.Key()] = true
					next = append(next, after)
				}
			}
		}
		level = next
	}
	return book, nil
}
