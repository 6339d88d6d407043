//go:build tabula_rules

// Command tabula answers, with the tag tabula_rules, only the messages that need the rules of chess:
// positions, moves, PGN, openings and the tab Tables. The page's worker runs it as WebAssembly, and
// loads the engine afterwards. Each line of standard input and output is a message.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/tabula-chess/tabula/app/session"
)

func main() {
	if err := session.Rules().Stream(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}
