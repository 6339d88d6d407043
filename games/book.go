package games

import (
	"context"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// Book makes an opening book of what was played from the starts of the games on, the standard one
// and those that were set up, plies deep, by moves that at least the given number of games have. The
// weight of a move is two for each game that its side won, and one for each draw or game without a
// result. It reads all games for their starts, looks one position up after the other, and holds the
// book in memory.
func (db *DB) Book(ctx context.Context, plies, games int) (*polyglot.Builder, error) {
	if plies < 1 || games < 1 {
		return nil, fmt.Errorf("a book of %d plies and moves of %d games: want at least 1", plies, games)
	}
	fens, err := db.starts(ctx)
	if err != nil {
		return nil, err
	}
	book := &polyglot.Builder{}
	seen := map[chess.Key]bool{}
	var level, next []*chess.Position
	add := func(p *chess.Position) error {
		r, err := db.Show(ctx, p, Filter{})
		if err = errors.Join(err, context.Cause(ctx)); err != nil {
			return err
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
		return nil
	}
	for _, fen := range append([]string{chess.StartFEN}, fens...) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return nil, err
		}
		if seen[p.Key()] {
			continue
		}
		seen[p.Key()] = true
		if err := add(p); err != nil {
			return nil, err
		}
	}
	for ; plies > 1 && len(next) > 0; plies-- {
		level, next = next, nil
		for _, p := range level {
			if err := add(p); err != nil {
				return nil, err
			}
		}
	}
	return book, nil
}

// starts returns the FENs from which games begin, each once, but for the standard start.
func (db *DB) starts(ctx context.Context) (fens []string, err error) {
	seen := map[string]bool{"": true}
	for _, s := range db.segments {
		for n := range s.blocks() {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			b, err := s.readBlock(n)
			if err != nil {
				return nil, err
			}
			for _, fen := range b.fens {
				if !seen[fen] {
					seen[fen] = true
					fens = append(fens, fen)
				}
			}
		}
	}
	return fens, nil
}
