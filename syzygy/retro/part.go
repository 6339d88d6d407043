package retro

import (
	"encoding/binary"
	"math/bits"

	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// tablePart is a part of a table, ready to be written.
type tablePart struct {
	flags  byte
	single bool
	value  byte // the only one
	head   []byte
	sparse []byte
	sizes  []byte
	blocks []byte
}

// newPart compresses values, which may hold free where any value will do, into
// blocks of 1<<blockBits bytes. A part of a DTZ table has a value of its own
// only where that is zero.
func newPart(values []uint16, flags byte, blockBits int, wdl bool) *tablePart {
	settle(values)
	p := &tablePart{flags: flags, single: true}
	for _, v := range values {
		p.single = p.single && v == values[0]
	}
	if p.single = p.single && (wdl || values[0] == 0); p.single {
		p.flags |= layout.FlagSingle
		p.value = byte(values[0])
		return p
	}
	symbols, text := pairUp(values)
	weights := make([]uint64, len(symbols))
	for _, s := range text {
		weights[s]++
	}
	c := newCode(weights)
	starts := p.writeBlocks(symbols, text, c, blockBits)
	span := p.writeSparse(starts, len(values))
	p.head = []byte{p.flags, byte(blockBits), byte(span), 0}
	p.head = binary.LittleEndian.AppendUint32(p.head, uint32(len(starts)-1))
	p.head = append(p.head, byte(c.longest), byte(c.shortest))
	for n := c.shortest; n <= c.longest; n++ {
		p.head = binary.LittleEndian.AppendUint16(p.head, uint16(c.first[n]))
	}
	p.head = binary.LittleEndian.AppendUint16(p.head, uint16(len(symbols)))
	for _, i := range c.order {
		left, right := symbols[i].left, uint16(layout.Leaf)
		if symbols[i].right != layout.Leaf {
			left, right = c.number[left], c.number[symbols[i].right]
		}
		p.head = append(p.head, byte(left), byte(left>>8)|byte(right<<4), byte(right>>4))
	}
	if len(symbols)&1 != 0 {
		p.head = append(p.head, 0)
	}
	return p
}

// free marks values that nobody reads; atMost is added to a value that may be
// any not above it.
const (
	free   = 0xffff
	atMost = 0x1000
)

// settle gives free values those of their neighbours.
func settle(values []uint16) {
	last := uint16(free)
	for i, v := range values {
		switch {
		case v == free:
			values[i] = last
		case v >= atMost && last <= v-atMost: // free is above every bound
			values[i] = last
		case v >= atMost:
			values[i] = v - atMost
		}
		last = values[i]
	}
	for i := len(values) - 1; i >= 0; i-- { // those before the first one known
		if values[i] != free {
			last = values[i]
			continue
		}
		if last == free {
			last = 0 // there is none at all
		}
		values[i] = last
	}
}

// writeBlocks writes the text into blocks and returns the number of the first
// value of each, and at the end the number of values. A block holds whole
// codes and at most 32,768 values, so that every place in it
// and half a span fit into 16 bits.
func (p *tablePart) writeBlocks(symbols []symbol, text []uint16, c *code, blockBits int) []int {
	size := 8 << blockBits
	starts, at := []int{0}, 0
	block := make([]byte, 0, size/8)
	used := 0
	flush := func() {
		block = append(block, make([]byte, size/8-len(block))...)
		p.blocks = append(p.blocks, block...)
		p.sizes = binary.LittleEndian.AppendUint16(p.sizes, uint16(at-starts[len(starts)-1]-1))
		starts = append(starts, at)
		block, used = block[:0], 0
	}
	for _, s := range text {
		value, n := c.bits(s)
		if used+n > size || at-starts[len(starts)-1]+symbols[s].run > 1<<15 {
			flush()
		}
		for i := n - 1; i >= 0; i-- {
			if used&7 == 0 {
				block = append(block, 0)
			}
			block[used>>3] |= byte(value>>i&1) << (7 - used&7)
			used++
		}
		at += symbols[s].run
	}
	flush()
	return starts
}

// writeSparse writes the block and the place in it of the middle of each span
// of values, and returns the binary logarithm of the span: about the values of
// a block.
func (p *tablePart) writeSparse(starts []int, values int) int {
	span := min(15, max(4, bits.Len(uint(values/(len(starts)-1)))))
	block := 0
	for first := 0; first < values; first += 1 << span {
		// Behind the end the last block goes on.
		middle := first + 1<<(span-1)
		for block+2 < len(starts) && starts[block+1] <= middle {
			block++
		}
		p.sparse = binary.LittleEndian.AppendUint32(p.sparse, uint32(block))
		p.sparse = binary.LittleEndian.AppendUint16(p.sparse, uint16(middle-starts[block]))
	}
	return span
}
