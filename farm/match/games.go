package match

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/pgn"
)

// Games is the plan of a match that keeps all games.
type Games struct {
	run.Plan
	params *Params
	texts  map[int][]byte // by job
}

// KeepGames returns p, the plan of a match, with the games of its folded jobs.
func KeepGames(p run.Plan) (*Games, error) {
	of, ok := p.(*plan)
	if !ok {
		return nil, errors.New("match: not the plan of a match")
	}
	return &Games{p, &of.Params, map[int][]byte{}}, nil
}

// PGN returns the games in order of their pairs, up to the first job that is
// missing.
func (g *Games) PGN() []byte {
	var all []byte
	for index := 0; g.texts[index] != nil; index++ {
		all = append(all, g.texts[index]...)
	}
	return all
}

// Check demands that a job's games are those that its value counts, and keeps
// them.
func (g *Games) Check(ctx context.Context, r *run.Result, get func(context.Context, run.Artefact) ([]byte, error)) error {
	var v value
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return run.Refused(err)
	}
	if err := v.check(g.params.pairs(r.Index)); err != nil {
		return run.Refused(err)
	}
	if len(r.Files) != 1 || r.Files[0].Sum != v.PGN {
		return run.Refused(fmt.Errorf("%d files, not the one with the games", len(r.Files)))
	}
	text, err := get(ctx, r.Files[0])
	if err != nil {
		return err
	}
	if link.Sum(text) != v.PGN {
		return run.Refused(errors.New("the games are not those of its hash"))
	}
	if err := v.recount(text); err != nil {
		return run.Refused(err)
	}
	g.texts[r.Index] = text
	return nil
}

// recount reads the games and demands the points of the value.
func (v *value) recount(text []byte) error {
	var counted []int
	n, points := 0, 0
	for g, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		if err != nil {
			return err
		}
		switch aIsBlack := n%2 == 1; {
		case g.Result == chess.Draw:
			points++
		case (g.Result == chess.WhiteWins) != aIsBlack:
			points += 2
		}
		if n++; n%2 == 0 {
			counted = append(counted, points)
			points = 0
		}
	}
	if !slices.Equal(counted, v.Points) || n != 2*len(v.Points) {
		return fmt.Errorf("%d games with the points %v, counted as %v", n, counted, v.Points)
	}
	return nil
}
