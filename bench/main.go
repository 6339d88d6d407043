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
//	progress, verdict            a bar on the terminal; the error of a failed check
//
// Every command explains itself with --help. Exit codes: 0 where everything is
// as expected, 1 where a count or a generator is wrong, 2 where a command
// cannot be carried out (a bad argument, a file that cannot be read).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/verdict"
)

// Exit codes.
const (
	exitWrong  = 1 // a count or a generator is wrong
	exitCannot = 2 // the command could not be carried out
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	err := newCommand(out, errOut).Run(ctx, args)
	var wrong *verdict.Wrong
	switch {
	case err == nil:
		return 0
	case errors.As(err, &wrong):
		fmt.Fprintln(errOut, "bench:", err)
		return exitWrong
	}
	fmt.Fprintln(errOut, "bench:", err)
	return exitCannot
}

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	profiles := &profiles{}
	return &cli.Command{
		Name:      "bench",
		Usage:     "count, check and compare Tabula's move generators",
		Writer:    out,
		ErrWriter: errOut,
		Flags:     profiles.flags(),
		Before:    profiles.start,
		After:     profiles.stop,
		Commands: []*cli.Command{
			perftCommand(),
			suiteCommand(),
			compareCommand(),
			raceCommand(),
			movesCommand(),
			fuzzCommand(),
			generateSuiteCommand(),
			startsCommand(),
		},
		// Errors come back to run, which knows the exit codes.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		OnUsageError: func(_ context.Context, _ *cli.Command, err error, _ bool) error {
			return err
		},
	}
}
