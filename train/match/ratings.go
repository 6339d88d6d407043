package match

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/work"
)

// Standing is the score between two players, by their indices, from the view of A.
type Standing struct {
	A, B int
	Tally
	Pairs Pairs
}

// Text returns the score of A in a match with these rules and this test, nil for none, and the state of the test.
func (s *Standing) Text(r *Rules, t *Test) string {
	text := fmt.Sprintf("+%d =%d -%d, %s", s.Won, s.Drawn, s.Lost, s.Pairs.Elos())
	if t != nil {
		text += ", " + t.Text(t.LLR(s.Pairs))
	}
	if r.Nodes == 0 {
		text += fmt.Sprintf(", lost on time %d and %d", s.Late[0], s.Late[1])
	}
	if s.Broken > 0 {
		text += fmt.Sprintf(", %d lost by a crash or an illegal move", s.Broken)
	}
	return text
}

// Numbers returns the figures of a match of two that a page draws: games, A's score, Elo with the bounds of its error,
// and the ratio of the test. What cannot be told yet is left out.
func (m *Match) Numbers() (all []work.Number) {
	if len(m.standings) != 1 {
		return nil
	}
	s := &m.standings[0]
	games := float64(s.Won + s.Drawn + s.Lost)
	elo, margin := s.Pairs.Elo()
	add := func(name string, value float64) { all = append(all, work.Number{Name: name, Value: value}) }
	add("games", games)
	add("late", float64(s.Late[0]+s.Late[1]))
	add("faults", float64(s.Broken))
	if games > 0 {
		add("score", (float64(s.Won)+float64(s.Drawn)/2)/games)
	}
	if margin > 0 && !math.IsInf(margin, 0) { // all pairs that ended alike are too few to tell an error by
		add("elo", elo)
		add("elo_margin", margin)
	}
	if t := m.Test; t != nil {
		lower, upper := t.Bounds()
		add("llr", t.LLR(s.Pairs))
		add("llr_lower", lower)
		add("llr_upper", upper)
	}
	for points, n := range s.Pairs {
		add(fmt.Sprintf("pairs_%d", points), float64(n))
	}
	return all
}

// Rating is the rating of a player.
type Rating struct {
	Player int     // its index
	Elo    float64 // above the mean of all players
	// Margin is half the width of the 95 % interval, with the other ratings taken as known. It is not a number if
	// all pairs have the same score.
	Margin float64
	Games  int
	Score  float64 // 0 to 1
}

// Ratings returns the maximum-likelihood ratings of the players, best first, by the Bradley-Terry model with a draw
// as half a win. Each pairing counts one additional drawn pair, so that all ratings are finite. Source: Hunter,
// "MM algorithms for generalized Bradley-Terry models" (2004).
func Ratings(players int, standings []Standing) []Rating {
	strength := fitStrengths(players, standings)
	all := make([]Rating, players)
	variances, slopes := make([]float64, players), make([]float64, players)
	for _, s := range standings {
		n := float64(s.Pairs.Total())
		if n == 0 {
			continue
		}
		mean, variance := s.Pairs.moments()
		expected := strength[s.A] / (strength[s.A] + strength[s.B])
		for _, i := range []int{s.A, s.B} {
			variances[i] += n * variance
			slopes[i] += n * expected * (1 - expected) * math.Ln10 / 400
			all[i].Games += 2 * s.Pairs.Total()
		}
		all[s.A].Score += n * mean
		all[s.B].Score += n * (1 - mean)
	}
	for i := range all {
		r := &all[i]
		r.Player, r.Elo, r.Margin = i, 400*math.Log10(strength[i]), math.NaN()
		if r.Games > 0 {
			r.Score /= float64(r.Games) / 2
		}
		if variances[i] > 0 {
			r.Margin = z95 * math.Sqrt(variances[i]) / slopes[i]
		}
	}
	slices.SortStableFunc(all, func(a, b Rating) int { return cmp.Compare(b.Elo, a.Elo) })
	return all
}

// fitStrengths returns the likeliest strengths: a beats b with probability a/(a+b).
// Their geometric mean is 1.
func fitStrengths(players int, standings []Standing) []float64 {
	strength := slices.Repeat([]float64{1}, players)
	for range 10_000 {
		points, weights := make([]float64, players), make([]float64, players)
		for _, s := range standings {
			n, won := 1.0, 0.5 // the pair drawn beforehand
			for i, k := range s.Pairs {
				n, won = n+float64(k), won+float64(k)*score[i]
			}
			points[s.A] += won
			points[s.B] += n - won
			weight := n / (strength[s.A] + strength[s.B])
			weights[s.A] += weight
			weights[s.B] += weight
		}
		mean, change := 0.0, 0.0
		for i := range points {
			points[i] /= weights[i]
			mean += math.Log(points[i]) / float64(players)
		}
		for i := range points {
			next := points[i] / math.Exp(mean)
			change = max(change, math.Abs(math.Log(next/strength[i])))
			strength[i] = next
		}
		if change < 1e-9 {
			break
		}
	}
	return strength
}
