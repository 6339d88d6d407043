package review

import (
	"math"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
)

// The losses of chances from which on a move has a judgment.
const (
	inaccuracyLoss = 0.05
	mistakeLoss    = 0.10
	blunderLoss    = 0.15
)

// shortMate is the number of moves up to which a missed mate is an inaccuracy at
// the least.
const shortMate = 3

// chanceScale is the centipawns that stand for odds of e to one in a game of people. The
// chances of package eval/wdl are those of engines, among whom a pawn decides far more
// games: by them most slips of people would be blunders.
const chanceScale = 250

// Chance returns White's chance of winning, draws counted half: 1/(1+e^(-cp/250)),
// so that a pawn is 0.60 and a rook 0.88; 1 or 0 for a mate. It is rounded to four
// decimals, so that it is the same on every processor.
func (s Score) Chance() float64 {
	switch {
	case eval.Score(s) >= eval.MateEdge:
		return 1
	case eval.Score(s) <= -eval.MateEdge:
		return 0
	}
	return round4(wdl.Sigmoid(float64(s) / chanceScale))
}

// round4 rounds to four decimals.
func round4(x float64) float64 { return math.Round(x*1e4) / 1e4 }

// judge fills in what follows from the scores of a move of side us that the mover
// could have avoided.
func (m *Move) judge(us chess.Color, same bool) {
	before, after := m.Before.Chance(), m.After.Chance()
	if us == chess.Black {
		before, after = 1-before, 1-after
	}
	m.Loss = max(0, round4(before-after))
	if same {
		m.Loss = 0
	}
	m.Accuracy = round4(100 * math.Exp(-4.5*m.Loss))
	m.mates(us)
	switch {
	case m.Loss >= blunderLoss:
		m.Judgment = Blunder
	case m.Loss >= mistakeLoss:
		m.Judgment = Mistake
	case m.Loss >= inaccuracyLoss || m.MissedMate > 0 && m.MissedMate <= shortMate:
		m.Judgment = Inaccuracy
	}
}

// mates tells of a mate that the move of side us missed or allows.
func (m *Move) mates(us chess.Color) {
	had, has := m.Before, m.After
	if us == chess.Black {
		had, has = -had, -has
	}
	won, lost := Score(eval.MateEdge), -Score(eval.MateEdge)
	if had >= won && has < won {
		m.MissedMate, _ = had.Mate()
	}
	if n, _ := has.Mate(); had > lost && has <= lost {
		m.AllowsMate = -n
	}
}

// sides sums up how both sides played.
func (r *Report) sides() {
	weights := r.weights()
	for _, side := range []struct {
		color chess.Color
		to    *Side
	}{{chess.White, &r.White}, {chess.Black, &r.Black}} {
		var s Side
		var loss, weighted, weight, inverse float64
		for i := range r.Moves {
			m := &r.Moves[i]
			if m.Side != side.color.String() || m.Forced || m.Null {
				continue
			}
			s.Moves++
			s.count(m.Judgment)
			loss += m.Loss
			weight += weights[i]
			weighted += float64(weights[i] * m.Accuracy)
			inverse += 1 / m.Accuracy
		}
		if n := float64(s.Moves); n > 0 {
			s.MeanLoss = round4(loss / n)
			mean := math.Round(10*(weighted/weight+n/inverse)/2) / 10
			s.Accuracy = &mean
		}
		*side.to = s
	}
}

// count counts a judgment.
func (s *Judgments) count(j Judgment) {
	switch j {
	case Inaccuracy:
		s.Inaccuracies++
	case Mistake:
		s.Mistakes++
	case Blunder:
		s.Blunders++
	}
}

// weights returns what each move counts in the mean of its side: the standard
// deviation of the chances in a window of a tenth of the game, 2 to 8 plies, that ends
// behind the move, but no less than 0.005 and no more than 0.12.
func (r *Report) weights() []float64 {
	if len(r.Moves) == 0 {
		return nil
	}
	chances := []float64{r.Moves[0].Before.Chance()}
	for i := range r.Moves {
		chances = append(chances, r.Moves[i].Chance)
	}
	window := max(2, min(8, len(r.Moves)/10))
	weights := make([]float64, len(r.Moves))
	for i := range weights {
		weights[i] = max(0.005, min(0.12, deviation(chances[max(0, i+2-window):i+2])))
	}
	return weights
}

// deviation returns the standard deviation of values.
func deviation(values []float64) float64 {
	n, sum, squares := float64(len(values)), 0.0, 0.0
	for _, v := range values {
		sum += v
	}
	for _, v := range values {
		d := v - sum/n
		squares += float64(d * d)
	}
	return math.Sqrt(squares / n)
}
