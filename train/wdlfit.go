package main

import (
	"errors"
	"fmt"
	"math"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/gen/source"
	"github.com/tabula-chess/tabula/internal/plural"
)

// leastPositions are needed for a fit.
const leastPositions = 10000

// logLoss returns the mean negative log-likelihood of the results under a model, in nats per position. It is
// infinite for an invalid model.
func (t *wdlTable) logLoss(m wdl.Model) float64 {
	for material := wdl.LeastMaterial; material <= wdl.MostMaterial; material++ {
		if a, b := m.At(material); a <= 0 || b <= 0 {
			return math.Inf(1)
		}
	}
	sum := 0.0
	t.each(func(s eval.Score, material int, n *wdlResults) {
		win, draw, loss := m.Shares(s, material)
		for i, p := range [...]float64{loss, draw, win} {
			sum -= float64(n[i]) * math.Log(max(p, tiny))
		}
	})
	return sum / float64(t.Positions)
}

// baseLoss returns the log loss of a model that gives every position the shares of
// all results, whatever its score: what there is to gain upon.
func (t *wdlTable) baseLoss() float64 {
	var all wdlResults
	t.each(func(_ eval.Score, _ int, n *wdlResults) {
		for i := range n {
			all[i] += n[i] + n[2-i] // either side's view
		}
	})
	sum := 0.0
	for _, n := range all {
		if share := float64(n) / float64(2*t.Positions); n > 0 {
			sum -= share * math.Log(share)
		}
	}
	return sum
}

// tiny keeps the logarithm of a chance that was rounded to nothing finite.
const tiny = 1e-12

// anchors are the materials, over [wdl.Unit], at which a fit moves a and b: values far apart do not depend on each
// other much, as the coefficients of the polynomials through them do.
var anchors = [3]float64{float64(wdl.LeastMaterial) / wdl.Unit, 45.0 / wdl.Unit, float64(wdl.MostMaterial) / wdl.Unit}

// through returns the model with the given a and b at the anchors, by Newton's interpolation.
func through(values *[6]float64) (m wdl.Model) {
	x := anchors
	for i, c := range []*[3]float64{&m.A, &m.B} {
		y := values[3*i:]
		slope, next := (y[1]-y[0])/(x[1]-x[0]), (y[2]-y[1])/(x[2]-x[1])
		bend := (next - slope) / (x[2] - x[0])
		*c = [3]float64{y[0] - slope*x[0] + bend*x[0]*x[1], slope - bend*(x[0]+x[1]), bend}
	}
	return m
}

// fitWDL returns the model with the least log loss on t: it moves a and b at each anchor as long as that gains, in ever
// smaller steps. Errors: too few positions, or results that no model fits.
func fitWDL(t *wdlTable) (wdl.Model, error) {
	if t.Positions < leastPositions {
		return wdl.Model{}, fmt.Errorf("%s with scores within %d centipawns: want %d at least",
			plural.Of(t.Positions, "position"),
			scoreEdge, leastPositions)
	}
	if t.telling() < len(anchors) {
		return wdl.Model{}, errors.New("the results do not determine a model: games of one kind alone?")
	}
	at := [6]float64{150, 150, 150, 80, 80, 80}
	least := t.logLoss(through(&at))
	for step := 32.0; step > 1e-4; {
		gained := false
		for i := range 2 * len(at) {
			next := at
			next[i/2] += step * float64(1-i%2*2)
			if loss := t.logLoss(through(&next)); loss < least {
				at, least, gained = next, loss, true
			}
		}
		if !gained {
			step /= 2
		}
	}
	m := through(&at)
	for _, c := range []*[3]float64{&m.A, &m.B} { // as it is written
		for i := range c {
			c[i] = math.Round(c[i]*100) / 100
		}
	}
	return m, nil
}

// telling returns the number of materials with which games were drawn, won by White and won by Black.
func (t *wdlTable) telling() (n int) {
	seen := map[int]wdlResults{}
	t.each(func(_ eval.Score, material int, r *wdlResults) {
		all := seen[material]
		for i := range r {
			all[i] += r[i]
		}
		seen[material] = all
	})
	for _, all := range seen {
		if min(all[0], all[1], all[2]) > 0 {
			n++
		}
	}
	return n
}

// wdlSource returns the Go file of package eval/wdl that holds m, with a line on the
// games that it was fitted to.
func wdlSource(m wdl.Model, games string) ([]byte, error) {
	f := source.NewFile("go run ./train wdl --write", "eval/wdl")
	f.Comment("fitted is the model of [Of], fitted to " + games + ".")
	f.Var().Id("fitted").Op("=").Add(source.Literal(m))
	return source.Render(f)
}
