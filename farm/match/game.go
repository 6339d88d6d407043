package match

import (
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
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
