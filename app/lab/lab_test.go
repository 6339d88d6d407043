package lab

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestNative: the speeds that the race shows are those of docs/generators.md.
func TestNative(t *testing.T) {
	text := string(kit.Read(t, "../../docs/generators.md"))
	short := strings.NewReplacer(".00×", "×", ".0×", "×")
	for name, figures := range native {
		_, row, _ := strings.Cut(text, "\n| "+name+" |")
		row, _, _ = strings.Cut(row, "\n")
		if want := fmt.Sprintf("%v M/s | **%v×** |", figures[0], figures[1]); !strings.HasSuffix(short.Replace(row), want) {
			t.Errorf("%s: %v in race.go, and in the document:%s", name, figures, row)
		}
	}
}

// TestDivide compares the divide with one that has three faults.
func TestDivide(t *testing.T) {
	p := kit.Position(t, positions[1])
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
	p := kit.Position(t, positions[0])
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

// positions have checks, pins, en passant and castling.
var positions = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"4k3/4r3/8/8/1b6/2N5/4N3/4K3 w - - 0 1",
	"8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
	"r3k2r/8/8/8/5r2/8/8/R3K2R w KQkq - 0 1",
	"4k3/8/8/8/1b2r3/8/8/R3K1N1 w - - 0 1",
}

func bitboard(t *testing.T, word string) chess.Bitboard {
	t.Helper()
	b, err := strconv.ParseUint(word, 16, 64)
	if err != nil || len(word) != 16 {
		t.Fatalf("set %q: %v", word, err)
	}
	return chess.Bitboard(b)
}

// TestExplain tries every pair of squares: a legal move has no reason, another has
// some. The check mask and the pin lines hold the targets of all legal moves.
func TestExplain(t *testing.T) {
	for _, fen := range positions {
		p := kit.Position(t, fen)
		for from := range chess.Square(64) {
			for to := range chess.Square(64) {
				if from == to {
					continue
				}
				e, err := Explain(p, from.String()+to.String())
				kit.Succeed(t, err)
				legal := false
				for _, m := range movegen.Legal(p, nil) {
					legal = legal || p.UCI(m)[:4] == from.String()+to.String() || m.From() == from && m.To() == to
				}
				if e.Legal != legal || (len(e.Reasons) == 0) != legal {
					t.Errorf("%s, %s%s: legal %v, want %v; reasons %v", fen, from, to, e.Legal, legal, e.Reasons)
				}
			}
		}
		e, err := Explain(p, "a1a2")
		kit.Succeed(t, err)
		for _, m := range movegen.Legal(p, nil) {
			if m.From() == p.King(p.SideToMove()) || m.Kind() == chess.EnPassant {
				continue
			}
			for _, f := range e.Figures {
				squares := bitboard(t, f.Squares)
				if f.Title == "Check mask" && !squares.Has(m.To()) || f.Title == "Pin line" && bitboard(t, f.Marked).Has(m.From()) && !squares.Has(m.To()) {
					t.Errorf("%s: %s leaves %q", fen, m, f.Title)
				}
			}
		}
	}
}

// TestExplainText reads what people type.
func TestExplainText(t *testing.T) {
	for _, tt := range []struct{ fen, text, move, reason string }{
		{positions[0], "Nf6", "b1f6", "does not move"},
		{positions[0], "O-O", "e1h1", "blocked"},
		{positions[0], "Ke2", "e1e2", "same side"},
		{positions[2], "Ng3", "e2g3", "open the line"},
		{positions[2], "N3d5", "c3d5", "open the line"},
		{positions[3], "fxe3", "f4e3", "open the line"},
		{positions[4], "0-0", "e1h1", "cross or reach"},
		{positions[4], "e8f8", "e8f8", "White's turn"},
		{"8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=K", "", ""},
		{"1n6/P7/8/8/8/8/8/k1K5 w - - 0 1", "axb8=N", "a7b8n", ""},
		{"4k3/8/8/4q3/8/4N3/8/1N2KN2 w - - 0 1", "Nd2", "", ""}, // two may, a third is pinned
		{"rn6/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=R", "a7a8q", "blocked"},
		{"rn6/P7/8/8/8/8/8/k1K5 w - - 0 1", "a7a8", "a7a8q", "blocked"},
	} {
		e, err := Explain(kit.Position(t, tt.fen), tt.text)
		if err != nil {
			if !errors.As(err, new(*Fault)) || tt.move != "" || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: %v", tt.text, err)
			}
			continue
		}
		if e.Move != tt.move || tt.reason != "" && !strings.Contains(e.Reasons[0].Text, tt.reason) || e.Legal != (tt.reason == "") {
			t.Errorf("%s: %s %v, want %s with %q", tt.text, e.Move, e.Reasons, tt.move, tt.reason)
		}
	}
	for _, text := range []string{"", "x", "Z9", "=", "Q", "e9", "h4"} {
		if e, err := Explain(kit.Position(t, "8/P7/8/8/8/8/8/k1K5 w - - 0 1"), text); err == nil && (e.Legal || len(e.Reasons) == 0) {
			t.Errorf("%q: %v", text, e)
		}
	}
}

// TestRace lets all generators count to the end.
func TestRace(t *testing.T) {
	for _, tt := range []struct {
		fen   string
		depth int
		nodes uint64
	}{
		{positions[0], 1, 20}, {positions[0], 4, 197281}, {positions[1], 3, 97862}, {positions[3], 2, 0},
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 5, 0}, {"r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1", 2, 568},
	} {
		p := kit.Position(t, tt.fen)
		var last Race
		r, err := Run(t.Context(), p, tt.depth, func(now Race) { last = now })
		kit.Succeed(t, err)
		d, err := Divide(t.Context(), p, tt.depth, "", func(Counted) {})
		kit.Succeed(t, err)
		for i, runner := range r.Runners {
			if runner.Nodes != d.Nodes || tt.nodes > 0 && runner.Nodes != tt.nodes || runner != last.Runners[i] {
				t.Errorf("%s, depth %d: %v, want %d nodes", tt.fen, tt.depth, runner, d.Nodes)
			}
		}
	}
}

// TestRaceEnds ends a race, and refuses Chess960.
func TestRaceEnds(t *testing.T) {
	p := kit.Position(t, positions[0])
	gone := errors.New("gone")
	ctx, end := context.WithCancelCause(t.Context())
	if _, err := Run(ctx, p, 5, func(Race) { end(gone) }); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	p, err := chess.NewChess960(0)
	kit.Succeed(t, err)
	if _, err := Run(t.Context(), p, 1, nil); !errors.As(err, new(*Fault)) {
		t.Error("a position of Chess960 was accepted")
	}
}
