// Command farm lets many machines do one piece of work:
//
//	go run ./farm hub --dir DIR --listen HOST:PORT       the centre
//	go run ./farm work --hub nats://HOST:PORT            a worker
//	go run ./farm perft --hub nats://HOST:PORT --depth 9
//	go run ./farm status --hub nats://HOST:PORT          what runs, what failed
//
// Without --hub a command has a hub of its own in the process and works on the
// cores of this machine. A command that was interrupted or killed goes on where
// it was when it is given again. docs/farm.md has the rest.
package main

import (
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/tool"
)

func main() { tool.Main(newCommand) }

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "farm",
		Usage:     "let many machines do one piece of work",
		Writer:    out,
		ErrWriter: errOut,
		Commands:  []*cli.Command{hubCommand(), workCommand(), statusCommand(), perftCommand(), datagenCommand(), matchCommand(), tuneCommand()},
	}
}
