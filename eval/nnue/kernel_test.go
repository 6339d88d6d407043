package nnue

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// runnable returns the paths that this machine can run, and says which it cannot.
func runnable(t testing.TB) []Path {
	var can []Path
	for p := Go; p <= DotProd; p++ {
		if err := Supported(p); err != nil {
			t.Log(err)
			continue
		}
		can = append(can, p)
	}
	return can
}

// words returns n random int16, some of them extreme.
func words(r *rand.Rand, n, limit int) []int16 {
	v := aligned(n)
	for i := range v {
		switch r.IntN(8) {
		case 0:
			v[i] = int16([]int{-limit, limit, 0, min(limit, QA), min(limit, QA+1), -1}[r.IntN(6)])
		default:
			v[i] = int16(r.IntN(2*limit+1) - limit)
		}
	}
	return v
}

func TestKernelsAgree(t *testing.T) {
	for _, path := range runnable(t) {
		for _, width := range []int{256, 512, 768, 1024, 1280, 1536} {
			t.Run(fmt.Sprintf("%v/%d", path, width), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(width), 1))
				for round := range 20 {
					compareKernels(t, r, kernels[path], width, round)
				}
			})
		}
	}
}

// rowBytes returns n random int8, some of them extreme.
func rowBytes(r *rand.Rand, n int) []int8 {
	v := alignedBytes[int8](n)
	for i, w := range words(r, n, 127) {
		v[i] = int8(w)
	}
	v[r.IntN(n)] = -128
	return v
}

func compareKernels(t *testing.T, r *rand.Rand, k *kernel, width, round int) {
	t.Helper()
	src := words(r, width, 32767)
	var rows [4][]int8
	for i := range rows {
		rows[i] = rowBytes(r, width)
	}
	got, want := words(r, width, 9), make([]int16, width)
	check := func(name string) {
		t.Helper()
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("round %d: %s: neuron %d is %d, want %d", round, name, i, got[i], want[i])
			}
		}
	}
	k.addSub(got, src, rows[0], rows[1])
	addSub(want, src, rows[0], rows[1])
	check("addSub")
	k.addSubSub(got, src, rows[0], rows[1], rows[2])
	addSubSub(want, src, rows[0], rows[1], rows[2])
	check("addSubSub")
	k.addAddSubSub(got, src, rows[0], rows[1], rows[2], rows[3])
	addAddSubSub(want, src, rows[0], rows[1], rows[2], rows[3])
	check("addAddSubSub")

	table := rowBytes(r, 7*width)
	var lists [2][]uint32
	for i := range lists {
		for range r.IntN(33) {
			lists[i] = append(lists[i], uint32(r.IntN(7)*width))
		}
	}
	copy(got, src)
	copy(want, src)
	k.apply(got, table, lists[0], lists[1])
	apply(want, table, lists[0], lists[1])
	check("apply")
}

// TestLayersAgree compares the small layers of every path with plain Go, for
// activations within their bounds and beyond.
func TestLayersAgree(t *testing.T) {
	for _, path := range runnable(t) {
		for _, width := range []int{256, 512, 768, 1024, 1280, 4096} {
			r := rand.New(rand.NewPCG(uint64(width), 7))
			x := alignedBytes[uint8](width)
			for round := range 30 {
				u := randomStack(r, width)
				s := u.packed()
				us, them := words(r, width, []int{300, 32767, 100}[round%3]), words(r, width, 300)
				if round%5 == 0 {
					clear(us[:width/2+2*round]) // blocks of nothing
				}
				if got, want := kernels[path].layers(us, them, x, s.blocks, &s.rest), layers(us, them, x, s.blocks, &s.rest); got != want {
					t.Fatalf("%v, %d wide, round %d: %d, want %d", path, width, round, got, want)
				}
			}
		}
	}
}

// TestLayersAtTheBound has every activation and weight at the limit that a
// network may reach: nothing saturates, nothing wraps.
func TestLayersAtTheBound(t *testing.T) {
	const width = MaxWidth
	acc, x := make([]int16, width), make([]uint8, width)
	for i := range acc {
		acc[i] = 32767
	}
	for _, path := range runnable(t) {
		for _, sign := range []int{-1, 1} {
			u := newStack(width)
			for i := range u.Weights1 {
				u.Weights1[i] = int8(min(128*sign, 127))
			}
			for i := range u.Biases1 {
				u.Biases1[i] = int32(maxBias * sign)
			}
			for i := range u.Weights2 {
				u.Weights2[i] = int16(4095 * sign)
			}
			for i := range u.Weights3 {
				u.Weights3[i] = int16(2047 * sign)
			}
			for i := range u.Skips {
				u.Skips[i] = 2047
			}
			kit.Succeed(t, u.check())
			s := u.packed()
			// A sum of 1 and its square; below 0 the square alone, and nothing behind it
			// but what goes past the layers.
			want := int32(-1<<15) * 2047 * Hidden1
			if sign > 0 {
				want = square(hiddenTop)*2047*Hidden2 + (1<<15-1)*2047*Hidden1
			}
			if got := kernels[path].layers(acc, acc, x, s.blocks, &s.rest); got != want {
				t.Errorf("%v, sign %d: %d, want %d", path, sign, got, want)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	for p := Go; p <= DotProd; p++ {
		if got, err := Select(p.String()); Supported(p) == nil && (got != p || err != nil) {
			t.Errorf("Select(%q) = %v, %v", p.String(), got, err)
		}
	}
	if _, err := Select("vector"); err == nil {
		t.Error("Select took a path that does not exist")
	}
	if p, err := Select(""); err != nil || Supported(p) != nil {
		t.Errorf("Select of the best: %v, %v", p, err)
	}
	t.Setenv(PathVariable, "go")
	if p, err := Select(os.Getenv(PathVariable)); p != Go || err != nil {
		t.Errorf("Select of go: %v, %v", p, err)
	}
}
