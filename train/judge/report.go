package judge

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/chance"
)

// Losses returns the square of how far the network is off at each item, in
// chances of winning; a score of scoreScale centipawns of a search stands for e to one on.
func (s *Set) Losses(n *nnue.Network, scoreScale float64) []float64 {
	e := nnue.NewEvaluator(n)
	scale := float64(n.Shape().Scale)
	losses := make([]float64, len(s.Items))
	for i := range s.Items {
		it := &s.Items[i]
		off := chance.Sigmoid(float64(e.Evaluate(it.Position))/scale) - chance.Sigmoid(float64(it.Score)/scoreScale)
		losses[i] = off * off
	}
	return losses
}

// Mean returns the mean of losses.
func Mean(losses []float64) float64 {
	sum := 0.0
	for _, l := range losses {
		sum += l
	}
	return sum / float64(len(losses))
}

// Phase is what networks lose on a part of a set.
type Phase struct {
	Name      string `json:"name"`
	Positions int    `json:"positions"`
	Losses    []Loss `json:"losses"` // by network
	holds     func(*Item) bool
}

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
// source, and of all; losses are those that [Set.Losses] returns for each
// network. Parts without positions are left out.
func (s *Set) Phases(losses [][]float64) []Phase {
	var parts []Phase
	for low := 32 - phaseWidth + 1; low > 0; low -= phaseWidth {
		parts = append(parts, Phase{
			Name: fmt.Sprintf("%d-%d pieces", low, low+phaseWidth-1),
			holds: func(it *Item) bool {
				n := it.Position.Occupied().Count()
				return n >= low && n < low+phaseWidth
			},
		})
	}
	for _, from := range []Source{FromGame, FromSearch} {
		parts = append(parts, Phase{Name: "from a " + string(from), holds: func(it *Item) bool { return it.Source == from }})
	}
	parts = append(parts, Phase{Name: "all", holds: func(*Item) bool { return true }})
	var filled []Phase
	for _, p := range parts {
		if p.sum(s, losses); p.Positions > 0 {
			filled = append(filled, p)
		}
	}
	return filled
}

// sum adds up the losses of the positions of the phase.
func (p *Phase) sum(s *Set, losses [][]float64) {
	sums := make([]moments, len(losses))
	for i := range s.Items {
		if !p.holds(&s.Items[i]) {
			continue
		}
		p.Positions++
		for n := range losses {
			d := losses[n][i] - losses[0][i]
			sums[n].loss += losses[n][i]
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
			if i > 0 {
				fmt.Fprintf(t, " (%+.5f ± %.5f)", l.Difference, l.Error)
			}
		}
		fmt.Fprintln(t)
	}
	return t.Flush()
}
