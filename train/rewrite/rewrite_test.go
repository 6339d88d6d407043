package rewrite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
)

// entry is a game as the tests compare it.
type entry struct {
	ID   block.ID
	Game string
}

// eachForm runs a test on both forms that keep every byte: compact blocks, and
// those of zstd that were written before there were any.
func eachForm(t *testing.T, test func(t *testing.T, form block.Form)) {
	for name, form := range map[string]block.Form{"compact": block.Exact, "zstd": block.Fast} {
		t.Run(name, func(t *testing.T) { test(t, form) })
	}
}

// makeFile writes n games of random moves and returns them.
func makeFile(t *testing.T, name string, form block.Form, run uint64, n int) []entry {
	t.Helper()
	r := rand.New(rand.NewPCG(run, 0))
	w, err := block.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	w.Pack(form)
	var all []entry
	for i := range n {
		p := chess.NewPosition()
		g := record.Game{Start: record.Pack(p, record.Result(r.IntN(3)))}
		for range 60 {
			moves := movegen.Legal(p, nil)
			if len(moves) == 0 {
				break
			}
			m := moves[r.IntN(len(moves))]
			g.Plies = append(g.Plies, record.Ply{Move: record.MoveOf(m), Score: int16(r.IntN(200) - 100)})
			p.Make(m)
		}
		e := entry{block.ID{Run: run, Number: uint32(i), Nodes: 100}, string(g.Append(nil))}
		all = append(all, e)
		if err := w.Add(e.ID, record.View(e.Game)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return all
}

// contents returns the games of a file.
func contents(t *testing.T, name string) (all []entry) {
	t.Helper()
	s, err := openAll([]string{name}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	err = s.each(t.Context(), func(b *block.Block) error {
		for id, g := range b.Games() {
			all = append(all, entry{id, string(g)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestMerge(t *testing.T) { eachForm(t, testMerge) }

func testMerge(t *testing.T, form block.Form) {
	dir := t.TempDir()
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "out")
	want := append(makeFile(t, a, form, 1, 1500), makeFile(t, b, block.Exact, 2, 30)...)
	o, err := Merge(t.Context(), []string{a, b, a}, out, block.Exact, false)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, contents(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if o.Repeated != 1500 || o.Totals.Games != len(want) {
		t.Errorf("%+v, want %d games and 1500 repeated", o, len(want))
	}
}

func TestMergeDamage(t *testing.T) { eachForm(t, testMergeDamage) }

func testMergeDamage(t *testing.T, form block.Form) {
	dir := t.TempDir()
	a, out := filepath.Join(dir, "a"), filepath.Join(dir, "out")
	all := makeFile(t, a, form, 1, 1500)
	data, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	data[2000] ^= 4
	if err := os.WriteFile(a, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge(t.Context(), []string{a}, out, block.Exact, false); err == nil || !strings.Contains(err.Error(), "block 0") {
		t.Errorf("error %v, want one that names block 0", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a failed merge leaves a file")
	}
	o, err := Merge(t.Context(), []string{a}, out, block.Exact, true)
	if err != nil || len(o.Damages) != 1 || o.Totals.Games == 0 || o.Totals.Games >= len(all) {
		t.Fatalf("%+v, error %v, want one damaged block left out", o, err)
	}
	if diff := cmp.Diff(all[len(all)-o.Totals.Games:], contents(t, out)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestShuffle(t *testing.T) { eachForm(t, testShuffle) }

func testShuffle(t *testing.T, form block.Form) {
	dir := t.TempDir()
	a, out := filepath.Join(dir, "a"), filepath.Join(dir, "out")
	all := makeFile(t, a, form, 1, 1000)
	sorted := func(e []entry) []entry {
		c := slices.Clone(e)
		slices.SortFunc(c, func(a, b entry) int { return int(a.ID.Number) - int(b.ID.Number) })
		return c
	}
	for _, memory := range []int64{DefaultMemory, 50_000} {
		orders := map[string]bool{}
		for _, seed := range []uint64{1, 1, 2} {
			if _, err := Shuffle(t.Context(), []string{a}, out, block.Exact, seed, memory); err != nil {
				t.Fatal(err)
			}
			got := contents(t, out)
			if diff := cmp.Diff(all, sorted(got)); diff != "" {
				t.Fatalf("memory %d, seed %d: other games (-want +got):\n%s", memory, seed, diff)
			}
			moved := 0
			order := ""
			for i := range got {
				if got[i].ID.Number != uint32(i) {
					moved++
				}
				order += fmt.Sprint(got[i].ID.Number, " ")
			}
			if moved < len(all)*9/10 {
				t.Errorf("memory %d, seed %d: only %d of %d games moved", memory, seed, moved, len(all))
			}
			orders[order] = true
		}
		if len(orders) != 2 {
			t.Errorf("memory %d: %d orders from two seeds, want 2", memory, len(orders))
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.tmp")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExportText(t *testing.T) { eachForm(t, testExportText) }

func testExportText(t *testing.T, form block.Form) {
	name := filepath.Join(t.TempDir(), "a")
	all := makeFile(t, name, form, 3, 20)
	var out bytes.Buffer
	n, err := ExportText(t.Context(), []string{name}, &out, loader.Filter{MinPly: 10})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, e := range all {
		g := record.View(e.Game)
		at := 0
		err := g.Verify(new(chess.Position), func(p *chess.Position, ply record.Ply) {
			if at++; at > 10 {
				want = append(want, fmt.Sprintf("%s | %d | %.1f", p.FEN(), ply.Score, float64(g.Result())/2))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if diff := cmp.Diff(want, got); diff != "" || n != len(want) {
		t.Errorf("%d lines, (-want +got):\n%s", n, diff)
	}
}

func TestExportGames(t *testing.T) { eachForm(t, testExportGames) }

func testExportGames(t *testing.T, form block.Form) {
	name := filepath.Join(t.TempDir(), "a")
	var want string
	for _, e := range makeFile(t, name, form, 3, 20) {
		want += e.Game
	}
	var out bytes.Buffer
	if n, err := ExportGames(t.Context(), []string{name}, &out); err != nil || n != 20 || out.String() != want {
		t.Errorf("%d games, error %v, same bytes: %v", n, err, out.String() == want)
	}
}

func TestExportFindsIllegalMove(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	game := []byte(makeFile(t, name, block.Exact, 3, 1)[0].Game)
	copy(game[record.PackedSize+8:], []byte{1, 2}) // a knight's square to nowhere near
	if err := os.WriteFile(name, game, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := ExportText(t.Context(), []string{name}, &bytes.Buffer{}, loader.Filter{}); err == nil || !strings.Contains(err.Error(), "illegal move") {
		t.Errorf("error %v, want one about an illegal move", err)
	}
}

func TestDistill(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	makeFile(t, in, block.Exact, 8, 20)
	network := nnue.Embedded()
	outcome, err := Distill(t.Context(), []string{in}, out, Teacher{Network: network, Seed: 3, Plies: 2, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	e := nnue.NewEvaluator(network)
	far, n := 0, 0
	eachDistilled(t, out, func(p *chess.Position, ply record.Ply) {
		want := int(e.Evaluate(p))
		if p.SideToMove() == chess.Black {
			want = -want
		}
		if m := ply.Move.Chess(); int(ply.Score) != want || p.InCheck() || !p.IsLegal(m) || p.Piece(m.To()) != chess.NoPiece {
			t.Errorf("%s: score %d, move %v; want %d and a quiet move out of check", p, ply.Score, m, want)
		}
		if p.FullmoveNumber() > 30 {
			far++
		}
		n++
	})
	if n != outcome.Totals.Games || n < 600 {
		t.Errorf("%d positions, %d told of; want at least 600", n, outcome.Totals.Games)
	}
	if far == 0 {
		t.Error("no position goes further than the games")
	}
	if _, err := Distill(t.Context(), []string{filepath.Join(dir, "none")}, out, Teacher{Network: network, Threads: 1}); err == nil {
		t.Error("a file that is not there: no error")
	}
}

// Searches find hanging pieces and mates, which static values do not.
func TestDistillBySearch(t *testing.T) {
	dir := t.TempDir()
	in, one, three := filepath.Join(dir, "in"), filepath.Join(dir, "one"), filepath.Join(dir, "three")
	makeFile(t, in, block.Exact, 30, 120)
	teacher := Teacher{Network: nnue.Embedded(), Seed: 3, Plies: 2, Nodes: 50, Threads: 1}
	if _, err := Distill(t.Context(), []string{in}, one, teacher); err != nil {
		t.Fatal(err)
	}
	e := nnue.NewEvaluator(teacher.Network)
	n, captures, apart, mates := 0, 0, 0, 0
	eachDistilled(t, one, func(p *chess.Position, ply record.Ply) {
		m := ply.Move.Chess()
		if p.InCheck() || !p.IsLegal(m) {
			t.Errorf("%s: move %v; want a legal move out of check", p, m)
		}
		static := int(e.Evaluate(p))
		if p.SideToMove() == chess.Black {
			static = -static
		}
		n++
		if p.Piece(m.To()) != chess.NoPiece {
			captures++
		}
		switch d := int(ply.Score) - static; {
		case max(ply.Score, -ply.Score) >= int16(eval.MateEdge):
			mates++
		case max(d, -d) > 200:
			apart++
		}
	})
	if n < 2*chunk || captures == 0 || apart == 0 || mates == 0 {
		t.Errorf("%d positions, %d captures, %d scores far from the static value, %d mates; want at least %d and some of each",
			n, captures, apart, mates, 2*chunk)
	}
	teacher.Threads = 3
	if _, err := Distill(t.Context(), []string{in}, three, teacher); err != nil {
		t.Fatal(err)
	}
	sameBytes(t, one, three)
}

// TestDistillInside takes positions from inside searches: some of the games'
// positions have one, which is seldom a position of the games, and the result
// does not depend on the threads.
func TestDistillInside(t *testing.T) {
	dir := t.TempDir()
	in, one, three := filepath.Join(dir, "in"), filepath.Join(dir, "one"), filepath.Join(dir, "three")
	makeFile(t, in, block.Exact, 60, 120)
	games, n := map[chess.Key]bool{}, 0
	eachPosition(t, in, func(p *chess.Position) { games[p.Key()] = true; n++ })
	teacher := Teacher{Network: nnue.Embedded(), Seed: 3, OneIn: 4, Inside: 50, Nodes: 50, Threads: 1}
	if _, err := Distill(t.Context(), []string{in}, one, teacher); err != nil {
		t.Fatal(err)
	}
	met, known := 0, 0
	eachDistilled(t, one, func(p *chess.Position, ply record.Ply) {
		if m := ply.Move.Chess(); p.InCheck() || !p.IsLegal(m) {
			t.Errorf("%s: move %v; want a legal move out of check", p, m)
		}
		met++
		if games[p.Key()] {
			known++
		}
	})
	if met <= chunk || met < n/6 || met > n/3 || known > met/4 {
		t.Errorf("%d positions of %d, %d of them of the games; want a quarter, more than %d, and few of the games", met, n, known, chunk)
	}
	teacher.Threads = 3
	if _, err := Distill(t.Context(), []string{in}, three, teacher); err != nil {
		t.Fatal(err)
	}
	sameBytes(t, one, three)
}

// sameBytes fails the test where two files differ.
func sameBytes(t *testing.T, one, three string) {
	t.Helper()
	a, err := os.ReadFile(one)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(three)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("one thread and three wrote different files of %d and %d bytes", len(a), len(b))
	}
}

// eachPosition calls visit with every position of the games of a file before a move.
func eachPosition(t *testing.T, name string, visit func(*chess.Position)) {
	t.Helper()
	eachGame(t, name, func(g record.View, p *chess.Position) {
		if err := g.Verify(p, func(p *chess.Position, _ record.Ply) { visit(p) }); err != nil {
			t.Fatal(err)
		}
	})
}

// eachDistilled calls visit with every position of the file and the move and
// value recorded in it.
func eachDistilled(t *testing.T, name string, visit func(*chess.Position, record.Ply)) {
	t.Helper()
	eachGame(t, name, func(g record.View, p *chess.Position) {
		if g.Plies() != 1 {
			t.Fatalf("%s: %d moves, want one", p, g.Plies())
		}
		visit(p, g.Ply(0))
	})
}

// eachGame calls visit with every game of a file and the position it starts from.
func eachGame(t *testing.T, name string, visit func(record.View, *chess.Position)) {
	t.Helper()
	f, err := block.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range f.Entries {
		var b block.Block
		if err := f.Read(i, &b); err != nil {
			t.Fatal(err)
		}
		for _, g := range b.Games() {
			p, err := g.Start().Position()
			if err != nil {
				t.Fatal(err)
			}
			visit(g, p)
		}
	}
}

// TestContextEnds ends the context before the work: nothing is written and
// nothing stays beside the outputs.
func TestContextEnds(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	makeFile(t, in, block.Exact, 1, 20)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	names := []string{in}
	for what, work := range map[string]func() error{
		"merge":   func() error { _, err := Merge(ctx, names, out, block.Exact, false); return err },
		"shuffle": func() error { _, err := Shuffle(ctx, names, out, block.Exact, 1, DefaultMemory); return err },
		"piles":   func() error { _, err := Shuffle(ctx, names, out, block.Exact, 1, 100); return err },
		"distill": func() error {
			_, err := Distill(ctx, names, out, Teacher{Network: nnue.Embedded(), Threads: 1})
			return err
		},
		"export":      func() error { _, err := ExportText(ctx, names, io.Discard, loader.Filter{}); return err },
		"export viri": func() error { _, err := ExportGames(ctx, names, io.Discard); return err },
	} {
		if err := work(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want that of the context", what, err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("%d files, error %v, want the input alone", len(entries), err)
	}
}
