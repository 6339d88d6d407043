//go:build !js && (!tabula_page || wasip1)

package app

import (
	"context"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
)

// mcpCommands returns a command that says where there is one.
func mcpCommands(*process) []*cli.Command {
	return []*cli.Command{{
		Name: "mcp", Hidden: true,
		Action: func(context.Context, *cli.Command) error {
			return command.WrongUsef("mcp: this program was built without the page and what comes with it; the released archives have it, " +
				"and so has: make web && go build -tags tabula_page")
		},
	}}
}
