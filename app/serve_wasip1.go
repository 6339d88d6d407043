package app

import "github.com/urfave/cli/v3"

// serveCommands returns nothing: WebAssembly has no sockets.
func serveCommands(*process) []*cli.Command { return nil }
