package testset

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/search"
)

// Verdict holds the losses of a network, or of searches with it, on a set.
type Verdict struct {
	// Losses are the squared errors of the win probability, by item.
	Losses []float64

	said, found []float64 // what was judged, in units of the network's scale; chances that the searches of the set found
	scoreScale  float64
}

// Judge returns the losses of a network's static evaluations. A score of scoreScale centipawns has odds of e to 1.
func (s *Set) Judge(n *nnue.Network, scoreScale float64) Verdict {
	return s.judge(nnue.NewEvaluator(n).Evaluate, float64(n.Shape().Scale), scoreScale)
}

// JudgeSearches returns the losses of the scores of searches by e, each with an empty table and the soft limit in
// nodes.
func (s *Set) JudgeSearches(e *search.Engine, nodes uint64, scoreScale float64) Verdict {
	return s.judge(func(p *chess.Position) eval.Score {
		e.Clear()
		return e.Search(p, search.Soft(nodes), search.Options{}, nil).Score
	}, float64(e.Network().Shape().Scale), scoreScale)
}

// judge judges what say returns, in centipawns of which scale stand for odds of e to
// one.
func (s *Set) judge(say func(*chess.Position) eval.Score, scale, scoreScale float64) Verdict {
	v := Verdict{scoreScale: scoreScale}
	for i := range s.Items {
		it := &s.Items[i]
		v.said = append(v.said, float64(say(it.Position))/scale)
		v.found = append(v.found, wdl.Sigmoid(float64(it.Score)/scoreScale))
	}
	v.Losses = v.times(1)
	return v
}

// times returns what the losses would be with all outputs times factor.
func (v *Verdict) times(factor float64) (losses []float64) {
	for i := range v.said {
		off := wdl.Sigmoid(v.said[i]*factor) - v.found[i]
		losses = append(losses, off*off)
	}
	return losses
}

// rescaled returns the scale at which the centipawns of the network are nearest to
// those of the scores, and the losses with it. It is looked for from a quarter of the
// scale of the scores to four times it.
func (v *Verdict) rescaled() (scale float64, losses []float64) {
	low, high := -2.0, 2.0 // powers of two
	for high-low > 0.001 {
		third := (high - low) / 3
		if Mean(v.times(math.Exp2(low+third))) < Mean(v.times(math.Exp2(high-third))) {
			high -= third
		} else {
			low += third
		}
	}
	factor := math.Exp2((low + high) / 2)
	return factor * v.scoreScale, v.times(factor)
}

// Mean returns the mean of losses.
func Mean(losses []float64) float64 {
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	return sum / float64(len(losses))
}

// Phase holds the losses of networks on a part of a set.
type Phase struct {
	Name      string
	Positions int
	Losses    []Loss    // by network
	Scales    []float64 // of [Rescaled] alone, by network
}

// Rescaled is the name of the part with all positions and each network at its best scale.
const Rescaled = "all, rescaled"

// Loss is the mean loss of a network and its difference from the first network, with a standard error.
type Loss struct {
	Mean, Difference, Error float64
}

// phaseWidth is the numbers of pieces that make a phase.
const phaseWidth = 4

// Phases returns the mean losses of networks by number of pieces, by source, and over all positions. The verdicts
// come from [Set.Judge]. It skips parts without positions.
func (s *Set) Phases(verdicts []Verdict) (filled []Phase) {
	var losses, rescaled [][]float64
	var scales []float64
	for _, v := range verdicts {
		scale, of := v.rescaled()
		losses, rescaled, scales = append(losses, v.Losses), append(rescaled, of), append(scales, scale)
	}
	add := func(p Phase, values [][]float64, holds func(it *Item) bool) {
		if p.compare(values, func(i int) bool { return holds(&s.Items[i]) }); p.Positions > 0 {
			filled = append(filled, p)
		}
	}
	for low := 33 - phaseWidth; low > 0; low -= phaseWidth {
		high := low + phaseWidth - 1
		add(Phase{Name: fmt.Sprintf("%d-%d pieces", low, high)}, losses, func(it *Item) bool {
			n := it.Position.Occupied().Count()
			return n >= low && n <= high
		})
	}
	for _, from := range sources {
		add(Phase{Name: "from a " + string(from)}, losses, func(it *Item) bool { return it.Source == from })
	}
	all := func(*Item) bool { return true }
	add(Phase{Name: "all"}, losses, all)
	add(Phase{Name: Rescaled, Scales: scales}, rescaled, all)
	return filled
}

// compare fills in the mean values of each network over the items that holds is true
// for.
func (p *Phase) compare(values [][]float64, holds func(i int) bool) {
	sums := make([]struct{ loss, difference, square float64 }, len(values))
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
}

// WriteText writes phases as a table with one column for each named network: the mean loss and, after the first
// network, the difference from the first ± one standard error.
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
