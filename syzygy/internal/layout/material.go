// Package layout says where a position stands in a Syzygy table: the material
// an ending is named after, and the numbering of its positions. Probing and
// writing use the same functions, so that they cannot disagree.
//
// There is no specification of the format. The numbering is the one of Ronald
// de Man's generator (syzygy1/tb) as the probing code of Stockfish and Fathom
// reads it; docs/tablebases.md describes it in words.
package layout

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// MaxPieces is the largest number of pieces, kings included, of a table.
const MaxPieces = 7

// Material counts the pieces of both sides but for the kings: four bits for
// each kind, White's pawns lowest, then knights, bishops, rooks and queens,
// and Black's from bit 20.
type Material uint64

const (
	bitsOfKind = 4
	bitsOfSide = 20
	sideMask   = 1<<bitsOfSide - 1
)

// letters are the pieces in the order of names of tables.
const letters = "QRBNP"

// Unit returns the material of a single piece, nothing for a king.
func Unit(c chess.Color, t chess.PieceType) Material {
	if t >= chess.King {
		return 0
	}
	return 1 << (bitsOfSide*int(c) + bitsOfKind*int(t))
}

// MaterialOf returns what stands on the board.
func MaterialOf(p *chess.Position) (m Material) {
	for c := chess.White; c <= chess.Black; c++ {
		for t := chess.Pawn; t < chess.King; t++ {
			m += Material(p.Pieces(c, t).Count()) * Unit(c, t)
		}
	}
	return m
}

// Count returns the number of pieces of kind t that colour c has; one king.
func (m Material) Count(c chess.Color, t chess.PieceType) int {
	if t == chess.King {
		return 1
	}
	return int(m >> (bitsOfSide*int(c) + bitsOfKind*int(t)) & (1<<bitsOfKind - 1))
}

// Swap returns the material with the colours exchanged.
func (m Material) Swap() Material { return m>>bitsOfSide | m&sideMask<<bitsOfSide }

// Pieces returns the number of pieces, kings included.
func (m Material) Pieces() int {
	n := 2
	for ; m != 0; m >>= bitsOfKind {
		n += int(m & (1<<bitsOfKind - 1))
	}
	return n
}

// Pawns returns the number of pawns of both sides.
func (m Material) Pawns() int {
	return m.Count(chess.White, chess.Pawn) + m.Count(chess.Black, chess.Pawn)
}

// String returns the name of the ending, such as "KQPvKR", White first.
func (m Material) String() string {
	var b strings.Builder
	for c := chess.White; c <= chess.Black; c++ {
		if c == chess.Black {
			b.WriteByte('v')
		}
		b.WriteByte('K')
		for t := chess.Queen; t < chess.King; t-- {
			for range m.Count(c, t) {
				b.WriteByte(letters[chess.Queen-t])
			}
		}
	}
	return b.String()
}

// Canonical returns the material in the way tables are named, and whether the
// colours had to be exchanged: the side with more pieces comes first, between
// equals the one whose best pieces are better.
func (m Material) Canonical() (canonical Material, swapped bool) {
	white, black := m&sideMask, m>>bitsOfSide
	men := func(side Material) int { return side.Pieces() }
	if men(white) > men(black) || men(white) == men(black) && white >= black {
		return m, false
	}
	return m.Swap(), true
}

// ParseMaterial reads the name of an ending. Errors say what is wrong with it.
func ParseMaterial(name string) (Material, error) {
	white, black, ok := strings.Cut(name, "v")
	if !ok {
		return 0, fmt.Errorf("ending %q: want a name such as KQvKR", name)
	}
	m, men := Material(0), 0
	for c, side := range [2]string{white, black} {
		if !strings.HasPrefix(side, "K") {
			return 0, fmt.Errorf("ending %q: each side begins with its king", name)
		}
		men += len(side)
		if men > MaxPieces {
			return 0, fmt.Errorf("ending %q: more than %d pieces", name, MaxPieces)
		}
		for _, l := range []byte(side[1:]) {
			i := strings.IndexByte(letters, l)
			if i < 0 {
				return 0, fmt.Errorf("ending %q: no piece is called %q", name, l)
			}
			m += Unit(chess.Color(c), chess.Queen-chess.PieceType(i))
		}
	}
	return m, nil
}

// Endings returns the canonical endings of exactly so many pieces, kings included,
// in the order of their names' pieces.
func Endings(men int) []Material {
	var all []Material
	seen := map[Material]bool{}
	var add func(m Material, left int, from int)
	add = func(m Material, left, from int) {
		if left == 0 {
			if c, _ := m.Canonical(); !seen[c] {
				seen[c] = true
				all = append(all, c)
			}
			return
		}
		for i := from; i < 10; i++ {
			add(m+Unit(chess.Color(i/5), chess.Queen-chess.PieceType(i%5)), left-1, i)
		}
	}
	add(0, men-2, 0)
	return all
}
