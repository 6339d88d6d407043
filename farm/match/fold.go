package match

import (
	"bytes"
	"fmt"
	"math"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
)

// How a game ended, where a player is at fault: see match.Game.
const (
	timeForfeit = "time forfeit"
	infraction  = "rules infraction" // a crash or an illegal move
)

// record returns a game of a pair as PGN.
func (p *Params) record(g *match.Game, pair int, aIsBlack bool) *pgn.Game {
	white, black, number := p.A.Name, p.B.Name, 1
	if aIsBlack {
		white, black, number = black, white, 2
	}
	control := fmt.Sprintf("%v+%v", p.Clock.Base.Seconds(), p.Clock.Inc.Seconds())
	if p.Nodes > 0 {
		control = "-"
	}
	r := &pgn.Game{Start: g.Start, Result: resultOf[g.Result]}
	for _, tag := range [][2]string{
		{"Event", p.A.Name + " - " + p.B.Name}, {"Round", fmt.Sprintf("%d.%d", pair+1, number)},
		{"White", white}, {"Black", black}, {"TimeControl", control}, {"Termination", g.Reason},
	} {
		r.SetTag(tag[0], tag[1])
	}
	for _, m := range g.Moves {
		comment := fmt.Sprintf("%d/%d", m.Score, m.Depth)
		if p.Nodes == 0 {
			comment += fmt.Sprintf(" %.3fs", m.Took.Seconds())
		}
		r.Main.Moves = append(r.Main.Moves, pgn.Node{Move: m.Move, Comments: []string{comment}})
	}
	return r
}

// resultOf is the result in PGN of one in half points of White.
var resultOf = map[record.Result]chess.Result{record.WhiteWins: chess.WhiteWins, record.BlackWins: chess.BlackWins, record.Draw: chess.Draw}

// Fold counts the pairs of a match in their order.
type Fold struct {
	run.Straight
	Won, Drawn, Lost int         // games of A
	Late, Faults     int         // games that either side lost on time, or by a crash or an illegal move
	Pairs            match.Pairs // by twice the points of A
	Verdict          match.Verdict

	params *Params
}

// Add counts the games of a job, in PGN, two for each pair.
func (f *Fold) Add(index int, text []byte) error {
	var pairs match.Pairs
	next := *f
	n, points := 0, 0
	for g, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		if err != nil {
			return fmt.Errorf("match: %w", err)
		}
		switch aIsBlack := n%2 == 1; {
		case g.Result == chess.NoResult:
			return fmt.Errorf("match: job %d: game %d has no result", index, n)
		case g.Result == chess.Draw:
			points++
			next.Drawn++
		case (g.Result == chess.WhiteWins) != aIsBlack:
			points += 2
			next.Won++
		default:
			next.Lost++
		}
		switch g.Tag("Termination") {
		case timeForfeit:
			next.Late++
		case infraction:
			next.Faults++
		}
		if n++; n%2 == 0 {
			pairs[points]++
			points = 0
		}
	}
	if want := 2 * f.params.pairs(index); n != want {
		return fmt.Errorf("match: job %d: %d games, want %d", index, n, want)
	}
	for points, n := range pairs {
		next.Pairs[points] += n
	}
	if t := f.params.Test; t != nil {
		next.Verdict = t.Verdict(next.Pairs)
	}
	next.Folded++
	*f = next
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

// Text returns where the match stands, from the view of A.
func (f *Fold) Text() string {
	text := fmt.Sprintf("+%d =%d -%d, %s", f.Won, f.Drawn, f.Lost, f.Pairs.Elos())
	if t := f.params.Test; t != nil {
		text += ", " + t.Text(t.LLR(f.Pairs))
	}
	if f.params.Nodes == 0 {
		text += fmt.Sprintf(", %d lost on time", f.Late)
	}
	if f.Faults > 0 {
		text += fmt.Sprintf(", %d lost by a crash or an illegal move", f.Faults)
	}
	return text
}
