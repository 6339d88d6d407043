//go:build !js

package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/fetch"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
)

func fetchCommand() *cli.Command {
	return &cli.Command{
		Name: "fetch", Usage: "add the games of an account at lichess or chess.com",
		ArgsUsage: "lichess:NAME | chesscom:NAME",
		Description: `Asks lichess.org or api.chess.com, and no other host. The host learns
` + fetch.Leaves + `.
Nothing else leaves this machine.

The next call adds what is new. After an interruption it goes on where the last one ended: games that came whole are
stored. When the site limits requests, the command waits as long as the site asks, at least a minute. docs/games.md
says more.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "begin with the games of `DATE`, such as 2026-01-31 (default: all)"},
			jsonFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return exit.WrongUsef("want one account, lichess:NAME or chesscom:NAME; see %s --help", cmd.FullName())
			}
			account, err := fetch.ParseAccount(cmd.Args().First())
			client, wrong := fetch.New(os.Getenv)
			if err = errors.Join(wrong, err); err != nil {
				return exit.WrongUse(err)
			}
			var since time.Time
			if cmd.IsSet("since") {
				if since, err = client.ParseSince(cmd.String("since")); err != nil {
					return exit.WrongUsef("--since: %w", err)
				}
			}
			dir, err := directory(cmd)
			if err != nil {
				return err
			}
			errOut := cmd.Root().ErrWriter
			bar := command.NewBar(errOut, -1, "asking "+account.Host)
			defer bar.Close()
			done, err := client.Fetch(ctx, account, fetch.Request{
				Since: since,
				Open:  func() (*games.DB, error) { return games.Update(dir) },
				Tell: func(p fetch.Fetched) {
					if n := p.Games + p.Repeated; p.Wait == 0 {
						bar.Show(n, fmt.Sprintf("%s, until %s", plural.Of(n, "game"), p.Until))
					} else {
						fmt.Fprintf(errOut, "%s limits requests; waiting %v\n", account.Host, p.Wait)
					}
				},
				Bad:  func(err error) { fmt.Fprintln(errOut, err) },
				Warn: command.Warn(errOut),
			})
			bar.Close() // before messages
			return errors.Join(explained(err), report(cmd, done))
		},
	}
}
