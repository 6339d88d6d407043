package session

import (
	"context"
	"errors"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
)

// repertoireFields are the fields of repertoire.
type repertoireFields struct {
	games.Filter
	PGN   string       `json:"pgn"`
	Side  *chess.Color `json:"side"`  // that the repertoire is for; nil: what each game says
	Learn bool         `json:"learn"` // make exercises of its positions
}

// Compared is the result of repertoire: where the games of a player left it.
type Compared struct {
	Known    bool                      `json:"known"` // there is a player and a database
	Reports  []*games.RepertoireReport `json:"reports"`
	Errors   []string                  `json:"errors"`   // about games that are not used
	Warnings []string                  `json:"warnings"` // about games of which a part was not understood
	Added    int                       `json:"added"`    // exercises, with learn
}

// repertoire answers repertoire.
func (e *engines) repertoire(c *call, f *repertoireFields) (any, error) {
	out := &Compared{Reports: []*games.RepertoireReport{}, Errors: []string{}, Warnings: []string{}}
	all, err := games.ReadRepertoires(strings.NewReader(f.PGN), f.Side, tellFirst(&out.Errors), tellFirst(&out.Warnings))
	if err != nil {
		return nil, of("pgn", err)
	}
	return work(func() (any, error) {
		err := games.ErrNone
		if f.Player != "" {
			err = e.withGames(c, func(ctx context.Context, db *games.DB) error {
				for _, r := range all {
					report, err := db.Repertoire(ctx, r, f.Filter)
					if err != nil {
						return err
					}
					out.Reports = append(out.Reports, report)
				}
				return nil
			})
		}
		if out.Known = err == nil; err != nil && !errors.Is(err, games.ErrNone) {
			return nil, err
		}
		if f.Learn {
			var text strings.Builder
			if err := games.WriteExercises(&text, all...); err != nil {
				return nil, err
			}
			learned, err := e.addExercises(lesson{text.String(), nil})
			if err != nil {
				return nil, of("learn", err)
			}
			out.Added = learned.Added
		}
		return out, nil
	}), nil
}
