package command

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/suite"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
)

// suiteCommand checks the counts of a file.
func suiteCommand() *cli.Command {
	return &cli.Command{
		Name:      "suite",
		Usage:     "check the counts of a perft suite, lines of FEN ;D1 n ;D2 n …",
		ArgsUsage: "FILE.epd",
		Flags: append([]cli.Flag{
			&cli.Uint64Flag{Name: "max-nodes", Usage: "skip depths with more than `N` expected nodes; 0 skips none"},
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return command.WrongUsef("suite: want one file, got %d arguments", cmd.NArg())
			}
			name := cmd.Args().First()
			file, err := files.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			entries, err := suite.Read(file)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			o, err := backendOptions(cmd)
			if err != nil {
				return err
			}
			s := suite.Checker{Options: o, MaxNodes: cmd.Uint64("max-nodes"), Out: cmd.Root().Writer}
			return s.Check(ctx, entries, cmd.Root().ErrWriter)
		},
	}
}
