package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/traintest"
)

// TestCalibrate takes games whose results follow from 2.5 times their scores, and finds that factor.
func TestCalibrate(t *testing.T) {
	const scale, truth, games = 150, 2.5, 1500
	r := rand.New(rand.NewPCG(7, 0))
	name := write(t, 7, 2*games, 100, func(i int) *record.ScoredGame {
		if i%2 == 1 { // a label, not a game
			return traintest.Random(r, record.Draw, 1, func() int16 { return 900 })
		}
		score := record.Round(int16(r.IntN(300) - 150))
		result := record.BlackWins
		if r.Float64() < 1/(1+math.Exp(-truth*float64(score)/scale)) {
			result = record.WhiteWins
		}
		return traintest.Random(r, result, 100, func() int16 { return score })
	})

	got, err := calibrate(t.Context(), []string{name, "no file"}, scale)
	kit.Succeed(t, err)
	found := 0
	for i, f := range got {
		switch {
		case f == 1:
		case math.Abs(f-truth) < 0.3*truth:
			found++
		default:
			t.Errorf("eighth %d: factor %.3f, want %.1f", i, f, truth)
		}
	}
	if got[0] != 1 || got[7] == 1 || found < 2 {
		t.Errorf("factors %v: want %.1f for many pieces, 1 for few", got, truth)
	}

	plain := load(t, LoadOptions{All: true, Lambda: 0.8, ScoreScale: scale}, name)
	set := load(t, LoadOptions{All: true, Lambda: 0.8, ScoreScale: scale, Calibrate: true}, name)
	if set.Factors != got {
		t.Errorf("loaded with factors %v, want %v", set.Factors, got)
	}
	before, after := inOrder(t, plain), inOrder(t, set)
	moved := 0
	for i := range before {
		want := got.multiply(before[i].Score, before[i].Occupied.Count())
		if after[i].Score != want {
			t.Fatalf("position %d, %d pieces: score %d, want %d", i, before[i].Occupied.Count(), after[i].Score, want)
		}
		if after[i].Target != before[i].Target {
			moved++
		}
	}
	if moved < len(before)/2 {
		t.Errorf("%d of %d targets have moved", moved, len(before))
	}
}

func TestFactors(t *testing.T) {
	f := Factors{4, 3, 1, 1, 1, 1, 1, 0.5}
	for _, tt := range []struct {
		score  int16
		pieces int
		want   int16
	}{
		{10, 2, 40}, {10, 5, 40}, {-10, 6, -30}, {11, 9, 33}, {11, 32, 6}, {1999, 3, 7996}, {2000, 3, 2000}, {-31990, 3, -31990},
	} {
		if got := f.multiply(tt.score, tt.pieces); got != tt.want {
			t.Errorf("%d with %d pieces: %d, want %d", tt.score, tt.pieces, got, tt.want)
		}
	}
	if e := eighth(32); e != 7 {
		t.Errorf("%d pieces are in eighth %d, want 7", 32, e)
	}
}
