package relabel

import (
	"bytes"
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/games/gamestest"
)

// makeFile writes n games of random moves.
func makeFile(t *testing.T, name string, n int) {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 0))
	gamestest.Write(t, name, n, func(i int) (games.ID, games.View) {
		result := games.Result(r.IntN(3))
		return games.ID{Run: 1, Number: uint32(i), Nodes: 100}, gamestest.Random(r, result, 60, func() int16 { return 1000 })
	})
}

// eachPosition calls visit with every position of the games of a file and its ply.
func eachPosition(t *testing.T, name string, visit func(*chess.Position, games.Ply)) {
	t.Helper()
	err := games.Blocks(t.Context(), []string{name}, nil, func(b *games.Block) error {
		for _, g := range b.Games() {
			if err := g.Verify(new(chess.Position), visit); err != nil {
				return err
			}
		}
		return nil
	})
	must.Succeed(t, err)
}

// near reports whether a score of White's view is what a file keeps of the static
// score of p.
func near(p *chess.Position, e *nnue.Evaluator, score int16) bool {
	want := int(games.WhiteScore(p.SideToMove(), int(e.Evaluate(p))))
	off := max(int(score)-want, want-int(score))
	return off <= 1+max(want, -want)/16
}

func TestDistill(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	makeFile(t, in, 20)
	written, err := Distill(t.Context(), []string{in}, out, Teacher{Network: nnue.Embedded(), Seed: 3, Plies: 2, Threads: 2})
	must.Succeed(t, err)
	e := nnue.NewEvaluator(nnue.Embedded())
	far, n := 0, 0
	eachPosition(t, out, func(p *chess.Position, ply games.Ply) {
		if m := ply.Move.Chess(); !near(p, e, ply.Score) || p.InCheck() || p.Piece(m.To()) != chess.NoPiece {
			t.Errorf("%s: score %d, move %v; want the static score and a quiet move out of check", p, ply.Score, m)
		}
		if p.FullmoveNumber() > 30 {
			far++
		}
		n++
	})
	if n != written.Games || n < 600 || far == 0 {
		t.Errorf("%d positions, %d reported, %d beyond the games", n, written.Games, far)
	}
}

// TestDistillInside takes positions from inside searches: few of them are positions
// of the games, and the result does not depend on the threads.
func TestDistillInside(t *testing.T) {
	dir := t.TempDir()
	in, one, three := filepath.Join(dir, "in"), filepath.Join(dir, "one"), filepath.Join(dir, "three")
	makeFile(t, in, 60)
	known, n := map[chess.Key]bool{}, 0
	eachPosition(t, in, func(p *chess.Position, _ games.Ply) { known[p.Key()] = true; n++ })
	teacher := Teacher{Network: nnue.Embedded(), Seed: 3, OneIn: 2, Inside: 50, Nodes: 50, Threads: 1}
	if _, err := Distill(t.Context(), []string{in}, one, teacher); err != nil {
		t.Fatal(err)
	}
	e := nnue.NewEvaluator(nnue.Embedded())
	met, old, apart, mates := 0, 0, 0, 0
	eachPosition(t, one, func(p *chess.Position, ply games.Ply) {
		if p.InCheck() {
			t.Errorf("%s: in check", p)
		}
		met++
		if known[p.Key()] {
			old++
		}
		if s := max(ply.Score, -ply.Score); s >= int16(eval.MateEdge) {
			mates++
		} else if !near(p, e, ply.Score) {
			apart++
		}
	})
	if met <= chunk || met < n/3 || old > met/4 || apart == 0 || mates == 0 {
		t.Errorf("%d positions of %d, %d of them of the games; %d scores are not static, %d mates", met, n, old, apart, mates)
	}
	teacher.Threads = 3
	if _, err := Distill(t.Context(), []string{in}, three, teacher); err != nil {
		t.Fatal(err)
	}
	sameBytes(t, one, three)
}

// TestRescore keeps moves and results, and does not depend on the threads.
func TestRescore(t *testing.T) {
	dir := t.TempDir()
	in, one, three := filepath.Join(dir, "in"), filepath.Join(dir, "one"), filepath.Join(dir, "three")
	makeFile(t, in, 10)
	var before, after []games.Move
	eachPosition(t, in, func(_ *chess.Position, ply games.Ply) { before = append(before, ply.Move) })
	teacher := Teacher{Network: nnue.Embedded(), Threads: 1}
	written, err := Rescore(t.Context(), []string{in}, one, teacher)
	must.Succeed(t, err)
	e := nnue.NewEvaluator(nnue.Embedded())
	eachPosition(t, one, func(p *chess.Position, ply games.Ply) {
		after = append(after, ply.Move)
		if p.InCheck() != (ply.Score > 900 && ply.Score < 1100) && !near(p, e, ply.Score) {
			t.Errorf("%s: score %d", p, ply.Score)
		}
	})
	if len(before) != len(after) || written.Games != 10 || written.Positions != len(before) {
		t.Errorf("%d positions, %+v, want %d", len(after), written, len(before))
	}
	for i := range before {
		if before[i] != after[i] {
			t.Fatalf("move %d differs", i)
		}
	}
	teacher.Nodes = 50
	if _, err := Rescore(t.Context(), []string{in}, one, teacher); err != nil {
		t.Fatal(err)
	}
	teacher.Threads = 3
	if _, err := Rescore(t.Context(), []string{in}, three, teacher); err != nil {
		t.Fatal(err)
	}
	sameBytes(t, one, three)
}

// TestContextEnds ends the context before the work: nothing is written.
func TestContextEnds(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in")
	makeFile(t, in, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, work := range map[string]func(context.Context, []string, string, Teacher) (games.Counts, error){"distill": Distill, "rescore": Rescore} {
		if _, err := work(ctx, []string{in}, filepath.Join(dir, "out"), Teacher{Network: nnue.Embedded(), Threads: 1}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// sameBytes fails the test where two files differ.
func sameBytes(t *testing.T, one, three string) {
	t.Helper()
	a := filestest.Read(t, one)
	b := filestest.Read(t, three)
	if !bytes.Equal(a, b) {
		t.Errorf("one thread and three wrote different files of %d and %d bytes", len(a), len(b))
	}
}
