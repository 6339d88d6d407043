package syzygy

import (
	"encoding/binary"
	"fmt"

	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// pairs is one compressed run of values: a part of a table. The values are cut
// into blocks; a block is a row of canonical Huffman codes; a code stands for a
// symbol; a symbol is a value or two symbols in a row. Sources: Larsson and
// Moffat, "Offline Dictionary-Based Compression" (recursive pairing); CPW
// "Syzygy Bases".
type pairs struct {
	file   *file
	single bool // every position has the same value
	value  uint16

	blockBits uint // of the size of a block in bytes
	spanBits  uint // of the number of values that share an entry of the sparse index
	minLength int  // of a code, in bits
	first     [layout.MaxCode + 1]uint16
	base      [layout.MaxCode + 1]uint64 // the lowest code of the length, at the upper end
	symbols   []symbol

	sparse, sizes, blocks extent
}

// symbol is a value or a pair.
type symbol struct {
	left, right uint16 // right is layout.Leaf for a value, left then holds it
	length      uint16 // values that it stands for, less one
}

// extent is a range of the bytes of a file.
type extent struct{ offset, size int64 }

// of returns the bytes; they lie inside the file since it was read.
func (e extent) of(f *file) []byte { return f.data[e.offset : e.offset+e.size] }

// at returns value number index. Errors: a *FileError where the blocks do not
// hold what the index says.
func (d *pairs) at(index uint64) (uint16, error) {
	if d.single {
		return d.value, nil
	}
	block, skip, err := d.locate(index)
	if err != nil {
		return 0, err
	}
	data := d.blocks.of(d.file)
	start := int64(block) << d.blockBits
	data = data[start:min(int64(len(data)), start+1<<d.blockBits)]

	code := word(data, 0)
	bit := 0
	for {
		length := d.minLength
		for code < d.base[length] {
			length++
		}
		number := int(d.first[length]) + int((code-d.base[length])>>(64-length))
		if number >= len(d.symbols) || bit>>3 >= len(data) {
			return 0, d.file.bad(d.blocks.offset+start+int64(bit>>3), "a code stands for no symbol")
		}
		s := &d.symbols[number]
		if skip <= int(s.length) {
			return d.value1(s, skip), nil
		}
		skip -= int(s.length) + 1
		bit += length
		code = word(data, bit>>3) << (bit & 7) // leaves 57 bits, more than the longest code
	}
}

// value1 descends into a symbol to its value number skip.
func (d *pairs) value1(s *symbol, skip int) uint16 {
	for s.right != layout.Leaf {
		left := &d.symbols[s.left]
		if skip <= int(left.length) {
			s = left
			continue
		}
		skip -= int(left.length) + 1
		s = &d.symbols[s.right]
	}
	return s.left
}

// word returns eight bytes from at, the first on top; beyond the end are
// zeros.
func word(data []byte, at int) uint64 {
	if at+8 <= len(data) {
		return binary.BigEndian.Uint64(data[at:])
	}
	w := uint64(0)
	for i := range 8 {
		w <<= 8
		if at+i < len(data) {
			w |= uint64(data[at+i])
		}
	}
	return w
}

// locate returns the block that holds value number index and how many values
// of it come before. The sparse index names a block for the middle of every
// span; from there the sizes of the blocks lead on.
func (d *pairs) locate(index uint64) (block, skip int, err error) {
	span := int64(index >> d.spanBits)
	if 6*span+6 > d.sparse.size {
		return 0, 0, d.file.bad(d.sparse.offset+6*span, "the index ends before the position")
	}
	entry := d.sparse.of(d.file)[6*span:]
	sizes := d.sizes.of(d.file)
	count := len(sizes) / 2
	block = int(binary.LittleEndian.Uint32(entry))
	skip = int(index&(1<<d.spanBits-1)) - 1<<(d.spanBits-1) + int(binary.LittleEndian.Uint16(entry[4:]))
	for skip < 0 && block > 0 && block <= count {
		block--
		skip += int(binary.LittleEndian.Uint16(sizes[2*block:])) + 1
	}
	for block >= 0 && block < count {
		size := int(binary.LittleEndian.Uint16(sizes[2*block:])) + 1
		if skip < size {
			break
		}
		skip -= size
		block++
	}
	if skip < 0 || block < 0 || block >= int(d.blocks.size>>d.blockBits) {
		return 0, 0, d.file.bad(d.sparse.offset+6*span, "the index names a block that is not there")
	}
	return block, skip, nil
}

// readPairs reads the head of a part at the cursor. size is the number of values. The head is, in bytes:
//
//	0     flags; with FlagSingle there is only byte 1, the value, which DTZ tables leave unused
//	1, 2  log2 of the bytes of a block and of the values of a span
//	3     sizes of blocks that follow those of the blocks, to be skipped
//	4     number of blocks, in four bytes
//	8, 9  bits of the longest and of the shortest code, then what readCodes and readSymbols read
func (c *cursor) readPairs(size uint64, wdl bool) (d *pairs, flags byte, err error) {
	start := c.at
	flags = c.byte()
	d = &pairs{file: c.file}
	if flags&layout.FlagSingle != 0 {
		d.single = true
		if wdl {
			d.value = uint16(c.byte())
			if d.value > 4 {
				return nil, 0, c.file.bad(c.at-1, fmt.Sprintf("the only value is %d, want 0 to 4", d.value))
			}
		} else {
			c.byte() // unused
		}
		return d, flags, c.err
	}
	d.blockBits, d.spanBits = uint(c.byte()), uint(c.byte())
	padding := int64(c.byte())
	blocks := int64(c.uint32())
	longest, shortest := int(c.byte()), int(c.byte())
	switch {
	case c.err != nil:
		return nil, 0, c.err
	case d.blockBits > 30 || d.spanBits < 1 || d.spanBits > 30:
		return nil, 0, c.file.bad(start+1, fmt.Sprintf("blocks of 2^%d bytes, spans of 2^%d values", d.blockBits, d.spanBits))
	case shortest < 1 || longest < shortest || longest > layout.MaxCode:
		return nil, 0, c.file.bad(start+8, fmt.Sprintf("codes of %d to %d bits", shortest, longest))
	case blocks<<d.blockBits > int64(len(c.file.data)):
		return nil, 0, c.file.bad(start+4, fmt.Sprintf("%d blocks of 2^%d bytes are more than the file", blocks, d.blockBits))
	}
	d.minLength = shortest
	if err := c.readCodes(d, longest); err != nil {
		return nil, 0, err
	}
	if err := c.readSymbols(d); err != nil {
		return nil, 0, err
	}
	spans := int64((size-1)>>d.spanBits) + 1 // with the last one that begins
	d.sparse.size, d.sizes.size, d.blocks.size = 6*spans, 2*(blocks+padding), blocks<<d.blockBits
	return d, flags, c.err
}

// readCodes reads the first symbol of each code length. Longer codes are lower
// as numbers, and so are the numbers of their symbols.
func (c *cursor) readCodes(d *pairs, longest int) error {
	start := c.at
	for n := d.minLength; n <= longest; n++ {
		d.first[n] = c.uint16()
	}
	if c.err != nil {
		return c.err
	}
	low := uint64(0)
	for n := longest - 1; n >= d.minLength; n-- {
		more := int64(d.first[n]) - int64(d.first[n+1])
		sum := int64(low) + more
		if more < 0 || sum&1 != 0 || sum>>1 >= 1<<n {
			return c.file.bad(start, "the lengths of the codes do not fit together")
		}
		low = uint64(sum >> 1)
		d.base[n] = low << (64 - n)
	}
	return nil
}

// readSymbols reads the pairs and computes how many values each stands for.
func (c *cursor) readSymbols(d *pairs) error {
	start := c.at
	n := int(c.uint16())
	at := c.at
	raw := c.bytes(3 * n)
	if n&1 != 0 {
		c.byte()
	}
	switch {
	case c.err != nil:
		return c.err
	case n == 0 || n > layout.Leaf+1:
		return c.file.bad(start, fmt.Sprintf("%d symbols, want 1 to %d", n, layout.Leaf+1))
	}
	d.symbols = make([]symbol, n)
	for i := range d.symbols {
		b := raw[3*i:]
		d.symbols[i] = symbol{left: uint16(b[0]) | uint16(b[1]&15)<<8, right: uint16(b[1])>>4 | uint16(b[2])<<4}
	}
	state := make([]byte, n)
	for i := range d.symbols {
		if !d.measure(i, state) {
			return c.file.bad(at+3*int64(i), "a symbol holds itself, one that does not exist, or too many values")
		}
	}
	return nil
}

// The states of a symbol while lengths are computed.
const (
	unseen = iota
	open
	known
)

// measure computes the length of symbol i and of what it is made of, and
// reports whether that ends.
func (d *pairs) measure(i int, state []byte) bool {
	if i >= len(d.symbols) || state[i] == open {
		return false
	}
	s := &d.symbols[i]
	if state[i] == known {
		return true
	}
	if s.right != layout.Leaf {
		state[i] = open
		if !d.measure(int(s.left), state) || !d.measure(int(s.right), state) {
			return false
		}
		n := int(d.symbols[s.left].length) + int(d.symbols[s.right].length) + 1
		if n > 255 {
			return false
		}
		s.length = uint16(n)
	}
	state[i] = known
	return true
}
