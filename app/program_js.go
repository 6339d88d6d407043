package app

import (
	"context"
	"io"
)

// process is what a command line is obeyed with.
type process struct {
	chosen      paths
	getenv      func(string) string
	in          io.Reader
	out, errOut io.Writer
}

// runProgram obeys nothing: a browser has no terminal, and what it does not need would
// be loaded all the same.
func runProgram(context.Context, []string, process) (code int, ok bool) { return 0, false }

// programHelp lists nothing.
func programHelp() string { return "" }
