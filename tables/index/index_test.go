package index_test

import (
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tabula-chess/tabula/tables/index"
)

func TestExtract(t *testing.T) {
	for _, tt := range []struct{ x, mask, want uint64 }{
		{0, 0, 0},
		{^uint64(0), 0, 0},
		{0x8000000000000001, ^uint64(0), 0x8000000000000001},
		{0x12345678, 0xff00fff0, 0x12567}, // Intel's illustration of PEXT
		{1 << 63, 1<<63 | 1, 0b10},
	} {
		if got := index.Extract(tt.x, tt.mask); got != tt.want {
			t.Errorf("Extract(%#x, %#x) = %#x, want %#x", tt.x, tt.mask, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x, mask := rapid.Uint64().Draw(t, "x"), rapid.Uint64().Draw(t, "mask")
		// The n-th selected bit is the n-th bit of the result, and no more are set.
		got, n := index.Extract(x, mask), 0
		for i := range 64 {
			if mask>>i&1 == 0 {
				continue
			}
			if got>>n&1 != x>>i&1 {
				t.Fatalf("Extract(%#x, %#x) = %#x: bit %d is not bit %d", x, mask, got, n, i)
			}
			n++
		}
		if n < 64 && got>>n != 0 {
			t.Fatalf("Extract(%#x, %#x) = %#x has bits above %d", x, mask, got, n)
		}
	})
}

// TestLayout: a row is a cache line, and kernels shift the number of a square by the power of two.
func TestLayout(t *testing.T) {
	if got := unsafe.Sizeof(index.Row{}); got != 64 {
		t.Errorf("a row has %d bytes, want 64", got)
	}
}
