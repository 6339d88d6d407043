package loader

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/games"
)

// writeGames writes n games of random moves in blocks of a few games, the last
// of a single move.
func writeGames(t testing.TB, seed uint64, n int) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	var p games.Packer
	var data []byte
	var err error
	for i := range n {
		pos := chess.NewPosition()
		g := games.Game{Start: games.Pack(pos, games.Result(r.IntN(3)))}
		plies := 100
		if i == n-1 {
			plies = 1
		}
		for range plies {
			moves := movegen.Legal(pos, nil)
			if len(moves) == 0 {
				break
			}
			m := moves[r.IntN(len(moves))]
			score := r.IntN(4000) - 2000
			if r.IntN(20) == 0 {
				score = 31900
			}
			g.Plies = append(g.Plies, games.Ply{Move: games.MoveOf(m), Score: games.Round(int16(score))})
			pos.Make(m)
		}
		p.Add(games.ID{Run: seed, Number: uint32(i)}, games.View(g.Append(nil)))
		if p.Games == 7 || i == n-1 {
			if data, err = p.Append(data); err != nil {
				t.Fatal(err)
			}
			p.Reset()
		}
	}
	name := filepath.Join(t.TempDir(), fmt.Sprintf("%d.tbg", seed))
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return name
}

// open opens a loader that the test closes.
func open(t testing.TB, o Options, names ...string) *Loader {
	t.Helper()
	l, err := Open(names, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// epoch returns the samples up to the next end of an epoch.
func epoch(t testing.TB, l *Loader, batch int) []games.Sample {
	t.Helper()
	var all []games.Sample
	buf := make([]games.Sample, batch)
	for {
		n, err := l.Next(buf)
		all = append(all, buf[:n]...)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil || n < batch {
			t.Fatalf("%d samples of %d, error %v", n, batch, err)
		}
	}
}

// strict finds by package chess what a filter should keep, in file order.
func strict(t *testing.T, name string, f Filter) []games.Sample {
	t.Helper()
	file, err := games.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []games.Sample
	var b games.Block
	for i := range file.Entries {
		if err := file.Read(i, &b); err != nil {
			t.Fatal(err)
		}
		for _, g := range b.Games() {
			target := g.Result().Target()
			if g.Plies() == 1 {
				target = games.Target(games.TargetWin/(1+math.Exp(-float64(g.Ply(0).Score)/150)) + 0.5)
			}
			err := g.Verify(new(chess.Position), func(p *chess.Position, ply games.Ply) {
				m := ply.Move.Chess()
				tactical := p.Piece(m.To()) != chess.NoPiece && m.Kind() != chess.Castling || m.Kind() == chess.EnPassant || m.Kind() == chess.Promotion
				at := 2*(p.FullmoveNumber()-1) + int(p.SideToMove())
				if at < f.MinPly || f.Quiet && (tactical || p.InCheck()) || p.Occupied().Count() < f.MinPieces {
					return
				}
				s := games.Sample{
					Occupied: p.Occupied(), Score: ply.Score, Ply: uint16(at), Target: target,
					Side: p.SideToMove(), Halfmove: uint8(p.HalfmoveClock()),
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
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

func TestFilters(t *testing.T) {
	name := writeGames(t, 1, 30)
	all := 0
	for _, tt := range []struct {
		name   string
		filter Filter
	}{
		{"everything", Filter{}},
		{"default", DefaultFilter()},
		{"plies", Filter{MinPly: 31}},
		{"quiet", Filter{Quiet: true}},
		{"pieces", Filter{MinPieces: 25}},
	} {
		l := open(t, Options{Filter: tt.filter, ordered: true}, name)
		got, want := epoch(t, l, 100), strict(t, name, tt.filter)
		if diff := firstDiff(text(want), text(got)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if all = max(all, len(got)); len(got) == 0 || tt.filter != (Filter{}) && len(got) == all {
			t.Errorf("%s: keeps %d of %d, which tests nothing", tt.name, len(got), all)
		}
	}
}

// text makes samples sortable.
func text(all []games.Sample) []string {
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

func TestEpochs(t *testing.T) {
	names := []string{writeGames(t, 2, 40), writeGames(t, 3, 25)}
	o := Options{Seed: 5, Buffer: 1500, Threads: 3}
	l := open(t, o, names...)
	first, second := text(epoch(t, l, 333)), text(epoch(t, l, 64))
	o.Threads = 1
	again := open(t, o, names...)
	if diff := firstDiff(first, text(epoch(t, again, 10))); diff != "" {
		t.Errorf("one thread gives another order than three: %s", diff)
	}
	if diff := firstDiff(second, text(epoch(t, again, 1000))); diff != "" {
		t.Errorf("the second epoch has another order with one thread: %s", diff)
	}
	if cmp.Equal(first, second) {
		t.Error("two epochs have the same order")
	}
	o.Seed++
	if cmp.Equal(first, text(epoch(t, open(t, o, names...), 100))) {
		t.Error("two seeds give the same order")
	}
	ordered := text(append(strict(t, names[0], Filter{}), strict(t, names[1], Filter{})...))
	if cmp.Equal(first, ordered) {
		t.Error("the order is that of the files")
	}
	sort.Strings(first)
	sort.Strings(ordered)
	if diff := firstDiff(ordered, first); diff != "" {
		t.Errorf("an epoch is not every sample once: %s", diff)
	}
}

func TestMarkAndSeek(t *testing.T) {
	name := writeGames(t, 4, 40)
	o := Options{Seed: 5, Buffer: 900}
	l := open(t, o, name)
	buf := make([]games.Sample, 170)
	var marks []Mark
	var batches [][]string
	for range 40 { // more than an epoch
		marks = append(marks, l.Mark())
		n, err := l.Next(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		batches = append(batches, text(buf[:n]))
	}
	if marks[39].Epoch == 0 {
		t.Error("the test does not reach the second epoch")
	}
	other := open(t, o, name)
	for _, i := range []int{39, 0, 17, 18, 5} {
		if err := other.Seek(marks[i]); err != nil {
			t.Fatal(err)
		}
		n, err := other.Next(buf)
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if diff := firstDiff(batches[i], text(buf[:n])); diff != "" {
			t.Errorf("batch %d at %+v differs after Seek: %s", i, marks[i], diff)
		}
	}
	if err := other.Seek(Mark{Buffer: 1000}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Next(buf); err == nil {
		t.Error("a mark beyond the epoch is accepted")
	}
}

func TestParts(t *testing.T) {
	name := writeGames(t, 6, 200)
	count := map[Part]int{}
	seen := map[string]Part{}
	for _, part := range []Part{All, Training, HeldOut} {
		l := open(t, Options{Part: part, Held: 0.2, ordered: true}, name)
		lines := text(epoch(t, l, 500))
		count[part] = len(lines)
		for _, line := range lines {
			if part == HeldOut && seen[line] == Training && !strings.Contains(line, " 0 ") {
				t.Fatalf("%s is in both parts", line)
			}
			if part == Training {
				seen[line] = Training
			}
		}
	}
	if count[Training]+count[HeldOut] != count[All] {
		t.Errorf("%d + %d positions, want %d", count[Training], count[HeldOut], count[All])
	}
	if share := float64(count[HeldOut]) / float64(count[All]); share < 0.1 || share > 0.3 {
		t.Errorf("held out %.2f of the positions, want about 0.2", share)
	}
}

func TestDamageIsNamed(t *testing.T) {
	name := writeGames(t, 7, 30)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	f, err := games.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	data[f.Entries[2].Offset+100] ^= 1
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	l := open(t, Options{}, name)
	if _, err := l.Next(make([]games.Sample, 1)); err == nil || !strings.Contains(err.Error(), "block 2") || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v, want one that names file and block 2", err)
	}
	if err := os.WriteFile(name, data[:len(data)-1], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open([]string{name}, Options{}); err == nil || !strings.Contains(err.Error(), "block 4") {
		t.Errorf("error %v, want one that names block 4", err)
	}
	if _, err := Open(nil, Options{}); err == nil {
		t.Error("no file is accepted")
	}
}

func BenchmarkNext(b *testing.B) {
	name := writeGames(b, 8, 2000)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			l := open(b, Options{Filter: DefaultFilter(), Threads: threads, Buffer: 1 << 16}, name)
			buf := make([]games.Sample, 16384)
			kept := 0
			for b.Loop() {
				for {
					n, err := l.Next(buf)
					kept += n
					if errors.Is(err, io.EOF) {
						break
					} else if err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(kept)/b.Elapsed().Seconds(), "kept/s")
			b.ReportMetric(float64(b.N*l.Positions())/b.Elapsed().Seconds(), "read/s")
		})
	}
}

// TestOutlook compares the targets of positions with their definition.
func TestOutlook(t *testing.T) {
	name := writeGames(t, 5, 30)
	got := epoch(t, open(t, Options{ordered: true, Lambda: 0.9, ScoreScale: 200}, name), 100)
	plain := epoch(t, open(t, Options{ordered: true}, name), 100)
	mixed := epoch(t, open(t, Options{ordered: true, Lambda: 0.9, ScoreScale: 200, Results: []float64{0.3}}, name), 100)
	file, err := games.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var b games.Block
	k, between := 0, 0
	for i := range file.Entries {
		if err := file.Read(i, &b); err != nil {
			t.Fatal(err)
		}
		for _, g := range b.Games() {
			for i := range g.Plies() {
				// The weights of the scores from here on, and of the result.
				want, weight := 0.0, 1.0
				for j := i; j < g.Plies(); j++ {
					want += 0.1 * weight / (1 + math.Exp(-float64(g.Ply(j).Score)/200))
					weight *= 0.9
				}
				want += weight * float64(g.Result()) / 2
				result := plain[k].Target
				if g.Plies() == 1 {
					want = 1 / (1 + math.Exp(-float64(g.Ply(0).Score)/200))
				} else if result != g.Result().Target() {
					t.Fatalf("game of %d, ply %d: target %d without lambda, want that of %s", g.Plies(), i, result, g.Result())
				}
				if d := float64(got[k].Target)/games.TargetWin - want; d < -0.003 || d > 0.003 {
					t.Fatalf("game of %d, ply %d: target %d, want %.4f", g.Plies(), i, got[k].Target, want)
				}
				if g.Plies() > 1 {
					want = 0.7*want + 0.3*float64(g.Result())/2
				}
				if d := float64(mixed[k].Target)/games.TargetWin - want; d < -0.003 || d > 0.003 {
					t.Fatalf("game of %d, ply %d: target %d with a weight of the result, want %.4f", g.Plies(), i, mixed[k].Target, want)
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
	for _, results := range [][]float64{{}, {1.1}, {math.NaN()}, {0.1, 0.1}} {
		if _, err := Open([]string{name}, Options{Results: results}); err == nil {
			t.Errorf("weights %v of the result: no error", results)
		}
	}
	for _, lambda := range []float64{-0.1, 1.1, math.NaN()} {
		if _, err := Open([]string{name}, Options{Lambda: lambda}); err == nil || !strings.Contains(err.Error(), "lambda") {
			t.Errorf("lambda %v: error %v", lambda, err)
		}
	}
}
