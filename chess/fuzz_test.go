package chess_test

import (
	"errors"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// FuzzFEN reads any text as a FEN. It is refused with a *FENError, or the
// position writes a FEN, in every style, that reads back as the same position.
//
//conformance:29 any text as a FEN is refused with a typed error or round-trips
func FuzzFEN(f *testing.F) {
	for _, text := range []string{
		chess.StartFEN, "8/8/1k6/8/4Q3/7K/8/8 w - -", "blah", "", "8/8/8/8/8/8/8/8 w - - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"P3k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k1k1/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/8 w - - 0 1",
		"ppppppppp/8/8/8/8/4k3/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4RK2 b - - 0 1",
		"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
		"rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EQeq - 0 1", "4k3/8/8/8/1pP5/8/8/4K3 b - c3 0 1",
		"4k3/8/8/8/8/8/8/rR2K1N1 w Q - 9999 9999",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := chess.ParseFEN(text)
		if err != nil {
			if refused := (*chess.FENError)(nil); !errors.As(err, &refused) || refused.Field == "" || refused.Reason == "" {
				t.Fatalf("%q: error %v does not tell field and reason", text, err)
			}
			return
		}
		for ep := chess.EnPassantAlways; ep <= chess.EnPassantLegal; ep++ {
			for castling := chess.CastlingAsRead; castling <= chess.CastlingShredder; castling++ {
				own := p.FormatFEN(chess.FENStyle{EnPassant: ep, Castling: castling})
				q, err := chess.ParseFEN(own)
				if err != nil || q.Key() != p.Key() || ep == chess.EnPassantAlways && !q.Equal(p) {
					t.Fatalf("%q is written %q, which reads as %v, %v", text, own, q, err)
				}
			}
		}
	})
}
