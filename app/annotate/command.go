package annotate

import (
	"context"
	"io"
	"runtime"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// Command returns the command. It reads standard input from in and opens the endgame tables of [TablesFlag] by tables.
func Command(in io.Reader, tables func(*cli.Command) (*syzygy.Tables, error)) *cli.Command {
	return On(in, tables, []cli.Flag{ThreadsFlag(runtime.GOMAXPROCS(0), "games")},
		func(ctx context.Context, cmd *cli.Command, s *Settings) error {
			s.Threads = cmd.Int("threads")
			return Run(ctx, *s)
		})
}

// On returns the command that has the games reviewed somewhere, with flags that say where. run sees to it.
func On(in io.Reader, tables func(*cli.Command) (*syzygy.Tables, error), flags []cli.Flag,
	run func(context.Context, *cli.Command, *Settings) error) *cli.Command {
	return &cli.Command{
		Name: "annotate", Usage: "review PGN games and write them with evaluations, judgments and better lines",
		ArgsUsage: "FILE.pgn …",
		Description: `Every move gets an evaluation. A move that lowers the winning chances is marked as an inaccuracy,
mistake or blunder, with the better line and the reply to the move played. Existing comments and variations are kept.
The file name - means standard input or output. The output may replace an input file.

If a run is killed, its results are in OUT.pgn.journal and the same command continues there. Each unreadable game is
reported with file, game number, line and column and copied unchanged; the exit code is then 1. A game with an illegal
or ambiguous move is annotated up to this move, with a warning, and the rest becomes a comment; --strict copies it
unchanged as an unreadable one.`,
		Flags: append(Flags(), flags...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s, err := fromFlags(cmd)
			if err != nil {
				return err
			}
			s.In = in
			if s.Tables, err = tables(cmd); err != nil {
				return err
			}
			return run(ctx, cmd, &s)
		},
	}
}

// Flags returns the flags of the command, wherever the games are reviewed.
func Flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: Stdio,
			Usage: "write the annotated games to `FILE` when all are done"},
		NodesFlag(review.DefaultNodes),
		DepthFlag(),
		SecondsFlag(0),
		HashFlag(uci.DefaultHash),
		NetworkFlag(),
		TablesFlag(),
		&cli.StringFlag{Name: "html", Usage: "write a page with graphs to `FILE`"},
		&cli.StringFlag{Name: "json", Usage: "write the reports to `FILE` as JSON, one per line"},
		&cli.StringFlag{Name: "mistakes",
			Usage: "write the mistakes as exercises to `FILE`, a PGN for the tab Train of tabula serve"},
		&cli.StringFlag{Name: "player",
			Usage: "only the mistakes of `NAME`, and in the page the time of all games; words of the name in any order"},
		&cli.BoolFlag{Name: "why",
			Usage: "also say why moves were mistakes, where a search proves it: of one in six, in about a fifth more time"},
		&cli.BoolFlag{Name: "strict", Usage: "do not annotate games with an illegal or ambiguous move"},
		&cli.BoolFlag{Name: "restart", Usage: "discard the results of an interrupted run"},
	}
}

// fromFlags reads [Flags].
func fromFlags(cmd *cli.Command) (s Settings, err error) {
	s = Settings{
		Files: cmd.Args().Slice(), Out: cmd.String("out"), JSON: cmd.String("json"), HTML: cmd.String("html"),
		Mistakes: cmd.String("mistakes"), Player: cmd.String("player"), Hash: cmd.Int("hash"),
		Restart: cmd.Bool("restart"), Strict: cmd.Bool("strict"), Why: cmd.Bool("why"),
		Stdout: cmd.Root().Writer, Err: cmd.Root().ErrWriter,
	}
	if s.Limits, err = limits(cmd); err != nil {
		return s, err
	}
	if name := cmd.String("eval-file"); name != "" {
		s.Network, err = uci.FindNetwork(name)
	}
	return s, err
}

// limits reads the search limits for each position.
func limits(cmd *cli.Command) (review.Limits, error) {
	set := 0
	for _, name := range []string{"nodes", "depth", "seconds"} {
		if cmd.IsSet(name) {
			set++
		}
	}
	switch {
	case set > 1:
		return review.Limits{}, exit.WrongUsef("--nodes, --depth, --seconds: want only one of them")
	case cmd.IsSet("depth"):
		return review.Limits{Depth: cmd.Int("depth")}, nil
	case cmd.IsSet("seconds"):
		return review.Limits{MoveTime: int64(1000 * cmd.Float("seconds"))}, nil
	}
	return review.Limits{Nodes: cmd.Uint64("nodes")}, nil
}

// Flags that several commands of the program share.

// SecondsFlag limits the time of a search.
func SecondsFlag(value float64) cli.Flag {
	return &cli.FloatFlag{Name: "seconds", Value: value, Usage: "search each position for `SECONDS`",
		Validator: command.Between(0.001, 999_999)}
}

// DepthFlag limits the depth of a search.
func DepthFlag() cli.Flag {
	return &cli.IntFlag{Name: "depth", Usage: "search each position to a depth of `PLIES`",
		Validator: command.Between(1, search.MaxPly-1)}
}

// NodesFlag limits the nodes of a search.
func NodesFlag(value uint64) cli.Flag {
	return &cli.Uint64Flag{Name: "nodes", Value: value, Validator: command.AtLeast[uint64](1),
		Usage: "search `NODES` nodes per position, with the same result on every machine"}
}

// ThreadsFlag says how many of something are done at a time.
func ThreadsFlag(value int, of string) cli.Flag {
	return &cli.IntFlag{Name: "threads", Value: value, Usage: "`N` " + of + " at a time",
		Validator: command.Between(1, search.MaxThreads)}
}

// HashFlag sets the size of a transposition table.
func HashFlag(mib int) cli.Flag {
	return &cli.IntFlag{Name: "hash", Value: mib, Usage: "size of each engine's transposition table in `MIB`",
		Validator: command.Between(1, search.MaxHash)}
}

// NetworkFlag names a network.
func NetworkFlag() cli.Flag {
	return &cli.StringFlag{Name: "eval-file", Usage: "evaluate with the network in `FILE`"}
}

// TablesFlag names directories of endgame tables.
func TablesFlag() cli.Flag {
	return &cli.StringFlag{Name: "syzygy", Usage: "`DIRECTORIES` with more endgame tables, separated by ; or :"}
}
