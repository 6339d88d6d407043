// Package launch makes commands of kinds of work: with the flags of a kind, they do its jobs on this machine or
// elsewhere, store what is finished, and print the outcome.
package launch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/work"
)

// Kind is a kind of work as a command line starts it. Its flags are the same wherever the jobs are done.
type Kind struct {
	Name, Usage, ArgsUsage, Description string
	Flags                               []cli.Flag
	Threads                             string // usage of --threads
	Journal                             string // flag of an output that is its own journal; "": there is --state
	Type                                *work.Type

	// Task makes a run of the flags and arguments of a command.
	Task func(ctx context.Context, cmd *cli.Command, env work.Env) (*Task, error)
}

// Task is a run as a command line asks for it.
type Task struct {
	Kind   work.Kind
	Search func(context.Context) (uint64, error) // returns the signature of the search that jobs use; nil for none
	Files  work.Files
	Output io.Closer             // nil for none
	First  int                   // see work.RunOptions, where the output is its own journal
	Time   time.Duration         // that the run may take, 0 for no limit; its end is no error
	Jobs   int                   // of the progress bar, -1 where their number is unknown
	Done   func() int            // jobs folded
	Print  func(io.Writer) error // prints what the run has come to, also where it was interrupted
}

// spec returns the identity of a run. Where nobody continues it, it does without the signature of the search, which
// takes a second.
func (k *Kind) spec(ctx context.Context, t *Task, continued bool) (*work.Spec, error) {
	var signature uint64
	if t.Search != nil && continued {
		var err error
		if signature, err = t.Search(ctx); err != nil {
			return nil, err
		}
	}
	return k.Type.Spec(t.Kind, signature, t.Files.Sums()...)
}

// At is where the jobs of a command are done.
type At struct {
	Flags []cli.Flag
	Help  string // last line of the description; "" for none
	Env   func(*cli.Command) (work.Env, error)
	Place func(*cli.Command, *Task) (work.Executor, error)

	Report func(*Task) // called while results are folded, each time that there are more; may be nil
	Ahead  int         // see work.RunOptions
	Kept   string      // says what an interruption leaves, where the place keeps results; "" where it does not
}

// Local returns the command that does the work on the threads of this machine.
func (k Kind) Local() *cli.Command {
	at := At{
		Flags: []cli.Flag{&cli.IntFlag{Name: "threads", Value: runtime.GOMAXPROCS(0), Usage: k.Threads,
			Validator: command.AtLeast(1)}},
		Env: func(*cli.Command) (env work.Env, err error) {
			if cache, err := os.UserCacheDir(); err == nil {
				env.Dir = filepath.Join(cache, "tabula")
			}
			return env, nil
		},
		Place: func(cmd *cli.Command, _ *Task) (work.Executor, error) { return work.Local(cmd.Int("threads")), nil },
	}
	if k.Journal == "" {
		at.Help = "With --state, the same command continues after an interruption."
	}
	return k.On(at)
}

// On returns the command that has the work done somewhere.
func (k Kind) On(at At) *cli.Command {
	flags := slices.Concat(k.Flags, at.Flags)
	if k.Journal == "" {
		flags = append(flags, &cli.StringFlag{Name: "state", Usage: "`FILE` that stores what is finished"})
	}
	return &cli.Command{
		Name: k.Name, Usage: k.Usage, ArgsUsage: k.ArgsUsage, Flags: flags,
		Description: strings.TrimSuffix(k.Description+"\n"+at.Help, "\n"),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := k.run(ctx, cmd, &at); err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
			return nil
		},
	}
}

// run does the work and prints what it comes to.
func (k *Kind) run(ctx context.Context, cmd *cli.Command, at *At) (err error) {
	env, err := at.Env(cmd)
	if err != nil {
		return err
	}
	t, err := k.Task(ctx, cmd, env)
	if err != nil {
		return err
	}
	if t.Output != nil {
		defer func() { err = errors.Join(err, t.Output.Close()) }()
	}
	state := cmd.String("state")
	s, err := k.spec(ctx, t, state != "" || at.Kept != "")
	if err == nil {
		err = t.do(ctx, cmd, s, state, at, command.NewBar(cmd.Root().ErrWriter, int64(t.Jobs), k.Name))
		if err == nil || ctx.Err() != nil {
			err = errors.Join(t.Print(cmd.Root().Writer), err)
		}
	}
	kept := cmd.String(cmp.Or(k.Journal, "state"))
	switch {
	case errors.Is(err, work.ErrOtherRun):
		return exit.WrongUsef("%w; give another --state", err)
	case ctx.Err() == nil || !errors.Is(err, context.Canceled):
		return err
	case at.Kept != "":
		return fmt.Errorf("%w; %s", exit.ErrInterrupted, at.Kept)
	case kept == "":
		return fmt.Errorf("%w; without --state nothing is kept", exit.ErrInterrupted)
	}
	return fmt.Errorf("%w; %s holds what is finished, and the same command continues", exit.ErrInterrupted, kept)
}

// errTime ends a run whose time is over.
var errTime = fmt.Errorf("the time is over: %w", context.DeadlineExceeded)

// do has the jobs done.
func (t *Task) do(ctx context.Context, cmd *cli.Command, s *work.Spec, state string, at *At, bar *command.Bar) error {
	defer bar.Close()
	if t.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t.Time, errTime)
		defer cancel()
	}
	place, err := at.Place(cmd, t)
	if err != nil {
		return err
	}
	err = work.Run(ctx, s, t.Kind, place, work.RunOptions{
		Journal: state, First: t.First, Inputs: t.Files.Get, Ahead: at.Ahead,
		Report: func() {
			bar.Show(t.Done(), t.Kind.Text())
			if at.Report != nil {
				at.Report(t)
			}
		},
		Damaged: func(d journal.Damage) {
			fmt.Fprintf(cmd.Root().ErrWriter, "%s: %v; what is lost there is done again\n", state, d)
		},
	})
	if errors.Is(err, errTime) {
		return nil
	}
	return err
}
