package app

import (
	"context"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// process is one run of the program.
type process struct {
	chosen      paths
	names       []string // of all commands
	getenv      func(string) string
	in          io.Reader
	out, errOut io.Writer
}

// speakUCI runs the UCI commands in words, or those from standard input if there are none.
func (p *process) speakUCI(ctx context.Context, words []string) error {
	if runtime.GOOS == "linux" && p.getenv("GOGC") == "" { // where no table of positions is on the heap
		debug.SetGCPercent(400) // a game leaves so little garbage that it hardly ever meets a collection
	}
	config := uci.SessionConfig{
		Name: "Tabula " + version.Number, Author: "the Tabula authors",
		Attacks: p.chosen.attacksText, Kernels: p.chosen.kernelsText, Path: p.chosen.attacks.String(),
		Build: buildText(p.chosen),
	}
	open := func() (uci.Searcher, error) { return search.NewEngine(uci.DefaultHash) }
	if len(words) > 0 {
		commands, unknown := groupCommands(words)
		if unknown != "" {
			return exit.WrongUsef("%.60q is not a command%s", unknown, exit.DidYouMean(unknown, p.names, "; see --help"))
		}
		return uci.Do(ctx, commands, p.out, open, config)
	}
	awaits(p.in, p.errOut,
		config.Name+" reads UCI commands: help lists them, quit ends; tabula --help lists the other commands")
	return uci.Run(ctx, p.in, p.out, open, config)
}

// groupCommands divides program arguments into commands, each its words. An argument whose first word is the name
// of a command starts a command; any other argument continues the previous one. So "go depth 8"
// and go depth 8 both work, and a FEN may be quoted on its own.
// unknown is a word that begins no command, "" for none.
func groupCommands(args []string) (out [][]string, unknown string) {
	for _, a := range args {
		words := strings.Fields(a)
		switch {
		case len(words) == 0:
		case uci.IsCommand(words[0]):
			out = append(out, words)
		case len(out) == 0:
			return nil, words[0]
		default:
			out[len(out)-1] = append(out[len(out)-1], words...)
		}
	}
	return out, ""
}

// answerMessages answers JSON messages, one per line. docs/web.md describes them.
func (p *process) answerMessages(ctx context.Context, config session.Config) error {
	config.Version, config.Transport = version.Number, "stream"
	if runtime.GOOS == "js" {
		config.Transport = "worker"
	}
	s, err := session.New(config)
	if err != nil {
		return exit.WrongUsef("engines: %w", err)
	}
	defer s.Close()
	err = s.Stream(ctx, p.in, p.out)
	if ctx.Err() != nil {
		return exit.ErrInterrupted
	}
	return err
}
