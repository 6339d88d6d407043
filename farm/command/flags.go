package command

import "github.com/urfave/cli/v3"

// Flags that several kinds of work share.

func nodesFlag(value uint64) cli.Flag {
	return &cli.Uint64Flag{
		Name: "nodes", Value: value,
		Usage: "nodes of a search: no iteration starts that would probably end after `N`, and twice as many end the search",
	}
}

func pairsFlag(value int) cli.Flag {
	return &cli.IntFlag{Name: "pairs", Value: value, Usage: "play at most `N` pairs of games"}
}

func chess960Flag(value float64) cli.Flag {
	return &cli.FloatFlag{Name: "chess960", Value: value, Usage: "`SHARE` of games that start from Chess960, half of those with different ranks"}
}
