package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/app/tb"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/flags"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// Main runs the binary with the arguments after the program's name, until ctx
// is done, and returns its exit code, one of those of internal/command. getenv
// looks up environment variables, as os.Getenv does.
func Main(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	if code, ok := runProgram(ctx, args, process{getenv: getenv, in: in, out: out, errOut: errOut}); ok {
		return code
	}
	err := launch(ctx, args, getenv, in, out)
	if err != nil {
		fmt.Fprintln(errOut, "tabula:", err)
	}
	return command.Code(err)
}

// launch obeys the command line.
func launch(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out io.Writer) error {
	set, given := newFlags()
	switch err := set.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(out, usage(set))
		return err
	case err != nil:
		return command.WrongUsef("%w; see --help", err)
	}
	chosen, err := choosePaths(getenv)
	if err != nil {
		return command.WrongUse(err)
	}
	if given.version {
		_, err := io.WriteString(out, versionText(chosen))
		return err
	}
	stop, err := command.StartProfile(given.cpuProfile, given.memProfile)
	if err != nil {
		return err
	}
	return errors.Join(run(ctx, set.Args(), chosen, getenv, in, out), stop())
}

// given are the values of the flags before the first command.
type given struct {
	version                bool
	cpuProfile, memProfile string
}

func newFlags() (*flag.FlagSet, *given) {
	g := new(given)
	f := flag.NewFlagSet("tabula", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&g.version, "version", false, "print version, build and processor, and exit")
	f.StringVar(&g.cpuProfile, "cpuprofile", "", "write a CPU profile to `file`")
	f.StringVar(&g.memProfile, "memprofile", "", "write a heap profile to `file` at the end")
	return f, g
}

// usage returns the help text.
func usage(f *flag.FlagSet) string {
	var b strings.Builder
	b.WriteString(`Tabula is a chess engine that speaks UCI.

  tabula                       read UCI commands from standard input
  tabula COMMAND ...           obey these UCI commands in turn, then exit
` + programHelp() + `
tabula help COMMAND explains one of these, tabula COMMAND --help too; tabula help lists the commands of the protocol and
the limits of go; tabula completion bash, zsh or fish prints a script that completes command lines.

Examples:
  tabula "position startpos moves e2e4" "go depth 12" quit
  tabula go perft 5
  tabula analyse --seconds 20 --multipv 3 "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"

Flags:
`)
	b.WriteString(flags.Help(f))
	b.WriteString(`
TABULA_ATTACKS in the environment chooses how slider attacks are computed where
whole lists of moves are made, which the search does, and where perft counts; an
attack set asked for singly is always looked up by magic:
` + attacksHelp() + `TABULA_EVAL chooses the kernels of the network:
` + kernelsHelp() + `NO_COLOR in the environment turns colours off.

` + command.ExitHelp + "\n")
	return b.String()
}

// run obeys what follows the flags.
func run(ctx context.Context, args []string, chosen paths, getenv func(string) string, in io.Reader, out io.Writer) error {
	counter, err := perft.For(chosen.attacks)
	if err != nil {
		return command.WrongUse(err)
	}
	if len(args) > 0 && args[0] == "tb" {
		return tb.Run(args[1:], in, out)
	}
	if len(args) > 0 && args[0] == "board" {
		return runBoard(ctx, args[1:], in, out)
	}
	if len(args) > 0 && args[0] == "serve" {
		return runServe(ctx, args[1:], getenv, out)
	}
	grown := calmCollector(getenv) // before the network is read, which leaves garbage
	cfg := uci.Config{
		Name: "Tabula " + command.Version, Author: "the Tabula authors",
		Attacks: chosen.attacksText, Kernels: chosen.kernelsText, Counter: counter, Build: buildText(chosen), Grown: grown,
	}
	if len(args) > 0 {
		if slices.ContainsFunc(args, isHelpFlag) {
			_, err := io.WriteString(out, commandHelp(args[0]))
			return err
		}
		commands, err := groupCommands(args)
		if err != nil {
			return command.WrongUse(err)
		}
		in, cfg.InTurn = strings.NewReader(strings.Join(commands, "\n")+"\n"), true
	}
	engine, err := search.NewEngine(uci.DefaultHash)
	if err != nil {
		return err
	}
	return uci.Run(ctx, in, out, engine, cfg)
}

// isHelpFlag reports whether a word asks for help.
func isHelpFlag(word string) bool {
	return slices.Contains([]string{"-h", "-help", "--help"}, word)
}

// commandHelp returns the help of one command of the protocol, and of all where
// word is none.
func commandHelp(word string) string {
	for _, c := range uci.Commands() {
		if c.Word == word && word != "go" {
			return fmt.Sprintf("tabula %s\n\n%s\n", strings.TrimSpace(c.Word+" "+c.Args), c.Doc)
		}
	}
	return uci.Help()
}

// groupCommands makes commands of program arguments. An argument whose first
// word is a command's name begins a command; any other continues the one before
// it. So "go depth 8" and go depth 8 are both understood, and a FEN may be
// quoted on its own.
func groupCommands(args []string) ([]string, error) {
	var out []string
	for _, a := range args {
		words := strings.Fields(a)
		text := strings.Join(words, " ") // no line feed may pass
		switch {
		case len(words) == 0:
		case uci.IsCommand(words[0]):
			out = append(out, text)
		case len(out) == 0:
			return nil, fmt.Errorf("%.60q is no command; see --help", text)
		default:
			out[len(out)-1] += " " + text
		}
	}
	return out, nil
}
