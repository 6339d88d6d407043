//go:build !js

package app

import (
	"context"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/app/games"
	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/app/tb"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// Main runs the program with the arguments behind its name until ctx is done and returns
// its exit code, one of those of package command. getenv looks up environment variables,
// as os.Getenv does.
func Main(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	p := &process{getenv: getenv, in: in, out: out, errOut: errOut}
	root := program(p)
	root.Before = func(ctx context.Context, _ *cli.Command) (context.Context, error) {
		p.out = root.Writer // which remembers its errors
		chosen, err := choosePaths(getenv)
		p.chosen = chosen
		return ctx, exit.WrongUse(err)
	}
	return command.Run(ctx, root, append([]string{"tabula"}, args...))
}

// program returns the command line.
func program(p *process) *cli.Command {
	root := &cli.Command{
		Name: "tabula", Usage: "a chess engine that speaks UCI, plays, analyses and reviews games",
		ArgsUsage: "[UCI COMMAND …]", HideHelpCommand: true, Writer: p.out, ErrWriter: p.errOut,
		Description: `Without arguments tabula reads UCI commands from standard input. Arguments that are UCI commands are obeyed in turn:

   tabula "position startpos moves e2e4" "go depth 12" quit
   tabula go perft 5
   tabula analyse --seconds 20 --multipv 3 "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"

tabula help COMMAND explains a command, tabula help uci lists the commands of the protocol.

TABULA_ATTACKS in the environment chooses how slider attacks are computed where whole lists of moves are made, which the
search does, and where perft counts. A single attack set is always looked up by magic:
` + attacksHelp() + `TABULA_EVAL chooses the kernels of the network:
` + kernelsHelp() + `NO_COLOR in the environment turns colours off.`,
		Commands: append([]*cli.Command{
			analyseCommand(p), playCommand(p), annotateCommand(p), tb.Command(p.in), games.Command(p.in), messagesCommand(p), helpCommand(),
		}, nativeCommands(p)...),
		Metadata: map[string]any{command.VersionKey: func() string { return versionText(p.chosen) }},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return p.speakUCI(ctx, cmd.Args().Slice())
		},
	}
	for _, c := range uci.Commands() {
		root.Commands = append(root.Commands, uciCommand(p, c))
	}
	return root
}

// uciCommand returns a command of the protocol as one of the program. Only bench is listed.
func uciCommand(p *process, c uci.Command) *cli.Command {
	text := c.Doc
	if c.Word == "go" || c.Word == "uci" {
		text = uci.Help()
	}
	return &cli.Command{
		Name: c.Word, Usage: c.Doc, ArgsUsage: c.Args, Description: text, Hidden: c.Word != "bench", SkipFlagParsing: true,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			words := cmd.Args().Slice()
			if slices.ContainsFunc(words, func(w string) bool { return w == "-h" || w == "--help" }) {
				return cli.ShowSubcommandHelp(cmd)
			}
			return p.speakUCI(ctx, append([]string{c.Word}, words...))
		},
	}
}

// helpCommand returns the command that explains the others.
func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command, or list all", ArgsUsage: "[COMMAND]",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			word := cmd.Args().First()
			switch {
			case cmd.NArg() > 1:
				return exit.WrongUsef("help of one command, please: %q is a second", cmd.Args().Get(1))
			case word == "":
				return cli.ShowRootCommandHelp(cmd.Root())
			case cmd.Root().Command(word) == nil:
				return exit.WrongUsef("%.60q is no command; tabula help lists them", word)
			}
			return cli.ShowCommandHelp(ctx, cmd.Root(), word)
		},
	}
}

// messagesCommand returns the command that answers the messages of the page.
func messagesCommand(p *process) *cli.Command {
	return &cli.Command{
		Name: "board", Usage: "answer messages in JSON, one a line, as docs/web.md describes them",
		Flags: []cli.Flag{
			threadsFlag(1, "search threads"),
			hashFlag(uci.DefaultHash),
			tablesFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			command.Awaits(p.in, p.errOut, "board reads messages in JSON, one a line, until Ctrl-D")
			return p.answerMessages(ctx, session.Config{
				Threads: cmd.Int("threads"), Hash: cmd.Int("hash"), Tables: syzygy.SplitPath(cmd.String("syzygy")),
			})
		},
	}
}

// annotateCommand reads the command line of package annotate.
func annotateCommand(p *process) *cli.Command {
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
			nodesFlag(review.DefaultNodes),
			depthFlag(),
			secondsFlag(0),
			threadsFlag(runtime.GOMAXPROCS(0), "games"),
			hashFlag(uci.DefaultHash),
			networkFlag(),
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
		return review.Limits{}, exit.WrongUsef("--nodes, --depth and --seconds: want one of them")
	case cmd.IsSet("depth"):
		if depth := cmd.Int("depth"); depth < 1 || depth >= search.MaxPly {
			return review.Limits{}, exit.WrongUsef("--depth %d, want 1 to %d", depth, search.MaxPly-1)
		}
		return review.Limits{Depth: cmd.Int("depth")}, nil
	case cmd.IsSet("seconds"):
		if !(seconds >= 0.001 && seconds < 1e6) {
			return review.Limits{}, exit.WrongUsef("--seconds %v, want 0.001 or more and less than a million", seconds)
		}
		return review.Limits{MoveTime: int64(seconds * float64(time.Second/time.Millisecond))}, nil
	}
	return review.Limits{Nodes: cmd.Uint64("nodes")}, nil
}

// awaits tells a person at a terminal what the program waits for.
func awaits(in io.Reader, out io.Writer, what string) { command.Awaits(in, out, what) }
