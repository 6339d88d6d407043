//go:build !js && (!tabula_page || wasip1)

package app

import "github.com/urfave/cli/v3"

// mcpCommands returns nothing: the command is part of the build with the page.
func mcpCommands(*process) []*cli.Command { return nil }
