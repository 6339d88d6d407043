package games

import (
	"context"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// Book counts for an opening book what was played in the positions that moves of at
// least so many games lead to from the standard start, plies deep. It looks one position
// up after the other and holds the book in memory.
func (db *DB) Book(ctx context.Context, plies, games int) (*polyglot.Tree, error) {
	if plies < 1 || games < 1 {
		return nil, fmt.Errorf("a book of %d plies and moves of %d games: want at least 1", plies, games)
	}
	tree := &polyglot.Tree{}
	depths := map[chess.Key]int{} // plies that were left where a position was looked up
	var walk func(p *chess.Position, left int) error
	walk = func(p *chess.Position, left int) error {
		before, seen := depths[p.Key()]
		if left == 0 || before >= left {
			return nil
		}
		depths[p.Key()] = left
		r, err := db.Show(ctx, p, Filter{})
		if err != nil {
			return err
		}
		for _, m := range r.Moves {
			if m.Games < games {
				break
			}
			if !seen {
				tree.AddMove(p, polyglot.Played{
					Move: m.Move, Games: m.Games, WhiteWins: m.White, Draws: m.Draws, BlackWins: m.Black,
				})
			}
			p.Make(m.Move)
			err := walk(p, left-1)
			p.Unmake()
			if err != nil {
				return err
			}
		}
		return context.Cause(ctx)
	}
	return tree, walk(chess.NewPosition(), plies)
}
