package command

import (
	"context"
	"errors"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/suite"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
)

// suiteCommand checks the counts of files.
func suiteCommand() *cli.Command {
	return &cli.Command{
		Name:      "suite",
		Usage:     "check the counts of perft suites, lines of FEN ;D1 n ;D2 n …",
		ArgsUsage: "FILE.epd …",
		Flags: append([]cli.Flag{
			&cli.Uint64Flag{Name: "max-nodes", Usage: "skip depths with more than `N` expected nodes; 0 skips none"},
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() < 1 {
				return command.WrongUsef("suite: want the names of files")
			}
			var entries []suite.Entry // of all files, before the first is counted
			for _, name := range cmd.Args().Slice() {
				file, err := files.Open(name)
				if err != nil {
					return err
				}
				some, err := suite.Read(name, file)
				if err = errors.Join(err, file.Close()); err != nil {
					return err
				}
				entries = append(entries, some...)
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
