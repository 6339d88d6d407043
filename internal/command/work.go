package command

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
	"time"

	"github.com/urfave/cli/v3"

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

	// Task makes a run of the flags and arguments of a command.
	Task func(ctx context.Context, cmd *cli.Command, env work.Env) (*Task, error)
}

// Task is a run as a command line asks for it.
type Task struct {
	Type   *work.Type
	Kind   work.Kind
	Search func(context.Context) (uint64, error) // returns the signature of the search that jobs use; nil for none
	Files  work.Files
	Output io.Closer             // nil for none
	First  int                   // see work.Options, where the output is its own journal
	Time   time.Duration         // that the run may take, 0 for no limit; its end is no error
	Jobs   int                   // of the progress bar, -1 where their number is unknown
	Done   func() int            // jobs folded
	Print  func(io.Writer) error // prints what the run has come to, also where it was interrupted
}

// Spec returns the identity of the run. Where nobody continues it, it does without the signature of the search, which
// takes a second.
func (t *Task) Spec(ctx context.Context, continued bool) (*work.Spec, error) {
	var signature uint64
	if t.Search != nil && continued {
		var err error
		if signature, err = t.Search(ctx); err != nil {
			return nil, err
		}
	}
	return t.Type.Spec(t.Kind, signature, 0, t.Files.Sums()...)
}

// Local returns the command that does the work on the threads of this machine.
func (k Kind) Local() *cli.Command {
	flags := append(slices.Clone(k.Flags), &cli.IntFlag{Name: "threads", Value: runtime.GOMAXPROCS(0), Usage: k.Threads,
		Validator: AtLeast(1)})
	if k.Journal == "" {
		k.Description += "\nWith --state, the same command continues after an interruption."
		flags = append(flags, &cli.StringFlag{Name: "state", Usage: "`FILE` that stores what is finished"})
	}
	return &cli.Command{
		Name: k.Name, Usage: k.Usage, ArgsUsage: k.ArgsUsage, Description: k.Description, Flags: flags,
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := k.run(ctx, cmd); err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
			return nil
		},
	}
}

// run does the work and prints what it comes to.
func (k *Kind) run(ctx context.Context, cmd *cli.Command) (err error) {
	threads, state := cmd.Int("threads"), cmd.String("state")
	var env work.Env
	if cache, err := os.UserCacheDir(); err == nil {
		env.Dir = filepath.Join(cache, "tabula")
	}
	t, err := k.Task(ctx, cmd, env)
	if err != nil {
		return err
	}
	if t.Output != nil {
		defer func() { err = errors.Join(err, t.Output.Close()) }()
	}
	s, err := t.Spec(ctx, state != "")
	if err == nil {
		err = t.local(ctx, cmd, s, state, threads, NewBar(cmd.Root().ErrWriter, int64(t.Jobs), k.Name))
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
	case kept == "":
		return fmt.Errorf("%w; without --state nothing is kept", exit.ErrInterrupted)
	}
	return fmt.Errorf("%w; %s holds what is finished, and the same command continues", exit.ErrInterrupted, kept)
}

// errTime ends a run whose time is over.
var errTime = errors.New("the time is over")

// local does the jobs on the threads of this machine.
func (t *Task) local(ctx context.Context, cmd *cli.Command, s *work.Spec, state string, threads int, bar *Bar) error {
	defer bar.Close()
	if t.Time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, t.Time, errTime)
		defer cancel()
	}
	err := work.Run(ctx, s, t.Kind, work.Local(threads), work.Options{
		Journal: state, First: t.First, Inputs: t.Files.Get,
		Report: func() { bar.Show(t.Done(), t.Kind.Text()) },
		Damaged: func(d journal.Damage) {
			fmt.Fprintf(cmd.Root().ErrWriter, "%s: %v; what is lost there is done again\n", state, d)
		},
	})
	if errors.Is(err, errTime) {
		return nil
	}
	return err
}
