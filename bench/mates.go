package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
)

// matesCommand searches the positions of a suite of mate problems.
func matesCommand() *cli.Command {
	return &cli.Command{
		Name:        "mates",
		Usage:       "search a suite of mate problems (EPD records with dm N) and count the mates found",
		ArgsUsage:   "FILE.epd",
		Description: "The command fails if a reported mate is wrong or shorter than the proven shortest mate.",
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "nodes", Value: 100_000, Usage: "search `N` positions for each entry"},
			&cli.IntFlag{Name: "beyond", Usage: "search a mate in N to depth 2N + `PLIES` instead of by nodes"},
			hashFlag(16, "transposition table of `MiB`"),
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			switch {
			case cmd.NArg() != 1:
				return exit.WrongUsef("mates: want one file, got %d arguments", cmd.NArg())
			case cmd.Uint64("nodes") < 1:
				return exit.WrongUsef("nodes: 0, want at least 1")
			case cmd.Int("beyond") < 0 || cmd.Int("beyond") > search.MaxPly:
				return exit.WrongUsef("beyond: %d, want 0 to %d", cmd.Int("beyond"), search.MaxPly)
			}
			name := cmd.Args().First()
			file, err := files.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			entries, err := readMates(file, command.Warn(cmd.Root().ErrWriter))
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			e, err := search.NewEngine(cmd.Int("hash"))
			if err != nil {
				return err
			}
			report := searchMates(e, entries, mateEffort{Nodes: cmd.Uint64("nodes"), Beyond: cmd.Int("beyond")})
			report.write(cmd.Root().Writer)
			if report.Total.False > 0 {
				return errors.New(plural.Of(report.Total.False, "false mate"))
			}
			return nil
		},
	}
}

// provenMates is the longest mate, in moves, for which a suite must have the shortest: a shorter one is an error.
const provenMates = 2

// mateEntry is a position in which the side to move can force mate.
type mateEntry struct {
	Position *chess.Position
	Moves    int // to mate: the shortest up to provenMates, beyond it the shortest known
}

// readMates reads a suite: EPD records whose operation dm is the number of moves to mate. The error names the line.
// What was dropped from a line is told to warn.
func readMates(r io.Reader, warn func(error)) ([]mateEntry, error) {
	var all []mateEntry
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
		if epd.Warning != nil {
			warn(fmt.Errorf("line %d: %w", epd.Line, epd.Warning))
		}
		all = append(all, mateEntry{epd.Position, moves})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no positions")
	}
	return all, nil
}

// mateCount counts the results for the positions of one mate length, or of all.
type mateCount struct {
	All     int
	Found   int // with the mate length of the suite
	Longer  int // a mate in more moves
	Shorter int // in fewer moves than the suite has, beyond provenMates
	False   int // in fewer moves than the proven shortest, or for the wrong side
}

// Missed returns the number of positions without a mate score.
func (c mateCount) Missed() int { return c.All - c.Found - c.Longer - c.Shorter - c.False }

// mateEffort limits the search of each position.
type mateEffort struct {
	Nodes  uint64 // to search, unless Beyond is set
	Beyond int    // to depth 2N + Beyond for a mate in N; 0 for Nodes
}

// mateReport is the result of a run.
type mateReport struct {
	Effort    mateEffort
	Visited   uint64 // nodes in all
	Total     mateCount
	Distances map[int]*mateCount // by moves to mate
	Faults    []string           // false and shorter mates, with their positions
}

// searchMates searches each entry with the same effort and an empty transposition table.
func searchMates(e *search.Engine, entries []mateEntry, effort mateEffort) mateReport {
	report := mateReport{Effort: effort, Distances: map[int]*mateCount{}}
	for _, entry := range entries {
		count := report.Distances[entry.Moves]
		if count == nil {
			count = &mateCount{}
			report.Distances[entry.Moves] = count
		}
		limits := search.Limits{Nodes: effort.Nodes}
		if effort.Beyond > 0 {
			limits = search.Limits{Depth: search.Depth(2*entry.Moves + effort.Beyond)}
		}
		e.Clear()
		r := e.Search(entry.Position, limits, search.Options{MultiPV: 1}, nil)
		report.Visited += r.Nodes
		if fault := noteMate(entry, r, &report.Total, count); fault != "" {
			report.Faults = append(report.Faults, fault)
		}
	}
	return report
}

// noteMate counts a result and describes a false or shorter mate.
func noteMate(entry mateEntry, r search.Result, counts ...*mateCount) (fault string) {
	moves, mate := r.Score.MateIn()
	for _, c := range counts {
		c.All++
		switch {
		case !mate:
		case moves == entry.Moves:
			c.Found++
		case moves > entry.Moves:
			c.Longer++
		case moves < 1 || entry.Moves <= provenMates:
			c.False++
			fault = fmt.Sprintf("false: mate in %d, known in %d: %s", moves, entry.Moves, entry.Position)
		default:
			c.Shorter++
			fault = fmt.Sprintf("shorter: mate in %d, known in %d: %s", moves, entry.Moves, entry.Position)
		}
	}
	return fault
}

// write prints the report as a table.
func (r *mateReport) write(w io.Writer) {
	fmt.Fprintf(w, "mate in   all found longer shorter false missed\n")
	line := func(name string, c mateCount) {
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
		fmt.Fprintf(w, "depth 2N + %d for a mate in N, %s in all\n", r.Effort.Beyond, plural.Of(r.Visited, "node"))
	} else {
		fmt.Fprintf(w, "%s for each position\n", plural.Of(r.Effort.Nodes, "node"))
	}
}
