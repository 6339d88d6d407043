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

// WDL returns the contents of the .rtbw file of an ending that s has solved.
func (s *Solver) WDL(e *Ending) []byte {
	t := newTable(e)
	sides := 2
	if t.symmetric {
		sides = 1
	}
	values, board := t.arrays(sides), new(chess.Position)
	t.fill(values, sides, func(p *placement, v Value) uint16 {
		// The reader looks at captures by itself.
		if s.bestCapture(p, board) == v.WDL() {
			return uint16(v.WDL()+2) + atMost
		}
		return uint16(v.WDL() + 2)
	})
	var parts []*tablePart
	for file := range t.files {
		for side := range sides {
			parts = append(parts, newPart(values[side][file], 0, blockBitsWDL, true))
		}
	}
	return t.assemble(layout.MagicWDL, parts)
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
		if data := t.dtz(s, side, t.accuracy(e, side)); best == nil || len(data) < len(best) {
			best = data
		}
	}
	return best
}

// dtz returns the file for one side to move. The flags say what is counted in plies.
func (t *tableHead) dtz(s *Solver, side chess.Color, flags byte) []byte {
	if side == chess.Black {
		flags |= layout.FlagBlack
	}
	values, board := t.arrays(1), new(chess.Position)
	t.fill(values, 1, func(p *placement, v Value) uint16 {
		// The reader finds draws by their outcome and winning captures itself.
		if p.turn != side || v == 0 || (v == 1 || v == rule50+1) && s.bestCapture(p, board) == v.WDL() {
			return free
		}
		return distance(v, flags)
	})
	var parts []*tablePart
	for file := range t.files {
		parts = append(parts, newPart(values[0][file], flags, blockBitsDTZ, false))
	}
	return t.assemble(layout.MagicDTZ, parts)
}

// distance returns the number that a DTZ table holds for a value: plies or
// moves beyond the first, counted from 101 where the fifty-move rule makes a
// draw of it.
func distance(v Value, flags byte) uint16 {
	plies, accurate := max(v.DTZ(), -v.DTZ())-1, flags&layout.FlagWinPlies != 0
	if v < 0 {
		accurate = flags&layout.FlagLossPlies != 0
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
func (t *tableHead) accuracy(e *Ending, side chess.Color) byte {
	flags := byte(0)
	e.each(func(p *placement, v Value) bool {
		switch {
		case p.turn != side:
		case v.DTZ() == rule50:
			flags |= layout.FlagWinPlies
		case v.DTZ() == -rule50:
			flags |= layout.FlagLossPlies
		}
		return flags != layout.FlagWinPlies|layout.FlagLossPlies
	})
	return flags
}

// tableHead is what the files of an ending have in common.
type tableHead struct {
	ending    *Ending
	material  layout.Material
	symmetric bool
	files     int // parts by file of the leading pawn
	order     [2]int
	layouts   [4]*layout.Layout
}

// newTable returns the table of an ending, whose pieces are in its order.
func newTable(e *Ending) *tableHead {
	m := e.material
	t := &tableHead{ending: e, material: m, symmetric: m == m.Swap(), files: m.Files(), order: [2]int{0, 15}}
	if m.Orders() > 1 {
		t.order[1] = 1
	}
	for file := range t.files {
		l, err := layout.New(m, e.codes, t.order, file)
		if err != nil {
			panic(err) // the order is one of those that there are
		}
		t.layouts[file] = l
	}
	return t
}

// arrays returns room for the values of one or two sides to move, by side and
// file, all of them free.
func (t *tableHead) arrays(sides int) [][][]uint16 {
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
func (t *tableHead) fill(values [][][]uint16, sides int, of func(*placement, Value) uint16) {
	t.ending.each(func(p *placement, v Value) bool {
		if t.symmetric && p.turn == chess.Black {
			return true // the same as with White to move and the colours exchanged
		}
		value := of(p, v)
		if value == free {
			return true
		}
		var s [layout.MaxPieces]uint8
		for i, square := range p.square {
			s[i] = uint8(square)
		}
		side, file := 0, 0
		if sides == 2 {
			side = int(p.turn)
		}
		if n := t.layouts[0].Pawns[0]; n > 0 {
			file = layout.Lead(&s, n)
		}
		values[side][file][t.layouts[file].Index(&s)] = value
		return true
	})
}

// assemble returns the file: magic, header, orders, heads, indices, sizes of
// blocks, blocks, checksum.
func (t *tableHead) assemble(magic string, parts []*tablePart) []byte {
	data := append([]byte(magic), byte(t.material.Pieces()<<4))
	if !t.symmetric {
		data[4] |= layout.HeaderSplit
	}
	if t.material.Pawns() > 0 {
		data[4] |= layout.HeaderPawns
	}
	both := func(b byte) byte {
		if magic == layout.MagicWDL { // outcomes have an order for each side to move
			return b | b<<4
		}
		return b
	}
	for range t.files {
		for i := range t.material.Orders() {
			data = append(data, both(byte(t.order[i])))
		}
		for _, p := range t.ending.codes {
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
