//go:build !js && !wasip1

package cli

import (
	"context"
	"io"

	"github.com/tabula-chess/tabula/cli/serve"
)

// runServe obeys "serve [flags]".
func runServe(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	return serve.Run(ctx, args, getenv, out)
}
