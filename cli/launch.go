package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/cli/analyse"
	"github.com/tabula-chess/tabula/movegen/count"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// Exit codes of the binary.
const (
	exitGood        = 0
	exitFailed      = 1   // something went wrong while running
	exitUsage       = 2   // the command line or the environment asks for what cannot be
	exitInterrupted = 130 // as a shell reports SIGINT
)

// Main runs the binary with the arguments after the program's name and returns
// its exit code. getenv looks up environment variables, as os.Getenv does.
func Main(args []string, getenv func(string) string, in io.Reader, out, errOut io.Writer) int {
	fail := func(code int, err error) int {
		fmt.Fprintln(errOut, "tabula:", err)
		return code
	}
	flags, given := newFlags()
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(out, usage(flags))
		return exitGood
	case err != nil:
		return fail(exitUsage, fmt.Errorf("%w; see --help", err))
	}
	chosen, err := choosePaths(getenv)
	if err != nil {
		return fail(exitUsage, err)
	}
	if given.version {
		fmt.Fprint(out, versionText(chosen))
		return exitGood
	}
	stop, err := startProfiles(given.cpuProfile, given.memProfile)
	if err != nil {
		return fail(exitFailed, err)
	}
	code, err := run(flags.Args(), chosen, getenv, in, out)
	if err := errors.Join(err, stop()); err != nil {
		if errors.Is(err, analyse.ErrInterrupted) {
			return exitInterrupted
		}
		return fail(max(code, exitFailed), err)
	}
	return code
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
  tabula bench [DEPTH]         search a fixed set of positions, print nodes and speed

Examples:
  tabula "position startpos moves e2e4" "go depth 12" quit
  tabula go perft 5
  tabula analyse --seconds 20 --multipv 3 "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"

Flags:
`)
	f.SetOutput(&b)
	f.PrintDefaults()
	b.WriteString(`
TABULA_ATTACKS in the environment chooses how slider attacks are computed:
` + attacksHelp() + `TABULA_EVAL chooses the kernels of the network:
` + kernelsHelp() + `NO_COLOR in the environment turns colours off.
`)
	return b.String()
}

// run obeys what follows the flags.
func run(args []string, chosen paths, getenv func(string) string, in io.Reader, out io.Writer) (int, error) {
	counter, err := count.For(chosen.attacks)
	if err != nil {
		return exitUsage, err
	}
	if len(args) > 0 && (args[0] == "analyse" || args[0] == "analyze") {
		return runAnalyse(args[1:], chosen, getenv, out)
	}
	cfg := uci.Config{
		Name: "Tabula " + Version, Author: "the Tabula authors",
		Attacks: chosen.attacksText, Kernels: chosen.kernelsText, Counter: counter, Build: buildText(chosen),
	}
	if len(args) > 0 {
		commands, err := groupCommands(args)
		if err != nil {
			return exitUsage, err
		}
		in, cfg.InTurn = strings.NewReader(strings.Join(commands, "\n")+"\n"), true
	}
	calmCollector(getenv)
	engine, err := search.NewEngine(uci.DefaultHash)
	if err != nil {
		return exitFailed, err
	}
	if err := uci.Run(in, out, engine, cfg); err != nil {
		return exitFailed, err
	}
	return exitGood, nil
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
func runAnalyse(args []string, chosen paths, getenv func(string) string, out io.Writer) (int, error) {
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
		return exitGood, err
	case err != nil:
		return exitUsage, err
	case !(*seconds > 0 && *seconds < 1e6):
		return exitUsage, fmt.Errorf("analyse: --seconds %v, want more than 0 and less than a million", *seconds)
	case *lines < 1 || *lines > 20:
		return exitUsage, fmt.Errorf("analyse: --multipv %d, want 1 to 20", *lines)
	}
	p := chess.NewPosition()
	if fen := strings.Join(f.Args(), " "); fen != "" {
		var err error
		if p, err = chess.ParseFEN(fen); err != nil {
			return exitUsage, err
		}
	}
	engine, err := search.NewEngine(*hash)
	if err != nil {
		return exitUsage, err
	}
	return exitGood, analyse.Run(out, analyse.Settings{
		Engine: engine, Position: p, Lines: *lines,
		Time:  time.Duration(*seconds * float64(time.Second)),
		Title: "Tabula " + Version + " · " + chosen.attacks.String(), Color: getenv("NO_COLOR") == "",
	})
}

// startProfiles begins the profiles asked for; the function it returns ends
// them and writes the files.
func startProfiles(cpu, mem string) (stop func() error, err error) {
	var file *os.File
	if cpu != "" {
		if file, err = os.Create(cpu); err != nil {
			return nil, err
		}
		if err = pprof.StartCPUProfile(file); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return func() error {
		var err error
		if file != nil {
			pprof.StopCPUProfile()
			err = file.Close()
		}
		if mem != "" {
			err = errors.Join(err, writeHeap(mem))
		}
		return err
	}, nil
}

// writeHeap writes a heap profile of what is in use.
func writeHeap(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	runtime.GC()
	return errors.Join(pprof.WriteHeapProfile(f), f.Close())
}
