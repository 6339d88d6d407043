package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/pgn"
)

// CheckFile reports what is wrong with the games of a job: they must be those that its value
// counts.
func (p *Plan) CheckFile(r *run.Result, text []byte) error {
	var v value
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return err
	}
	if err := v.check(p.pairs(r.Index)); err != nil {
		return err
	}
	return v.recount(text)
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
