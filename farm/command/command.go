// Package command holds the commands of the farm and their flags.
package command

import (
	"io"

	"github.com/urfave/cli/v3"
)

// New returns the command line.
func New(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "farm",
		Usage:     "let many machines do one piece of work",
		Writer:    out,
		ErrWriter: errOut,
		Commands:  append([]*cli.Command{hubCommand(), workCommand(), perftCommand(), datagenCommand(), matchCommand(), tuneCommand(), annotateCommand(), tablesCommand()}, operatorCommands()...),
	}
}
