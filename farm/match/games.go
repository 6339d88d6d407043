package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/match"
)

// record returns a game of a pair as PGN.
func (p *Plan) record(g *match.Game, pair int, aIsBlack bool) *pgn.Game {
	white, black, number := p.A.Name, p.B.Name, 1
	if aIsBlack {
		white, black, number = black, white, 2
	}
	control := fmt.Sprintf("%v+%v", p.Clock.Base.Seconds(), p.Clock.Inc.Seconds())
	if p.Nodes > 0 {
		control = "-"
	}
	r := &pgn.Game{Start: g.Start, Result: resultOf[g.Result]}
	for _, tag := range [][2]string{
		{"Event", p.A.Name + " - " + p.B.Name}, {"Round", fmt.Sprintf("%d.%d", pair+1, number)},
		{"White", white}, {"Black", black}, {"TimeControl", control}, {"Termination", g.Reason},
	} {
		r.SetTag(tag[0], tag[1])
	}
	for _, m := range g.Moves {
		comment := fmt.Sprintf("%d/%d", m.Score, m.Depth)
		if p.Nodes == 0 {
			comment += fmt.Sprintf(" %.3fs", m.Took.Seconds())
		}
		r.Main.Moves = append(r.Main.Moves, pgn.Node{Move: m.Move, Comments: []string{comment}})
	}
	return r
}

// resultOf is the result in PGN of one in half points of White.
var resultOf = map[games.Result]chess.Result{games.WhiteWins: chess.WhiteWins, games.BlackWins: chess.BlackWins, games.Draw: chess.Draw}

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
