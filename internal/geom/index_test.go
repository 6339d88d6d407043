package geom

import (
	"math/bits"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestExtractDeposit(t *testing.T) {
	for _, tt := range []struct{ x, mask, want uint64 }{
		{0, 0, 0},
		{^uint64(0), 0, 0},
		{0x8000000000000001, ^uint64(0), 0x8000000000000001},
		{0x12345678, 0xff00fff0, 0x12567}, // Intel's illustration of PEXT
		{1 << 63, 1<<63 | 1, 0b10},
	} {
		if got := Extract(tt.x, tt.mask); got != tt.want {
			t.Errorf("Extract(%#x, %#x) = %#x, want %#x", tt.x, tt.mask, got, tt.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		x, mask := rapid.Uint64().Draw(t, "x"), rapid.Uint64().Draw(t, "mask")
		if got, want := Deposit(Extract(x, mask), mask), x&mask; got != want {
			t.Fatalf("extracted and deposited: %#x, want %#x", got, want)
		}
		low := x & (1<<bits.OnesCount64(mask) - 1)
		if got := Extract(Deposit(x, mask), mask); got != low {
			t.Fatalf("deposited and extracted: %#x, want %#x", got, low)
		}
	})
}

// TestPext shows that the index is dense and that 16 bits hold every set.
func TestPext(t *testing.T) {
	for sq := range 64 {
		for _, bishop := range []bool{true, false} {
			p := Pext{Mask: Relevant(bishop, sq), Rays: Slider(bishop, sq, 0), Offset: 100}
			want := uint32(100)
			for occ := range Subsets(p.Mask) {
				if got := p.Index(occ | ^p.Mask); got != want {
					t.Fatalf("square %d, bishop %v, occupancy %#x: index %d, want %d", sq, bishop, occ, got, want)
				}
				attacks := Slider(bishop, sq, occ)
				if got := p.Expand(p.Compress(attacks)); got != attacks {
					t.Fatalf("square %d, bishop %v: %#x comes back as %#x", sq, bishop, attacks, got)
				}
				want++
			}
		}
	}
}

// TestLayout holds the offsets that assembly relies on.
func TestLayout(t *testing.T) {
	var p Pext
	var m Magic
	for _, tt := range []struct {
		name      string
		got, want uintptr
	}{
		{"Pext", unsafe.Sizeof(p), 24},
		{"Pext.Mask", unsafe.Offsetof(p.Mask), 0},
		{"Pext.Rays", unsafe.Offsetof(p.Rays), 8},
		{"Pext.Offset", unsafe.Offsetof(p.Offset), 16},
		{"Magic", unsafe.Sizeof(m), 24},
		{"Magic.Mask", unsafe.Offsetof(m.Mask), 0},
		{"Magic.Factor", unsafe.Offsetof(m.Factor), 8},
		{"Magic.Offset", unsafe.Offsetof(m.Offset), 16},
		{"Magic.Shift", unsafe.Offsetof(m.Shift), 20},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %d bytes, want %d", tt.name, tt.got, tt.want)
		}
	}
}

// TestRandom compares with the published outputs of SplitMix64 for this seed.
func TestRandom(t *testing.T) {
	r := NewRandom(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821,
	} {
		if got := r.Next(); got != want {
			t.Errorf("number %d: %d, want %d", i, got, want)
		}
	}
}
