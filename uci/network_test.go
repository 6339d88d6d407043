package uci

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

// otherNetwork writes a small network to a file in a new folder.
func otherNetwork(t *testing.T) (*nnue.Network, string) {
	t.Helper()
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 400}
	n, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{Positions: 7})
	must.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "with a space.nn")
	must.Succeed(t, n.Save(name))
	return n, name
}

func TestEvalFile(t *testing.T) {
	other, name := otherNetwork(t)
	damaged := filepath.Join(t.TempDir(), "damaged.nn")
	data := filestest.Read(t, name)
	data[len(data)-1] ^= 1
	filestest.Write(t, damaged, data)
	set := func(n *nnue.Network) string { return fmt.Sprintf("network %v", n.Hash()) }
	for _, tt := range []struct{ value, note, event string }{
		{name, "info string network: " + other.Hash().String() + ", from file, 768→256×2→16→32→1, from 7 positions", set(other)},
		{"<embedded>", "info string network: " + nnue.Embedded().Hash().String() + ", embedded", set(nnue.Embedded())},
		{"", "info string network: " + nnue.Embedded().Hash().String() + ", embedded", set(nnue.Embedded())},
		{"<empty>", "info string network: " + nnue.Embedded().Hash().String() + ", embedded", set(nnue.Embedded())},
		{"/no such file", "info string error: EvalFile: open /no such file: no such file or directory; the network stays " + nnue.Embedded().Hash().String(), ""},
		{"no such file", "info string error: EvalFile: open no such file: no such file or directory, nor is it beside the program; the network stays", ""},
		{damaged, "info string error: EvalFile: " + damaged + ": hash: content does not match", ""},
		{t.TempDir(), "info string error: EvalFile: ", ""},
	} {
		f := &fakeEngine{}
		got := script(t, f, testConfig, "setoption name EvalFile value "+tt.value+"\n")
		if len(got) != 1 || !strings.HasPrefix(got[0], tt.note) {
			t.Errorf("EvalFile %q: %q, want one line %q", tt.value, got, tt.note)
		}
		if events := strings.Join(f.events, "\n"); events != tt.event {
			t.Errorf("EvalFile %q: the engine was told %q, want %q", tt.value, events, tt.event)
		}
	}
}
