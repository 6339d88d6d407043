package command

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/coordinator"
	"github.com/tabula-chess/tabula/farm/dashboard"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// statusCommand describes "farm status".
func statusCommand() *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "show runs and workers of a hub",
		Description: "Listens to the workers for as long as each needs to speak once, and prints what is running, what is over and what failed.",
		Flags:       hubFlags("; required"),
		Action:      runStatus,
	}
}

// answerWait is the time in which a hub has to answer status.
const answerWait = 10 * time.Second

// runStatus carries "farm status" out.
func runStatus(ctx context.Context, cmd *cli.Command) error {
	if err := tool.NoArguments(cmd); err != nil {
		return err
	}
	if cmd.String("hub") == "" {
		return command.WrongUsef("--hub: want the URL of a hub, nats://HOST:PORT")
	}
	conn, err := dial(ctx, cmd, nil, logger(cmd.Root().ErrWriter), answerWait)
	if err != nil {
		return err
	}
	defer conn.Close()
	board := dashboard.NewBoard()
	if err := board.Listen(conn); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-conn.Closed():
		return conn.Err()
	case <-time.After(times().Alive + time.Second):
	}
	ask, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	open, err := conn.OpenRuns(ask)
	if err != nil {
		return fmt.Errorf("the hub does not answer: %w", err)
	}
	for _, o := range open {
		board.Report(coordinator.Status{Run: o.Run, Kind: o.Kind, Jobs: o.Jobs, Agreed: o.Agreed, Text: o.Text, Dead: o.Dead})
	}
	ended, err := conn.EndedRuns(ask)
	if err != nil {
		return err
	}
	for _, e := range ended {
		board.Report(coordinator.Status{Run: e.Run, Kind: e.Kind, Jobs: e.Jobs, Agreed: e.Agreed, Text: e.Text, Failed: e.Failed, Done: e.Failed == ""})
	}
	if err := board.Text(cmd.Root().Writer); err != nil {
		return err
	}
	banned, err := conn.Banned(ask)
	for worker, why := range banned {
		fmt.Fprintf(cmd.Root().Writer, "banned: %s: %s\n", worker, why)
	}
	return err
}
