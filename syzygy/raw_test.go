package syzygy

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// raw is an ending whose files hold random values, one byte each and not
// compressed. Probing must combine such values by the rules of chess and of the
// format as any others, so that a slow reference, written from
// docs/tablebases.md with the moves of package chess, can check it.
type raw struct {
	name   string
	m      layout.Material
	layout [2][2][4]*layout.Layout // by kind, side to move and file
	values [2][2][4][]byte
	maps   [4][]byte // of every DTZ part, indexed by outcome as the format orders them
	flags  byte      // of every DTZ part
}

// newRaw fills the tables of an ending with random values. flags are those of a
// DTZ part.
func newRaw(t *testing.T, name string, flags byte, r *rand.Rand) *raw {
	t.Helper()
	m, err := layout.ParseMaterial(name)
	testkit.Succeed(t, err)
	w := &raw{name: name, m: m, flags: flags}
	var pieces []layout.Code
	lead, pawns := m.LeadingPawns()
	for i, c := range [2]chess.Color{lead, lead.Other()} {
		for range pawns[i] {
			pieces = append(pieces, layout.MakeCode(c, chess.Pawn))
		}
	}
	for p := chess.King; p > chess.Pawn; p-- {
		for c := chess.White; c <= chess.Black; c++ {
			for range m.Count(c, p) {
				pieces = append(pieces, layout.MakeCode(c, p))
			}
		}
	}
	for kind := range w.layout {
		for side := range w.sides(kind) {
			for file := range m.Files() {
				if side == 1 && !m.HasPawns() { // the sides may order their pieces differently
					pieces = append([]layout.Code{pieces[1], pieces[0]}, pieces[2:]...)
				}
				l, err := layout.New(m, pieces, w.order(side), file)
				testkit.Succeed(t, err)
				w.layout[kind][side][file] = l
				w.values[kind][side][file] = make([]byte, l.Size)
				pattern := make([]byte, 65521) // a prime: no step of the numbering repeats it
				for i := range pattern {
					pattern[i] = byte(r.IntN([2]int{5, 50}[kind]))
				}
				for values := w.values[kind][side][file]; len(values) > 0; {
					values = values[copy(values, pattern):]
				}
			}
		}
	}
	for i := range w.maps {
		for v := range 50 {
			w.maps[i] = append(w.maps[i], byte(v*3+i))
		}
	}
	return w
}

// sides returns the number of sides to move that a file holds.
func (w *raw) sides(kind int) int {
	if kind == kindDTZ || w.m == w.m.Swap() {
		return 1
	}
	return 2
}

// order returns the places of the groups: for one side the leading group comes
// first, for the other second.
func (w *raw) order(side int) [2]int {
	if _, pawns := w.m.LeadingPawns(); pawns[1] > 0 {
		return [2]int{side, 1 - side}
	}
	return [2]int{side & min(1, w.m.Men()-3), 15}
}

// file returns the contents of a file. Blocks hold 2^15 codes of eight bits.
func (w *raw) file(kind int) []byte {
	data := append([]byte([2]string{magicWDL, magicDTZ}[kind]), byte(w.m.Men()<<4))
	if w.m != w.m.Swap() {
		data[4] |= headerSplit
	}
	if w.m.HasPawns() {
		data[4] |= headerPawns
	}
	align := func(n int) {
		for len(data)%n != 0 {
			data = append(data, 0)
		}
	}
	sides := w.sides(kind)
	for file := range w.m.Files() {
		for i := range w.m.Orders() {
			b := byte(w.order(0)[i])
			if sides == 2 {
				b |= byte(w.order(1)[i]) << 4
			}
			data = append(data, b)
		}
		for i := range w.m.Men() {
			b := byte(w.layout[kind][0][file].Pieces[i])
			if sides == 2 {
				b |= byte(w.layout[kind][1][file].Pieces[i]) << 4
			}
			data = append(data, b)
		}
	}
	align(2)
	var sparse, sizes, blocks []byte
	for file := range w.m.Files() {
		for side := range sides {
			values := w.values[kind][side][file]
			count := (len(values) + 1<<15 - 1) >> 15
			flags := byte(0)
			if kind == kindDTZ {
				flags = w.flags
			}
			data = append(data, flags, 15, 15, 0)
			data = binary.LittleEndian.AppendUint32(data, uint32(count))
			data = append(data, 8, 8, 0, 0, 0, 1) // codes of 8 bits; 256 symbols, each a value
			for v := range 256 {
				data = append(data, byte(v), 0xf0, 0xff)
			}
			for i := range count {
				sparse = binary.LittleEndian.AppendUint32(sparse, uint32(i))
				sparse = binary.LittleEndian.AppendUint16(sparse, 1<<14)
				sizes = binary.LittleEndian.AppendUint16(sizes, 1<<15-1)
			}
			blocks = append(append(blocks, values...), make([]byte, count<<15-len(values))...)
		}
	}
	for range w.m.Files() {
		if kind == kindWDL || w.flags&flagMapped == 0 {
			break
		}
		if w.flags&flagWide != 0 {
			align(2)
		}
		for _, m := range w.maps {
			if data = append(data, byte(len(m))); w.flags&flagWide == 0 {
				data = append(data, m...)
				continue
			}
			data = append(data, 0)
			for _, v := range m {
				data = binary.LittleEndian.AppendUint16(data, uint16(v)+256)
			}
		}
	}
	align(2)
	data = append(append(data, sparse...), sizes...)
	align(64)
	data = append(data, blocks...)
	for _, sum := range Checksum(data) {
		data = binary.LittleEndian.AppendUint64(data, sum)
	}
	return data
}
