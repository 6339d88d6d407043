package fit

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// writeGames writes a file of random games and returns what the filter should
// leave of them, told by package chess.
func writeGames(t testing.TB, name string, seed uint64, games int, f Filter) (want [][]record.Sample, plies int) {
	t.Helper()
	w, err := block.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	r := rand.New(rand.NewPCG(seed, 6))
	e := eval.New()
	var buf [chess.MaxMoves]chess.Move
	for n := range games {
		p := chess.NewPosition()
		result := record.Result(r.IntN(3))
		game := record.Game{Start: record.Pack(p, result)}
		var kept []record.Sample
		for range 60 {
			moves := movegen.Legal(p, buf[:0])
			if len(moves) == 0 {
				break
			}
			m := moves[r.IntN(len(moves))]
			score := int(e.Evaluate(p))
			if p.SideToMove() == chess.Black {
				score = -score
			}
			capture := p.Piece(m.To()) != chess.NoPiece && m.Kind() != chess.Castling || m.Kind() == chess.EnPassant || m.Kind() == chess.Promotion
			if p.Plies() >= f.SkipPlies && max(score, -score) <= f.MaxScore && (f.Captures || !capture) && (f.Checks || !p.InCheck()) {
				kept = append(kept, sampleOf(p, score, result))
			}
			game.Plies = append(game.Plies, record.Ply{Move: record.MoveOf(m), Score: int16(score)})
			plies++
			p.Make(m)
		}
		if len(kept) > 0 {
			want = append(want, kept)
		}
		if err := w.Add(block.ID{Run: seed, Number: uint32(n)}, record.View(game.Append(nil))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	return want, plies
}

func TestLoad(t *testing.T) {
	for _, tt := range []struct {
		name   string
		filter Filter
	}{
		{"default", DefaultFilter()},
		{"everything", Filter{MaxScore: 32767, Checks: true, Captures: true}},
		{"narrow", Filter{SkipPlies: 30, MaxScore: 100, Captures: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "games")
			games, plies := writeGames(t, name, 1, 200, tt.filter)
			want := NewSet(7)
			for _, g := range games {
				want.AddGame(g)
			}
			got := NewSet(7)
			found, err := got.Load(name, tt.filter, 3)
			if err != nil || len(found.Damages) > 0 {
				t.Fatalf("Load: %v, %v", err, found.Damages)
			}
			if found.Games != 200 || found.Positions != plies {
				t.Errorf("found %d games and %d positions, want 200 and %d", found.Games, found.Positions, plies)
			}
			if want.Positions() == 0 || got.Positions() != want.Positions() || got.Held() != want.Held() {
				t.Errorf("%d positions, %d held out; want %d and %d", got.Positions(), got.Held(), want.Positions(), want.Held())
			}
			if got.Hash() != want.Hash() {
				t.Errorf("hash %s, want %s", got.Hash(), want.Hash())
			}
		})
	}
}

func TestLoadDamaged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games")
	writeGames(t, name, 2, 50, DefaultFilter())
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[len(data)-100] ^= 1
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
	set := NewSet(0)
	found, err := set.Load(name, DefaultFilter(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Damages) != 1 || !strings.Contains(found.Damages[0].Error(), "block 0") {
		t.Errorf("damages %v, want one that names block 0", found.Damages)
	}
	if _, err := set.Load(name+" is not there", DefaultFilter(), 1); err == nil {
		t.Error("Load of a file that is not there gave no error")
	}
}

func TestParseKings(t *testing.T) {
	for text := range kingLayouts() {
		c := Default(32)
		kings, err := ParseKings(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		c.Shape.Kings = kings
		if err := c.Check(); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if got := string(rune('0' + c.Shape.KingBuckets())); got != text {
			t.Errorf("layout %s has %s buckets", text, got)
		}
	}
	kings, err := ParseKings("0123456789abcdefghijklmnopqrstuv")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(uint8(31), kings[31]); d != "" {
		t.Error(d)
	}
	for _, bad := range []string{"", "3", "00", strings.Repeat("x", 32), strings.Repeat("0", 33)} {
		if _, err := ParseKings(bad); err == nil {
			t.Errorf("ParseKings took %q", bad)
		}
	}
}

func TestDraw(t *testing.T) {
	tr := newTrainer(t, small(32, 64), randomGames(t, 1, 10, 5))
	dir := t.TempDir()
	if err := tr.Draw(filepath.Join(dir, "x.svg")); err == nil {
		t.Error("Draw drew a curve without points")
	}
	for step := range 20 {
		tr.curve = append(tr.curve, Point{int64(step), 0.1 / float64(step+1), 0.12 / float64(step+1), 1e-3})
	}
	for name, magic := range map[string]string{"x.svg": "<?xml", "x.png": "\x89PNG"} {
		if err := tr.Draw(filepath.Join(dir, name)); err != nil {
			t.Error(err)
			continue
		}
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.HasPrefix(string(data), magic) {
			t.Errorf("%s begins with %.8q (%v), want %q", name, data, err, magic)
		}
	}
}
