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

// Stats says what a database holds.
type Stats struct {
	Games     int   `json:"games"`
	Plies     int   `json:"plies"`
	Positions int   `json:"positions"` // of each segment, added up
	Popular   int   `json:"popular"`   // of these, those that have counts of their own
	Rare      int   `json:"rare"`      // entries of the others in the index
	Segments  int   `json:"segments"`
	Bytes     int64 `json:"bytes"`
	Parts     Parts `json:"parts"`
}

// Parts says what the bytes of a database are for.
type Parts struct {
	Moves   int64 `json:"moves"`
	Tags    int64 `json:"tags"`
	Headers int64 `json:"headers"`
	Strings int64 `json:"strings"`
	Hashes  int64 `json:"hashes"`
	Index   int64 `json:"index"`
}

// Stats reads what the segments say of themselves.
func (db *DB) Stats() (Stats, error) {
	var all Stats
	for _, s := range db.segments {
		all.Games += int(s.games)
		all.Plies += int(s.plies)
		all.Positions += int(s.positions)
		all.Popular += int(s.nodes)
		all.Rare += int(s.rare)
		all.Segments++
		size, err := s.file.Size()
		if err != nil {
			return all, err
		}
		all.Bytes += size
		p := &all.Parts
		for i, to := range []*int64{&p.Moves, &p.Tags, &p.Headers, &p.Strings, &p.Hashes, &p.Index} {
			dir, err := s.directory(i)
			if err != nil {
				return all, err
			}
			*to += int64(8 * len(dir))
			for _, page := range dir {
				*to += int64(page & maxPage)
			}
		}
	}
	return all, nil
}
