package fit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/traintest"
)

// writeGames writes n games of random moves in blocks of a few games, the last
// of a single move.
func writeGames(t testing.TB, seed uint64, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	return write(t, seed, n, 7, func(i int) *record.ScoredGame {
		plies := 100
		if i == n-1 {
			plies = 1
		}
		return traintest.Random(r, record.HalfPoints(r.IntN(3)), plies, func() int16 {
			if r.IntN(20) == 0 {
				return record.Round(31900)
			}
			return record.Round(int16(r.IntN(4000) - 2000))
		})
	})
}

// write writes n games of a run, perBlock to a block, and returns the name of the file.
func write(t testing.TB, run uint64, n, perBlock int, game func(i int) *record.ScoredGame) string {
	t.Helper()
	var p record.Packer
	var data []byte
	var err error
	for i := range n {
		p.Add(record.ID{Run: run, Number: uint32(i)}, game(i))
		if p.Games == perBlock || i == n-1 {
			data, err = p.Append(data)
			kit.Succeed(t, err)
			p.Reset()
		}
	}
	name := filepath.Join(t.TempDir(), fmt.Sprintf("%d.tbg", run))
	kit.Write(t, name, data)
	return name
}

// load loads files as the options say, with defaults where they say nothing. The test
// closes the set.
func load(t testing.TB, o LoadOptions, names ...string) *TrainingSet {
	t.Helper()
	if o.Lambda == 0 {
		o.Lambda = 1
	}
	o.Threads, o.ScoreScale = max(o.Threads, 1), cmp.Or(o.ScoreScale, 150)
	s, err := Load(context.Background(), names, filepath.Join(t.TempDir(), "x.nn"), o)
	kit.Succeed(t, err)
	t.Cleanup(s.Close)
	return s
}

// inOrder returns the samples to train on in the order of the files, less than a window.
func inOrder(t testing.TB, s *TrainingSet) []Sample {
	t.Helper()
	buf := make([]byte, s.positions*sampleSize)
	if _, err := s.samples.ReadAt(buf, 0); err != nil {
		t.Fatal(err)
	}
	mixed, place, ordered := readSamples(nil, buf), make([]int, s.positions), make([]Sample, s.positions)
	for i := range place {
		place[i] = i
	}
	shuffle(place, rand.NewPCG(0, 0))
	for i, to := range place {
		ordered[to] = mixed[i]
	}
	return ordered
}

// strict finds by package chess all positions, or what should be kept of them, in file order.
func strict(t *testing.T, name string, everything bool) []Sample {
	t.Helper()
	file, err := record.Open(name)
	kit.Succeed(t, err)
	defer file.Close()
	var all []Sample
	var b record.Block
	for i := range file.Entries {
		kit.Succeed(t, file.Read(i, &b))
		for _, g := range b.Games() {
			target := resultTarget(g.Result())
			if len(g.Plies) == 1 {
				target = uint8(targetWin/(1+math.Exp(-float64(g.Plies[0].Score)/150)) + 0.5)
			}
			err := g.Verify(new(chess.Position), func(p *chess.Position, ply record.Ply) {
				m := ply.Move
				tactical := p.Piece(m.To()) != chess.NoPiece && m.Kind() != chess.Castling || m.Kind() == chess.EnPassant || m.Kind() == chess.Promotion
				at := 2*(p.FullmoveNumber()-1) + int(p.SideToMove())
				if !everything && (at < 16 || tactical || p.InCheck() || p.Occupied().Count() < 3) {
					return
				}
				s := Sample{
					Occupied: p.Occupied(), Score: ply.Score, Target: target, Side: p.SideToMove(),
				}
				n := 0
				for square := range p.Occupied().Squares() {
					pc := p.Piece(square)
					code := byte(pc.Type()) | byte(pc.Color())<<3
					s.Pieces[n/2] |= code << (n % 2 * 4)
					n++
				}
				all = append(all, s)
			})
			kit.Succeed(t, err)
		}
	}
	return all
}

