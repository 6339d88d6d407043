package chess_test

import (
	"errors"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// FuzzFEN demands that no text panics, that what is refused is refused with a
// field and a place inside the text, and that what is read is a valid position
// that every notation gives back.
func FuzzFEN(f *testing.F) {
	for _, c := range roundTrips {
		f.Add(c.fen)
	}
	for _, text := range []string{"blah", "8/8/8/8/8/8/8/8 w - - 0 1", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "8/8/1k6/8/4Q3/7K/8/8 w - -"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := chess.ParseFEN(text)
		if err != nil {
			var bad *chess.FENError
			if !errors.As(err, &bad) || bad.Field == "" || bad.Reason == "" || bad.Offset < 0 || bad.Offset > len(text) {
				t.Fatalf("ParseFEN(%q): %#v", text, err)
			}
			return
		}
		if p.Key() != p.ComputeKey() {
			t.Fatalf("%q: key %x, computed anew %x", text, p.Key(), p.ComputeKey())
		}
		for _, style := range []chess.FENStyle{
			{}, {Castling: chess.CastlingXFEN}, {Castling: chess.CastlingShredder},
			{EnPassant: chess.EnPassantPseudoLegal}, {EnPassant: chess.EnPassantLegal},
		} {
			out := p.FormatFEN(style)
			q, err := chess.ParseFEN(out)
			if err != nil || q.FormatFEN(style) != out || q.Key() != p.Key() {
				t.Fatalf("%q: written as %q in style %v, reads back as %v, %v", text, out, style, q, err)
			}
		}
		p.Outcome()
	})
}

// FuzzSAN demands that no text panics and that a move read from a text is
// legal and has a text of its own that reads as the same move.
func FuzzSAN(f *testing.F) {
	for _, c := range roundTrips {
		for _, san := range []string{"e4", "Nf3", "O-O", "0-0-0+", "exd6e.p.", "e8=Q#", "e8(N)", "Qh4xe1!?", "Ng1-e2"} {
			f.Add(c.fen, san)
		}
	}
	f.Fuzz(func(t *testing.T, fen, text string) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return
		}
		m, err := p.ParseSAN(text)
		if err != nil {
			var bad *chess.MoveError
			if !errors.As(err, &bad) || bad.Text != text || bad.Reason == "" || m != chess.NoMove {
				t.Fatalf("%s: ParseSAN(%q) = %v, %#v", fen, text, m, err)
			}
			return
		}
		if !p.IsLegal(m) {
			t.Fatalf("%s: ParseSAN(%q) = %v, which is illegal", fen, text, m)
		}
		san := p.SAN(m)
		if back, err := p.ParseSAN(san); err != nil || back != m {
			t.Fatalf("%s: %q is %v, written %s, which reads as %v, %v", fen, text, m, san, back, err)
		}
		if back, err := p.ParseUCI(p.UCI(m)); !p.Chess960() && (err != nil || back != m) {
			t.Fatalf("%s: %v as UCI text %s reads as %v, %v", fen, m, p.UCI(m), back, err)
		}
	})
}
