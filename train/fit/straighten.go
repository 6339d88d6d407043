package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// A line is fitted to outputs nearer to 0 than straightRange, and straightShare of the
// output goes along it. A network with a share of leastStraight past the small layers
// stays as it is.
const (
	straightRange = 2.5
	straightShare = 0.5
	leastStraight = straightShare / 2
)

// straighten lets a share of the outputs go past the second and third layer, unless
// enough of them does. Where all neurons of these layers are clipped, more material
// changes nothing; along a line it does. A fit that begins with random weights learns
// too little of that. The line that comes nearest to the outputs of the held-out
// positions, by least squares, takes the place of a share of them, as far as the
// bounds of weights allow, and the fit corrects the errors that this makes elsewhere.
// Output buckets with too few held-out positions stay as they are.
func (t *Trainer) straighten() {
	l, w := &t.layout, t.workers[0]
	lines := make([]line, l.outputs)
	w.pass(t.set.Held, func(i int, out float64) {
		if math.Abs(out) < straightRange {
			bucket := w.inputs[i].bucket
			lines[bucket].add(w.hidden.sums1, l.stack(t.used, bucket).skips, out)
		}
	}, nil)
	for bucket := range lines {
		weights, constant, ok := lines[bucket].solve()
		present := lines[bucket].share()
		if !ok || present >= leastStraight {
			continue
		}
		s, more := l.stack(t.params, bucket), (straightShare-present)/(1-present)
		for i, v := range weights {
			s.skips[i] = float32(min(max(float64(more*v)+float64((1-more)*float64(s.skips[i])), -skipLimit), skipLimit))
		}
		scale(s.weights3, 1-more)
		offset := &l.offset.of(t.params)[bucket]
		*offset = float32(float64(more*constant) + float64((1-more)*float64(*offset)))
		s.bound()
	}
}

// line is the normal equations of the line that is to be found: a row for each sum
// of the first small layer, and one for the constant; in the last column their
// right-hand sides.
type line struct {
	points    int
	equations [nnue.Hidden1 + 1][nnue.Hidden1 + 2]float64

	skips, squares, products float64 // sums of what goes past the layers, of squares of outputs, of both multiplied
}

// add takes a point: the sums of the first small layer, their present weights past the
// others, and the output.
func (l *line) add(sums, skips []float32, output float64) {
	var x [nnue.Hidden1 + 2]float64
	skip := 0.0
	for i, y := range sums {
		x[i] = float64(past(y))
		skip += float64(float64(skips[i]) * x[i])
	}
	l.skips += skip
	l.squares += float64(output * output)
	l.products += float64(skip * output)
	x[nnue.Hidden1], x[nnue.Hidden1+1] = 1, output
	for i := range l.equations {
		for j := range x {
			l.equations[i][j] += float64(x[i] * x[j])
		}
	}
	l.points++
}

// share returns which share of the outputs goes past the small layers, 0 to 1: the
// slope of that part by the output.
func (l *line) share() float64 {
	n, outputs := float64(l.points), l.equations[nnue.Hidden1][nnue.Hidden1+1]
	variance := float64(n*l.squares) - float64(outputs*outputs)
	if variance <= 0 {
		return 0
	}
	return min(max((float64(n*l.products)-float64(outputs*l.skips))/variance, 0), 1)
}

// solve returns the line, a little flatter than it could be (ridge regression); false
// where the points are too few to tell. As everywhere in a fit products are rounded
// before they are added, so that processors that could do both at once agree.
func (l *line) solve() (weights [nnue.Hidden1]float64, constant float64, ok bool) {
	const (
		least = 100 // points to an unknown
		ridge = 0.002
	)
	a := l.equations
	if l.points < least*len(a) {
		return weights, 0, false
	}
	for i := range weights {
		a[i][i] += float64(ridge * float64(l.points))
	}
	for c := range a { // elimination needs no pivots, since the matrix is positive definite
		for r := range a {
			f := a[r][c] / a[c][c]
			for k := c; k < len(a[r]) && r != c; k++ {
				a[r][k] -= float64(f * a[c][k])
			}
		}
	}
	for i := range weights {
		weights[i] = a[i][len(a)] / a[i][i]
	}
	return weights, a[nnue.Hidden1][len(a)] / a[nnue.Hidden1][nnue.Hidden1], true
}
