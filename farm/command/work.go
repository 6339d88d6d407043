package command

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/farm/work"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// runWork carries "farm work" out.
func runWork(ctx context.Context, cmd *cli.Command) error {
	if err := tool.NoArguments(cmd); err != nil {
		return err
	}
	if cmd.String("hub") == "" {
		return command.WrongUsef("--hub: want the URL of a hub, nats://HOST:PORT")
	}
	if n := cmd.Int("cores"); n < 1 || n > maxCores {
		return command.WrongUsef("--cores %d: want 1 to %d", n, maxCores)
	}
	dir, err := home(cmd)
	if err != nil {
		return err
	}
	h, err := work.OpenHome(filepath.Join(dir, "worker"))
	if err != nil {
		return err
	}
	defer h.Close()
	log := logger(cmd.Root().ErrWriter)
	conn, err := dial(ctx, cmd, h, log, forever)
	if err != nil {
		return fmt.Errorf("work: %w", err)
	}
	defer conn.Close()
	log.Info("works", "hub", cmd.String("hub"), "cores", cmd.Int("cores"), "worker", conn.Key, "home", h.Dir)
	own, err := settingsOf(cmd)
	if err != nil {
		return err
	}
	if err := work.Run(ctx, workerConfig(conn, h, opener(own), cmd.Int("cores"), log)); err != nil && ctx.Err() == nil {
		return fmt.Errorf("work: %w", err)
	}
	return nil
}
