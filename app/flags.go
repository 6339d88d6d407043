//go:build !js

package app

import (
	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/search"
)

// Flags that several commands share.

func secondsFlag(value float64) cli.Flag {
	return &cli.FloatFlag{Name: "seconds", Value: value, Usage: "search each position for `SECONDS`", Validator: command.Between(0.001, 999_999)}
}

func depthFlag() cli.Flag {
	return &cli.IntFlag{Name: "depth", Usage: "search each position to a depth of `PLIES`", Validator: command.Between(1, search.MaxPly-1)}
}

func nodesFlag(value uint64) cli.Flag {
	return &cli.Uint64Flag{Name: "nodes", Value: value, Usage: "search `NODES` nodes per position, with the same result on every machine",
		Validator: command.AtLeast[uint64](1)}
}

func threadsFlag(value int, of string) cli.Flag {
	return &cli.IntFlag{Name: "threads", Value: value, Usage: "`N` " + of + " at a time", Validator: command.Between(1, search.MaxThreads)}
}

func hashFlag(mib int) cli.Flag {
	return &cli.IntFlag{Name: "hash", Value: mib, Usage: "size of each engine's transposition table in `MIB`",
		Validator: command.Between(1, search.MaxHash)}
}

func networkFlag() cli.Flag {
	return &cli.StringFlag{Name: "eval-file", Usage: "evaluate with the network in `FILE`"}
}

// tablesFlag names the directories that openTables opens.
func tablesFlag() cli.Flag {
	return &cli.StringFlag{Name: "syzygy", Usage: "`DIRECTORIES` with more endgame tables, separated by ; or :"}
}
