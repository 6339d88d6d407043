package lichess

import (
	"context"
	"os"
	"runtime"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// Command returns the command. getenv looks up environment variables, as os.Getenv does.
func Command(getenv func(string) string) *cli.Command {
	return &cli.Command{
		Name: "lichess", Usage: "offer the engine to the analysis board of lichess.org",
		Description: `Make a token with the scopes engine:read and engine:write at https://lichess.org/account/oauth/token and put it into
a file or into LICHESS_API_TOKEN in the environment. While the command runs, the engine is in the menu of the analysis
board. Each browser tab gets an engine of its own, at most four at a time.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "token-file", Usage: "`FILE` with the token (default: $LICHESS_API_TOKEN)"},
			&cli.StringFlag{Name: "engine", Usage: "offer the UCI engine `CMD` with its arguments instead of Tabula"},
			&cli.IntFlag{Name: "threads", Value: runtime.NumCPU(), Usage: "let a browser ask for at most `N` threads"},
			&cli.IntFlag{Name: "hash", Value: 512, Usage: "let a browser ask for a table of at most `MIB`"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			s := Settings{Engine: strings.Fields(cmd.String("engine")), Threads: cmd.Int("threads"), Hash: cmd.Int("hash"), Log: cmd.Root().ErrWriter}
			if s.Threads < 1 || s.Hash < 1 {
				return command.WrongUsef("--threads %d, --hash %d: want 1 or more", s.Threads, s.Hash)
			}
			var err error
			if s.Token, err = token(cmd.String("token-file"), getenv); err != nil {
				return err
			}
			if len(s.Engine) == 0 {
				own, err := os.Executable()
				if err != nil {
					return err
				}
				s.Engine = []string{own}
			}
			return Run(ctx, s)
		},
	}
}

// token reads the token from a file, or from the environment where there is no file.
func token(file string, getenv func(string) string) (string, error) {
	text, from := getenv("LICHESS_API_TOKEN"), "LICHESS_API_TOKEN"
	if file != "" {
		b, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		text, from = string(b), file
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "" && file == "":
		return "", command.WrongUsef("no token: put one into a file for --token-file, or into LICHESS_API_TOKEN")
	case text == "" || strings.ContainsAny(text, " \t\r\n"):
		return "", command.WrongUsef("%s: want one token, a word of letters, digits and _", from)
	}
	return text, nil
}
