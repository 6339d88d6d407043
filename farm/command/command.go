// Package command holds the commands of the farm and their flags.
package command

import (
	"io"

	"github.com/urfave/cli/v3"
)

// New returns the command line.
func New(out, errOut io.Writer) *cli.Command {
	commands := []*cli.Command{hubCommand(), workCommand()}
	for _, k := range allKinds() {
		commands = append(commands, k.command())
	}
	return &cli.Command{
		Name: "farm", Usage: "let many machines do one piece of work",
		Writer: out, ErrWriter: errOut, Commands: append(commands, operatorCommands()...),
	}
}
