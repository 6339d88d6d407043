package syzygy

import (
	"encoding/binary"
	"fmt"
	"math"
	"runtime/debug"
	"unsafe"

	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// file is what was read of the head of a table's file.
type file struct {
	table *tableFile // nil for a file on its own
	path  string
	data  []byte
	parts [2][4]part // by side to move as in the name, and file of the leading pawn
}

// part is one numbering of positions with its values.
type part struct {
	*layout.Layout
	values *pairs
	flags  byte
	maps   [4]extent // of a DTZ part: by outcome, see mapOf
}

// guard makes a fault in the data an error, after which the table is not used: a mapped file that
// is cut short, as it is for a moment where another is copied over it, has no memory behind the
// cut. Defer it with what debug.SetPanicOnFault(true) returned.
func (f *file) guard(before bool, err *error) {
	debug.SetPanicOnFault(before)
	r := recover()
	if r == nil {
		return
	}
	fault, ok := r.(interface{ Addr() uintptr })
	if !ok || fault.Addr()-uintptr(unsafe.Pointer(unsafe.SliceData(f.data))) >= uintptr(len(f.data)) {
		panic(r)
	}
	at := fault.Addr() - uintptr(unsafe.Pointer(unsafe.SliceData(f.data)))
	*err = f.bad(int64(at), "the file was cut short while it was in use")
	if f.table != nil {
		f.table.ready.Store(&opened{err: *err})
	}
}

// bad returns an error about the file.
func (f *file) bad(offset int64, reason string) error {
	return &FileError{Path: f.path, Offset: offset, Reason: reason}
}

// cursor reads a file from front to back. The first read beyond the end sets
// err, and all further ones return zero.
type cursor struct {
	file *file
	at   int64
	err  error
}

func (c *cursor) bytes(n int) []byte {
	if c.err == nil && int64(n) > int64(len(c.file.data))-c.at {
		c.err = c.file.bad(int64(len(c.file.data)), "the file ends too early")
	}
	if c.err != nil {
		return make([]byte, min(n, 8)) // callers ask for no more before they look at err
	}
	b := c.file.data[c.at : c.at+int64(n)]
	c.at += int64(n)
	return b
}

func (c *cursor) byte() byte     { return c.bytes(1)[0] }
func (c *cursor) uint16() uint16 { return binary.LittleEndian.Uint16(c.bytes(2)) }
func (c *cursor) uint32() uint32 { return binary.LittleEndian.Uint32(c.bytes(4)) }

// align skips to a multiple of n.
func (c *cursor) align(n int64) { c.at = (c.at + n - 1) / n * n }

// take sets where an extent of known size lies and skips it.
func (c *cursor) take(e *extent) {
	e.offset = c.at
	if c.err == nil && e.size > int64(len(c.file.data))-c.at {
		c.err = c.file.bad(int64(len(c.file.data)), "the file ends too early")
	}
	c.at += e.size
}

// parse reads the head of a file of the ending m. Every range that a probe may
// later read lies inside the file then. Errors: *FileError.
func parse(path string, data []byte, m layout.Material, wdl bool) (f *file, err error) {
	f = &file{path: path, data: data}
	defer f.guard(debug.SetPanicOnFault(true), &err)
	c := &cursor{file: f}
	magic := layout.MagicDTZ
	if wdl {
		magic = layout.MagicWDL
	}
	if len(data)&63 != 16 {
		return nil, f.bad(int64(len(data)), "the file ends too early: its length is not 16 beyond a multiple of 64")
	}
	if string(c.bytes(4)) != magic {
		return nil, f.bad(0, "it does not begin as a table of its kind")
	}
	header := c.byte()
	if pawns := header&layout.HeaderPawns != 0; pawns != (m.Pawns() > 0) {
		return nil, f.bad(4, "the header and the name disagree about pawns")
	}
	sides := 1
	if wdl && header&layout.HeaderSplit != 0 {
		sides = 2
	}
	if wdl && (sides == 2) == (m == m.Swap()) {
		return nil, f.bad(4, "the header and the name disagree about symmetry")
	}
	if err := f.readLayouts(c, m, sides); err != nil {
		return nil, err
	}
	if err := f.readHeads(c, m.Files(), sides, wdl); err != nil {
		return nil, err
	}
	f.placeData(c, m.Files(), sides)
	return f, c.err
}

// readLayouts reads the order of the pieces and groups of each part; one byte
// holds that of both sides to move.
func (f *file) readLayouts(c *cursor, m layout.Material, sides int) error {
	for t := range m.Files() {
		start := c.at
		orders := c.bytes(m.Orders())
		pieces := c.bytes(m.Pieces())
		if c.err != nil {
			return c.err
		}
		for side := range sides {
			shift := 4 * side
			order := [2]int{int(orders[0] >> shift & 15), 15}
			if len(orders) > 1 {
				order[1] = int(orders[1] >> shift & 15)
			}
			codes := make([]layout.Code, len(pieces))
			for i, b := range pieces {
				codes[i] = layout.Code(b >> shift & 15)
			}
			l, err := layout.New(m, codes, order, t)
			if err != nil {
				return f.bad(start, err.Error())
			}
			f.parts[side][t].Layout = l
		}
	}
	c.align(2)
	return nil
}

// readHeads reads the codes and symbols of each part and the maps.
func (f *file) readHeads(c *cursor, files, sides int, wdl bool) error {
	for t := range files {
		for side := range sides {
			p := &f.parts[side][t]
			var err error
			if p.values, p.flags, err = c.readPairs(p.Size, wdl); err != nil {
				return err
			}
			if wdl {
				p.flags &= layout.FlagSingle
			}
		}
	}
	if wdl {
		return nil
	}
	for t := range files {
		if err := c.readMaps(&f.parts[0][t]); err != nil {
			return err
		}
	}
	c.align(2)
	return nil
}

// readMaps reads the four maps of a DTZ part where it has any.
func (c *cursor) readMaps(p *part) error {
	if p.flags&layout.FlagMapped == 0 {
		return nil
	}
	if p.flags&layout.FlagWide != 0 {
		c.align(2)
	}
	for i := range p.maps {
		n := int64(0)
		if p.flags&layout.FlagWide != 0 {
			n = 2 * int64(c.uint16())
		} else {
			n = int64(c.byte())
		}
		p.maps[i].size = n
		c.take(&p.maps[i])
	}
	return c.err
}

// placeData finds the indices, block sizes and blocks, which follow the heads
// in this order.
func (f *file) placeData(c *cursor, files, sides int) {
	each := func(do func(d *pairs)) {
		for t := range files {
			for side := range sides {
				if d := f.parts[side][t].values; !d.single {
					do(d)
				}
			}
		}
	}
	each(func(d *pairs) { c.take(&d.sparse) })
	each(func(d *pairs) { c.take(&d.sizes) })
	each(func(d *pairs) { c.align(64); c.take(&d.blocks) })
	if c.align(64); c.err == nil && c.at+16 != int64(len(f.data)) && c.at < math.MaxInt64 {
		c.err = f.bad(c.at, fmt.Sprintf("%d bytes are left over", int64(len(f.data))-c.at-16))
	}
}
