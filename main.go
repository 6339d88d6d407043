// Command tabula is a chess engine. Without arguments it speaks UCI on standard
// input and output; --help tells the rest.
package main

import (
	"os"

	"github.com/tabula-chess/tabula/app"
	"github.com/tabula-chess/tabula/internal/exit"
)

//go:generate go run ./gen
//go:generate go run ./gen/openings

func main() {
	ctx, stop := exit.OnSignal()
	code := app.Main(ctx, os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}
