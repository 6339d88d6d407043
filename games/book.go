package games

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// Book counts for an opening book what was played from the standard start on, plies deep,
// by moves that at least the given number of games have. It looks one position up after
// the other and holds the book in memory.
func (db *DB) Book(ctx context.Context, plies, games int) (*polyglot.Tree, error) {
	if plies < 1 || games < 1 {
		return nil, fmt.Errorf("a book of %d plies and moves of %d games: want at least 1", plies, games)
	}
	tree := &polyglot.Tree{}
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
				tree.AddMove(p, polyglot.Played{Move: m.Move, Games: m.Games, WhiteWins: m.White, Draws: m.Draws, BlackWins: m.Black})
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
	return tree, nil
}
