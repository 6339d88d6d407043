package match

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/internal/exit"
)

// Pairs counts game pairs by half points of the first player: 0 for two losses, 4 for two wins.
type Pairs [5]int

// score is the score of a pair of each kind, 0 to 1.
var score = [5]float64{0, 0.25, 0.5, 0.75, 1}

// z95 is the quantile of the normal distribution that bounds 95 %.
const z95 = 1.959963984540054

// perElo turns normalized Elo into standard deviations of a game.
const perElo = math.Ln10 / 800

// Total returns the number of pairs.
func (p Pairs) Total() int { return p[0] + p[1] + p[2] + p[3] + p[4] }

// moments returns the mean score of a pair and its variance.
func (p Pairs) moments() (mean, variance float64) {
	n := float64(p.Total())
	for i, k := range p {
		mean += score[i] * float64(k) / n
	}
	for i, k := range p {
		variance += (score[i] - mean) * (score[i] - mean) * float64(k) / n
	}
	return mean, variance
}

// Elo returns the difference in strength in logistic Elo and half the width of its 95 % interval. They are infinite
// or not a number if all pairs have the same score or there are none.
func (p Pairs) Elo() (elo, margin float64) {
	mean, variance := p.moments()
	d := z95 * math.Sqrt(variance/float64(p.Total()))
	return eloOf(mean), (eloOf(mean+d) - eloOf(mean-d)) / 2
}

// EloText returns Elo with its error, rounded to a number of decimals. A dash replaces an undetermined value: there
// is no Elo for a score of 0 or 100 %, and no error if all pairs have the same score.
func (p Pairs) EloText(decimals int) string {
	elo, margin := p.Elo()
	_, variance := p.moments()
	number := func(format string, x float64, known bool) string {
		if !known || math.IsNaN(x) || math.IsInf(x, 0) {
			return "–"
		}
		return fmt.Sprintf(format, decimals, x)
	}
	return number("%+.*f", elo, true) + " ± " + number("%.*f", margin, variance > 0)
}

// Elos returns Elo with its error, the likelihood of superiority and the pairs in one line, in the format of
// fastchess. A dash replaces an undetermined value.
func (p Pairs) Elos() string {
	superior := "–"
	if _, variance := p.moments(); variance > 0 {
		superior = fmt.Sprintf("%.1f%%", 100*p.Superiority())
	}
	return fmt.Sprintf("Elo %s, LOS %s, Ptnml(0-2): %d, %d, %d, %d, %d", p.EloText(1), superior, p[0], p[1], p[2], p[3],
		p[4])
}

// Superiority returns the likelihood of superiority (LOS) of the first player, 0 to 1, by the normal approximation.
// It is 0.5 if all pairs were even, and not a number without pairs.
func (p Pairs) Superiority() float64 {
	mean, variance := p.moments()
	if variance == 0 && mean == 0.5 {
		return mean
	}
	return (1 + math.Erf((mean-0.5)/math.Sqrt(2*variance/float64(p.Total())))) / 2
}

// eloOf returns the logistic Elo of an expected score.
func eloOf(mean float64) float64 { return 400 * math.Log10(mean/(1-mean)) }

// Test is a sequential probability ratio test (SPRT) of the hypothesis Elo1 against Elo0. Both are normalized Elo:
// Elo over the standard deviation of a game, so that the length of tests does not depend on the share of draws.
type Test struct {
	Elo0, Elo1  float64
	Alpha, Beta float64 // probabilities of a wrong acceptance and a wrong rejection
}

// Check returns an error that names the first field out of range.
func (t *Test) Check() error {
	switch {
	case !(t.Elo0 < t.Elo1):
		return exit.WrongUsef("SPRT: bounds %g and %g: the first must be below the second", t.Elo0, t.Elo1)
	case math.Abs(t.Elo0) > 100 || math.Abs(t.Elo1) > 100:
		return exit.WrongUsef("SPRT: bounds %g and %g: want at most ±100", t.Elo0, t.Elo1)
	case !(t.Alpha > 0 && t.Beta > 0 && t.Alpha+t.Beta < 1):
		return exit.WrongUsef("SPRT: alpha and beta: want more than 0, together less than 1")
	}
	return nil
}

