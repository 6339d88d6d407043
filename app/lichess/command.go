package lichess

import (
	"context"
	"log"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
)

// Command returns the command. getenv looks up environment variables, as os.Getenv does.
func Command(getenv func(string) string) *cli.Command {
	return &cli.Command{
		Name: "lichess", Usage: "provide the engine to the analysis board of lichess.org",
		Description: `Create a token with the scopes engine:read and engine:write at https://lichess.org/account/oauth/token and store it
in a file or in the environment variable LICHESS_API_TOKEN. While the command runs, the engine is in the menu of the
analysis board. Each browser tab gets its own engine, at most four at a time.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "token-file", Usage: "`FILE` with the token (default: $LICHESS_API_TOKEN)"},
			&cli.StringFlag{Name: "engine", Usage: "UCI engine `CMD`, with arguments, to provide instead of Tabula"},
			&cli.IntFlag{Name: "threads", Value: runtime.NumCPU(),
				Usage: "maximum number of threads `N` that a browser may request", Validator: command.AtLeast(1)},
			&cli.IntFlag{Name: "hash", Value: 512, Usage: "maximum transposition table in `MIB` that a browser may request",
				Validator: command.AtLeast(1)},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			p := provider{
				command: strings.Fields(cmd.String("engine")), threads: cmd.Int("threads"), hash: cmd.Int("hash"),
				broker: server{address: "https://engine.lichess.ovh"}, // identifies us by the secret
				log:    log.New(cmd.Root().ErrWriter, "", 0), pause: time.Second,
			}
			secret, err := token(cmd.String("token-file"), getenv)
			if err != nil {
				return err
			}
			p.site = server{"https://lichess.org", secret}
			if len(p.command) == 0 {
				own, err := os.Executable()
				if err != nil {
					return err
				}
				p.command = []string{own}
			}
			return p.run(ctx)
		},
	}
}

// tokenVariable is the environment variable with the token. It is not passed to engines.
const tokenVariable = "LICHESS_API_TOKEN"

// token reads the token from a file, or from the environment if there is no file.
func token(file string, getenv func(string) string) (string, error) {
	text, from := getenv(tokenVariable), tokenVariable
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		text, from = string(b), file
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "\ufeff")) // editors write a byte order mark
	if text == "" || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return "", exit.WrongUsef("no token in %s: want one word of ASCII, in the --token-file or in LICHESS_API_TOKEN", from)
	}
	return text, nil
}
