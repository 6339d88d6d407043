package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Of outputs nearer to 0 than straightRange a line is found, and straightShare of
// them goes along it.
const (
	straightRange = 2.5
	straightShare = 0.5
)

// straighten gives a layered network weights past the second and third layer, unless
// it has some. Where all neurons of these are clipped, more material changes nothing;
// along a line it does. The line that comes nearest to the outputs of the held-out
// positions, by least squares, takes the place of a share of them, as far as the
// bounds of weights allow, and the fit mends what it is off by elsewhere. Output
// buckets with too few held-out positions stay as they are.
func (t *Trainer) straighten() {
	l, w := &t.layout, t.workers[0]
	for _, v := range l.small.skips.of(t.params) {
		if v != 0 {
			return
		}
	}
	lines := make([]line, l.outputs)
	w.each(t.set.held, func(i int, out float64) {
		if math.Abs(out) < straightRange {
			lines[w.inputs[i].bucket].add(w.hidden.sums1, out)
		}
	})
	for bucket := range lines {
		weights, constant, ok := lines[bucket].solve()
		if !ok {
			continue
		}
		s := l.stack(t.params, bucket)
		for i, v := range weights {
			s.skips[i] = float32(min(max(straightShare*v, -skipLimit), skipLimit))
		}
		scale(s.weights3, 1-straightShare)
		offset := &l.offset.of(t.params)[bucket]
		*offset = float32(float64(straightShare*constant) + float64((1-straightShare)*float64(*offset)))
		s.bound()
	}
}

// line is the normal equations of the line that is to be found: a row for each sum
// of the first small layer, and one for the constant; in the last column what they
// have to come to.
type line struct {
	points    int
	equations [nnue.Hidden1 + 1][nnue.Hidden1 + 2]float64
}

// add takes a point: the sums of the first small layer and the output.
func (l *line) add(sums []float32, output float64) {
	var x [nnue.Hidden1 + 2]float64
	for i, y := range sums {
		x[i] = float64(past(y))
	}
	x[nnue.Hidden1], x[nnue.Hidden1+1] = 1, output
	for i := range l.equations {
		for j := range x {
			l.equations[i][j] += float64(x[i] * x[j])
		}
	}
	l.points++
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
