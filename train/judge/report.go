package judge

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/chance"
	"github.com/tabula-chess/tabula/search"
)

// Verdict is what is said of a network, or of searches with it.
type Verdict struct {
	// Losses are the squares of how far the network is off at each item, in
	// chances of winning.
	Losses []float64
	// Disorder is, for each family that has pairs to ask about, the share of them
	// that the network orders otherwise than the search. Such a pair differs by
	// at least pairLeast, and neither of it is worse than the best of the family
	// by more than pairMost.
	Disorder []float64

	said, found []float64 // what was judged, in units of the network's scale; chances that the searches of the set found
	scoreScale  float64
}

// Chances of winning that make a pair of a family one to ask about.
const (
	pairLeast = 0.02
	pairMost  = 0.25
)

// Judge judges the static evaluations of a network; a score of scoreScale centipawns
// of a search of the set stands for e to one on.
func (s *Set) Judge(n *nnue.Network, scoreScale float64) Verdict {
	return s.judge(nnue.NewEvaluator(n).Evaluate, float64(n.Shape().Scale), scoreScale)
}

// JudgeSearches judges what searches say in place of static evaluations: those of e,
// each with an empty table, of which no iteration starts that is likely to end after
// so many nodes.
func (s *Set) JudgeSearches(e *search.Engine, nodes uint64, scoreScale float64) Verdict {
	return s.judge(func(p *chess.Position) eval.Score {
		e.Clear()
		return e.Search(p, search.Soft(nodes), search.Options{}, nil).Score
	}, float64(e.Network().Shape().Scale), scoreScale)
}

// judge judges what say tells of positions, in centipawns of which scale stand for e
// to one on.
func (s *Set) judge(say func(*chess.Position) eval.Score, scale, scoreScale float64) Verdict {
	v := Verdict{scoreScale: scoreScale}
	for i := range s.Items {
		it := &s.Items[i]
		v.said = append(v.said, float64(say(it.Position))/scale)
		v.found = append(v.found, chance.Sigmoid(float64(it.Score)/scoreScale))
	}
	v.Losses = v.times(1, s.all())
	for _, family := range s.Families {
		// The chances of the side to move, so that the least is the best move's.
		said, found := make([]float64, len(family)), make([]float64, len(family))
		for i := range family {
			said[i] = float64(say(family[i].Position))
			found[i] = chance.Sigmoid(float64(family[i].Score) / scoreScale)
		}
		if share, ok := disorder(said, found); ok {
			v.Disorder = append(v.Disorder, share)
		}
	}
	return v
}

// times returns what the losses of some items would be with all outputs times factor.
func (v *Verdict) times(factor float64, items []int) (losses []float64) {
	for _, i := range items {
		off := chance.Sigmoid(v.said[i]*factor) - v.found[i]
		losses = append(losses, off*off)
	}
	return losses
}

// rescaled returns what the scale of the network would have to be, a quarter of that of the
// scores to four times it, for its centipawns to be nearest to theirs at some items, and the
// losses there with it: what is left of them is not a matter of scale.
func (v *Verdict) rescaled(items []int) (scale float64, losses []float64) {
	low, high := -2.0, 2.0 // powers of two
	for high-low > 0.001 {
		third := (high - low) / 3
		if Mean(v.times(math.Exp2(low+third), items)) < Mean(v.times(math.Exp2(high-third), items)) {
			high -= third
		} else {
			low += third
		}
	}
	factor := math.Exp2((low + high) / 2)
	return factor * v.scoreScale, v.times(factor, items)
}

// all returns the numbers of all items.
func (s *Set) all() (items []int) {
	for i := range s.Items {
		items = append(items, i)
	}
	return items
}

// bands returns the numbers of the items by the number of pieces, from few to many,
// each band phaseWidth numbers wide.
func (s *Set) bands() (bands [32 / phaseWidth][]int) {
	for i := range s.Items {
		b := s.Items[i].band()
		bands[b] = append(bands[b], i)
	}
	return bands
}

// band returns which of the bands an item is in.
func (it *Item) band() int { return (it.Position.Occupied().Count() - 1) / phaseWidth }

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
	Scales    []float64 `json:"scales,omitempty"` // of [Rescaled] alone, by network
}

// Rescaled is the name of the part that tells the losses of all positions with each
// network at the scale that suits it best.
const Rescaled = "all, rescaled"

// RescaledBands is the same with a scale for each band of pieces: games do not say
// whether a pawn is worth as much with many pieces on the board as with few.
const RescaledBands = "all, rescaled by pieces"

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
	var losses, rescaled, byBand, disorder [][]float64
	var scales []float64
	bands := s.bands()
	for _, v := range verdicts {
		scale, of := v.rescaled(s.all())
		losses, rescaled, disorder = append(losses, v.Losses), append(rescaled, of), append(disorder, v.Disorder)
		scales = append(scales, scale)
		each := make([]float64, len(of))
		for _, items := range bands {
			_, of := v.rescaled(items)
			for i, item := range items {
				each[item] = of[i]
			}
		}
		byBand = append(byBand, each)
	}
	add := func(p Phase, values [][]float64, holds func(i int) bool) {
		if p.compare(values, holds); p.Positions > 0 {
			filled = append(filled, p)
		}
	}
	for b := len(bands) - 1; b >= 0; b-- {
		low := b*phaseWidth + 1
		add(Phase{Name: fmt.Sprintf("%d-%d pieces", low, low+phaseWidth-1)}, losses, func(i int) bool {
			return s.Items[i].band() == b
		})
	}
	for _, from := range []Source{FromGame, FromSearch} {
		add(Phase{Name: "from a " + string(from)}, losses, func(i int) bool { return s.Items[i].Source == from })
	}
	all := func(int) bool { return true }
	add(Phase{Name: "all"}, losses, all)
	add(Phase{Name: Rescaled, Scales: scales}, rescaled, all)
	add(Phase{Name: RescaledBands}, byBand, all)
	add(Phase{Name: Disorder}, disorder, all)
	return filled
}

// compare fills in the means of the values of each network that holds is true for.
func (p *Phase) compare(values [][]float64, holds func(i int) bool) {
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
