package judge

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/chance"
)

// Verdict is what is said of a network.
type Verdict struct {
	// Losses are the squares of how far the network is off at each item, in
	// chances of winning.
	Losses []float64
	// Disorder is, for each family that has pairs to ask about, the share of them
	// that the network orders otherwise than the search. Such a pair differs by
	// at least pairLeast, and neither of it is worse than the best of the family
	// by more than pairMost.
	Disorder []float64

	// Scale is what the network's own would have to be for its centipawns to be nearest to
	// those of the scores, and Rescaled are the losses with it: what is left of them
	// is not a matter of scale.
	Scale    float64
	Rescaled []float64
}

// Chances of winning that make a pair of a family one to ask about.
const (
	pairLeast = 0.02
	pairMost  = 0.25
)

// Judge judges a network; a score of scoreScale centipawns of a search stands for e
// to one on.
func (s *Set) Judge(n *nnue.Network, scoreScale float64) Verdict {
	var v Verdict
	e := nnue.NewEvaluator(n)
	scale := float64(n.Shape().Scale)
	said, found := make([]float64, len(s.Items)), make([]float64, len(s.Items)) // a network's outputs, a search's chances
	for i := range s.Items {
		said[i] = float64(e.Evaluate(s.Items[i].Position)) / scale
		found[i] = chance.Sigmoid(float64(s.Items[i].Score) / scoreScale)
	}
	v.Losses = losses(said, found, 1)
	factor := bestFactor(said, found)
	v.Scale, v.Rescaled = factor*scoreScale, losses(said, found, factor)
	for _, family := range s.Families {
		// The chances of the side to move, so that the least is the best move's.
		said, found := make([]float64, len(family)), make([]float64, len(family))
		for i := range family {
			said[i] = float64(e.Evaluate(family[i].Position))
			found[i] = chance.Sigmoid(float64(family[i].Score) / scoreScale)
		}
		if share, ok := disorder(said, found); ok {
			v.Disorder = append(v.Disorder, share)
		}
	}
	return v
}

// losses returns the squares of how far outputs are off, all of them times factor.
func losses(said, found []float64, factor float64) []float64 {
	all := make([]float64, len(said))
	for i := range said {
		off := chance.Sigmoid(said[i]*factor) - found[i]
		all[i] = off * off
	}
	return all
}

// bestFactor returns the factor of the outputs, a quarter to four, that makes the
// mean loss least, to a thousandth (golden-section search, Kiefer 1953).
func bestFactor(said, found []float64) float64 {
	const low, high, golden = -2.0, 2.0, 0.6180339887498949 // powers of two
	loss := func(x float64) float64 { return Mean(losses(said, found, math.Exp2(x))) }
	a, b := low, high
	x, y := b-golden*(b-a), a+golden*(b-a)
	fx, fy := loss(x), loss(y)
	for b-a > 0.001 {
		if fx < fy {
			b, y, fy = y, x, fx
			x = b - golden*(b-a)
			fx = loss(x)
		} else {
			a, x, fx = x, y, fy
			y = a + golden*(b-a)
			fy = loss(y)
		}
	}
	return math.Exp2((a + b) / 2)
}

// disorder returns the share of the pairs of a family whose order in said is not
// that in found, half of those that are equal in said; ok is false where there is
// no pair to ask about.
func disorder(said, found []float64) (share float64, ok bool) {
	most := slices.Min(found) + pairMost
	wrong, pairs := 0.0, 0.0
	for i := range found {
		for j := range i {
			if found[i] > most || found[j] > most || math.Abs(found[i]-found[j]) < pairLeast {
				continue
			}
			pairs++
			switch d := (said[i] - said[j]) * (found[i] - found[j]); {
			case d < 0:
				wrong++
			case d == 0:
				wrong += 0.5
			}
		}
	}
	return wrong / pairs, pairs > 0
}

// Mean returns the mean of losses.
func Mean(losses []float64) float64 {
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	return sum / float64(len(losses))
}

// Text says the means in short, without those that there is nothing for.
func (v *Verdict) Text() string {
	var parts []string
	if len(v.Losses) > 0 {
		parts = append(parts, fmt.Sprintf("judged %.5f", Mean(v.Losses)))
	}
	if len(v.Disorder) > 0 {
		parts = append(parts, fmt.Sprintf("disorder %.5f", Mean(v.Disorder)))
	}
	return strings.Join(parts, ", ")
}

