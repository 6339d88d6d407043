// Package traintest makes files of training games for tests and reads them, and makes the program of a test the
// engine too, for tests of what plays with programs.
package traintest

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
)

// Random returns a game of at most plies random moves from the starting position, with the given scores in order.
func Random(r *rand.Rand, result record.HalfPoints, plies int, score func() int16) *record.ScoredGame {
	p := chess.NewPosition()
	g := &record.ScoredGame{Start: record.Pack(p, result)}
	for range plies {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		m := moves[r.IntN(len(moves))]
		g.Plies = append(g.Plies, record.Ply{Move: m, Score: score()})
		p.Make(m)
	}
	return g
}

// Write writes a file of count games.
func Write(t testing.TB, name string, count int, game func(i int) (record.ID, *record.ScoredGame)) {
	t.Helper()
	w, err := record.Create(name)
	kit.Succeed(t, err)
	defer w.Abort()
	for i := range count {
		kit.Succeed(t, w.Add(game(i)))
	}
	kit.Succeed(t, w.Commit())
}

// Read returns the games in the undamaged blocks of a file by ID.
func Read(t testing.TB, name string) map[record.ID]*record.ScoredGame {
	t.Helper()
	f, err := record.Open(name)
	kit.Succeed(t, err)
	defer f.Close()
	all := map[record.ID]*record.ScoredGame{}
	var b record.Block
	for i := range f.Entries {
		kit.Succeed(t, f.Read(i, &b))
		for id, g := range b.Games() {
			if _, twice := all[id]; twice {
				t.Errorf("game %+v is there twice", id)
			}
			all[id] = g
		}
	}
	return all
}
