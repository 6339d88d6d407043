package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// runnable returns the paths that this machine can run, and says which it cannot.
func runnable(t testing.TB) []nnue.Path {
	var can []nnue.Path
	for p := nnue.Go; p <= nnue.DotProd; p++ {
		if err := nnue.Supported(p); err != nil {
			t.Log(err)
			continue
		}
		if p != nnue.Go && kernelOf(p) == &plain {
			t.Logf("no routines for %v", p)
			continue
		}
		can = append(can, p)
	}
	return can
}

// floats returns n random numbers around the clipping, some on its edges.
func floats(r *rand.Rand, n int) []float32 {
	v := aligned(n)
	for i := range v {
		switch r.IntN(10) {
		case 0:
			v[i] = []float32{0, 1, -1, float32(math.Copysign(0, -1)), 0.99999994, 1.0000001}[r.IntN(6)]
		default:
			v[i] = float32(r.NormFloat64())
		}
	}
	return v
}

// same compares bit by bit, but for the sign of zero.
func same(t *testing.T, name string, got, want []float32) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s: element %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func TestKernelsAgree(t *testing.T) {
	for _, path := range runnable(t) {
		for _, width := range []int{32, 64, 96, 256, 288, 512, 768, 1056} {
			t.Run(fmt.Sprintf("%v/%d", path, width), func(t *testing.T) {
				r := rand.New(rand.NewPCG(uint64(width), 3))
				for range 10 {
					compareKernels(t, r, kernels[path], width)
				}
			})
		}
	}
}

func compareKernels(t *testing.T, r *rand.Rand, k *kernel, width int) {
	t.Helper()
	compareRows(t, r, k)
	init := floats(r, width)

	acc, weights := floats(r, width), floats(r, width)
	same(t, "dot", []float32{k.dot(acc, weights)}, []float32{dot(acc, weights)})

	accs := [2][]float32{clone(acc), clone(acc)}
	grads := [2][]float32{clone(init), clone(init)}
	d := float32(r.NormFloat64())
	k.backward(accs[0], weights, grads[0], d)
	backward(accs[1], weights, grads[1], d)
	same(t, "backward by weights", grads[0], grads[1])
	same(t, "backward by accumulator", accs[0], accs[1])

	compareLayers(t, r, k, width)

	from := [2][]float32{clone(acc), clone(acc)}
	k.drain(grads[0], from[0])
	drain(grads[1], from[1])
	same(t, "drain", grads[0], grads[1])
	same(t, "drained", from[0], make([]float32, width))

	rates := rates{0.9, 0.1, 0.999, 0.001, 0.01, 1.3, 1e-8, 0.9999, 1.2}
	w, m := [2][]float32{clone(weights), clone(weights)}, [2][]float32{clone(acc), clone(acc)}
	s := [2][]float32{floats(r, width), nil}
	for i := range s[0] {
		s[0][i] = max(s[0][i], -s[0][i])
	}
	s[1] = clone(s[0])
	k.adam(w[0], m[0], s[0], grads[0], &rates)
	adam(w[1], m[1], s[1], grads[1], &rates)
	same(t, "adam: weights", w[0], w[1])
	same(t, "adam: mean", m[0], m[1])
	same(t, "adam: square", s[0], s[1])
	same(t, "adam: gradient", grads[0], make([]float32, width))
}

