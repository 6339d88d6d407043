package lab

import (
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/movegen"
)

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
		p := chesstest.Position(t, fen)
		for from := range chess.Square(64) {
			for to := range chess.Square(64) {
				if from == to {
					continue
				}
				e, err := Explain(p, from.String()+to.String())
				must.Succeed(t, err)
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
		must.Succeed(t, err)
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
		{"rn6/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=R", "a7a8q", "blocked"},
		{"rn6/P7/8/8/8/8/8/k1K5 w - - 0 1", "a7a8", "a7a8q", "blocked"},
	} {
		e, err := Explain(chesstest.Position(t, tt.fen), tt.text)
		if err != nil {
			if !errors.As(err, new(*Fault)) || tt.move != "" {
				t.Errorf("%s: %v", tt.text, err)
			}
			continue
		}
		if e.Move != tt.move || tt.reason != "" && !strings.Contains(e.Reasons[0].Text, tt.reason) || e.Legal != (tt.reason == "") {
			t.Errorf("%s: %s %v, want %s with %q", tt.text, e.Move, e.Reasons, tt.move, tt.reason)
		}
	}
	for _, text := range []string{"", "x", "Z9", "=", "Q", "e9", "h4"} {
		if e, err := Explain(chesstest.Position(t, "8/P7/8/8/8/8/8/k1K5 w - - 0 1"), text); err == nil && (e.Legal || len(e.Reasons) == 0) {
			t.Errorf("%q: %v", text, e)
		}
	}
}
