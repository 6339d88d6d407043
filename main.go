// Command tabula is a chess engine. Without arguments it speaks UCI on standard
// input and output; --help tells the rest.
package main

import (
	"os"

	"github.com/tabula-chess/tabula/cli"
)

//go:generate go run ./gen

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Getenv, os.Stdin, os.Stdout, os.Stderr))
}
