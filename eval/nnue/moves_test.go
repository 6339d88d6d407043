package nnue

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
)

// TestEveryKindOfMove updates the accumulators by moves of every kind and
// compares with an evaluator that sees the position for the first time.
func TestEveryKindOfMove(t *testing.T) {
	net := randomNetwork(t, Shape{Width: 256, Outputs: 2, Scale: 400}, 9)
	for _, tt := range []struct{ name, fen, moves string }{
		{"en passant by White", "4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 2", "d5c6"},
		{"en passant by Black", "4k3/8/8/8/5pP1/8/8/4K3 b - g3 0 2", "f4g3"},
		{"castling", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1 e8c8"},
		{"castling on the other wings", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1 e8g8"},
		{"castling of Chess960", "1r1k2r1/1p1p2p1/8/8/8/8/1P1P2P1/1R1K2R1 w GBgb - 0 1", "d1g1 d8b8"},
		{"promotion", "8/P3k3/8/8/8/8/p3K3/8 w - - 0 1", "a7a8n a2a1q"},
		{"promotion with a capture", "1r2k3/P7/8/8/8/8/p7/1R2K3 w - - 0 1", "a7b8r e8e7 e1e2 a2b1b"},
		{"kings that change their half", "4k3/8/8/8/3p4/8/8/4K3 w - - 0 1", "e1d1 e8d8 d1e1 d8e8"},
		{"captures by kings", "4k3/4P3/8/8/8/8/4p3/4K3 w - - 0 1", "e1e2 e8e7"},
	} {
		p, err := chess.ParseFEN(tt.fen)
		must.Succeed(t, err)
		e := NewEvaluator(net)
		e.Evaluate(p)
		for text := range strings.FieldsSeq(tt.moves) {
			m, err := p.ParseUCI(text)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			p.Make(m)
			if got, want := e.Evaluate(p), NewEvaluator(net).Evaluate(p.Clone()); got != want {
				t.Errorf("%s: %s after %s: %d, from scratch %d", tt.name, p, text, got, want)
			}
		}
	}
}
