package lab

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/chesstest"
)

// TestDivide compares the divide with one that has three faults.
func TestDivide(t *testing.T) {
	p := chesstest.Position(t, positions[1])
	var last Counted
	d, err := Divide(t.Context(), p, 4, "", func(c Counted) { last = c })
	if err != nil || d.Nodes != 4085603 || len(d.Moves) != 48 || last != (Counted{48, 48}) || len(d.Differences) != 0 {
		t.Fatalf("%v, error %v, progress %v", d, err, last)
	}
	var text strings.Builder
	for _, m := range d.Moves {
		switch m.UCI {
		case "e1g1":
			continue
		case "a2a3":
			m.Nodes++
		}
		fmt.Fprintf(&text, "%s: %d\n", m.UCI, m.Nodes)
	}
	text.WriteString("e1e2: 7\n")
	d, err = Divide(t.Context(), p, 4, text.String(), func(Counted) {})
	if err != nil || len(d.Differences) != 3 {
		t.Fatalf("%v, error %v", d, err)
	}
	got := ""
	for _, d := range d.Differences {
		got += fmt.Sprintf("%s %v %v %d; ", d.Text, d.Legal, d.Listed, len(d.Reasons))
	}
	want := "e1e2: not legal false true 1; e1g1: missing true false 0; a2a3: 94406, want 94405 true true 0; "
	if got != want {
		t.Errorf("differences %s, want %s", got, want)
	}
}

// TestDivideEnds ends a count, and reports a text that cannot be read.
func TestDivideEnds(t *testing.T) {
	p := chesstest.Position(t, positions[0])
	gone := errors.New("gone")
	ctx, end := context.WithCancelCause(t.Context())
	told := 0
	_, err := Divide(ctx, p, MaxDepth, "", func(Counted) {
		told++
		end(gone)
	})
	if !errors.Is(err, gone) || told > 1 {
		t.Errorf("error %v after %d moves", err, told)
	}
	var unread *Fault
	if _, err := Divide(t.Context(), p, 1, "e2e4: 1\ne2e4: 1", nil); !errors.As(err, &unread) || unread.Line != 2 {
		t.Errorf("error %v, want one of line 2", err)
	}
}
