package retro

import (
	"encoding/binary"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// Sizes of blocks, as binary logarithms of bytes: outcomes in small ones that
// are quick to read, distances, which are read less often, in larger ones.
const (
	blockBitsWDL = 6
	blockBitsDTZ = 10
)

// Flags of a DTZ part.
const (
	flagBlack     = 1
	flagWinPlies  = 4
	flagLossPlies = 8
)

// WDL returns the contents of the .rtbw file of an ending that s has solved.
func (s *Solver) WDL(e *Ending) []byte {
	t := newTable(e)
	sides := 2
	if t.symmetric {
		sides = 1
	}
	values := t.arrays(sides)
	t.fill(values, sides, func(codes []layout.Code, squares []chess.Square, turn chess.Color, v Value) uint16 {
		// The reader looks at captures by itself.
		if s.BestCapture(codes, squares, turn) == v.WDL() {
			return uint16(v.WDL()+2) + atMost
		}
		return uint16(v.WDL() + 2)
	})
	var parts []*part
	for file := range t.files {
		for side := range sides {
			parts = append(parts, newPart(values[side][file], 0, blockBitsWDL, true))
		}
	}
	return t.assemble("\x71\xe8\x23\x5d", sides, parts)
}

// DTZ returns the contents of the .rtbz file of an ending: of the side to move
// for which it is smaller.
func (s *Solver) DTZ(e *Ending) []byte {
	var best []byte
	for side := chess.White; side <= chess.Black; side++ {
		t := newTable(e)
		if t.symmetric && side == chess.Black {
			break
		}
		if data := t.dtz(s, e, side); best == nil || len(data) < len(best) {
			best = data
		}
	}
	return best
}

// dtz returns the file for one side to move.
func (t *table) dtz(s *Solver, e *Ending, side chess.Color) []byte {
	flags := t.accuracy(e, side)
	if side == chess.Black {
		flags |= flagBlack
	}
	values := t.arrays(1)
	t.fill(values, 1, func(codes []layout.Code, squares []chess.Square, turn chess.Color, v Value) uint16 {
		// The reader finds draws by their outcome and winning captures itself.
		if turn != side || v == 0 || (v == 1 || v == rule50+1) && s.BestCapture(codes, squares, turn) == v.WDL() {
			return free
		}
		return distance(v, flags)
	})
	var parts []*part
	for file := range t.files {
		parts = append(parts, newPart(values[0][file], flags, blockBitsDTZ, false))
	}
	return t.assemble("\xd7\x66\x0c\xa5", 1, parts)
}

// distance returns the number that a DTZ table holds for a value: plies or
// moves beyond the first, counted from 101 where the fifty-move rule makes a
// draw of it.
func distance(v Value, flags byte) uint16 {
	plies, accurate := max(v.DTZ(), -v.DTZ())-1, flags&flagWinPlies != 0
	if v < 0 {
		accurate = flags&flagLossPlies != 0
	}
	switch {
	case plies >= rule50:
		return uint16((plies - rule50) / 2)
	case accurate:
		return uint16(plies)
	}
	return uint16(plies / 2)
}

// accuracy returns the flags of wins and losses that reach the border of the
// fifty-move rule and so must be counted in plies.
func (t *table) accuracy(e *Ending, side chess.Color) byte {
	flags := byte(0)
	e.Each(func(_ []layout.Code, _ []chess.Square, turn chess.Color, v Value) bool {
		switch {
		case turn != side:
		case v.DTZ() == rule50:
			flags |= flagWinPlies
		case v.DTZ() == -rule50:
			flags |= flagLossPlies
		}
		return flags != flagWinPlies|flagLossPlies
	})
	return flags
}

// table is what the files of an ending have in common.
type table struct {
	ending    *Ending
	material  layout.Material
	symmetric bool
	files     int // parts by file of the leading pawn
	pieces    []layout.Code
	order     [2]int
	layouts   [4]*layout.Layout
}

// newTable chooses the order of the pieces: pawns that lead, other pawns,
// kings, single pieces before others.
func newTable(e *Ending) *table {
	m := e.material
	t := &table{ending: e, material: m, symmetric: m == m.Swap(), files: m.Files(), order: [2]int{0, 15}}
	add := func(c chess.Color, p chess.PieceType) {
		for range m.Count(c, p) {
			t.pieces = append(t.pieces, layout.MakeCode(c, p))
		}
	}
	lead, pawns := m.LeadingPawns()
	add(lead, chess.Pawn)
	if pawns[1] > 0 {
		add(lead.Other(), chess.Pawn)
		t.order[1] = 1
	}
	add(chess.White, chess.King)
	add(chess.Black, chess.King)
	for _, single := range [2]bool{true, false} {
		for p := chess.Queen; p > chess.Pawn; p-- {
			for c := chess.White; c <= chess.Black; c++ {
				if (m.Count(c, p) == 1) == single {
					add(c, p)
				}
			}
		}
	}
	for file := range t.files {
		l, err := layout.New(m, t.pieces, t.order, file)
		if err != nil {
			panic(err) // the order above is one of those that there are
		}
		t.layouts[file] = l
	}
	return t
}

// arrays returns room for the values of one or two sides to move, by side and
// file, all of them free.
func (t *table) arrays(sides int) [][][]uint16 {
	all := make([][][]uint16, sides)
	for side := range all {
		for file := range t.files {
			all[side] = append(all[side], slices.Repeat([]uint16{free}, int(t.layouts[file].Size)))
		}
	}
	return all
}

// fill puts what of returns for each position where it belongs. With one side
// only positions for which of does not return free count.
func (t *table) fill(values [][][]uint16, sides int,
	of func([]layout.Code, []chess.Square, chess.Color, Value) uint16) {
	var from []int // place in the ending's order of each piece in ours
	t.ending.Each(func(codes []layout.Code, squares []chess.Square, turn chess.Color, v Value) bool {
		if from == nil {
			from = places(t.pieces, codes)
		}
		if t.symmetric && turn == chess.Black {
			return true // the same as with White to move and the colours exchanged
		}
		value := of(codes, squares, turn, v)
		if value == free {
			return true
		}
		var s [layout.MaxMen]uint8
		for i, j := range from {
			s[i] = uint8(squares[j])
		}
		side, file := 0, 0
		if sides == 2 {
			side = int(turn)
		}
		if n := t.layouts[0].Pawns[0]; n > 0 {
			file = layout.Lead(&s, n)
		}
		values[side][file][t.layouts[file].Index(&s)] = value
		return true
	})
}

// places returns where each of the pieces stands among codes.
func places(pieces, codes []layout.Code) []int {
	var from []int
	for _, p := range pieces {
		for j, c := range codes {
			if c == p && !slices.Contains(from, j) {
				from = append(from, j)
				break
			}
		}
	}
	return from
}

// assemble returns the file: magic, header, orders, heads, indices, sizes of
// blocks, blocks, checksum.
func (t *table) assemble(magic string, sides int, parts []*part) []byte {
	data := append([]byte(magic), byte(t.material.Men()<<4))
	if !t.symmetric {
		data[4] |= 1
	}
	if t.material.HasPawns() {
		data[4] |= 2
	}
	both := func(b byte) byte {
		if magic[0] == 0x71 { // outcomes have an order for each side to move
			return b | b<<4
		}
		return b
	}
	for range t.files {
		for i := range t.material.Orders() {
			data = append(data, both(byte(t.order[i])))
		}
		for _, p := range t.pieces {
			data = append(data, both(byte(p)))
		}
	}
	align := func(n int) {
		for len(data)%n != 0 {
			data = append(data, 0)
		}
	}
	align(2)
	for _, p := range parts {
		if p.single {
			data = append(data, p.flags, p.value)
		} else {
			data = append(data, p.head...)
		}
	}
	for _, p := range parts {
		data = append(data, p.sparse...)
	}
	for _, p := range parts {
		data = append(data, p.sizes...)
	}
	for _, p := range parts {
		align(64)
		data = append(data, p.blocks...)
	}
	align(64)
	for _, sum := range syzygy.Checksum(data) {
		data = binary.LittleEndian.AppendUint64(data, sum)
	}
	return data
}
