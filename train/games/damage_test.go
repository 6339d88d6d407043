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

func TestVerifyFindsIllegalMoves(t *testing.T) {
	data := bytesOf(t, specification)
	for _, tt := range []struct {
		name string
		ply  int
		move Move
	}{
		{"blocked", 0, MoveOf(chess.NewMove(chess.A1, chess.A8, chess.Normal))},
		{"wrong side", 1, MoveOf(chess.NewMove(chess.E1, 12, chess.Normal))},
		{"no castling yet", 2, MoveOf(chess.NewMove(chess.E1, chess.H1, chess.Castling))},
		{"promotion bits of a plain move", 0, MoveOf(chess.NewMove(12, 28, chess.Normal)) | 1<<12},
		{"no promotion", 0, MoveOf(chess.NewPromotion(12, 28, chess.Queen))},
		{"no en passant", 2, MoveOf(chess.NewMove(28, 36, chess.EnPassant))},
	} {
		view, _, err := Next(append([]byte(nil), data...))
		must.Succeed(t, err)
		at := PackedSize + tt.ply*plySize
		view[at], view[at+1] = byte(tt.move), byte(tt.move>>8)
		var wrong *PlyError
		if err := view.Verify(new(chess.Position), nil); !errors.As(err, &wrong) || wrong.Ply != tt.ply {
			t.Errorf("%s: error %v, want one of ply %d", tt.name, err, tt.ply)
		}
	}
}

// TestVerifyBruteForce tries every move encoding in one position.
func TestVerifyBruteForce(t *testing.T) {
	const fen = "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/P1PBBPPP/R3K2R w KQkq - 0 1"
	p := chesstest.Position(t, fen)
	legal := map[Move]bool{}
	for _, m := range movegen.Legal(p, nil) {
		legal[MoveOf(m)] = true
	}
	g := Game{Start: Pack(p, Draw), Plies: make([]Ply, 1)}
	q := new(chess.Position)
	for m := 1; m < 1<<16; m++ {
		g.Plies[0] = Ply{Move(m), 1}
		view, _, err := Next(g.Append(nil))
		must.Succeed(t, err)
		if got := view.Verify(q, nil) == nil; got != legal[Move(m)] {
			t.Errorf("%s: move %016b: accepted %v, want %v", fen, m, got, legal[Move(m)])
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
