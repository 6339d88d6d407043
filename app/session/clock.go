package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/review"
)

// sheetKey names a game among the reviewed ones.
func sheetKey(g *games.Listed) string {
	return fmt.Sprintf("%d %s\n%s\n%s %s", g.Number, g.White, g.Black, g.Date, g.Result)
}

// clockTable says how the players of the games of a filter used their time.
func (e *engines) clockTable(c *call, filter games.Filter) (t *review.ClockTable, err error) {
	err = e.withGames(c, func(ctx context.Context, db *games.DB) error {
		t, err = ClockTable(ctx, db, games.Query{Filter: filter}, func(g *games.Listed) *review.Sheet {
			if one := e.sheets.get(sheetKey(g)); one != nil {
				return one.Sheet
			}
			return nil
		})
		return err
	})
	return t, err
}

// ClockTable says how the players of the games of a query, those of its filter, used their time. reviewed returns the
// review of a game, nil where there is none.
func ClockTable(
	ctx context.Context, db *games.DB, q games.Query, reviewed func(*games.Listed) *review.Sheet,
) (*review.ClockTable, error) {
	t := review.NewClockTable()
	for found, err := range db.Find(ctx, q) {
		if err != nil {
			return nil, err
		}
		g, err := found.Game()
		if err != nil {
			return nil, err
		}
		t.Add(g, reviewed(&found.Listed), q.Sides(&found.Listed))
	}
	return t, nil
}

// Reviews reads the reviews that a service with that home has made, and returns what finds that of a game. There may be
// none. Errors: files.ErrInUse where a service is running; a damaged file.
func Reviews(home string) (func(*games.Listed) *review.Sheet, error) {
	var s sheets
	if _, err := os.Stat(filepath.Join(home, reviewsName)); !errors.Is(err, fs.ErrNotExist) {
		if err = errors.Join(err, s.open(home)); err != nil {
			return nil, err
		}
		s.close()
	}
	return func(g *games.Listed) *review.Sheet {
		if one := s.all[sheetKey(g)]; one != nil {
			return one.Sheet
		}
		return nil
	}, nil
}
