package x88_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/x88"
)

func TestConformance(t *testing.T) { gentest.Run(t, gentest.Adapt(x88.New)) }

func BenchmarkPerft(b *testing.B) { gentest.Bench(b, gentest.Adapt(x88.New)) }

func TestPerftTable(t *testing.T) {
	b, err := x88.New(chess.NewPosition())
	if err != nil {
		t.Fatal(err)
	}
	var sb strings.Builder
	if err := b.PerftTable(&sb, 4); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(sb.String(), "\n")
	for i, want := range []string{
		`^depth +nodes +seconds +nodes/s$`,
		`^ +1 +20 +0\.\d{3} +(\d+|-)$`,
		`^ +2 +400 +0\.\d{3} +(\d+|-)$`,
		`^ +3 +8902 +\d+\.\d{3} +(\d+|-)$`,
		`^ +4 +197281 +\d+\.\d{3} +(\d+|-)$`,
		`^$`,
	} {
		if i >= len(lines) || !regexp.MustCompile(want).MatchString(lines[i]) {
			t.Fatalf("%s: line %d does not match %s in\n%s", chess.StartFEN, i, want, sb.String())
		}
	}
	if len(lines) != 6 {
		t.Errorf("%s: %d lines, want 5 and an empty end:\n%s", chess.StartFEN, len(lines), sb.String())
	}
}

// failing is a writer that is full after some writes.
type failing struct{ left int }

var errFull = errors.New("full")

func (f *failing) Write(p []byte) (int, error) {
	if f.left--; f.left < 0 {
		return 0, errFull
	}
	return len(p), nil
}

func TestPerftTableError(t *testing.T) {
	b, err := x88.New(chess.NewPosition())
	if err != nil {
		t.Fatal(err)
	}
	for writes := range 3 {
		if err := b.PerftTable(&failing{writes}, 2); !errors.Is(err, errFull) {
			t.Errorf("after %d writes PerftTable returns %v, want %v", writes, err, errFull)
		}
	}
}
