package fit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/must"
)

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
	must.Succeed(t, tr.Draw(name))
	if data, err := os.ReadFile(name); err != nil || !strings.Contains(string(data), "<svg") {
		t.Errorf("%.8q (%v), want an SVG", data, err)
	}
}
