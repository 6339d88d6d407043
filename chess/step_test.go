package chess

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStep(t *testing.T) {
	p, err := ParseFEN("r3k2r/1P6/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1")
	if err != nil {
		t.Fatal(err)
	}
	wp, bp := MakePiece(White, Pawn), MakePiece(Black, Pawn)
	moves := []struct {
		move            Move
		moved, captured Piece
	}{
		{NewPromotion(49, A8, Queen), wp, MakePiece(Black, Rook)},
		{NewMove(E8, 52, Normal), MakePiece(Black, King), NoPiece},
		{NewMove(E1, H1, Castling), MakePiece(White, King), NoPiece},
		{NewMove(35, 27, Normal), bp, NoPiece},
	}
	want := []Step{{Key: p.Key()}}
	for _, m := range moves {
		p.Make(m.move)
		want = append(want, Step{p.Key(), m.move, m.moved, m.captured})
	}
	p.MakeNull()
	want = append(want, Step{Key: p.Key(), Captured: NoPiece})
	for back := range p.Plies() + 1 {
		got, want := p.Step(back), want[p.Plies()-back]
		if want.Move == NoMove {
			got.Moved, got.Captured = want.Moved, want.Captured
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: step %d back: %s", p.FEN(), back, d)
		}
	}
}
