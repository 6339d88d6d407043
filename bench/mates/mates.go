// Package mates measures how an engine finds mates: a suite of positions with
// the number of moves to mate, in the manner of matetrack
// (github.com/vondele/matetrack), and the search of Tabula with a number of
// nodes for each. It also makes such suites, see [Generate].
package mates

import (
	"fmt"
	"io"
	"strconv"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// Proven is the longest distance, in moves, of which a suite holds the proof
// that there is no shorter one: up to there [Generate] tries all moves.
const Proven = 2

// Entry is a position whose side to move mates.
type Entry struct {
	Position *chess.Position
	Moves    int // to mate: the least there is up to Proven, the least known beyond
}

// Read reads a suite: EPD records with the operation dm, which has the
// number of moves to mate. The error names the line.
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

// Count says what became of the positions of one distance, or of all.
type Count struct {
	All     int
	Found   int // with the distance of the suite
	Longer  int // a mate in more moves
	Shorter int // in fewer, where nobody has shown that there is none
	False   int // in fewer than there is, or for the wrong side
}

// Missed returns how many positions came out without a mate.
func (c Count) Missed() int { return c.All - c.Found - c.Longer - c.Shorter - c.False }

// Effort is how long each position is searched.
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

// Report is the outcome of a run.
type Report struct {
	Effort    Effort
	Visited   uint64 // nodes in all
	Total     Count
	Distances map[int]*Count // by moves to mate
	Faults    []string       // the false mates and those that are shorter, with their positions
}

// Run searches each entry with the same effort and an empty table.
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

// note counts a result and describes it where it is not believed.
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
