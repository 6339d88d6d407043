package nnue

import "github.com/tabula-chess/tabula/chess"

// refreshed is an entry of the refresh cache: the accumulator of the last
// position that was seen with this view, and its pieces. A king that goes to
// the other half or another bucket finds there a position that differs by a few pieces only.
// Source: CPW "NNUE" on accumulator refresh, known as Finny tables.
type refreshed struct {
	acc    []int16
	pieces [12]chess.Bitboard // by Piece
}

// refresh sets dst to the accumulator of p seen by view.
func (e *Evaluator) refresh(p *chess.Position, view View, dst []int16) {
	r := &e.fresh[view.color][2*view.bucket+view.mirrored]
	width := uint32(e.net.shape.Width)
	adds, subs := &e.adds, &e.subs
	nAdds, nSubs := 0, 0
	for pc := range chess.NoPiece {
		now, then := p.Pieces(pc.Color(), pc.Type()), r.pieces[pc]
		if now == then {
			continue
		}
		r.pieces[pc] = now
		for b := now &^ then; b != 0; b &= b - 1 {
			adds[nAdds&31] = uint32(view.Feature(pc, b.First())) * width
			nAdds++
		}
		for b := then &^ now; b != 0; b &= b - 1 {
			subs[nSubs&31] = uint32(view.Feature(pc, b.First())) * width
			nSubs++
		}
	}
	e.kernel.apply(r.acc, e.net.weights.Features, adds[:nAdds], subs[:nSubs])
	copy(dst, r.acc)
}
