// Package tool is what the command-line programs beside the engine have in
// common: exit codes, signals, --version, profiles, and errors of use in one
// line. It imports internal rooms alone.
package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/profile"
	"github.com/tabula-chess/tabula/internal/version"
)

// Main runs a program with the arguments and signals of the process and ends
// the process with its exit code.
func Main(build func(out, errOut io.Writer) *cli.Command) {
	ctx, stop := exit.OnSignal()
	code := Run(ctx, build(os.Stdout, os.Stderr), os.Args)
	stop()
	os.Exit(code)
}

// Run runs a program, which args[0] names, and returns its exit code. What went
// wrong is told on the program's ErrWriter in one line. Once ctx is cancelled
// the code is that of an interruption whatever the command says, so that a
// command after && does not go on with half of the work. Output that could not be
// written is a failure too, though the command does not say so: help, for example.
func Run(ctx context.Context, program *cli.Command, args []string) int {
	out := &watched{to: program.Writer}
	program.Writer = out
	prepare(program)
	err := program.Run(ctx, args)
	if err == nil {
		err = out.err
	}
	code := exit.Code(err)
	if ctx.Err() != nil {
		code = exit.Interrupted
		if err == nil || errors.Is(err, context.Canceled) {
			err = exit.ErrInterrupted
		}
	}
	if err != nil {
		fmt.Fprintf(program.ErrWriter, "%s: %v\n", program.Name, err)
	}
	return code
}

// watched keeps the first error of a writer.
type watched struct {
	to  io.Writer
	err error
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// prepare gives the program what every program has.
func prepare(program *cli.Command) {
	p := new(profiles)
	program.Flags = append(program.Flags,
		&cli.StringFlag{Name: "cpuprofile", Usage: "write a CPU profile to `FILE`", Destination: &p.cpu},
		&cli.StringFlag{Name: "memprofile", Usage: "write a heap profile to `FILE` at the end", Destination: &p.heap},
		&cli.BoolFlag{Name: "version", Usage: "print version, build and processor, and exit"},
	)
	program.HideVersion = true // ours prints more than a number
	program.EnableShellCompletion = true
	program.ConfigureShellCompletionCommand = func(c *cli.Command) { c.Hidden = false }
	program.Before, program.After = p.start, p.end
	program.Description = joinLines(program.Description, exit.Help)
	program.ExitErrHandler = func(context.Context, *cli.Command, error) {} // errors come back to Run
	action := program.Action
	program.Action = func(ctx context.Context, cmd *cli.Command) error {
		switch {
		case cmd.Bool("version"):
			_, err := io.WriteString(cmd.Root().Writer, version.Text("Tabula "+program.Name))
			return err
		case action != nil:
			return action(ctx, cmd)
		case cmd.NArg() > 0:
			return exit.WrongUsef("%q is no command; see --help", cmd.Args().First())
		}
		return cli.ShowRootCommandHelp(cmd)
	}
	everyCommand(program, func(cmd *cli.Command) {
		cmd.OnUsageError = func(_ context.Context, cmd *cli.Command, err error, _ bool) error {
			return exit.WrongUsef("%s; see %s --help", useText(cmd, err.Error()), cmd.FullName())
		}
	})
}

// What the library says of a value that it cannot read, and of flags that are missing.
var (
	badValue = regexp.MustCompile(`^invalid (?:boolean )?value ("(?s:.*)") for flag -([^:\s]+): `)
	missing  = regexp.MustCompile(`^Required flags? "(.*)" not set$`)
)

// useText says what is wrong with a command line: what was given, what is expected.
func useText(cmd *cli.Command, text string) string {
	if m := missing.FindStringSubmatch(text); m != nil {
		return "missing: --" + strings.ReplaceAll(m[1], ", ", ", --")
	}
	m := badValue.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	for _, c := range cmd.Lineage() {
		for _, f := range c.Flags {
			if slices.Contains(f.Names(), m[2]) {
				return fmt.Sprintf("--%s %s: want %s", m[2], m[1], expected(f))
			}
		}
	}
	return text
}

// expected says what a flag takes.
func expected(f cli.Flag) string {
	switch f.(type) {
	case *cli.IntFlag, *cli.Int64Flag:
		return "a whole number"
	case *cli.Uint64Flag, *cli.Uint64SliceFlag:
		return "a whole number from 0 to 18446744073709551615"
	case *cli.FloatFlag:
		return "a number"
	case *cli.DurationFlag:
		return "a time, as in 300ms or 5s"
	case *cli.BoolFlag:
		return "true or false"
	}
	return "another value"
}

// everyCommand calls f with a command and all below it.
func everyCommand(cmd *cli.Command, f func(*cli.Command)) {
	f(cmd)
	for _, c := range cmd.Commands {
		everyCommand(c, f)
	}
}

// joinLines puts b below a, where there is an a.
func joinLines(a, b string) string {
	if a == "" {
		return b
	}
	return a + "\n\n" + b
}

// NoArguments is an error of use where a command has arguments.
func NoArguments(cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return exit.WrongUsef("unexpected argument %q; see %s --help", cmd.Args().First(), cmd.FullName())
	}
	return nil
}

// profiles are those that the flags of a program ask for.
type profiles struct {
	cpu, heap string
	stop      func() error
}

func (p *profiles) start(ctx context.Context, _ *cli.Command) (context.Context, error) {
	stop, err := profile.Start(p.cpu, p.heap)
	p.stop = stop
	return ctx, err
}

func (p *profiles) end(context.Context, *cli.Command) error {
	if p.stop == nil {
		return nil
	}
	return p.stop()
}
