package chess_test

import (
	"errors"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// fuzzFENs are the seeds from which the fuzzing engine starts: each field in
// each notation, and texts that are refused for each reason.
var fuzzFENs = []string{
	chess.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 9",
	"nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w GBgb - 0 1",
	"1rr1k1r1/8/8/8/8/8/8/R1R1K2R w KQCkqc - 0 1",
	"rr2k2r/8/8/8/8/8/8/RR2K2R w KBkb - 12 34",
	"4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 2",
	"8/8/8/K2pP2q/8/8/8/4k3 w - d6",
	"4k3/8/8/8/8/8/8/4K3 w",
	"4k3/8/8/8/8/8/8/4K3 b - - 9999 9999",
	"4k3/8/8/8/8/8/8/4K3 w - - 00 0001",
	"8/8/8/8/8/8/8/8 w - - 0 1",
	"4k3/8/8/8/8/8/8/4K2P w - - 0 1",
	"4k3/9/8/8/8/8/8/4K3 w KQkq e3 0 1",
	"4k3/8/8/8/8/8/4R3/4K3 w - - 0 1",
	"x",
	"",
}

// FuzzFEN reads any text as a FEN. It is refused with a *chess.FENError whose
// offset lies in the text, or it is a position that comes back from every
// notation, with a key and questions that agree.
func FuzzFEN(f *testing.F) {
	for _, fen := range fuzzFENs {
		f.Add(fen)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := chess.ParseFEN(text)
		if err != nil {
			var refused *chess.FENError
			if !errors.As(err, &refused) || refused.Offset < 0 || refused.Offset > len(text) || refused.Field == "" || refused.Reason == "" {
				t.Fatalf("%q: error %#v, want a *chess.FENError with field, reason and an offset in the text", text, err)
			}
			return
		}
		if p.Key() != p.ComputeKey() {
			t.Errorf("%q: key %x, recomputed %x", text, p.Key(), p.ComputeKey())
		}
		for castling := chess.CastlingAsRead; castling <= chess.CastlingShredder; castling++ {
			style := chess.FENStyle{Castling: castling}
			written := p.FormatFEN(style)
			back, err := chess.ParseFEN(written)
			if err != nil {
				t.Fatalf("%q: written as %q: %v", text, written, err)
			}
			if !back.Equal(p) || back.Key() != p.Key() || back.PawnKey() != p.PawnKey() || back.Checkers() != p.Checkers() || back.Chess960() != p.Chess960() {
				t.Errorf("%q: written as %q, read as %q with key %x, want %x", text, written, back, back.Key(), p.Key())
			}
			if again := back.FormatFEN(style); again != written {
				t.Errorf("%q: written as %q, then as %q", text, written, again)
			}
		}
		for _, style := range []chess.EnPassantStyle{chess.EnPassantPseudoLegal, chess.EnPassantLegal} {
			written := p.FormatFEN(chess.FENStyle{EnPassant: style})
			if back, err := chess.ParseFEN(written); err != nil || back.Key() != p.Key() {
				t.Errorf("%q: written as %q: %v, want the same key", text, written, err)
			}
		}
		n := 0
		for m := range 1 << 16 {
			if p.IsLegal(chess.Move(m)) {
				n++
			}
		}
		if n > chess.MaxMoves || p.HasLegalMove() != (n > 0) {
			t.Errorf("%q: %d legal moves, HasLegalMove = %v", text, n, p.HasLegalMove())
		}
	})
}

// FuzzSAN reads any text as a move in standard algebraic notation: it is
// refused with a *chess.MoveError, or gives a legal move whose own text reads
// back as the same move. Reading changes nothing.
func FuzzSAN(f *testing.F) {
	for _, fen := range []string{
		chess.StartFEN, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"3r4/4P3/6K1/8/8/7k/8/8 w - - 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
		"1k6/3p4/8/8/4Q2Q/8/1K6/7Q w - - 0 1", "1rk3r1/6p1/8/8/8/8/8/1RK3R1 w KQkq - 0 1",
	} {
		for _, san := range []string{
			"e4", "Nf3", "Nc3b5", "exd6", "exd6e.p.", "O-O", "0-0-0", "Qh4e1", "e8=Q#", "exd8(N)", "Rz1", "", "♘f3",
		} {
			f.Add(fen, san)
		}
	}
	f.Fuzz(func(t *testing.T, fen, text string) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return
		}
		before := p.FEN()
		m, err := p.ParseSAN(text)
		if p.FEN() != before {
			t.Fatalf("%s: reading %q changed the position to %s", before, text, p)
		}
		if err != nil {
			if refused := (*chess.MoveError)(nil); !errors.As(err, &refused) {
				t.Fatalf("%s: %q: error %v is no *chess.MoveError", fen, text, err)
			}
			return
		}
		if !p.IsLegal(m) {
			t.Fatalf("%s: %q gives the illegal move %v", fen, text, m)
		}
		san := p.SAN(m)
		if back, err := p.ParseSAN(san); err != nil || back != m {
			t.Errorf("%s: %q gives %v, whose text %q gives %v, %v", fen, text, m, san, back, err)
		}
		if p.FEN() != before {
			t.Errorf("%s: writing %v changed the position to %s", before, m, p)
		}
	})
}
