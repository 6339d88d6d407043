//go:build !js && !wasip1

package app

import (
	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/lichess"
	"github.com/tabula-chess/tabula/app/serve"
)

// serveCommands returns the commands that need sockets.
func serveCommands(p *process) []*cli.Command {
	return []*cli.Command{serve.Command(p.getenv), lichess.Command(p.getenv)}
}
