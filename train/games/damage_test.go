package games

import (
	"errors"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/movegen"
)

// TestVerifyBruteForce tries every move encoding as the second move of a game: an illegal
// one is named.
func TestVerifyBruteForce(t *testing.T) {
	p := chesstest.Position(t, "r3k1nr/pPppqpb1/bn2p1p1/3PN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R b KQkq - 0 1")
	first := chess.NewMove(chess.G8, chess.F6, chess.Normal)
	g := Game{Start: Pack(p, Draw), Plies: []Ply{{Move: MoveOf(first)}, {}}}
	p.Make(first)
	legal := map[Move]bool{}
	for _, m := range movegen.Legal(p, nil) {
		legal[MoveOf(m)] = true
	}
	q := new(chess.Position)
	for m := 1; m < 1<<16; m++ {
		g.Plies[1] = Ply{Move(m), 1}
		view, _, err := Next(g.Append(nil))
		must.Succeed(t, err)
		var wrong *PlyError
		err = view.Verify(q, nil)
		if (err == nil) != legal[Move(m)] || err != nil && (!errors.As(err, &wrong) || wrong.Ply != 1) {
			t.Errorf("%s: move %016b: %v, legal %v", p, m, err, legal[Move(m)])
		}
	}
}

func TestBadStartPositions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Packed)
		want   string
	}{
		{"result", func(k *Packed) { k[atResult] = 3 }, "result 3"},
		{"piece code", func(k *Packed) { k[atNibbles] |= 7 }, "unknown piece code 7 on a1"},
		{"no king", func(k *Packed) { k[atNibbles+2] &^= 7 }, "kings"},
		{"en passant", func(k *Packed) { k[atSide] = 65 }, "en-passant square 65"},
		{"pieces", func(k *Packed) { k[5] = 1 }, "33 pieces"},
		{"en passant without a pawn", func(k *Packed) { k[atSide] = 44 }, "en passant"},
	} {
		k := Pack(chess.NewPosition(), Draw)
		tt.change(&k)
		if _, err := k.Position(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}

func TestNextTruncated(t *testing.T) {
	data := bytesOf(t, specification)
	for n := range data {
		if _, rest, err := Next(data[:n]); !errors.Is(err, ErrTruncated) || len(rest) != n {
			t.Errorf("%d of %d bytes: error %v, %d bytes left", n, len(data), err, len(rest))
		}
	}
}
