package wdl_test

import (
	"fmt"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestChances holds that chances sum to 1000, that a better score wins more and
// loses less, and that both sides see the same.
func TestChances(t *testing.T) {
	for material := 0; material <= 100; material++ {
		last := wdl.Chances{Loss: 1000}
		for s := -eval.Mate; s <= eval.Mate; s += 7 {
			c := wdl.Of(s, material)
			if c.Win+c.Draw+c.Loss != 1000 || min(c.Win, c.Draw, c.Loss) < 0 {
				t.Fatalf("score %d, material %d: %+v does not sum to 1000", s, material, c)
			}
			if c.Win < last.Win || c.Loss > last.Loss {
				t.Fatalf("score %d, material %d: %+v after %+v", s, material, c, last)
			}
			if back := wdl.Of(-s, material).Flip(); back != c && c.Win+c.Loss != 1000 {
				t.Fatalf("score %d, material %d: %+v, and %+v for the other side", s, material, c, back)
			}
			last = c
		}
	}
}

// TestCertain holds that only a mate and what tables know is certain by rule.
func TestCertain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		score eval.Score
		want  wdl.Chances
	}{
		{"mate", eval.Mate - 9, wdl.Chances{Win: 1000}},
		{"mated", 10 - eval.Mate, wdl.Chances{Loss: 1000}},
		{"least mate", eval.MateEdge, wdl.Chances{Win: 1000}},
		{"beyond all evaluations", eval.Limit + 1, wdl.Chances{Win: 1000}},
	} {
		for _, material := range []int{0, 20, 78} {
			if got := wdl.Of(tt.score, material); got != tt.want {
				t.Errorf("%s, material %d: %+v, want %+v", tt.name, material, got, tt.want)
			}
		}
	}
	if even := wdl.Of(0, 78); even.Draw < 300 || even.Win != even.Loss || even.Expected() != 0.5 {
		t.Errorf("an even start: %+v", even)
	}
}

// TestFittedModel holds what every model must keep: a positive spread, and no
// negative chance of a draw.
func TestFittedModel(t *testing.T) {
	m := wdl.Fitted()
	for material := wdl.LeastMaterial; material <= wdl.MostMaterial; material++ {
		if a, b := m.At(material); a <= 0 || b <= 0 {
			t.Errorf("material %d: a %v, b %v", material, a, b)
		}
	}
}

func TestMaterial(t *testing.T) {
	for fen, want := range map[string]int{
		chess.NewPosition().FEN():                      wdl.MostMaterial,
		"8/8/4k3/8/8/4K3/8/8 w - - 0 1":                0,
		"8/2p5/4k3/3n4/8/3QK3/1P6/R7 w - - 0 1":        19,
		"4k3/pppppppp/8/8/8/8/PPPPPPPP/4KB2 w - - 0 1": 19,
		"3qk3/8/8/8/8/8/8/3QK3 w - - 0 1":              18,
	} {
		p := kit.Position(t, fen)
		if got := wdl.Material(p); got != want {
			t.Errorf("%s: %d, want %d", fen, got, want)
		}
	}
}

func Example() {
	p := chess.NewPosition()
	mate := wdl.Of(eval.Mate-3, wdl.Material(p))
	even := wdl.Of(0, wdl.Material(p))
	fmt.Println(mate, even.Expected(), even.Win == even.Flip().Loss)
	// Output: {1000 0 0} 0.5 true
}
