//go:build !js && !wasip1

package app

import (
	"context"
	"io"

	"github.com/tabula-chess/tabula/app/serve"
)

// runServe obeys "serve [flags]".
func runServe(ctx context.Context, args []string, getenv func(string) string, out io.Writer) error {
	return serve.Run(ctx, args, getenv, out)
}
