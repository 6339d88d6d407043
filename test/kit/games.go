package kit

import (
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/pgn"
)

// players is how many players there are.
const players = 5000

// WriteGames writes n games that depend on nothing but the seed.
func WriteGames(w io.Writer, n int, seed uint64) error {
	out := pgn.NewWriter(w)
	for i := range n {
		if err := out.Write(game(seed, uint64(i))); err != nil {
			return err
		}
	}
	return nil
}

// game returns one game: an opening that players share, then random moves. In the opening each
// position has favourite moves, which all games share; later moves are drawn evenly. A twentieth
// begins with a start of Chess960.
func game(seed, number uint64) *pgn.Game {
	r := rand.New(rand.NewPCG(seed, number))
	g := &pgn.Game{}
	tagGame(g, r)
	if r.IntN(20) == 0 {
		g.Start, _ = chess.NewChess960(r.IntN(chess.Chess960Starts)) // a number that exists
	}
	p := g.Position()
	opening, length := 4+int(r.ExpFloat64()*8), 30+r.IntN(100)
	buf := make([]chess.Move, 0, chess.MaxMoves)
	for ply := range length {
		moves := movegen.Legal(p, buf[:0])
		if len(moves) == 0 || p.Outcome().Over() {
			break
		}
		i := r.IntN(len(moves))
		if ply < opening {
			i = favourite(p, r, len(moves))
		}
		g.Main.Moves = append(g.Main.Moves, pgn.Node{Move: moves[i]})
		p.Make(moves[i])
	}
	g.Result = chess.Result(1 + r.IntN(3))
	g.SetTag("Result", g.Result.String())
	return g
}

// favourite draws the first favourite of a position in half of all games, the second in
// a quarter, and so on.
func favourite(p *chess.Position, r *rand.Rand, moves int) int {
	rank := 0
	for r.IntN(2) == 0 {
		rank++
	}
	return int((uint64(p.Key())>>8 + uint64(rank)*7919) % uint64(moves))
}

// tagGame gives a game players, ratings, a date and an event that are drawn from r.
func tagGame(g *pgn.Game, r *rand.Rand) {
	player := func() (string, int) {
		n := int(r.ExpFloat64()*players/4) % players
		return fmt.Sprintf("Player %d, %c.", n, 'A'+n%26), 1200 + (n*7919)%1500
	}
	a, eloA := player()
	b, eloB := player()
	for _, t := range []pgn.Tag{
		{Name: "Event", Value: fmt.Sprintf("Open %d", r.IntN(500))}, {Name: "Site", Value: "?"},
		{Name: "Date", Value: fmt.Sprintf("%d.%02d.%02d", 2000+r.IntN(26), 1+r.IntN(12), 1+r.IntN(28))},
		{Name: "Round", Value: fmt.Sprint(1 + r.IntN(11))}, {Name: "White", Value: a}, {Name: "Black", Value: b},
		{Name: "WhiteElo", Value: fmt.Sprint(eloA)}, {Name: "BlackElo", Value: fmt.Sprint(eloB)},
		{Name: "TimeControl", Value: []string{"300+3", "600", "5400+30"}[r.IntN(3)]},
	} {
		g.SetTag(t.Name, t.Value)
	}
}
