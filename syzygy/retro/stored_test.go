package retro

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// TestStored writes endings, reads them into another solver and solves one that needs them:
// it is the same as where all were solved.
func TestStored(t *testing.T) {
	needs, err := Needs("KPvK")
	if want := []string{"KNvK", "KBvK", "KRvK", "KQvK"}; err != nil || !slices.Equal(needs, want) {
		t.Fatalf("%v, %v; want %v", needs, err, want)
	}
	// A pawn that takes the queen promotes too.
	needs, err = Needs("KQvKP")
	slices.Sort(needs)
	if want := []string{"KBvK", "KNvK", "KPvK", "KQvK", "KQvKB", "KQvKN", "KQvKQ", "KQvKR", "KRvK"}; err != nil || !slices.Equal(needs, want) {
		t.Fatalf("%v, %v; want %v", needs, err, want)
	}
	first, second := NewSolver(), NewSolver()
	want, err := first.Solve(t.Context(), "KPvK")
	testkit.Succeed(t, err)
	for _, name := range []string{"KNvK", "KBvK", "KRvK", "KQvK", "KPvK"} {
		e, err := first.Solve(t.Context(), name)
		testkit.Succeed(t, err)
		var stored bytes.Buffer
		if n, err := e.WriteTo(&stored); err != nil || n != int64(stored.Len()) {
			t.Fatalf("%s: %d bytes, told %d, %v", name, stored.Len(), n, err)
		}
		for _, bad := range []string{"", stored.String()[:stored.Len()-1], stored.String() + "x", "\x01" + stored.String()[1:]} {
			if _, err := NewSolver().Read(name, strings.NewReader(bad)); err == nil {
				t.Errorf("%s: %d damaged bytes are taken", name, len(bad))
			}
		}
		got, err := second.Read(name, &stored)
		if err != nil || !reflect.DeepEqual(got, e) {
			t.Errorf("%s reads back as another ending, %v", name, err)
		}
	}
	delete(second.solved, want.material)
	if got, err := second.Solve(t.Context(), "KPvK"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("solved from what was read it is another ending, %v", err)
	}
	// Two pawns on one square have no positions, so their slice is empty.
	empty := newEnding(want.material + layout.Unit(chess.White, chess.Pawn))
	empty.slices[1] = make([]Value, 2*empty.size)
	var stored bytes.Buffer
	_, err = empty.WriteTo(&stored)
	testkit.Succeed(t, err)
	if got, err := second.Read(empty.Name(), &stored); err != nil || !reflect.DeepEqual(got, empty) {
		t.Errorf("an ending with empty slices reads back as another one, %v", err)
	}
	if _, err := Needs("KXvK"); err == nil {
		t.Error("a name that is none needs nothing")
	}
}
