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
		Name: "fetch", Usage: "add the games of an account at lichess or chess.com", ArgsUsage: "lichess:NAME | chesscom:NAME",
		Description: `Asks lichess.org or api.chess.com, and no other host. ` + "What leaves this machine:\n" + fetch.Leaves + `.

The next call adds what is new, and goes on after an interruption: the games that came whole are stored every minute.
Where the site limits requests, the command waits as long as it asks, at least a minute. Ctrl-C ends it at any time.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "since", Usage: "begin with the games of `DATE`, such as 2026-01-31; by default, all games"},
			jsonFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return exit.WrongUsef("want one account, lichess:NAME or chesscom:NAME; see %s --help", cmd.FullName())
			}
			client, err := fetch.New(os.Getenv)
			if err != nil {
				return exit.WrongUse(err)
			}
			account, err := fetch.ParseAccount(cmd.Args().First())
			if err != nil {
				return exit.WrongUse(err)
			}
			since, err := client.ParseSince(cmd.String("since"))
			if err == nil && cmd.IsSet("since") && since.IsZero() {
				err = errors.New("want a date")
			}
			if err != nil {
				return exit.WrongUsef("--since: %w", err)
			}
			dir, err := directory(cmd)
			if err != nil {
				return err
			}
			return fetchGames(ctx, cmd, client, account, since, dir)
		},
	}
}

// fetchGames fetches and prints what came of it.
func fetchGames(
	ctx context.Context, cmd *cli.Command, client *fetch.Client, account fetch.Account, since time.Time, dir string,
) error {
	errOut := cmd.Root().ErrWriter
	bar := command.NewBar(errOut, -1, "asking "+account.Host)
	defer bar.Close()
	done, err := client.Fetch(ctx, account, fetch.Options{
		Since: since,
		Open:  func() (*games.DB, error) { return games.Update(dir) },
		Tell: func(p fetch.Progress) {
			if p.Wait > 0 {
				fmt.Fprintf(errOut, "%s limits requests; waiting %v\n", account.Host, p.Wait)
				return
			}
			bar.Show(p.Games+p.Repeated, fmt.Sprintf("%s, until %s", plural.Of(p.Games+p.Repeated, "game"), p.Until))
		},
		Bad:  func(err error) { fmt.Fprintln(errOut, err) },
		Warn: command.Warn(errOut),
	})
	bar.Close() // before messages
	return errors.Join(explained(err), report(cmd, done))
}