// ParseTest reads the bounds of a test, such as "0,8". Alpha and beta are 0.05.
func ParseTest(bounds string) (*Test, error) {
	t := &Test{Alpha: 0.05, Beta: 0.05}
	low, high, _ := strings.Cut(bounds, ",")
	var err error
	if t.Elo0, err = strconv.ParseFloat(low, 64); err == nil {
		t.Elo1, err = strconv.ParseFloat(high, 64)
	}
	if err != nil {
		return nil, fmt.Errorf("%q: want two numbers, such as 0,8", bounds)
	}
	return t, nil
}

// Text returns a ratio with its bounds and verdict.
func (t *Test) Text(llr float64) string {
	lower, upper := t.Bounds()
	return fmt.Sprintf("LLR %.2f (%.2f to %.2f): %v", llr, lower, upper, t.verdict(llr))
}

// Bounds returns the ratios that end the test: it rejects at or below lower and accepts at or above upper.
func (t *Test) Bounds() (lower, upper float64) {
	return math.Log(t.Beta / (1 - t.Alpha)), math.Log((1 - t.Beta) / t.Alpha)
}

// Verdict is the state of a test.
type Verdict int

// The verdicts.
const (
	Open Verdict = iota
	Rejected
	Accepted
)

// String returns open, rejected or accepted.
func (v Verdict) String() string { return [...]string{"open", "rejected", "accepted"}[v] }

// Verdict returns the verdict for the pairs.
func (t *Test) Verdict(p Pairs) Verdict {
	return t.verdict(t.LLR(p))
}

// verdict returns what a ratio says.
func (t *Test) verdict(llr float64) Verdict {
	lower, upper := t.Bounds()
	switch {
	case llr >= upper:
		return Accepted
	case llr <= lower:
		return Rejected
	}
	return Open
}

// unseen stands for the count of a kind of pair that did not occur, as
// fastchess and fishtest have it, so that no likelihood is zero.
const unseen = 1e-3

// LLR returns the log-likelihood ratio of the pairs, 0 without any.
func (t *Test) LLR(p Pairs) float64 {
	if p.Total() == 0 {
		return 0
	}
	var seen [5]float64
	total := 0.0
	for i, k := range p {
		seen[i] = max(float64(k), unseen)
		total += seen[i]
	}
	for i := range seen {
		seen[i] /= total
	}
	zero, one := fitNormalized(seen, math.Sqrt2*t.Elo0*perElo), fitNormalized(seen, math.Sqrt2*t.Elo1*perElo)
	sum := 0.0
	for i := range seen {
		sum += seen[i] * math.Log(one[i]/zero[i])
	}
	return total * sum
}

// fit returns the likeliest distribution under which the mean of phi is zero,
// given the observed one: seen over 1 + theta·phi for the one theta that makes
// it so. Source: Van den Bergh, "Comments on Normalized Elo", proposition 1.1.
func fit(seen, phi [5]float64) (p [5]float64) {
	low, high := math.Inf(-1), math.Inf(1)
	for _, x := range phi {
		if x > 0 {
			low = max(low, -1/x)
		} else if x < 0 {
			high = min(high, -1/x)
		}
	}
	// The mean falls from +∞ to -∞ between the two.
	var theta float64
	for range 200 {
		theta = low + (high-low)/2
		mean := 0.0
		for i, x := range phi {
			mean += seen[i] * x / (1 + theta*x)
		}
		if mean > 0 {
			low = theta
		} else {
			high = theta
		}
	}
	for i, x := range phi {
		p[i] = seen[i] / (1 + theta*x)
	}
	return p
}

// fitNormalized returns the likeliest distribution whose mean lies t standard
// deviations above one half. Source: as for fit, section 4.1: a fixed point of
// the linearised condition.
func fitNormalized(seen [5]float64, t float64) [5]float64 {
	p := [5]float64{0.2, 0.2, 0.2, 0.2, 0.2}
	for range 100 {
		mean, variance := 0.0, 0.0
		for i := range p {
			mean += p[i] * score[i]
		}
		for i := range p {
			variance += p[i] * (score[i] - mean) * (score[i] - mean)
		}
		sigma := math.Sqrt(variance)
		var phi [5]float64
		for i := range phi {
			z := (score[i] - mean) / sigma
			phi[i] = score[i] - 0.5 - t*sigma*(1+z*z)/2
		}
		next := fit(seen, phi)
		change := 0.0
		for i := range p {
			change = max(change, math.Abs(next[i]-p[i]))
		}
		if p = next; change < 1e-9 {
			break
		}
	}
	return p
}