// Phase is what networks lose on a part of a set. That of the families is named
// [Disorder]: it counts families, and its losses are shares of pairs.
type Phase struct {
	Name      string    `json:"name"`
	Positions int       `json:"positions"`
	Losses    []Loss    `json:"losses"`           // by network
	Scales    []float64 `json:"scales,omitempty"` // of [Rescaled]: [Verdict.Scale] by network
}

// Rescaled is the name of the part that tells the losses of all positions with each
// network at the scale that suits it best.
const Rescaled = "all, rescaled"

// Disorder is the name of the part that tells the order of families.
const Disorder = "disorder of families"

// Loss is the mean loss of a network and its difference to that of the first
// one, with a standard error.
type Loss struct {
	Mean       float64 `json:"mean"`
	Difference float64 `json:"difference"`
	Error      float64 `json:"error"`
}

// moments are sums over positions.
type moments struct{ loss, difference, square float64 }

// phaseWidth is the numbers of pieces that make a phase.
const phaseWidth = 4

// Phases returns the mean losses of networks by the number of pieces, by the
// source, and of all, and the disorder of families; verdicts are those of [Set.Judge]
// on each network. Parts without positions are left out.
func (s *Set) Phases(verdicts []Verdict) []Phase {
	var filled []Phase
	var losses, rescaled, disorder [][]float64
	var scales []float64
	for _, v := range verdicts {
		losses, disorder = append(losses, v.Losses), append(disorder, v.Disorder)
		rescaled, scales = append(rescaled, v.Rescaled), append(scales, v.Scale)
	}
	add := func(name string, values [][]float64, holds func(i int) bool) {
		if p := compare(name, values, holds); p.Positions > 0 {
			if name == Rescaled {
				p.Scales = scales
			}
			filled = append(filled, p)
		}
	}
	for low := 32 - phaseWidth + 1; low > 0; low -= phaseWidth {
		add(fmt.Sprintf("%d-%d pieces", low, low+phaseWidth-1), losses, func(i int) bool {
			n := s.Items[i].Position.Occupied().Count()
			return n >= low && n < low+phaseWidth
		})
	}
	for _, from := range []Source{FromGame, FromSearch} {
		add("from a "+string(from), losses, func(i int) bool { return s.Items[i].Source == from })
	}
	all := func(int) bool { return true }
	add("all", losses, all)
	add(Rescaled, rescaled, all)
	add(Disorder, disorder, all)
	return filled
}

// compare returns the means of the values of each network that holds is true for.
func compare(name string, values [][]float64, holds func(i int) bool) Phase {
	p := Phase{Name: name}
	sums := make([]moments, len(values))
	for i := range values[0] {
		if !holds(i) {
			continue
		}
		p.Positions++
		for n := range values {
			d := values[n][i] - values[0][i]
			sums[n].loss += values[n][i]
			sums[n].difference += d
			sums[n].square += d * d
		}
	}
	count := float64(p.Positions)
	for _, m := range sums {
		d := m.difference / count
		variance := math.Max(0, m.square/count-d*d)
		p.Losses = append(p.Losses, Loss{m.loss / count, d, math.Sqrt(variance / count)})
	}
	return p
}

// WriteText writes phases as a table, a column for each of the named networks:
// its mean loss and, but for the first, the difference to that of the first ± one
// standard error.
func WriteText(w io.Writer, names []string, phases []Phase) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "part\tpositions")
	for _, name := range names {
		fmt.Fprint(t, "\t", name)
	}
	fmt.Fprintln(t)
	for _, p := range phases {
		fmt.Fprintf(t, "%s\t%d", p.Name, p.Positions)
		for i, l := range p.Losses {
			fmt.Fprintf(t, "\t%.5f", l.Mean)
			if p.Scales != nil {
				fmt.Fprintf(t, " at %.0f", p.Scales[i])
			}
			if i > 0 {
				fmt.Fprintf(t, " (%+.5f ± %.5f)", l.Difference, l.Error)
			}
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
