//go:build !js

package app

import (
	"github.com/urfave/cli/v3"
)

// Flags that several commands share.

func secondsFlag(value float64) cli.Flag {
	return &cli.FloatFlag{Name: "seconds", Value: value, Usage: "search each position for `SECONDS`"}
}

func depthFlag() cli.Flag {
	return &cli.IntFlag{Name: "depth", Usage: "search each position to a depth of `PLIES`"}
}

func nodesFlag(value uint64) cli.Flag {
	return &cli.Uint64Flag{Name: "nodes", Value: value, Usage: "search `NODES` nodes per position, with the same result on every machine"}
}

func threadsFlag(value int, of string) cli.Flag {
	return &cli.IntFlag{Name: "threads", Value: value, Usage: "`N` " + of + " at a time"}
}

func hashFlag(mib int) cli.Flag {
	return &cli.IntFlag{Name: "hash", Value: mib, Usage: "size of each engine's transposition table in `MIB`"}
}

func networkFlag() cli.Flag {
	return &cli.StringFlag{Name: "eval-file", Usage: "evaluate with the network in `FILE`"}
}

// tablesFlag names the directories that openTables opens.
func tablesFlag() cli.Flag {
	return &cli.StringFlag{Name: "syzygy", Usage: "`DIRECTORIES` with more endgame tables, separated by ; or :"}
}
