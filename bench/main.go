// Command bench counts, checks and compares Tabula's move generators.
//
//	go run ./bench perft --depth 6              count one position
//	go run ./bench suite positions.epd          check a perft suite
//	go run ./bench moves "FEN"                  list the moves of a generator
//	go run ./bench fuzz --positions 1000000     compare all generators in random games
//	go run ./bench generate-suite --out FILE    write a perft suite of random positions
//	go run ./bench starts                       compare the starts of Chess960 with an engine
//	go run ./bench compare                      measure all generators in turn, with charts
//	go run ./bench race                         measure the attack paths against an engine's perft
//
// The files here read command lines, one file for each command or two; what the
// commands do is in the packages below:
//
//	fuzz, perft, suite, starts   count and compare
//	compare, race, timing        measure
//	generator, oracle            the generators, and an engine to hold them against
//
// Every command explains itself with --help. Exit codes are those of every
// program here (see internal/command); a wrong count and a difference between
// generators are failures, 1.
package main

import (
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/tool"
)

func main() { tool.Main(newCommand) }

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "count, check and compare Tabula's move generators",
		Writer:    out,
		ErrWriter: errOut,
		Commands: []*cli.Command{
			perftCommand(),
			suiteCommand(),
			compareCommand(),
			raceCommand(),
			movesCommand(),
			fuzzCommand(),
			generateSuiteCommand(),
			startsCommand(),
			matesCommand(),
			generateMatesCommand(),
		},
	}
}
