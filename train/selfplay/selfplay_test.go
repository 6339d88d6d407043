package selfplay

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

func TestPlayIsReproducible(t *testing.T) {
	var outputs [2][]string
	for i := range outputs {
		var b strings.Builder
		done := 0
		c := Config{Games: 3, Nodes: 300, Seed: 4, Threads: i + 1, Random: 8}
		if err := Play(c, &b, func() { done++ }); err != nil {
			t.Fatal(err)
		}
		if done != 3 {
			t.Errorf("%d games reported, want 3", done)
		}
		outputs[i] = strings.Split(strings.TrimSpace(b.String()), "\n")
		slices.Sort(outputs[i])
	}
	if !slices.Equal(outputs[0], outputs[1]) {
		t.Error("the games depend on the number of threads")
	}
	for _, line := range outputs[0] {
		f := strings.Split(line, ";")
		if len(f) != 3 || !slices.Contains([]string{"0", "0.5", "1"}, f[2]) {
			t.Fatalf("%q: want FEN;score;result", line)
		}
		p, err := chess.ParseFEN(f[0])
		if err != nil || p.InCheck() {
			t.Errorf("%q: %v, in check or broken", line, err)
		}
	}
}
