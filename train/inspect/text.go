package inspect

import (
	"fmt"
	"io"
	"strings"
)

// barWidth is the length of the longest bar of a printed histogram.
const barWidth = 50

// shownRuns is the number of runs the text lists.
const shownRuns = 10

// WriteText prints the report for a person.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("files", "%d, %.1f MiB, %d blocks", r.Files, float64(r.Bytes)/(1<<20), r.Blocks)
	line("games", "%d, %.1f plies each, the longest %d", r.Games, ratio(r.Positions, r.Games), r.LongestPly)
	if r.Waiting > 0 {
		line("journal", "%d of the games, in no block yet", r.Waiting)
	}
	for _, name := range r.Live {
		line("in use", "%s: games are being added to it", name)
	}
	if r.Positions > 0 { // shares and bars of nothing say nothing
		r.writeShares(line)
	}
	if r.Repeated > 0 {
		line("repeated", "%d games have the origin of another", r.Repeated)
	}
	for i, run := range r.Runs {
		if i == shownRuns {
			line("", "and %d more runs", len(r.Runs)-shownRuns)
			break
		}
		line("run", "%d: %d games, %d nodes", run.ID, run.Games, run.Nodes)
	}
	if r.Positions > 0 {
		b.WriteString("\nscore (White's, centipawns)\n")
		r.writeScores(&b)
		b.WriteString("\nphase (24 is a full board)\n")
		most := maxOf(r.Phases)
		for i := MaxPhase; i >= 0; i-- {
			bar(&b, fmt.Sprintf("%d", i), r.Phases[i], most, r.Positions)
		}
	}
	if len(r.Damage) > 0 {
		fmt.Fprintf(&b, "\ndamage: %d\n", len(r.Damage))
		for _, f := range r.Damage {
			fmt.Fprintf(&b, "  %s\n", f)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeShares prints what games and positions are like.
func (r *Report) writeShares(line func(name, format string, args ...any)) {
	line("positions", "%d, %.2f bytes each", r.Positions, ratio(int(r.Bytes), r.Positions))
	line("results", "white %s, draw %s, black %s", percent(r.WhiteWins, r.Games), percent(r.Draws, r.Games), percent(r.BlackWins, r.Games))
	line("chess960", "%s of the games", percent(r.Chess960, r.Games))
	line("in check", "%s of the positions", percent(r.InCheck, r.Positions))
	line("tactical", "%s of the positions", percent(r.Tactical, r.Positions))
	if r.ScoreScale > 0 {
		line("scale", "%d centipawns are e to one on, as the results have it", r.ScoreScale)
	}
	line("mate scores", "%s of the positions", percent(r.Mates, r.Positions))
}

// printedBar is the number of bars of the histogram that make a printed one.
const printedBar = 5

// writeScores prints the histogram of scores in wider bars.
func (r *Report) writeScores(b *strings.Builder) {
	inner := r.Scores[1 : len(r.Scores)-1]
	var wide []int
	for i := 0; i < len(inner); i += printedBar {
		n := 0
		for _, v := range inner[i : i+printedBar] {
			n += v
		}
		wide = append(wide, n)
	}
	below, above := r.Scores[0], r.Scores[len(r.Scores)-1]
	most := max(maxOf(wide), below, above)
	bar(b, fmt.Sprintf("< %d", -ScoreEdge), below, most, r.Positions)
	for i, n := range wide {
		bar(b, fmt.Sprintf("%d …", i*printedBar*ScoreStep-ScoreEdge), n, most, r.Positions)
	}
	bar(b, fmt.Sprintf("≥ %d", ScoreEdge), above, most, r.Positions)
}

// bar prints one line of a histogram.
func bar(b *strings.Builder, name string, n, most, total int) {
	length := 0
	if most > 0 {
		length = (n*barWidth + most - 1) / most
	}
	fmt.Fprintf(b, "%9s %7s %s\n", name, percent(n, total), strings.Repeat("█", length))
}

// maxOf returns the largest of v, 0 for none.
func maxOf(v []int) (most int) {
	for _, n := range v {
		most = max(most, n)
	}
	return most
}

// ratio returns a/b, 0 where b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// percent returns a of b in text.
func percent(a, b int) string { return fmt.Sprintf("%.2f%%", 100*ratio(a, b)) }
