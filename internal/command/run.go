// Package command runs the command lines of all programs: exit codes, signals, --version, profiles,
// usage errors on one line, and progress bars.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/version"
)

// VersionKey is the key of a program's metadata for a function that returns the text of --version,
// if it differs from the default.
const VersionKey = "version text"

// Main runs a program with the arguments and signals of the process and ends
// the process with its exit code.
func Main(build func(out, errOut io.Writer) *cli.Command) {
	ctx, stop := exit.OnSignal()
	code := Run(ctx, build(os.Stdout, os.Stderr), os.Args)
	stop()
	os.Exit(code)
}

// Run runs a program with the arguments args (args[0] is its name) and returns its exit code. It
// prints an error on one line to the program's ErrWriter. If ctx is cancelled, the code is always
// [exit.Interrupted], so that a command after && does not continue with half of the work. Text that
// the command writes removes the line of a progress bar first.
func Run(ctx context.Context, program *cli.Command, args []string) int {
	screen := NewScreen(program.ErrWriter)
	out := &output{Writer: program.Writer}
	if Terminal(program.Writer) {
		out.screen = screen
	}
	program.Writer, program.ErrWriter = out, screen
	prepare(program)
	err := program.Run(ctx, args)
	if err == nil && out.err != nil { // the library prints help and does not look
		err = fmt.Errorf("standard output: %w", out.err)
	}
	code := exit.Code(err)
	if ctx.Err() != nil {
		code = exit.Interrupted
		err = interrupted(err)
	}
	if err != nil {
		fmt.Fprintf(program.ErrWriter, "%s: %v\n", program.Name, err)
	}
	return code
}

// interrupted returns what an error says besides that ctx has ended, or else that the command was interrupted.
func interrupted(err error) error {
	var lines []string
	if err != nil {
		lines = slices.DeleteFunc(strings.Split(err.Error(), "\n"),
			func(line string) bool { return strings.HasSuffix(line, context.Canceled.Error()) })
	}
	if len(lines) == 0 {
		return exit.ErrInterrupted
	}
	return errors.New(strings.Join(lines, "\n"))
}

// output is the standard output of a program. It remembers the first error.
type output struct {
	io.Writer
	screen *Screen // where bars are drawn, if this is a terminal too
	err    error
}

// Unwrap returns the underlying writer, which may be a terminal.
func (o *output) Unwrap() io.Writer { return o.Writer }

func (o *output) Write(p []byte) (int, error) {
	if o.screen != nil {
		o.screen.Clear()
	}
	n, err := o.Writer.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// prepare adds what all programs have in common.
func prepare(program *cli.Command) {
	var profile *os.File
	program.Flags = append(program.Flags,
		&cli.StringFlag{Name: "cpuprofile", Usage: "write a CPU profile to `FILE`"},
		&cli.BoolFlag{Name: "version", Usage: "print version, build and processor, and exit"},
	)
	program.HideVersion = true // ours prints more than a number
	program.EnableShellCompletion = true
	program.ConfigureShellCompletionCommand = func(c *cli.Command) { c.Hidden = false }
	before := program.Before
	program.Before = func(ctx context.Context, cmd *cli.Command) (_ context.Context, err error) {
		if before != nil {
			if ctx, err = before(ctx, cmd); err != nil {
				return ctx, err
			}
		}
		if name := cmd.String("cpuprofile"); name != "" {
			if profile, err = os.Create(name); err != nil { // a bad name fails early
				return ctx, fmt.Errorf("profile: %w", err)
			}
			err = pprof.StartCPUProfile(profile)
		}
		return ctx, err
	}
	program.After = func(context.Context, *cli.Command) error {
		if profile == nil {
			return nil
		}
		pprof.StopCPUProfile()
		return profile.Close()
	}
	program.Description = strings.TrimPrefix(program.Description+"\n\n"+exit.Help, "\n\n")
	program.ExitErrHandler = func(context.Context, *cli.Command, error) {} // errors come back to Run
	action := program.Action
	program.Action = func(ctx context.Context, cmd *cli.Command) error {
		switch {
		case cmd.Bool("version"):
			text := version.Text("Tabula " + program.Name)
			if own, ok := program.Metadata[VersionKey].(func() string); ok {
				text = own()
			}
			_, err := io.WriteString(cmd.Root().Writer, text)
			return err
		case action != nil:
			return action(ctx, cmd)
		case cmd.NArg() > 0:
			return Unknown(cmd, cmd.Args().First())
		}
		return cli.ShowRootCommandHelp(cmd)
	}
	everyCommand(program, func(cmd *cli.Command) {
		for _, f := range cmd.Flags {
			hideNone(f)
		}
		cmd.OnUsageError = func(_ context.Context, cmd *cli.Command, err error, _ bool) error {
			text := plain(cmd, err.Error())
			if !strings.HasSuffix(text, "?") { // which names what was meant
				text += "; see " + cmd.FullName() + " --help"
			}
			return exit.WrongUse(errors.New(text))
		}
	})
}

// hideNone hides a default number that means "none".
func hideNone(f cli.Flag) {
	switch f := f.(type) {
	case *cli.IntFlag:
		f.HideDefault = f.HideDefault || f.Value == 0
	case *cli.Uint64Flag:
		f.HideDefault = f.HideDefault || f.Value == 0
	case *cli.FloatFlag:
		f.HideDefault = f.HideDefault || f.Value == 0
	}
}

// everyCommand calls f with a command and all below it.
func everyCommand(cmd *cli.Command, f func(*cli.Command)) {
	f(cmd)
	for _, c := range cmd.Commands {
		everyCommand(c, f)
	}
}

// NoArguments returns a usage error if the command has arguments.
func NoArguments(cmd *cli.Command) error {
	if cmd.NArg() > 0 {
		return exit.WrongUsef("unexpected argument %q; see %s --help", cmd.Args().First(), cmd.FullName())
	}
	return nil
}
