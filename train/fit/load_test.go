package fit

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/loader"
)

// writeGames writes a file of random games and returns all their positions.
func writeGames(t testing.TB, name string, seed uint64, count int) (all []games.Sample) {
	t.Helper()
	w, err := games.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	r := rand.New(rand.NewPCG(seed, 6))
	var buf [chess.MaxMoves]chess.Move
	for n := range count {
		p := chess.NewPosition()
		result := games.Result(r.IntN(3))
		game := games.Game{Start: games.Pack(p, result)}
		for range 40 {
			moves := movegen.Legal(p, buf[:0])
			if len(moves) == 0 {
				break
			}
			m, score := moves[r.IntN(len(moves))], int(games.Round(int16(r.IntN(2001)-1000)))
			all = append(all, sampleOf(p, score, result))
			game.Plies = append(game.Plies, games.Ply{Move: games.MoveOf(m), Score: int16(score)})
			p.Make(m)
		}
		if err := w.Add(games.ID{Run: seed, Number: uint32(n)}, games.View(game.Append(nil))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestLoad(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games")
	all := writeGames(t, name, 1, 300)
	got, err := Load(context.Background(), []string{name}, loader.Options{Threads: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got.Positions() != len(all) || got.Held() != 0 {
		t.Errorf("%d positions, %d held out; want %d, 0", got.Positions(), got.Held(), len(all))
	}
	split, err := Load(context.Background(), []string{name}, loader.Options{Held: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if n := split.Held(); n < len(all)/30 || n > len(all)/4 || n+split.Positions() != len(all) {
		t.Errorf("%d positions and %d held out of %d, want a tenth held out", split.Positions(), n, len(all))
	}
	if split.Hash() == got.Hash() {
		t.Error("the hash does not tell what is held out")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(cancelled, []string{name}, loader.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Load with a context that is done: error %v", err)
	}
	if _, err := Load(context.Background(), []string{name + " is not there"}, loader.Options{}); err == nil {
		t.Error("Load of a file that is not there gave no error")
	}
}

// TestStream reads two epochs and a bit of a file through a small buffer: each
// must hold every position once, in another order, and a stream that begins
// anywhere must be the rest of one that began before.
func TestStream(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games")
	all := writeGames(t, name, 2, 4000)
	set, err := Load(context.Background(), []string{name}, loader.Options{Threads: 2, Buffer: 3000})
	if err != nil {
		t.Fatal(err)
	}
	read := func(k uint64, n int) []games.Sample {
		t.Helper()
		s, err := set.source.Open(5, k)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		dst := make([]games.Sample, n)
		for part := dst; len(part) > 0; {
			batch := part[:min(777, len(part))]
			if err := s.Next(batch); err != nil {
				t.Fatal(err)
			}
			part = part[len(batch):]
		}
		return dst
	}
	n := len(all)
	whole := read(0, 2*n+n/2)
	count := func(samples []games.Sample) map[games.Sample]int {
		m := map[games.Sample]int{}
		for _, s := range samples {
			s.Ply, s.Halfmove = 0, 0 // which all does not have
			m[s]++
		}
		return m
	}
	want := count(all)
	for epoch := range 2 {
		if d := cmp.Equal(count(whole[epoch*n:(epoch+1)*n]), want); !d {
			t.Errorf("epoch %d does not hold every position once", epoch)
		}
	}
	if slices.Equal(whole[:n], whole[n:2*n]) || slices.Equal(whole[:n], all) {
		t.Error("the order of an epoch is that of another, or of the file")
	}
	for _, k := range []int{0, 1, 2999, n - 1, n, n + 5000, 2 * n} {
		if got := read(uint64(k), n/2); !slices.Equal(got, whole[k:k+n/2]) {
			t.Errorf("begun at %d the stream differs", k)
		}
	}
}

func TestDraw(t *testing.T) {
	tr := newTrainer(t, small(256, 64), randomGames(t, 1, 10, 5))
	dir := t.TempDir()
	if err := tr.Draw(filepath.Join(dir, "x.svg")); err == nil {
		t.Error("Draw drew a curve without points")
	}
	for step := range 20 {
		tr.curve = append(tr.curve, Point{int64(step), 0.1 / float64(step+1), 0.12 / float64(step+1), 1e-3})
	}
	name := filepath.Join(dir, "x.svg")
	if err := tr.Draw(name); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), "<svg") {
		t.Errorf("%.8q (%v), want an SVG", data, err)
	}
}