func TestFilters(t *testing.T) {
	name := writeGames(t, 1, 30)
	kept := map[bool]int{}
	for _, all := range []bool{false, true} {
		got, want := inOrder(t, load(t, LoadOptions{All: all}, name)), strict(t, name, all)
		if diff := firstDiff(text(want), text(got)); diff != "" {
			t.Errorf("all %v: %s", all, diff)
		}
		kept[all] = len(got)
	}
	if kept[false] == 0 || kept[false] == kept[true] {
		t.Errorf("%d of %d positions are kept, which tests nothing", kept[false], kept[true])
	}
}

// text makes samples sortable.
func text(all []Sample) []string {
	var lines []string
	for i := range all {
		lines = append(lines, fmt.Sprint(all[i]))
	}
	return lines
}

// firstDiff tells where two lists of samples begin to differ.
func firstDiff(want, got []string) string {
	for i := range min(len(want), len(got)) {
		if want[i] != got[i] {
			return fmt.Sprintf("sample %d is\n%s, want\n%s", i, got[i], want[i])
		}
	}
	if len(want) != len(got) {
		return fmt.Sprintf("%d samples, want %d", len(got), len(want))
	}
	return ""
}

// TestStream reads two epochs and a bit through a small window: each must hold every
// position once, in another order and with games spread over it, and a stream that begins
// anywhere must be the rest of one that began before. Neither depends on the threads.
func TestStream(t *testing.T) {
	names := []string{writeGames(t, 2, 60), writeGames(t, 3, 45)}
	var sets [2]*TrainingSet
	for i, threads := range []int{3, 1} {
		sets[i] = load(t, LoadOptions{All: true, Threads: threads}, names...)
		sets[i].window = 2 * page
	}
	if sets[0].Hash() != sets[1].Hash() {
		t.Error("one thread gives other positions than three")
	}
	n := sets[0].Positions()
	kept := make([]byte, n*sampleSize)
	_, err := sets[0].samples.ReadAt(kept, 0)
	kit.Succeed(t, err)
	if want := sha256.Sum256(kept); sets[0].Hash() != hex.EncodeToString(want[:]) {
		t.Error("the hash is not that of the positions in the order in which they are kept")
	}
	read := func(set int, seed, k uint64, count, batch int) []string {
		t.Helper()
		s, err := sets[set].open(seed, k)
		kit.Succeed(t, err)
		defer s.close()
		dst := make([]Sample, count)
		for part := dst; len(part) > 0; part = part[min(batch, len(part)):] {
			kit.Succeed(t, s.fill(part[:min(batch, len(part))]))
		}
		return text(dst)
	}
	whole := read(0, 5, 0, 2*n+n/2, 333)
	for _, k := range []int{0, 1, page - 1, 2 * page, n - 1, n, n + 3*page, 2 * n} {
		if diff := firstDiff(whole[k:k+n/2], read(1, 5, uint64(k), n/2, 777)); diff != "" {
			t.Errorf("begun at %d: %s", k, diff)
		}
	}
	ordered := text(append(strict(t, names[0], true), strict(t, names[1], true)...))
	for what, other := range map[string][]string{"another epoch": whole[n : 2*n], "another seed": read(0, 6, 0, n, n), "the files": ordered} {
		if slices.Equal(whole[:n], other) {
			t.Errorf("an epoch has the order of %s", what)
		}
	}
	// The first window holds its share of every stretch of the files, not whole games.
	first := map[string]bool{}
	for _, position := range whole[:2*page] {
		first[position] = true
	}
	for from := 0; from+page <= n; from += page {
		seen := 0
		for _, position := range ordered[from : from+page] {
			if first[position] {
				seen++
			}
		}
		if want := 2 * page * page / n; seen < want*2/3 || seen > want*3/2 {
			t.Errorf("positions %d to %d: %d come up in the first window, want about %d", from, from+page, seen, want)
		}
	}
	slices.Sort(ordered)
	for epoch := range 2 {
		if diff := firstDiff(ordered, slices.Sorted(slices.Values(whole[epoch*n:(epoch+1)*n]))); diff != "" {
			t.Errorf("epoch %d does not hold every position once: %s", epoch, diff)
		}
	}
}

