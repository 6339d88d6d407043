package app

import (
	"context"
	"fmt"
	"io"
	"runtime"
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
	getenv      func(string) string
	in          io.Reader
	out, errOut io.Writer
}

// speakUCI runs the UCI commands in words, or those from standard input if there are none.
func (p *process) speakUCI(ctx context.Context, words []string) error {
	grown := calmCollector(p.getenv) // before the network is read, which leaves garbage
	config := uci.Config{
		Name: "Tabula " + version.Number, Author: "the Tabula authors",
		Attacks: p.chosen.attacksText, Kernels: p.chosen.kernelsText, Path: p.chosen.attacks.String(),
		Build: buildText(p.chosen), Grown: grown,
	}
	in := p.in
	if len(words) > 0 {
		commands, err := groupCommands(words)
		if err != nil {
			return exit.WrongUse(err)
		}
		in, config.InTurn = strings.NewReader(strings.Join(commands, "\n")+"\n"), true
	}
	awaits(in, p.errOut, config.Name+" reads UCI commands: help lists them, quit ends; tabula --help lists the other commands")
	open := func() (uci.Engine, error) { return search.NewEngine(uci.DefaultHash) }
	return uci.Run(ctx, in, p.out, open, config)
}

// groupCommands joins program arguments into commands. An argument whose first word is the name
// of a command starts a command; any other argument continues the previous one. So "go depth 8"
// and go depth 8 both work, and a FEN may be quoted on its own.
func groupCommands(args []string) ([]string, error) {
	var out []string
	for _, a := range args {
		words := strings.Fields(a)
		text := strings.Join(words, " ") // removes line feeds
		switch {
		case len(words) == 0:
		case uci.IsCommand(words[0]):
			out = append(out, text)
		case len(out) == 0:
			return nil, fmt.Errorf("%.60q is not a command; see --help", text)
		default:
			out[len(out)-1] += " " + text
		}
	}
	return out, nil
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
