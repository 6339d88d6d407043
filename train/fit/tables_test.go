package fit

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
)

// writeEndings writes games of random moves that begin with few men and returns
// the file's name with the positions, in order.
func writeEndings(t *testing.T) (name string, positions []*chess.Position) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "games.tbg")
	w, err := record.Create(name)
	kit.Succeed(t, err)
	defer w.Abort()
	r := rand.New(rand.NewPCG(1, 2))
	for n, fen := range []string{
		"8/8/8/3q1k2/3Q4/8/8/K7 w - - 0 1", "8/8/8/3kQ3/8/8/3p4/K7 b - - 0 1", "3k4/8/8/8/8/8/7p/4K2R w K - 0 1",
		"4k2r/7P/8/8/8/8/8/3K4 b k - 0 1", "8/8/8/8/4p3/2k5/8/4KN2 w - - 0 1", "8/3k4/8/1Pp5/8/8/8/4K3 w - c6 0 1", "7k/8/8/8/8/8/R7/K7 b - - 98 80",
	} {
		start := kit.Position(t, fen)
		for range 20 {
			p := start.Clone()
			g := &record.ScoredGame{Start: record.Pack(p, record.Draw)}
			for range 40 {
				moves := movegen.Legal(p, nil)
				if len(moves) == 0 {
					break
				}
				m := moves[r.IntN(len(moves))]
				positions = append(positions, p.Clone())
				g.Plies = append(g.Plies, record.Ply{Move: m, Score: 7})
				p.Make(m)
			}
			kit.Succeed(t, w.Add(record.ID{Number: uint32(n)}, g))
		}
	}
	kit.Succeed(t, w.Commit())
	return name, positions
}

// TestTables holds what samples say of positions of few men against the tables,
// and what they say of the others against samples without tables.
func TestTables(t *testing.T) {
	tables, err := syzygy.Open() // three men
	kit.Succeed(t, err)
	name, positions := writeEndings(t)
	o := LoadOptions{All: true, Lambda: 0.8}
	without := inOrder(t, load(t, o, name))
	o.Tables = tables
	with := inOrder(t, load(t, o, name))
	if len(with) != len(positions) || len(without) != len(positions) {
		t.Fatalf("%d and %d samples of %d positions", len(with), len(without), len(positions))
	}
	known := make(map[int16]int)
	for i, p := range positions {
		want := without[i]
		if wdl, err := tables.WDL(p); err == nil && p.Occupied().Count() <= 3 {
			if p.SideToMove() == chess.Black {
				wdl = -wdl
			}
			want.Score, want.Target = 0, resultTarget(record.Draw)
			switch wdl {
			case syzygy.Win:
				want.Score, want.Target = certain, resultTarget(record.WhiteWins)
			case syzygy.Loss:
				want.Score, want.Target = -certain, resultTarget(record.BlackWins)
			}
			known[want.Score]++
		}
		if with[i] != want {
			t.Fatalf("%s: %+v, want %+v", p.FEN(), with[i], want)
		}
	}
	if len(known) != 3 || len(with) == known[0]+known[certain]+known[-certain] {
		t.Errorf("positions by score %v of %d: want all three results, and positions that no table knows", known, len(with))
	}
}
