package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/cli/analyse"
	"github.com/tabula-chess/tabula/cli/tb"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/profile"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/movegen/count"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// Main runs the binary with the arguments after the program's name, until ctx
// is done, and returns its exit code, one of those of internal/exit. getenv
// looks up environment variables, as os.Getenv does.
func Main(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	err := launch(ctx, args, getenv, in, out)
	if err != nil {
		fmt.Fprintln(errOut, "tabula:", err)
	}
	return exit.Code(err)
}

// launch obeys the command line.
func launch(ctx context.Context, args []string, getenv func(string) string, in io.Reader, out io.Writer) error {
	flags, given := newFlags()
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		_, err := io.WriteString(out, usage(flags))
		return err
	case err != nil:
		return exit.WrongUsef("%w; see --help", err)
	}
	chosen, err := choosePaths(getenv)
	if err != nil {
		return exit.WrongUse(err)
	}
	if given.version {
		_, err := io.WriteString(out, versionText(chosen))
		return err
	}
	stop, err := profile.Start(given.cpuProfile, given.memProfile)
	if err != nil {
		return err
	}
	return errors.Join(run(ctx, flags.Args(), chosen, getenv, in, out), stop())
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
  tabula analyse [FEN]         show an analysis of a position, live
  tabula bench [DEPTH [THREADS [HASH]]]
                               search a fixed set of positions, print nodes and speed
  tabula tb [FEN...]           look positions up in endgame tables
  tabula help                  list all commands and the limits of go

Examples:
  tabula "position startpos moves e2e4" "go depth 12" quit
  tabula go perft 5
  tabula analyse --seconds 20 --multipv 3 "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"

Flags:
`)
	f.SetOutput(&b)
	f.PrintDefaults()
	b.WriteString(`
TABULA_ATTACKS in the environment chooses how slider attacks are computed where
whole lists of moves are made, which the search does, and where perft counts; an
attack set asked for singly is always looked up by magic:
` + attacksHelp() + `TABULA_EVAL chooses the kernels of the network:
` + kernelsHelp() + `NO_COLOR in the environment turns colours off.

` + exit.Help + "\n")
	return b.String()
}

// run obeys what follows the flags.
func run(ctx context.Context, args []string, chosen paths, getenv func(string) string, in io.Reader, out io.Writer) error {
	counter, err := count.For(chosen.attacks)
	if err != nil {
		return exit.WrongUse(err)
	}
	if len(args) > 0 && (args[0] == "analyse" || args[0] == "analyze") {
		return runAnalyse(ctx, args[1:], chosen, getenv, out)
	}
	if len(args) > 0 && args[0] == "tb" {
		return tb.Run(args[1:], in, out)
	}
	cfg := uci.Config{
		Name: "Tabula " + version.Version, Author: "the Tabula authors",
		Attacks: chosen.attacksText, Kernels: chosen.kernelsText, Counter: counter, Build: buildText(chosen),
	}
	if len(args) > 0 {
		if slices.ContainsFunc(args, isHelpFlag) {
			_, err := io.WriteString(out, commandHelp(args[0]))
			return err
		}
		commands, err := groupCommands(args)
		if err != nil {
			return exit.WrongUse(err)
		}
		in, cfg.InTurn = strings.NewReader(strings.Join(commands, "\n")+"\n"), true
	}
	cfg.Grown = calmCollector(getenv)
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

// runAnalyse obeys "analyse [flags] [FEN]".
func runAnalyse(ctx context.Context, args []string, chosen paths, getenv func(string) string, out io.Writer) error {
	f := flag.NewFlagSet("tabula analyse", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	seconds := f.Float64("seconds", 5, "how long to search")
	lines := f.Int("multipv", 1, "how many best lines to show")
	hash := f.Int("hash", 64, "transposition table in MiB")
	switch err := f.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		var b strings.Builder
		b.WriteString("tabula analyse [flags] [FEN]: show an analysis of a position, live on a terminal\n\n")
		f.SetOutput(&b)
		f.PrintDefaults()
		_, err := io.WriteString(out, b.String())
		return err
	case err != nil:
		return exit.WrongUsef("analyse: %w; see analyse --help", err)
	case !(*seconds > 0 && *seconds < 1e6):
		return exit.WrongUsef("analyse: --seconds %v, want more than 0 and less than a million", *seconds)
	case *lines < 1 || *lines > 20:
		return exit.WrongUsef("analyse: --multipv %d, want 1 to 20", *lines)
	}
	p := chess.NewPosition()
	if fen := strings.Join(f.Args(), " "); fen != "" {
		var err error
		if p, err = chess.ParseFEN(fen); err != nil {
			return exit.WrongUse(err)
		}
	}
	engine, err := search.NewEngine(*hash)
	if err != nil {
		return exit.WrongUse(err)
	}
	return analyse.Run(ctx, out, analyse.Settings{
		Engine: engine, Position: p, Lines: *lines,
		Time:  time.Duration(*seconds * float64(time.Second)),
		Title: "Tabula " + version.Version + " · " + chosen.attacks.String(), Color: getenv("NO_COLOR") == "",
	})
}
