//go:build !js

package app

import (
	"context"
	"io"
	"slices"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/app/lichess"
	"github.com/tabula-chess/tabula/app/serve"
	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
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
			analyseCommand(p), playCommand(p), annotate.Command(p.in, openTables), tbCommand(p.in), gamesCommand(p.in),
			messagesCommand(p),
			helpCommand(), serve.Command(), lichess.Command(p.getenv), mcpCommand(p),
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
			annotate.ThreadsFlag(1, "search threads"),
			annotate.HashFlag(uci.DefaultHash),
			annotate.TablesFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			command.Awaits(p.in, p.errOut, "board reads JSON messages, one per line, until Ctrl-D")
			return p.answerMessages(ctx, session.Config{
				Threads: cmd.Int("threads"), Hash: cmd.Int("hash"), Tables: syzygy.SplitPath(cmd.String("syzygy")),
				Warn: command.Warn(p.errOut),
			})
		},
	}
}

// awaits tells a user at a terminal what input the program reads.
func awaits(in io.Reader, out io.Writer, what string) { command.Awaits(in, out, what) }
