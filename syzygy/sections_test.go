package syzygy

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// rook holds the embedded outcomes of rook against king: a header of 10 bytes,
// then the head of the part with White to move.
func rook(t *testing.T, kind string) []byte {
	t.Helper()
	data, err := embedded.ReadFile("tables3/KRvK" + kind)
	testkit.Succeed(t, err)
	return data
}

// TestSections damages each section of a file: the error names the file and the
// byte at which the section is wrong.
func TestSections(t *testing.T) {
	fens := []string{"8/8/8/4k3/8/2K5/3R4/8 w - - 0 1", "8/8/8/4k3/8/2K5/3R4/8 b - - 0 1"}
	for _, tt := range []struct {
		at     int
		bytes  string // in place of those at that byte
		offset int64
		reason string
	}{
		{0, "\x70", 0, "it does not begin as a table of its kind"},
		{0, magicWDL, 0, "it does not begin as a table of its kind"},
		{4, "\x33", 4, "the header and the name disagree about pawns"},
		{5, "\x03", 5, "its groups are in the impossible order [3 15]"},
		{6, "\x07", 5, "piece 0 has the unknown code 7"},
		{7, "\x05", 5, "its pieces are not those of its name"},
		{11, "\x1f", 11, "blocks of 2^31 bytes"},
		{12, "\x00", 11, "spans of 2^0 values"},
		{12, "\x1f", 11, "spans of 2^31 values"},
		{14, "\xff\xff\xff\x7f", 14, "blocks of 2^10 bytes are more than the file"},
		{18, "\x21", 18, "codes of"},
		{19, "\x00", 18, "codes of 0 to"},
		{18, "\x01\x02", 18, "codes of 2 to 1 bits"},
		{20, "\xff\xff\x00\x00", 20, "the lengths of the codes do not fit together"},
	} {
		data := append([]byte(nil), rook(t, ".rtbz")...)
		copy(data[tt.at:], tt.bytes)
		err := probeAll(t, openBytes(t, "KRvK.rtbz", data), fens)
		var bad *FileError
		if !errors.As(err, &bad) || bad.Path != "KRvK.rtbz" || bad.Offset != tt.offset || !strings.Contains(bad.Reason, tt.reason) {
			t.Errorf("% x at byte %d: %v, want byte %d: %s", tt.bytes, tt.at, err, tt.offset, tt.reason)
		}
	}
	for kind, header := range map[string]byte{".rtbw": 0x30, ".rtbz": 0x32} {
		data := append([]byte(nil), rook(t, kind)...)
		data[4] = header
		if err := probeAll(t, openBytes(t, "KRvK"+kind, data), fens); err == nil || !strings.Contains(err.Error(), "KRvK"+kind+": at byte 4: the header and the name disagree") {
			t.Errorf("%s with header %x: %v", kind, header, err)
		}
	}
	whole := rook(t, ".rtbz")
	for n := 16; n < len(whole); n += 64 {
		err := probeAll(t, openBytes(t, "KRvK.rtbz", whole[:n]), fens)
		var bad *FileError
		if !errors.As(err, &bad) || bad.Path != "KRvK.rtbz" || bad.Offset > int64(n) || !strings.Contains(bad.Reason, "early") && !strings.Contains(bad.Reason, "more than the file") {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
	}
	for _, n := range []int{0, 1, 15, 17, len(whole) - 1} {
		if err := probeAll(t, openBytes(t, "KRvK.rtbz", whole[:n]), fens); err == nil || !strings.Contains(err.Error(), "not 16 beyond a multiple of 64") {
			t.Errorf("cut after %d bytes: %v", n, err)
		}
	}
	longer := append(append([]byte(nil), whole...), make([]byte, 64)...)
	if err := probeAll(t, openBytes(t, "KRvK.rtbz", longer), fens); err == nil || !strings.Contains(err.Error(), "64 bytes are left over") {
		t.Errorf("64 bytes more: %v", err)
	}
}

// packed is the head of a part of a file with its codes and symbols.
func packed(flags, blockBits, spanBits byte, blocks uint32, firsts []uint16, shortest byte, symbols [][2]int) []byte {
	head := []byte{flags, blockBits, spanBits, 0}
	head = binary.LittleEndian.AppendUint32(head, blocks)
	head = append(head, shortest+byte(len(firsts))-1, shortest)
	for _, f := range firsts {
		head = binary.LittleEndian.AppendUint16(head, f)
	}
	head = binary.LittleEndian.AppendUint16(head, uint16(len(symbols)))
	for _, s := range symbols {
		head = append(head, byte(s[0]), byte(s[0]>>8)|byte(s[1]<<4), byte(s[1]>>4))
	}
	return append(head, make([]byte, len(symbols)&1)...)
}

// TestSymbols reads symbols that are pairs: their lengths, those that hold
// themselves, that do not exist and that hold too many values.
func TestSymbols(t *testing.T) {
	doubles := func(n int) [][2]int { // each twice as long as the one before
		list := [][2]int{{7, leaf}}
		for i := range n {
			list = append(list, [2]int{i, i})
		}
		return list
	}
	for _, tt := range []struct {
		symbols [][2]int
		lengths []uint16
		bad     int64 // number of the symbol that is wrong
	}{
		{[][2]int{{300, leaf}, {2, 0}, {5, leaf}, {1, 1}}, []uint16{0, 1, 0, 3}, 0},
		{[][2]int{{2, 2}, {0, 2}, {9, leaf}}, []uint16{1, 2, 0}, 0},
		{doubles(8), []uint16{0, 1, 3, 7, 15, 31, 63, 127, 255}, 0},
		{doubles(9), nil, 9},
		{[][2]int{{1, leaf}, {1, 0}}, nil, 1},
		{[][2]int{{1, leaf}, {0, 2}, {1, 0}}, nil, 1},
		{[][2]int{{1, leaf}, {0, 0}, {0, 3}}, nil, 2},
	} {
		head := packed(0, 6, 4, 0, []uint16{0}, 8, tt.symbols)
		c := &cursor{file: &file{path: "X.rtbz", data: head}}
		d, _, err := c.readPairs(16, false)
		var bad *FileError
		switch {
		case tt.lengths == nil:
			if want := int64(len(head)-len(tt.symbols)&1) - 3*(int64(len(tt.symbols))-tt.bad); !errors.As(err, &bad) || bad.Offset != want {
				t.Errorf("%v: %v, want an error at byte %d", tt.symbols, err, want)
			}
		case err != nil || c.at != int64(len(head)):
			t.Errorf("%v: %v after %d of %d bytes", tt.symbols, err, c.at, len(head))
		default:
			for i, want := range tt.lengths {
				if d.symbols[i].length != want {
					t.Errorf("%v: symbol %d stands for %d more values, want %d", tt.symbols, i, d.symbols[i].length, want)
				}
			}
		}
	}
	for _, n := range []int{0, 1} {
		c := &cursor{file: &file{path: "X.rtbz", data: packed(0, 6, 4, 0, []uint16{0}, 8, make([][2]int, n))[:12+2*n]}}
		if _, _, err := c.readPairs(16, false); err == nil {
			t.Errorf("%d symbols in too few bytes: no error", n)
		}
	}
}

// TestBlocks reads values by index from blocks of codes of several lengths,
// whose index points to the middle of each span.
func TestBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	// Codes: 1 is symbol 3, 01 is 2, 001 is 1 and 000 is 0.
	symbols := [][2]int{{11, leaf}, {12, leaf}, {0, 1}, {2, 2}}
	spelled := [][]uint16{{11}, {12}, {11, 12}, {11, 12, 11, 12}}
	codes := []string{"000", "001", "01", "1"}
	for _, spanBits := range []byte{3, 6, 9} {
		var values []uint16
		var blocks []byte
		var sizes []int
		for range 40 {
			bits, count := "", 0
			for n := r.IntN(3); ; {
				s := r.IntN(4)
				if n == 0 {
					s = 3 // many values in a block
				}
				if len(bits)+len(codes[s]) > 128 {
					break
				}
				bits += codes[s]
				values = append(values, spelled[s]...)
				count += len(spelled[s])
			}
			bits += strings.Repeat("1", 128-len(bits)) // what follows is not read
			for i := 0; i < len(bits); i += 8 {
				b := byte(0)
				for _, bit := range bits[i : i+8] {
					b = b<<1 | byte(bit-'0')
				}
				blocks = append(blocks, b)
			}
			sizes = append(sizes, count)
		}
		head := packed(0, 4, spanBits, uint32(len(sizes)), []uint16{3, 2, 0}, 1, symbols)
		f := &file{path: "X.rtbz", data: append(head, make([]byte, len(blocks))...)}
		c := &cursor{file: f}
		d, _, err := c.readPairs(uint64(len(values)), false)
		testkit.Succeed(t, err)
		sparse, table := indexOf(sizes, len(values), spanBits)
		if d.sparse.size != int64(len(sparse)) || d.sizes.size != int64(len(table)) || d.blocks.size != int64(len(blocks)) {
			t.Fatalf("sections of %d, %d and %d bytes; want %d, %d, %d", d.sparse.size, d.sizes.size, d.blocks.size, len(sparse), len(table), len(blocks))
		}
		f.data = append(append(append(head[:len(head):len(head)], sparse...), table...), blocks...)
		d.sparse.offset = int64(len(head))
		d.sizes.offset = d.sparse.offset + d.sparse.size
		d.blocks.offset = d.sizes.offset + d.sizes.size
		for i, want := range values {
			if got, err := d.at(uint64(i)); err != nil || got != want {
				t.Fatalf("spans of 2^%d, value %d of %d: %d (%v), want %d", spanBits, i, len(values), got, err, want)
			}
		}
		var bad *FileError
		if _, err := d.at(uint64(len(values) + 2<<spanBits)); !errors.As(err, &bad) || bad.Offset < d.sparse.offset+d.sparse.size {
			t.Errorf("beyond the index: %v", err)
		}
		binary.LittleEndian.PutUint32(f.data[d.sparse.offset:], uint32(len(sizes)))
		if _, err := d.at(uint64(1<<spanBits - 1)); !errors.As(err, &bad) || bad.Offset != d.sparse.offset {
			t.Errorf("a block that is not there: %v", err)
		}
	}
}

// indexOf returns the index and the sizes of blocks.
func indexOf(sizes []int, values int, spanBits byte) (sparse, table []byte) {
	for middle := 1 << (spanBits - 1); middle-1<<(spanBits-1) < values; middle += 1 << spanBits {
		block, place := 0, middle
		for block < len(sizes)-1 && place >= sizes[block] {
			place -= sizes[block]
			block++
		}
		sparse = binary.LittleEndian.AppendUint32(sparse, uint32(block))
		sparse = binary.LittleEndian.AppendUint16(sparse, uint16(place))
	}
	for _, n := range sizes {
		table = binary.LittleEndian.AppendUint16(table, uint16(n-1))
	}
	return sparse, table
}
