package main

import (
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/count"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// New returns the command line.
func New(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "bench",
		Usage:     "count, check and compare Tabula's move generators, and check those of others and their engines",
		Writer:    out,
		ErrWriter: errOut,
		Commands: []*cli.Command{
			perftCommand(), count.Command().Local(), divideCommand(), suiteCommand(), fuzzCommand(), courseCommand(),
			speedCommand(), matesCommand(), whyCommand(), uciCommand(),
		},
	}
}

func depthFlag(depth int, usage string) cli.Flag {
	return &cli.IntFlag{Name: "depth", Value: depth, Usage: usage, Validator: command.Between(0, perft.MaxDepth)}
}

func engineFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "engine", Usage: usage + " the UCI engine `COMMAND`, which answers as Stockfish does"}
}

func threadsFlag() cli.Flag {
	return &cli.IntFlag{Name: "threads", Value: 1, Usage: "use `N` threads; 0 means one per core",
		Validator: command.AtLeast(0)}
}

func hashFlag(mib int, usage string) cli.Flag {
	return &cli.IntFlag{Name: "hash", Value: mib, Usage: usage}
}
