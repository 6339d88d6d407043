package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
)

// wdlParameters is how many parameters a model has: those of A, then those of B.
const wdlParameters = 6

// leastPositions are needed for a fit.
const leastPositions = 10000

// wdlVector is the parameters of a model, or a direction in them.
type wdlVector [wdlParameters]float64

func wdlVectorOf(m wdl.Model) (v wdlVector) {
	copy(v[:3], m.A[:])
	copy(v[3:], m.B[:])
	return v
}

func (v *wdlVector) model() (m wdl.Model) {
	copy(m.A[:], v[:3])
	copy(m.B[:], v[3:])
	return m
}

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

// wdlRounds is more steps than a fit has ever needed.
const wdlRounds = 200

// fitWDL returns the model with the least log loss on t, by Fisher scoring: Newton's
// method with the curvature to be expected, each step halved until it gains.
// Errors: too few positions, or results that no model fits.
func fitWDL(t *wdlTable) (wdl.Model, error) {
	if t.Positions < leastPositions {
		return wdl.Model{}, fmt.Errorf("%d positions with scores within %d centipawns: want %d at least", t.Positions,
			scoreEdge, leastPositions)
	}
	at := wdlVectorOf(wdl.Model{A: [3]float64{150}, B: [3]float64{80}})
	loss := t.logLoss(at.model())
	for range wdlRounds {
		step, ok := t.step(at.model())
		if !ok {
			return wdl.Model{}, errors.New("the results do not determine a model: games of one kind alone?")
		}
		gained := false
		for size := 1.0; size > 1e-6; size /= 2 {
			next := at
			for i := range next {
				next[i] += size * step[i]
			}
			if l := t.logLoss(next.model()); l < loss {
				gained = loss-l > 1e-10
				at, loss = next, l
				break
			}
		}
		if !gained {
			return roundedWDL(at), nil
		}
	}
	return wdl.Model{}, fmt.Errorf("no end of the fit after %d wdlRounds", wdlRounds)
}

// roundedWDL returns the model of v as it is written, in hundredths.
func roundedWDL(v wdlVector) wdl.Model {
	for i := range v {
		v[i] = math.Round(v[i]*100) / 100
	}
	return v.model()
}

// step returns the direction of the next step; ok is false where there is none.
func (t *wdlTable) step(m wdl.Model) (step wdlVector, ok bool) {
	var slope wdlVector
	var curve [wdlParameters]wdlVector
	t.each(func(s eval.Score, material int, n *wdlResults) {
		win, draw, loss := m.Shares(s, material)
		a, b := m.At(material)
		u, v := (float64(s)-a)/b, (-float64(s)-a)/b
		// How each chance changes with a and with b.
		dw, dl := win*(1-win)/b, loss*(1-loss)/b
		by := [3][2]float64{{-dl, -dl * v}, {dw + dl, dw*u + dl*v}, {-dw, -dw * u}}
		all := float64(n[0] + n[1] + n[2])
		x := float64(material) / wdl.Unit
		powers := [3]float64{1, x, x * x}
		for k, p := range [...]float64{loss, draw, win} {
			p = max(p, tiny)
			var d wdlVector
			for i := range d {
				d[i] = by[k][i/3] * powers[i%3]
			}
			for i := range d {
				slope[i] += float64(n[k]) / p * d[i]
				for j := range d {
					curve[i][j] += all / p * d[i] * d[j]
				}
			}
		}
	})
	return solveWDL(&curve, slope)
}

// solveWDL returns x with a·x = y for a symmetric, positive definite a, by Cholesky's
// decomposition, in place; ok is false where a is not.
func solveWDL(a *[wdlParameters]wdlVector, y wdlVector) (x wdlVector, ok bool) {
	for i := range wdlParameters {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i != j {
				a[i][j] = sum / a[j][j]
				continue
			}
			if !(sum > 0) {
				return x, false
			}
			a[i][i] = math.Sqrt(sum)
		}
	}
	for i := range wdlParameters {
		for k := range i {
			y[i] -= a[i][k] * y[k]
		}
		y[i] /= a[i][i]
	}
	for i := wdlParameters - 1; i >= 0; i-- {
		for k := i + 1; k < wdlParameters; k++ {
			y[i] -= a[k][i] * y[k]
		}
		y[i] /= a[i][i]
	}
	return y, true
}

// wdlSource returns the Go file of package eval/wdl that holds m, with a line on the
// games that it was fitted to.
func wdlSource(m wdl.Model, games string) []byte {
	var b bytes.Buffer
	b.WriteString("// Code generated by \"go run ./train wdl --write\". DO NOT EDIT.\n\npackage wdl\n\n")
	fmt.Fprintf(&b, "// fitted is the model of [Of], fitted to %s.\nvar fitted = Model{\n", games)
	for _, row := range []struct {
		name string
		c    [3]float64
	}{{"A", m.A}, {"B", m.B}} {
		fmt.Fprintf(&b, "\t%s: [3]float64{%v, %v, %v},\n", row.name, row.c[0], row.c[1], row.c[2])
	}
	b.WriteString("}\n")
	return b.Bytes()
}
