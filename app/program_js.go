package app

import (
	"context"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/uci"
)

// Main is the program for browsers and Node. It leaves out the commands that need a terminal,
// because the browser would have to download them.
func Main(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	p := &process{getenv: getenv, in: in, out: out, errOut: errOut}
	err := p.run(ctx, args)
	if err != nil {
		fmt.Fprintln(errOut, "tabula:", err)
	}
	return exit.Code(err)
}

// awaits does nothing: there is no terminal.
func awaits(io.Reader, io.Writer, string) {}

// run runs the command line: board, --version or UCI commands.
func (p *process) run(ctx context.Context, args []string) (err error) {
	if p.chosen, err = choosePaths(p.getenv); err != nil {
		return exit.WrongUse(err)
	}
	switch {
	case len(args) == 1 && args[0] == "board":
		return p.answerMessages(ctx, session.Config{Threads: 1, Hash: uci.DefaultHash, Home: p.getenv("TABULA_HOME")})
	case len(args) == 1 && args[0] == "--version":
		_, err := io.WriteString(p.out, versionText(p.chosen))
		return err
	}
	return p.speakUCI(ctx, args)
}
