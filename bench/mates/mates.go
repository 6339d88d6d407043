// Package mates measures how many mates the search finds in a suite of positions, with a number of nodes for
// each, like matetrack (github.com/vondele/matetrack). [Generator] makes such suites.
package mates

import (
	"fmt"
	"io"
	"strconv"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// Proven is the longest mate, in moves, that is proven to be the shortest: up to there [Generator] tries all
// moves.
const Proven = 2

// Entry is a position in which the side to move can force mate.
type Entry struct {
	Position *chess.Position
	Moves    int // to mate: the shortest up to Proven, beyond it the shortest known
}

// Read reads a suite: EPD records whose operation dm is the number of moves to mate. The error names the line.
func Read(r io.Reader) ([]Entry, error) {
	var all []Entry
	for epd, err := range chess.EPDs(r) {
		if err != nil {
			return nil, err
		}
		operands, ok := epd.Operands("dm")
		if !ok || len(operands) != 1 {
			return nil, fmt.Errorf("line %d: want the operation dm with one number", epd.Line)
		}
		moves, err := strconv.Atoi(operands[0])
		if err != nil || moves < 1 || moves > search.MaxPly/2 {
			return nil, fmt.Errorf("line %d: dm %.20q: want 1 to %d", epd.Line, operands[0], search.MaxPly/2)
		}
		all = append(all, Entry{epd.Position, moves})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no positions")
	}
	return all, nil
}

// Count counts the results for the positions of one mate length, or of all.
type Count struct {
	All     int
	Found   int // with the mate length of the suite
	Longer  int // a mate in more moves
	Shorter int // in fewer moves, beyond Proven
	False   int // in fewer moves than the proven shortest, or for the wrong side
}

// Missed returns the number of positions without a mate score.
func (c Count) Missed() int { return c.All - c.Found - c.Longer - c.Shorter - c.False }

// Effort limits the search of each position.
type Effort struct {
	Nodes  uint64 // to search, unless Beyond is set
	Beyond int    // to depth 2N + Beyond for a mate in N; 0 for Nodes
}

// limits returns the limits of the search of e.
func (f Effort) limits(e Entry) search.Limits {
	if f.Beyond > 0 {
		return search.Limits{Depth: search.Depth(2*e.Moves + f.Beyond)}
	}
	return search.Limits{Nodes: f.Nodes}
}

// Report is the result of a run.
type Report struct {
	Effort    Effort
	Visited   uint64 // nodes in all
	Total     Count
	Distances map[int]*Count // by moves to mate
	Faults    []string       // false and shorter mates, with their positions
}

// Run searches each entry with the same effort and an empty transposition table.
func Run(e *search.Engine, entries []Entry, effort Effort) Report {
	report := Report{Effort: effort, Distances: map[int]*Count{}}
	for _, entry := range entries {
		count := report.Distances[entry.Moves]
		if count == nil {
			count = &Count{}
			report.Distances[entry.Moves] = count
		}
		e.Clear()
		r := e.Search(entry.Position, effort.limits(entry), search.Options{MultiPV: 1}, nil)
		report.Visited += r.Nodes
		if fault := note(entry, r, &report.Total, count); fault != "" {
			report.Faults = append(report.Faults, fault)
		}
	}
	return report
}

// note counts a result and describes a false or shorter mate.
func note(entry Entry, r search.Result, counts ...*Count) (fault string) {
	moves, mate := r.Score.MateIn()
	for _, c := range counts {
		c.All++
		switch {
		case !mate:
		case moves == entry.Moves:
			c.Found++
		case moves > entry.Moves:
			c.Longer++
		case moves < 1 || moves <= Proven:
			c.False++
			fault = fmt.Sprintf("false: mate in %d, known in %d: %s", moves, entry.Moves, entry.Position)
		default:
			c.Shorter++
			fault = fmt.Sprintf("shorter: mate in %d, known in %d: %s", moves, entry.Moves, entry.Position)
		}
	}
	return fault
}

// Write prints the report as a table.
func (r *Report) Write(w io.Writer) {
	fmt.Fprintf(w, "mate in   all found longer shorter false missed\n")
	line := func(name string, c Count) {
		fmt.Fprintf(w, "%-7s %5d %5d %6d %7d %5d %6d\n", name, c.All, c.Found, c.Longer, c.Shorter, c.False, c.Missed())
	}
	for moves := range search.MaxPly {
		if c := r.Distances[moves]; c != nil {
			line(strconv.Itoa(moves), *c)
		}
	}
	line("all", r.Total)
	for _, f := range r.Faults {
		fmt.Fprintln(w, f)
	}
	if r.Effort.Beyond > 0 {
		fmt.Fprintf(w, "depth 2N + %d for a mate in N, %d nodes in all\n", r.Effort.Beyond, r.Visited)
	} else {
		fmt.Fprintf(w, "%d nodes for each position\n", r.Effort.Nodes)
	}
}
