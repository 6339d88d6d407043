package fuzz

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/tables"
)

// checkSliders compares slider attacks with the slow walk: by magic and from
// the PEXT tables for the sliders of the position and for a random board, and
// of each back end, which only counts, by counting a board made for it.
func (r *rig) checkSliders() *difference {
	occ := uint64(r.p.Occupied())
	for s := range (r.p.ByType(chess.Bishop) | r.p.ByType(chess.Rook) | r.p.ByType(chess.Queen)).Squares() {
		if d := r.lookUps(int(s), occ); d != nil {
			return d
		}
	}
	n := 1
	if r.thorough {
		n = 512
	}
	for range n {
		random := r.rand.Uint64()
		if d := r.lookUps(r.rand.IntN(64), random&r.rand.Uint64()); d != nil {
			return d
		}
		frame, want := sliderProbe(r.rand, random&1 != 0)
		for i, b := range r.boards {
			f, ok := b.(*generator.FrameBoard)
			if !ok {
				continue
			}
			var noCastling perft.Geometry
			if got := f.Backend.Count(&frame, &noCastling); got != want {
				return r.differ("slider attacks", "", "slow walk", fmt.Sprintf("%d moves", want),
					r.gens[i].Name, fmt.Sprintf("%d moves of the frame %+v", got, frame))
			}
		}
	}
	return nil
}

// lookUps compares the attack sets of one square.
func (r *rig) lookUps(sq int, occ uint64) *difference {
	sets, row := tables.PextSets(), &tables.Rows()[sq]
	for _, c := range []struct {
		name       string
		got, slow  uint64
		compressed uint64
	}{
		{"bishop", tables.BishopAttacks(uint8(sq), occ), geom.Bishop(sq, occ), sets[row.Bishop().Index(occ)]},
		{"rook", tables.RookAttacks(uint8(sq), occ), geom.Rook(sq, occ), sets[row.Rook().Index(occ)]},
	} {
		where := fmt.Sprintf
		if c.got != c.slow {
			return r.differ("slider attacks", "", "slow walk", where("%#016x", c.slow),
				"magic", where("%#016x for a %s on %s, occupied %#016x", c.got, c.name, chess.Square(sq), occ))
		}
		if c.compressed != c.slow {
			return r.differ("slider attacks", "", "slow walk", where("%#016x", c.slow),
				"PEXT tables", where("%#016x for a %s on %s, occupied %#016x", c.compressed, c.name, chess.Square(sq), occ))
		}
	}
	return nil
}

// sliderProbe returns a frame whose only slider is ours or, if theirs is true,
// the enemy's, with enemy pawns and knights for blockers, and the number of
// its legal moves by the slow walk. No piece can be pinned and our king is
// not in check, so that the count is the slider's squares and the king's.
func sliderProbe(random *rand.Rand, theirs bool) (perft.Frame, uint64) {
	for {
		var f perft.Frame
		king, enemyKing, slider := random.IntN(64), random.IntN(64), random.IntN(64)
		if king == enemyKing || king == slider || enemyKing == slider {
			continue
		}
		f.K, f.TK = geom.Bit(king), geom.Bit(enemyKing)
		kind := 1 + random.IntN(3) // bishop, rook, queen
		d, h := &f.D, &f.H
		if theirs {
			d, h = &f.TD, &f.TH
		}
		*d, *h = geom.Bit(slider)*uint64(kind&1), geom.Bit(slider)*uint64(kind>>1)
		for range random.IntN(14) {
			switch sq := random.IntN(64); {
			case (f.Us()|f.Them())&geom.Bit(sq) != 0:
			case sq < 8 || sq >= 56:
				f.TN |= geom.Bit(sq)
			default:
				f.TP |= geom.Bit(sq)
			}
		}
		forbidden := enemyAttacks(&f)
		if forbidden&f.K != 0 || f.Check() != nil {
			continue
		}
		occ := f.Us() | f.Them()
		want := bits.OnesCount64(geom.King(king) &^ (forbidden | f.Us()))
		want += bits.OnesCount64(slowSlider(f.D, f.H, occ) &^ f.K)
		return f, uint64(want)
	}
}

// enemyAttacks returns the squares the other side of a frame attacks, by the
// slow walk.
func enemyAttacks(f *perft.Frame) uint64 {
	set := slowSlider(f.TD, f.TH, f.Us()|f.Them()) | geom.King(bits.TrailingZeros64(f.TK))
	for s := range geom.Squares(f.TP) {
		set |= geom.Pawn(1, s)
	}
	for s := range geom.Squares(f.TN) {
		set |= geom.Knight(s)
	}
	return set
}

// slowSlider returns the attacks of at most one slider by the slow walk.
func slowSlider(d, h, occ uint64) uint64 {
	var set uint64
	if d != 0 {
		set |= geom.Bishop(bits.TrailingZeros64(d), occ)
	}
	if h != 0 {
		set |= geom.Rook(bits.TrailingZeros64(h), occ)
	}
	return set
}
