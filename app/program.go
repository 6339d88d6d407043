//go:build !js

package app

import (
	"context"
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// process is what a command line is obeyed with.
type process struct {
	chosen      paths
	getenv      func(string) string
	in          io.Reader
	out, errOut io.Writer
}

// completing is what the shells' scripts ask what may come next with.
const completing = "--generate-shell-completion"

// runProgram obeys the commands that have flags of their own, and help, version and
// completion. ok is false where the arguments are none of these: they are commands of
// the protocol then.
func runProgram(ctx context.Context, args []string, p process) (code int, ok bool) {
	flags, _ := newFlags()
	if len(args) == 0 {
		return 0, false
	}
	if args[len(args)-1] != completing {
		if err := flags.Parse(args); err != nil || flags.NArg() == 0 {
			return 0, false
		}
		if cmd := program(p).Command(flags.Arg(0)); cmd == nil && flags.Arg(0) != "completion" {
			return 0, false
		}
	}
	var err error
	if p.chosen, err = choosePaths(p.getenv); err != nil {
		return 0, false // launch says so
	}
	return tool.Run(ctx, program(p), append([]string{"tabula"}, args...)), true
}

// program returns the command line. Words of the protocol that are useful by themselves
// are commands too.
func program(p process) *cli.Command {
	return &cli.Command{
		Name: "tabula", Usage: "a chess engine that speaks UCI, plays, analyses and reviews games",
		Writer: p.out, ErrWriter: p.errOut, HideHelpCommand: true,
		Commands: []*cli.Command{
			analyseCommand(p),
			playCommand(p),
			annotateCommand(p),
			passCommand(p, "tb", "look positions up in endgame tables"),
			passCommand(p, "serve", "play, analyse and review in a browser; programs get the same by messages over HTTP"),
			passCommand(p, "board", "answer messages in JSON, one a line"),
			passCommand(p, "bench", "search a fixed set of positions, print nodes and speed"),
			helpCommand(p),
			{
				Name: "version", Usage: "print version, build and processor",
				Action: func(_ context.Context, cmd *cli.Command) error {
					if err := tool.NoArguments(cmd); err != nil {
						return err
					}
					_, err := io.WriteString(p.out, versionText(p.chosen))
					return err
				},
			},
		},
	}
}

// passCommand returns a command that reads its arguments by itself.
func passCommand(p process, name, usage string) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, SkipFlagParsing: true,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return run(ctx, append([]string{name}, cmd.Args().Slice()...), p.chosen, p.getenv, p.in, p.out)
		},
	}
}

// helpCommand returns the command that explains the others.
func helpCommand(p process) *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command, or all", ArgsUsage: "[COMMAND]",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			word := cmd.Args().First()
			switch {
			case cmd.NArg() > 1:
				return command.WrongUsef("help of one command, please: %q is a second", cmd.Args().Get(1))
			case word == "":
				flags, _ := newFlags()
				_, err := io.WriteString(p.out, usage(flags)+"\n"+uci.Help())
				return err
			case uci.IsCommand(word):
				_, err := io.WriteString(p.out, commandHelp(word))
				return err
			}
			if c := cmd.Root().Command(word); c != nil && c.SkipFlagParsing {
				return run(ctx, []string{word, "--help"}, p.chosen, p.getenv, p.in, p.out)
			} else if c != nil {
				return cli.ShowCommandHelp(ctx, cmd.Root(), word)
			}
			return command.WrongUsef("%.60q is no command; tabula help lists them", word)
		},
	}
}

// annotateCommand reads the command line of package annotate.
func annotateCommand(p process) *cli.Command {
	return &cli.Command{
		Name: "annotate", Usage: "review the games of PGN files and write them with evaluations, judgments and better lines",
		ArgsUsage: "FILE.pgn …",
		Description: `Every move gets an evaluation; those that cost chances of winning are called inaccuracies,
mistakes or blunders, with the better line and the answer to the one played. What the games say already is kept. - is
standard input or output. A run that is killed leaves OUT.pgn.journal behind, and the same command goes on from there.

A game that cannot be read is told of with file, game, line and column, and copied as it is; the exit code is 1 then.
OUT.pgn may be the input.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: annotate.Stdio, Usage: "write the annotated games to `FILE`, once all are done"},
			&cli.Uint64Flag{Name: "nodes", Value: review.DefaultNodes, Usage: "search each position for so many `NODES`: the same result on every machine"},
			&cli.IntFlag{Name: "depth", Usage: "search each position so many `PLIES` deep instead: the same result on every machine"},
			&cli.FloatFlag{Name: "seconds", Usage: "search each position for so many `SECONDS` instead"},
			&cli.IntFlag{Name: "threads", Value: runtime.GOMAXPROCS(0), Usage: "review so many games at a time"},
			&cli.IntFlag{Name: "hash", Value: uci.DefaultHash, Usage: "transposition table of each thread in `MIB`"},
			&cli.StringFlag{Name: "eval-file", Usage: "evaluate with the network in `FILE`"},
			tablesFlag(),
			&cli.StringFlag{Name: "html", Usage: "write a page with graphs to `FILE`"},
			&cli.StringFlag{Name: "json", Usage: "write the reports to `FILE`, one a line"},
			&cli.BoolFlag{Name: "restart", Usage: "forget what a run that was interrupted has done"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s := annotate.Settings{
				Files: cmd.Args().Slice(), Out: cmd.String("out"), JSON: cmd.String("json"), HTML: cmd.String("html"),
				Threads: cmd.Int("threads"), Hash: cmd.Int("hash"), Restart: cmd.Bool("restart"),
				In: p.in, Stdout: cmd.Root().Writer, Err: cmd.Root().ErrWriter,
			}
			var err error
			if s.Limits, err = annotateLimits(cmd); err != nil {
				return err
			}
			if name := cmd.String("eval-file"); name != "" {
				if s.Network, err = uci.FindNetwork(name); err != nil {
					return err
				}
			}
			if s.Tables, err = openTables(cmd); err != nil {
				return err
			}
			return annotate.Run(ctx, s)
		},
	}
}

// annotateLimits reads how long to search each position.
func annotateLimits(cmd *cli.Command) (review.Limits, error) {
	set := 0
	for _, name := range []string{"nodes", "depth", "seconds"} {
		if cmd.IsSet(name) {
			set++
		}
	}
	seconds := cmd.Float("seconds")
	switch {
	case set > 1:
		return review.Limits{}, command.WrongUsef("--nodes, --depth and --seconds: want one of them")
	case cmd.IsSet("depth"):
		if depth := cmd.Int("depth"); depth < 1 || depth >= search.MaxPly {
			return review.Limits{}, command.WrongUsef("--depth %d, want 1 to %d", depth, search.MaxPly-1)
		}
		return review.Limits{Depth: cmd.Int("depth")}, nil
	case cmd.IsSet("seconds"):
		if !(seconds >= 0.001 && seconds < 1e6) {
			return review.Limits{}, command.WrongUsef("--seconds %v, want 0.001 or more and less than a million", seconds)
		}
		return review.Limits{MoveTime: int64(seconds * float64(time.Second/time.Millisecond))}, nil
	}
	return review.Limits{Nodes: cmd.Uint64("nodes")}, nil
}

// programHelp lists the commands of the program for usage.
func programHelp() string {
	var b strings.Builder
	for _, c := range program(process{}).Commands {
		b.WriteString("  tabula " + c.Name + strings.Repeat(" ", max(1, 22-len(c.Name))) + c.Usage + "\n")
	}
	return b.String()
}
