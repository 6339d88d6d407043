package match

import (
	"math"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// scoreOf returns the expected score of a player that is elo stronger.
func scoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// TestFastchess compares with what fastchess alpha 1.8.2 says of the same pairs.
func TestFastchess(t *testing.T) {
	for _, tt := range []struct {
		p                     Pairs
		elo, margin, superior float64
		ratios                [3]float64 // bounds (0, 8), (-5, 0), (0, 10)
	}{
		{Pairs{10, 20, 40, 20, 10}, 0, 37.44, 50, [3]float64{-0.0530, 0.0207, -0.0828}},
		{Pairs{5, 10, 20, 30, 35}, 147.19, 47.71, 100, [3]float64{1.7644, 1.1535, 2.1899}},
		{Pairs{0, 7, 150, 60, 3}, 46.87, 12.53, 100, [3]float64{2.5240, 1.6794, 3.1247}},
		{Pairs{12, 80, 300, 95, 20}, 10.63, 11.67, 96.30, [3]float64{1.0401, 0.9219, 1.2164}},
		{Pairs{0, 0, 3, 9, 88}, 563.75, 115.24, 100, [3]float64{3.0790, 1.9777, 3.8321}},
		{Pairs{1, 2, 3, 0, 0}, -120.41, 123.13, 1.42, [3]float64{-0.1156, -0.0693, -0.1454}},
	} {
		near := func(what string, got, want, by float64) {
			t.Helper()
			if !(math.Abs(got-want) <= by) {
				t.Errorf("%v: %s %.4f, want %.4f", tt.p, what, got, want)
			}
		}
		elo, margin := tt.p.Elo()
		near("Elo", elo, tt.elo, 0.005)
		near("margin", margin, tt.margin, 0.005)
		near("superiority", 100*tt.p.Superiority(), tt.superior, 0.005)
		for i, bounds := range [][2]float64{{0, 8}, {-5, 0}, {0, 10}} {
			test := Test{Elo0: bounds[0], Elo1: bounds[1], Alpha: 0.05, Beta: 0.05}
			near("ratio", test.LLR(tt.p), tt.ratios[i], 0.002)
		}
	}
}

// TestElos prints a dash for what too few pairs do not tell.
func TestElos(t *testing.T) {
	for _, tt := range []struct {
		p    Pairs
		want string
	}{
		{Pairs{}, "Elo – ± –, LOS –, Ptnml(0-2): 0, 0, 0, 0, 0"},
		{Pairs{10}, "Elo – ± –, LOS –, Ptnml(0-2): 10, 0, 0, 0, 0"},
		{Pairs{0, 0, 0, 0, 3}, "Elo – ± –, LOS –, Ptnml(0-2): 0, 0, 0, 0, 3"},
		{Pairs{0, 0, 1}, "Elo +0.0 ± –, LOS –, Ptnml(0-2): 0, 0, 1, 0, 0"},
		{Pairs{0, 1}, "Elo -190.8 ± –, LOS –, Ptnml(0-2): 0, 1, 0, 0, 0"},
		{Pairs{12, 80, 300, 95, 20}, "Elo +10.6 ± 11.7, LOS 96.3%, Ptnml(0-2): 12, 80, 300, 95, 20"},
	} {
		if got := tt.p.Elos(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
	if got := (Pairs{12, 80, 300, 95, 20}).EloText(0); got != "+11 ± 12" {
		t.Errorf("without decimals %q", got)
	}
}

// TestBounds: a ratio at a bound is a verdict, and its text says so.
func TestBounds(t *testing.T) {
	test, err := ParseTest("0,8")
	kit.Succeed(t, err)
	lower, upper := test.Bounds()
	for llr, want := range map[float64]string{
		lower: "LLR -2.94 (-2.94 to 2.94): rejected", upper: "LLR 2.94 (-2.94 to 2.94): accepted",
		0: "LLR 0.00 (-2.94 to 2.94): open", lower + 0.01: "LLR -2.93 (-2.94 to 2.94): open",
	} {
		if got := test.Text(llr); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if test.Elo0 != 0 || test.Elo1 != 8 || test.LLR(Pairs{}) != 0 {
		t.Errorf("%+v, ratio %v without pairs", test, test.LLR(Pairs{}))
	}
	uneven := Test{Elo0: 0, Elo1: 8, Alpha: 0.05, Beta: 0.2}
	if lower, upper := uneven.Bounds(); math.Abs(lower-math.Log(0.2/0.95)) > 1e-12 || math.Abs(upper-math.Log(0.8/0.05)) > 1e-12 {
		t.Errorf("alpha 0.05, beta 0.2: bounds %v and %v", lower, upper)
	}
	for _, text := range []string{"", "8", "x,8", "0,y"} {
		if _, err := ParseTest(text); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}

// TestExtremePairs: at the widest bounds the ratio is a number whatever the pairs.
func TestExtremePairs(t *testing.T) {
	test := Test{Elo0: -100, Elo1: 100, Alpha: 0.05, Beta: 0.05}
	for i := range 5 {
		for j := range 5 {
			var p Pairs
			p[i] += 1_000_000
			p[j]++
			if llr := test.LLR(p); math.IsNaN(llr) || math.IsInf(llr, 0) {
				t.Errorf("%v: ratio %v", p, llr)
			}
		}
	}
}

func TestTestCheck(t *testing.T) {
	good := Test{Elo0: 0, Elo1: 8, Alpha: 0.05, Beta: 0.05}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, change := range []func(*Test){
		func(x *Test) { x.Elo0 = 8 }, func(x *Test) { x.Elo1 = math.NaN() }, func(x *Test) { x.Elo1 = 500 },
		func(x *Test) { x.Elo0 = -101 }, func(x *Test) { x.Alpha, x.Beta = 0.5, 0.5 }, func(x *Test) { x.Beta = 0 },
		func(x *Test) { x.Alpha = 0 }, func(x *Test) { x.Beta = 1 },
	} {
		bad := good
		change(&bad)
		if bad.Check() == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// TestGauntlet lets three players meet in a gauntlet and each other: every pairing gets
// its pairs, from the same openings.
func TestGauntlet(t *testing.T) {
	m := short()
	m.Pairs, m.Book, m.Players = 2, 2, []Side{{}, {}, {Network: 1}}
	book := []byte(chess.StartFEN + "\nrnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n")
	for gauntlet, want := range map[bool][][2]int{true: {{0, 1}, {0, 2}}, false: {{0, 1}, {0, 2}, {1, 2}}} {
		m := m.again()
		m.Gauntlet = gauntlet
		play(t, m, weak(t), book)
		if len(m.standings) != len(want) || m.played != 2*len(want) || m.Text() != "0 games left" {
			t.Fatalf("gauntlet %v: %+v", gauntlet, m.standings)
		}
		for i, s := range m.standings {
			if [2]int{s.A, s.B} != want[i] || s.Pairs.Total() != 2 || s.B == 2 && s.Won <= s.Lost || s.B == 1 && s.Won != s.Lost {
				t.Errorf("gauntlet %v: %+v", gauntlet, s)
			}
		}
		if best := Ratings(3, m.standings); best[2].Player != 2 || best[2].Games != 4*(len(want)-1) {
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
