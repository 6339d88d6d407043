// Package gamestest makes files of training games for tests and reads them.
package gamestest

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/games"
)

// Random returns a game of at most plies random moves from the starting position, with the given scores in order.
func Random(r *rand.Rand, result games.Result, plies int, score func() int16) games.View {
	p := chess.NewPosition()
	g := games.Game{Start: games.Pack(p, result)}
	for range plies {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		m := moves[r.IntN(len(moves))]
		g.Plies = append(g.Plies, games.Ply{Move: games.MoveOf(m), Score: score()})
		p.Make(m)
	}
	return g.Append(nil)
}

// Write writes a file of count games.
func Write(t testing.TB, name string, count int, game func(i int) (games.ID, games.View)) {
	t.Helper()
	w, err := games.Create(name)
	testkit.Succeed(t, err)
	defer w.Abort()
	for i := range count {
		testkit.Succeed(t, w.Add(game(i)))
	}
	testkit.Succeed(t, w.Commit())
}

// Read returns the games in the undamaged blocks of a file by ID.
func Read(t testing.TB, name string) map[games.ID]string {
	t.Helper()
	f, err := games.Open(name)
	testkit.Succeed(t, err)
	defer f.Close()
	all := map[games.ID]string{}
	var b games.Block
	for i := range f.Entries {
		testkit.Succeed(t, f.Read(i, &b))
		for id, g := range b.Games() {
			if _, twice := all[id]; twice {
				t.Errorf("game %+v is there twice", id)
			}
			all[id] = string(g)
		}
	}
	return all
}
