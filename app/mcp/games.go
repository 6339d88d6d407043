package mcp

import (
	"context"
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
)

type gamesIn struct {
	named
	Player    string `json:"player,omitempty" jsonschema:"count only games of this player: words of the name in any order"`
	MinRating int    `json:"minRating,omitempty" jsonschema:"count only games in which both players are rated at least so high"`
}

type gamesOut struct {
	positionAnswer
	Total games.Count       `json:"total" jsonschema:"all games that came to the position"`
	Moves []games.MoveCount `json:"moves" jsonschema:"what was played next, most games first"`
	Games []string          `json:"games" jsonschema:"games of the highest rated players, then the latest: players, result, event, date"`
}

func (s *server) games(ctx context.Context, p *chess.Position, in gamesIn) (out gamesOut, err error) {
	r, err := s.Games.Show(ctx, p, games.Filter{Player: in.Player, MinRating: in.MinRating})
	if err != nil {
		return out, err
	}
	out = gamesOut{describe(in.Position, p), r.Total, append([]games.MoveCount{}, r.Moves...), []string{}}
	for _, g := range append(r.Top, r.Latest...) {
		if text := fmt.Sprintf("%s - %s %v, %s, %s", g.White, g.Black, g.Result, g.Event,
			g.Date); !slices.Contains(out.Games, text) {
			out.Games = append(out.Games, text)
		}
	}
	return out, nil
}
