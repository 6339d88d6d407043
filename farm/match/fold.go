package match

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/train/match"
)

// Fold counts the pairs of a match in their order.
type Fold struct {
	run.Straight
	Won, Drawn, Lost int         // games of A
	Late, Faults     int         // of them lost on time, broken off
	Pairs            match.Pairs // by twice the points of A
	Verdict          match.Verdict

	params *Params
}

// NewFold returns a fold with nothing in it.
func (p *Plan) NewFold() run.Fold {
	return &Fold{Straight: run.Straight{Jobs: p.Jobs()}, params: &p.Params}
}

// Add counts the pairs of a job.
func (f *Fold) Add(index int, text json.RawMessage) error {
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if err := v.check(f.params.pairs(index)); err != nil {
		return fmt.Errorf("match: %w", err)
	}
	for _, points := range v.Points {
		f.Pairs[points]++
	}
	f.Won += v.Won
	f.Drawn += v.Drawn
	f.Lost += v.Lost
	f.Late += v.Late
	f.Faults += v.Faults
	if t := f.params.Test; t != nil {
		f.Verdict = t.Verdict(f.Pairs)
	}
	f.Count()
	return nil
}

// check returns an error for a value that cannot be.
func (v *value) check(pairs int) error {
	sum := 0
	for i, points := range v.Points {
		if points < 0 || points > 4 {
			return fmt.Errorf("pair %d of a job: %d half points: want 0 to 4", i, points)
		}
		sum += points - 2
	}
	switch {
	case len(v.Points) != pairs:
		return fmt.Errorf("%d pairs in a job, want %d", len(v.Points), pairs)
	case v.Won < 0 || v.Drawn < 0 || v.Lost < 0 || v.Won+v.Drawn+v.Lost != 2*pairs || v.Won-v.Lost != sum:
		return fmt.Errorf("+%d =%d -%d in %d pairs with the points %v", v.Won, v.Drawn, v.Lost, pairs, v.Points)
	case v.Late < 0 || v.Faults < 0 || v.Late+v.Faults > 2*pairs:
		return fmt.Errorf("%d games lost on time and %d broken off, of %d", v.Late, v.Faults, 2*pairs)
	}
	return nil
}

// Done reports whether all pairs are counted or the test has its verdict.
func (f *Fold) Done() bool { return f.Straight.Done() || f.Verdict != match.Open }

// Numbers returns games, the score of A, Elo with the bounds of its error, and
// the ratio of the test; what cannot be told yet is left out.
func (f *Fold) Numbers() []run.Number {
	games := float64(f.Won + f.Drawn + f.Lost)
	elo, margin := f.Pairs.Elo()
	all := []run.Number{
		{Name: "games", Value: games}, {Name: "score", Value: (float64(f.Won) + float64(f.Drawn)/2) / games},
		{Name: "late", Value: float64(f.Late)}, {Name: "faults", Value: float64(f.Faults)},
	}
	if margin > 0 { // 0 where all pairs ended alike: too few to tell an error by
		all = append(all, run.Number{Name: "elo", Value: elo}, run.Number{Name: "elo_margin", Value: margin})
	}
	if t := f.params.Test; t != nil {
		lower, upper := t.Bounds()
		all = append(all, run.Number{Name: "llr", Value: t.LLR(f.Pairs)}, run.Number{Name: "llr_lower", Value: lower}, run.Number{Name: "llr_upper", Value: upper})
	}
	for points, n := range f.Pairs {
		all = append(all, run.Number{Name: fmt.Sprintf("pairs_%d", points), Value: float64(n)})
	}
	finite := all[:0]
	for _, n := range all {
		if !math.IsNaN(n.Value) && !math.IsInf(n.Value, 0) {
			finite = append(finite, n)
		}
	}
	return finite
}

// Scores returns, to be added up by worker, the pairs of a job, their points (twice those
// of A, 0 to 4) and the squares of these, and the games lost on time or broken off.
func (p *Plan) Scores(text json.RawMessage) []run.Number {
	var v value
	if json.Unmarshal(text, &v) != nil {
		return nil
	}
	sum, squares := 0, 0
	for _, points := range v.Points {
		sum, squares = sum+points, squares+points*points
	}
	return []run.Number{
		{Name: "pairs", Value: float64(len(v.Points))}, {Name: "points", Value: float64(sum)}, {Name: "squares", Value: float64(squares)},
		{Name: "late", Value: float64(v.Late)}, {Name: "faults", Value: float64(v.Faults)},
	}
}

// Text returns where the match stands, from the view of A.
func (f *Fold) Text() string {
	text := fmt.Sprintf("+%d =%d -%d, %s", f.Won, f.Drawn, f.Lost, f.Pairs.Elos())
	if t := f.params.Test; t != nil {
		text += ", " + t.Text(t.LLR(f.Pairs))
	}
	if f.params.Nodes == 0 {
		text += fmt.Sprintf(", lost on time %d", f.Late)
	}
	if f.Faults > 0 {
		text += fmt.Sprintf(", broken off %d", f.Faults)
	}
	return text
}