// TestHeld holds out whole games, the same in any company.
func TestHeld(t *testing.T) {
	name, other := writeGames(t, 6, 200), writeGames(t, 7, 20)
	all, some := load(t, LoadOptions{All: true}, name), load(t, LoadOptions{All: true, Held: 0.2}, name)
	if len(all.Held) != 0 || len(some.Held)+some.Positions() != all.Positions() {
		t.Errorf("%d held out and %d others of %d positions", len(some.Held), some.Positions(), all.Positions())
	}
	if share := float64(len(some.Held)) / float64(all.Positions()); share < 0.1 || share > 0.3 {
		t.Errorf("held out %.2f of the positions, want about 0.2", share)
	}
	if all.Hash() == some.Hash() {
		t.Error("the hash does not tell what is held out")
	}
	more := load(t, LoadOptions{All: true, Held: 0.2}, other, name)
	if held := more.Held[len(more.Held)-len(some.Held):]; !slices.Equal(held, some.Held) {
		t.Error("with another file before it, other games are held out")
	}
}

func TestDamageIsNamed(t *testing.T) {
	name := writeGames(t, 7, 30)
	data := kit.Read(t, name)
	f, err := record.NewFile(bytes.NewReader(data), int64(len(data)))
	kit.Succeed(t, err)
	whole := bytes.Clone(data)
	data[f.Entries[2].Offset+100] ^= 1
	kit.Write(t, name, data)
	dir := t.TempDir()
	refuse := func(names []string, o LoadOptions, want ...string) {
		t.Helper()
		_, err := Load(context.Background(), names, filepath.Join(dir, "x.nn"), o)
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("error %v, want one with %q", err, w)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("%v (%v) is left behind", left, err)
		}
	}
	o := LoadOptions{Threads: 2, Lambda: 1, ScoreScale: 150}
	refuse([]string{name}, o, name, "block 2")
	kit.Write(t, name, whole[:len(whole)-1])
	refuse([]string{name}, o, name, "block 4")
	refuse(nil, o, "no training positions")
	for _, tt := range []struct {
		want   string
		change func(*LoadOptions)
	}{
		{"lambda", func(o *LoadOptions) { o.Lambda = -0.1 }},
		{"lambda", func(o *LoadOptions) { o.Lambda = math.NaN() }},
		{"threads", func(o *LoadOptions) { o.Threads = 0 }},
	} {
		wrong := o
		tt.change(&wrong)
		refuse([]string{name}, wrong, tt.want)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Load(ctx, []string{writeGames(t, 1, 3)}, filepath.Join(t.TempDir(), "x"), LoadOptions{Threads: 1, Lambda: 1, ScoreScale: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

// TestTargets compares the targets of positions with their definition.
func TestTargets(t *testing.T) {
	name := writeGames(t, 5, 30)
	got := inOrder(t, load(t, LoadOptions{All: true, Lambda: 0.9, ScoreScale: 200}, name))
	plain := inOrder(t, load(t, LoadOptions{All: true}, name))
	file, err := record.Open(name)
	kit.Succeed(t, err)
	defer file.Close()
	var b record.Block
	k, between := 0, 0
	for i := range file.Entries {
		kit.Succeed(t, file.Read(i, &b))
		for _, g := range b.Games() {
			for i := range g.Plies {
				// The weights of the scores from here on, and of the result.
				want, weight := 0.0, 1.0
				for j := i; j < len(g.Plies); j++ {
					want += 0.1 * weight / (1 + math.Exp(-float64(g.Plies[j].Score)/200))
					weight *= 0.9
				}
				want += weight * float64(g.Result()) / 2
				result := plain[k].Target
				if len(g.Plies) == 1 {
					want = 1 / (1 + math.Exp(-float64(g.Plies[0].Score)/200))
				} else if result != resultTarget(g.Result()) {
					t.Fatalf("game of %d, ply %d: target %d without lambda, want that of %s", len(g.Plies), i, result, g.Result())
				}
				if d := float64(got[k].Target)/targetWin - want; d < -0.003 || d > 0.003 {
					t.Fatalf("game of %d, ply %d: target %d, want %.4f", len(g.Plies), i, got[k].Target, want)
				}
				if o := got[k].Target; o > 10 && o < 120 || o > 134 && o < 244 {
					between++
				}
				k++
			}
		}
	}
	if k != len(got) || between < k/10 {
		t.Errorf("%d positions of %d compared, %d targets between the results", k, len(got), between)
	}
}
