package match

import (
	"math"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// TestGauntlet lets three players meet in a gauntlet and each other: every pairing gets
// its pairs, from the same openings.
func TestGauntlet(t *testing.T) {
	c := config()
	c.Pairs, c.Openings = 2, []string{chess.StartFEN}
	c.Players = append(c.Players, Side{Network: weak(t)})
	for gauntlet, want := range map[bool][][2]int{true: {{0, 1}, {0, 2}}, false: {{0, 1}, {0, 2}, {1, 2}}} {
		c.Gauntlet = gauntlet
		least := 2 * len(want)
		r, err := Run(t.Context(), "", c, func(r Report) { least = min(least, r.Left) })
		if err != nil || len(r.Standings) != len(want) || r.Played != 2*len(want) || least != 0 {
			t.Fatalf("gauntlet %v: %+v, %v", gauntlet, r, err)
		}
		for i, s := range r.Standings {
			if [2]int{s.A, s.B} != want[i] || s.Pairs.Total() != 2 || s.B == 2 && s.Won <= s.Lost || s.B == 1 && s.Won != s.Lost {
				t.Errorf("gauntlet %v: %+v", gauntlet, s)
			}
		}
		if best := Ratings(3, r.Standings); best[2].Player != 2 || best[2].Games != 4*(len(want)-1) {
			t.Errorf("gauntlet %v: %+v", gauntlet, best)
		}
	}
}

// TestRatings holds ratings against the Elo of a match of two, and those of three
// against the differences that their results were made of.
func TestRatings(t *testing.T) {
	two := Pairs{50, 200, 500, 400, 150}
	elo, margin := two.Elo()
	r := Ratings(2, []Standing{{A: 0, B: 1, Pairs: two}})
	if got := r[0].Elo - r[1].Elo; math.Abs(got-elo) > 0.1 || math.Abs(r[0].Margin-margin) > 0.1 || r[0].Games != 2600 || r[0].Score+r[1].Score != 1 {
		t.Errorf("%+v: want a difference of %.1f ± %.1f", r, elo, margin)
	}
	expected := func(elo float64) Pairs { // of 40,000 pairs, each lost or won
		n := int(math.Round(40_000 * scoreOf(elo)))
		return Pairs{40_000 - n, 0, 0, 0, n}
	}
	r = Ratings(3, []Standing{{A: 0, B: 1, Pairs: expected(-100)}, {A: 0, B: 2, Pairs: expected(-300)}, {A: 1, B: 2, Pairs: expected(-200)}})
	for i, want := range []Rating{{Player: 2, Elo: 500. / 3}, {Player: 1, Elo: -100. / 3}, {Player: 0, Elo: -400. / 3}} {
		if r[i].Player != want.Player || math.Abs(r[i].Elo-want.Elo) > 0.2 {
			t.Errorf("%d: %+v, want %+v", i, r[i], want)
		}
	}
	// One who wins everything, and a pairing without games.
	r = Ratings(3, []Standing{{A: 0, B: 1, Pairs: Pairs{0, 0, 0, 0, 9}}, {A: 0, B: 2}})
	if best := r[0]; best.Player != 0 || math.IsInf(best.Elo, 0) || !math.IsNaN(best.Margin) || best.Score != 1 {
		t.Errorf("%+v", r)
	}
}
