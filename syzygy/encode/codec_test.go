package encode

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/syzygy/retro"
)

// TestDistance turns what is written back into plies, as docs/tablebases.md
// says: never across the border of the fifty moves, at most a ply less, and
// exact where the flags say so.
func TestDistance(t *testing.T) {
	for _, flags := range []byte{0, flagWinPlies, flagLossPlies, flagWinPlies | flagLossPlies} {
		for n := 1; n < 260; n++ {
			for _, v := range []retro.Value{retro.Value(n), retro.Value(-n - 1)} {
				exact := n <= 100 && (v > 0 && flags&flagWinPlies != 0 || v < 0 && flags&flagLossPlies != 0)
				got := 1 + int(distance(v, flags))
				switch {
				case n > 100:
					got = 101 + 2*int(distance(v, flags))
				case !exact:
					got = 1 + 2*int(distance(v, flags))
				}
				if got != n && (exact || got != n-1 || n == 101) {
					t.Errorf("flags %d: value %d reads as %d plies", flags, v, got)
				}
			}
		}
	}
}

// decoded is a part as a reader that follows docs/tablebases.md sees it.
type decoded struct {
	span    int
	symbols int
	values  []uint16
	starts  []int // number of the first value of each block, and of the values
}

// decode reads a part that has values of its own.
func decode(t *testing.T, p *part) decoded {
	t.Helper()
	h := p.head
	size, d := 8<<h[1], decoded{span: int(h[2]), starts: []int{0}}
	blocks, longest, shortest := int(binary.LittleEndian.Uint32(h[4:])), int(h[8]), int(h[9])
	h = h[10:]
	first, base := make([]int, 40), make([]int, 40)
	for n := shortest; n <= longest; n, h = n+1, h[2:] {
		first[n] = int(binary.LittleEndian.Uint16(h))
	}
	for n := longest - 1; n >= shortest; n-- {
		base[n] = (base[n+1] + first[n] - first[n+1]) / 2
	}
	d.symbols = int(binary.LittleEndian.Uint16(h))
	h = h[2:]
	if len(h) != 3*d.symbols+d.symbols%2 || h[len(h)-1] != 0 && d.symbols%2 == 1 || len(p.blocks) != blocks*size/8 || len(p.sizes) != 2*blocks {
		t.Fatalf("%d bytes for %d symbols, %d bytes in %d blocks, %d of their sizes", len(h), d.symbols, len(p.blocks), blocks, len(p.sizes))
	}
	var spell func(i int) []uint16
	spell = func(i int) []uint16 {
		left, right := int(h[3*i])|int(h[3*i+1]&15)<<8, int(h[3*i+1]>>4)|int(h[3*i+2])<<4
		if right == leaf {
			return []uint16{uint16(left)}
		}
		return append(spell(left), spell(right)...)
	}
	for b := range blocks {
		block, end := p.blocks[b*size/8:], len(d.values)+int(binary.LittleEndian.Uint16(p.sizes[2*b:]))+1
		for bit := 0; len(d.values) < end; {
			code, n := 0, 0
			for n < shortest || code < base[n] {
				code, bit, n = code<<1|int(block[bit/8]>>(7-bit%8)&1), bit+1, n+1
			}
			d.values = append(d.values, spell(first[n]+code-base[n])...)
			if bit > size {
				t.Fatalf("block %d is longer than %d bits", b, size)
			}
		}
		if n := len(d.values) - d.starts[b]; len(d.values) != end || n > 1<<15 {
			t.Fatalf("block %d holds %d values", b, n)
		}
		d.starts = append(d.starts, end)
	}
	return d
}

// TestParts reads parts of any values back, and follows their index.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, tt := range []struct {
		name      string
		n         int
		blockBits int
		of        func(i int) uint16
	}{
		{"one value of a DTZ table", 40, 10, func(int) uint16 { return 7 }},
		{"a few", 5, 6, func(i int) uint16 { return uint16(i) }},
		{"long runs", 400_000, 6, func(i int) uint16 { return uint16(i / 150_000) }},
		{"noise", 60_000, 6, func(int) uint16 { return uint16(r.IntN(5)) }},
		{"noise in large blocks", 60_000, 10, func(int) uint16 { return uint16(r.IntN(100)) }},
		{"rare values", 50_000, 10, func(i int) uint16 { return uint16(max(0, r.IntN(300)-290)) }},
		{"gaps and bounds", 50_000, 6, func(int) uint16 {
			return [6]uint16{free, free, 2, 4 + atMost, 3 + atMost, uint16(r.IntN(5))}[r.IntN(6)]
		}},
		{"nearly too many symbols", 200_000, 10, func(i int) uint16 { return uint16(i % 4090) }},
	} {
		values := make([]uint16, tt.n)
		for i := range values {
			values[i] = tt.of(i)
		}
		p := newPart(append([]uint16(nil), values...), 0, tt.blockBits, false)
		if p.single {
			t.Fatalf("%s: a single value", tt.name)
		}
		d := decode(t, p)
		if len(d.values) != tt.n || d.symbols > 4095 {
			t.Fatalf("%s: %d values in %d symbols, want %d in at most 4095", tt.name, len(d.values), d.symbols, tt.n)
		}
		for i, v := range values {
			if got := d.values[i]; v != free && got != v && (v < atMost || got > v-atMost) {
				t.Fatalf("%s: value %d is %d, want %d", tt.name, i, got, v)
			}
		}
		checkIndex(t, tt.name, p, d)
	}
	for _, wdl := range []bool{false, true} {
		for value := range uint16(4) {
			p := newPart([]uint16{value, free, value}, flagWinPlies, 10, wdl)
			if want := wdl || value == 0; p.single != want || want && (p.value != byte(value) || p.flags != flagSingle|flagWinPlies) {
				t.Errorf("all values %d, outcomes %v: %+v", value, wdl, p)
			}
		}
	}
}

// checkIndex holds the index against the blocks: each entry names the middle of
// its span, which lies near a block's values.
func checkIndex(t *testing.T, name string, p *part, d decoded) {
	t.Helper()
	n, blocks := len(d.values), len(d.starts)-1
	if want := (n + 1<<d.span - 1) >> d.span; len(p.sparse) != 6*want {
		t.Fatalf("%s: an index of %d bytes for %d spans", name, len(p.sparse), want)
	}
	for i := range len(p.sparse) / 6 {
		block := int(binary.LittleEndian.Uint32(p.sparse[6*i:]))
		place := int(binary.LittleEndian.Uint16(p.sparse[6*i+4:]))
		middle := i<<d.span + 1<<(d.span-1)
		if block >= blocks || d.starts[block]+place != middle || middle >= d.starts[block+1] && block != blocks-1 {
			t.Fatalf("%s: span %d of 2^%d values points to %d in block %d of %d", name, i, d.span, place, block, blocks)
		}
	}
	if perSpan := float64(blocks) * float64(int(1)<<d.span) / float64(n); d.span < 15 && d.span > 4 && (perSpan > 2.1 || perSpan < 0.9) {
		t.Errorf("%s: %.1f blocks in a span, want about one", name, perSpan)
	}
}