func compareLayers(t *testing.T, r *rand.Rand, k *kernel, width int) {
	t.Helper()
	acc, d := floats(r, 2*width), floats(r, width)
	got, want := aligned(width), aligned(width)
	k.products(got, acc)
	products(want, acc)
	same(t, "products", got, want)
	some := floats(r, width)
	for i := range some {
		if r.IntN(3) > 0 {
			some[i] = 0
		}
	}
	lists := [2][]uint32{make([]uint32, width), make([]uint32, width)}
	a, b := k.nonzero(lists[0], some), nonzero(lists[1], some)
	if !slices.Equal(lists[0][:a], lists[1][:b]) {
		t.Fatalf("nonzero: %d, want %d", lists[0][:a], lists[1][:b])
	}
	for _, unit := range []float64{nnue.QA, nnue.ProductUnit, nnue.Weight1Unit, nnue.HiddenUnit} {
		k.roundTo(got, acc[:width], unit)
		plain.roundTo(want, acc[:width], unit)
		same(t, "round", got, want)
		for i, x := range acc[:width] {
			if whole := math.RoundToEven(float64(float32(x * float32(unit)))); math.Abs(float64(want[i])*unit-whole) > 1e-6*(1+math.Abs(whole)) {
				t.Fatalf("%v in units of 1/%v is %v, want %v", x, unit, float64(want[i])*unit, whole)
			}
		}
	}

	var list []uint32
	for i := range width {
		if r.IntN(3) == 0 {
			list = append(list, uint32(i))
		}
	}
	for _, n := range []int{16, 32} {
		weights, slopes, x := floats(r, n*width), floats(r, n), floats(r, width)
		sums := [2][]float32{clone(slopes), clone(slopes)}
		k.affine(sums[0], x, weights, list)
		affine(sums[1], x, weights, list)
		same(t, "affine", sums[0], sums[1])
		dx, grads := [2][]float32{clone(d), clone(d)}, [2][]float32{clone(weights), clone(weights)}
		k.affineBack(dx[0], x, slopes, weights, grads[0], list)
		affineBack(dx[1], x, slopes, weights, grads[1], list)
		same(t, "affine back by inputs", dx[0], dx[1])
		same(t, "affine back by weights", grads[0], grads[1])
	}
}

func clone(v []float32) []float32 { return append(aligned(len(v))[:0], v...) }

// compareRows compares gather, slopes and scatter, with lists that are empty among them.
func compareRows(t *testing.T, r *rand.Rand, k *kernel) {
	t.Helper()
	const lists, step = 11, tile + 16
	base, bias := make([]int8, nnue.Inputs*tile), make([]int16, tile)
	for i := range base {
		base[i] = int8(r.IntN(255) - 127)
	}
	for i := range bias {
		bias[i] = int16(r.IntN(1011) - 505)
	}
	var features []uint16
	ends := []uint32{0}
	for range lists {
		for range max(0, r.IntN(40)-8) {
			features = append(features, uint16(r.IntN(nnue.Inputs)))
		}
		ends = append(ends, uint32(len(features)))
	}
	got := [2][]float32{floats(r, lists*step), nil}
	got[1] = clone(got[0])
	from := r.IntN(lists)
	k.gather(got[0], step, bias, base, features, ends[from:])
	gather(got[1], step, bias, base, features, ends[from:])
	same(t, "gather", got[0], got[1])

	const pairs, apart = 5 * group, lists*2*group + 16
	acc, d := floats(r, 2*pairs), floats(r, pairs)
	sets := [2][]float32{floats(r, pairs/group*apart), nil}
	biases := [2][]float32{floats(r, 2*pairs), nil}
	sets[1], biases[1] = clone(sets[0]), clone(biases[0])
	for n := range lists {
		k.slopes(sets[0][n*2*group:], apart, acc, d, biases[0])
		slopes(sets[1][n*2*group:], apart, acc, d, biases[1])
	}
	same(t, "slopes", sets[0], sets[1])
	same(t, "slopes: biases", biases[0], biases[1])

	const rows = 13
	var users []uint16
	ends = []uint32{0}
	for row := range rows {
		for user := range lists {
			if row%4 > 0 && r.IntN(2) > 0 {
				users = append(users, uint16(user))
			}
		}
		ends = append(ends, uint32(len(users)))
	}
	got = [2][]float32{floats(r, 2*group*rows), nil}
	got[1] = clone(got[0])
	k.scatter(got[0], sets[0], users, ends)
	scatter(got[1], sets[0], users, ends)
	same(t, "scatter", got[0], got[1])
	k.scatter(got[0], nil, users, ends[:1])
	same(t, "scatter of nothing", got[0], got[1])
}
