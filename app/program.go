//go:build !js

package app

import (
	"context"
	"io"
	"runtime"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/app/lichess"
	"github.com/tabula-chess/tabula/app/serve"
	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// Main runs the program with the arguments args (without the program's name) until ctx is done and
// returns an exit code of package exit. getenv looks up environment variables, as os.Getenv does.
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
		Name: "tabula", Usage: "a UCI chess engine that also plays, analyses and reviews games",
		ArgsUsage: "[UCI COMMAND …]", HideHelpCommand: true, Writer: p.out, ErrWriter: p.errOut,
		Description: `Without arguments, tabula reads UCI commands from standard input. Arguments that are UCI commands run in order:

   tabula "position startpos moves e2e4" "go depth 12" quit
   tabula go perft 5
   tabula analyse --seconds 20 --multipv 3 "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"

tabula help COMMAND explains a command; tabula help uci lists the UCI commands.

The environment variable TABULA_ATTACKS chooses how perft and the search's move lists compute slider attacks.
Single attack sets are always looked up by magic:
` + attacksHelp() + `TABULA_EVAL chooses the kernels of the network:
` + kernelsHelp() + `NO_COLOR turns colours off.`,
		Commands: []*cli.Command{
			analyseCommand(p), playCommand(p), annotateCommand(p), tbCommand(p.in), gamesCommand(p.in), messagesCommand(p),
			helpCommand(), serve.Command(p.getenv), lichess.Command(p.getenv), mcpCommand(p),
		},
		Metadata: map[string]any{command.VersionKey: func() string { return versionText(p.chosen) }},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			return p.speakUCI(ctx, cmd.Args().Slice())
		},
	}
	for _, c := range uci.Commands() {
		root.Commands = append(root.Commands, uciCommand(p, c))
	}
	for _, c := range root.Commands {
		p.names = append(p.names, c.Names()...)
	}
	return root
}

// uciCommand wraps a UCI command as a command of the program. Help lists only bench.
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

// helpCommand returns the help command.
func helpCommand() *cli.Command {
	return &cli.Command{
		Name: "help", Usage: "explain a command, or list all commands", ArgsUsage: "[COMMAND …]",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			words, parent := cmd.Args().Slice(), cmd.Root()
			if len(words) == 0 {
				return cli.ShowRootCommandHelp(parent)
			}
			for i, word := range words {
				switch c := parent.Command(word); {
				case c == nil:
					return command.Unknown(parent, word)
				case i < len(words)-1:
					parent = c
				}
			}
			return cli.ShowCommandHelp(ctx, parent, words[len(words)-1])
		},
	}
}

// messagesCommand returns the command that answers JSON messages.
func messagesCommand(p *process) *cli.Command {
	return &cli.Command{
		Name: "board", Usage: "answer JSON messages, one per line (see docs/web.md)",
		Flags: []cli.Flag{
			threadsFlag(1, "search threads"),
			hashFlag(uci.DefaultHash),
			tablesFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			command.Awaits(p.in, p.errOut, "board reads JSON messages, one per line, until Ctrl-D")
			return p.answerMessages(ctx, session.Config{
				Threads: cmd.Int("threads"), Hash: cmd.Int("hash"), Tables: syzygy.SplitPath(cmd.String("syzygy")),
				Warn: warn(p.errOut),
			})
		},
	}
}

// annotateCommand reads the command line of package annotate.
func annotateCommand(p *process) *cli.Command {
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
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Value: annotate.Stdio, Usage: "write the annotated games to `FILE` when all are done"},
			nodesFlag(review.DefaultNodes),
			depthFlag(),
			secondsFlag(0),
			threadsFlag(runtime.GOMAXPROCS(0), "games"),
			hashFlag(uci.DefaultHash),
			networkFlag(),
			tablesFlag(),
			&cli.StringFlag{Name: "html", Usage: "write a page with graphs to `FILE`"},
			&cli.StringFlag{Name: "json", Usage: "write the reports to `FILE` as JSON, one per line"},
			&cli.StringFlag{Name: "mistakes", Usage: "write the mistakes as exercises to `FILE`, a PGN for the tab Train of tabula serve"},
			&cli.StringFlag{Name: "player", Usage: "only the mistakes of `NAME`, words of the name in any order"},
			&cli.BoolFlag{Name: "strict", Usage: "do not annotate games with an illegal or ambiguous move"},
			&cli.BoolFlag{Name: "restart", Usage: "discard the results of an interrupted run"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s := annotate.Settings{
				Files: cmd.Args().Slice(), Out: cmd.String("out"), JSON: cmd.String("json"), HTML: cmd.String("html"),
				Mistakes: cmd.String("mistakes"), Player: cmd.String("player"),
				Threads: cmd.Int("threads"), Hash: cmd.Int("hash"),
				Restart: cmd.Bool("restart"), Strict: cmd.Bool("strict"),
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

// annotateLimits reads the search limits for each position.
func annotateLimits(cmd *cli.Command) (review.Limits, error) {
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

// awaits tells a user at a terminal what input the program reads.
func awaits(in io.Reader, out io.Writer, what string) { command.Awaits(in, out, what) }
