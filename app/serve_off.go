//go:build js || wasip1

package app

import (
	"context"
	"io"

	"github.com/tabula-chess/tabula/internal/command"
)

// runServe refuses "serve": WebAssembly has no sockets to listen at.
func runServe(context.Context, []string, func(string) string, io.Writer) error {
	return command.WrongUsef("serve: not in WebAssembly, which cannot listen; tabula board answers the same messages")
}
