package match

import (
	"context"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/selfplay"
	"github.com/tabula-chess/tabula/uci/client"
)

// game is one game, being played or over.
type game struct {
	record *pgn.Game
	late   bool // it was lost on time
	broken bool // an engine broke off, or did what is against the rules

	p      *chess.Position
	clock  [2]time.Duration
	judge  selfplay.Judge
	agreed bool // the judge may end the game: all moves so far came with a score
}

// play plays a game of a pair. An error is ctx's, or that an engine cannot be
// started again.
func (t *table) play(ctx context.Context, p *plan, pair int, aIsBlack bool) (*game, error) {
	if err := t.prepare(ctx, p.Hash); err != nil {
		return nil, err
	}
	opening := p.openings[pair%len(p.openings)]
	g := &game{record: &pgn.Game{Start: opening.Clone()}, p: opening.Clone(), agreed: p.Judge}
	g.clock = [2]time.Duration{p.Clock.Base, p.Clock.Base}
	seats := [2]*seat{&t.seats[0], &t.seats[1]}
	number := 1
	if aIsBlack {
		seats[0], seats[1] = seats[1], seats[0]
		number = 2
	}
	why, err := g.play(ctx, p, seats)
	if err != nil {
		return nil, err
	}
	control := fmt.Sprintf("%v+%v", p.Clock.Base.Seconds(), p.Clock.Inc.Seconds())
	if p.Nodes > 0 {
		control = "-"
	}
	for _, tag := range [][2]string{
		{"Event", p.A.Name + " - " + p.B.Name}, {"Round", fmt.Sprintf("%d.%d", pair+1, number)},
		{"White", seats[0].side.Name}, {"Black", seats[1].side.Name}, {"TimeControl", control}, {"Termination", why},
	} {
		g.record.SetTag(tag[0], tag[1])
	}
	return g, nil
}

// maxPlies ends a game as drawn, like those of train/selfplay.
const maxPlies = 400

// play plays until the game is over and says why it is, in PGN's words.
func (g *game) play(ctx context.Context, p *plan, seats [2]*seat) (why string, err error) {
	first := 2*(g.p.FullmoveNumber()-1) + int(g.p.SideToMove())
	for ply := 0; ; ply++ {
		if result, over := selfplay.Ended(g.p); over {
			return "normal", g.end(result)
		}
		if ply >= maxPlies {
			return "adjudication", g.end(record.Draw)
		}
		us := g.p.SideToMove()
		info, why, err := g.move(ctx, p, seats[us].engine, us)
		if err != nil {
			return "", err
		}
		if why != "" {
			return why, g.end(selfplay.LostBy(us))
		}
		if score, ok := whiteScore(info.Score, us); ok && g.agreed {
			if result, over := g.judge.See(first+ply, score); over {
				return "adjudication", g.end(result)
			}
		} else {
			g.agreed = false
		}
	}
}

// end notes the result.
func (g *game) end(r record.Result) error {
	g.record.Result = map[record.Result]chess.Result{
		record.WhiteWins: chess.WhiteWins, record.BlackWins: chess.BlackWins, record.Draw: chess.Draw,
	}[r]
	return nil
}

// move lets an engine move. why is not empty where it has lost by that.
func (g *game) move(ctx context.Context, p *plan, e *client.Engine, us chess.Color) (info client.Info, why string, err error) {
	limits := client.Limits{Nodes: p.Nodes}
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if p.Nodes > 0 {
		bounded, cancel = context.WithTimeout(ctx, patience)
	} else {
		limits.Time, limits.Inc = g.clock, [2]time.Duration{p.Clock.Inc, p.Clock.Inc}
	}
	began := time.Now()
	found, err := e.Search(bounded, g.p, limits, nil)
	took := time.Since(began)
	cancel()
	if ctx.Err() != nil {
		return info, "", ctx.Err()
	}
	if err != nil || found.Move == chess.NoMove {
		g.broken = true
		return info, "rules infraction", nil
	}
	info = found.Info()
	comment := fmt.Sprintf("%v/%d", info.Score, info.Depth)
	if p.Nodes == 0 {
		comment += fmt.Sprintf(" %.3fs", took.Seconds())
		if g.clock[us] -= took; g.clock[us] < -p.Margin {
			g.late = true
			return info, "time forfeit", nil
		}
		g.clock[us] = max(g.clock[us], 0) + p.Clock.Inc
	}
	g.record.Main.Moves = append(g.record.Main.Moves, pgn.Node{Move: found.Move, Comments: []string{comment}})
	g.p.Make(found.Move)
	return info, "", nil
}

// whiteScore returns a score as White sees it; ok is false where there is none.
func whiteScore(s client.Score, us chess.Color) (score eval.Score, ok bool) {
	s = s.For(chess.White, us)
	switch s.Kind {
	case client.Centipawns:
		return eval.Score(max(-20000, min(20000, s.Value))), true
	case client.Mate:
		if s.Value > 0 {
			return 20000, true
		}
		return -20000, true
	}
	return 0, false
}
