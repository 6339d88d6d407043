package app

import "github.com/urfave/cli/v3"

// nativeCommands returns nothing.
func nativeCommands(*process) []*cli.Command { return nil }
