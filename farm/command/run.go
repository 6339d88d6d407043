package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/work"
)

// noArguments refuses arguments, and then what checks refuse.
func noArguments(cmd *cli.Command, checks ...func(*cli.Command) error) error {
	for _, check := range append([]func(*cli.Command) error{tool.NoArguments}, checks...) {
		if err := check(cmd); err != nil {
			return err
		}
	}
	return nil
}

// draft is a run that is ready to be carried out.
type draft struct {
	order    *order
	manifest *run.Manifest
	plan     run.Plan
}

// draft reads what is to be done. It may build engines and run a bench, which takes a while.
func (k kind) draft(ctx context.Context, cmd *cli.Command, own settings) (d draft, err error) {
	if d.order, err = k.order(ctx, cmd, own); err != nil {
		return d, command.WrongUse(err)
	}
	if d.manifest, err = k.manifest(ctx, d.order, cmd.Uint64("seed")); err != nil {
		return d, err
	}
	d.plan, err = k.open(d.manifest, own)
	return d, err
}

// dialling is a connection to a hub that is being made.
type dialling struct {
	conn *link.Conn // nil where there is none
	done chan struct{}
}

// dialAhead begins to connect to the hub of --hub while the command drafts its run. Where
// that fails, it cancels with the reason.
func dialAhead(ctx context.Context, cmd *cli.Command, cancel context.CancelCauseFunc) *dialling {
	d := &dialling{done: make(chan struct{})}
	go func() {
		defer close(d.done)
		var err error
		if d.conn, err = dialOwner(ctx, cmd, insistence); err != nil {
			cancel(err)
		}
	}()
	return d
}

// close ends the connection.
func (d *dialling) close() {
	if <-d.done; d.conn != nil {
		d.conn.Close()
	}
}

// carryOut sees a run through, on the hub of --hub or, without one, on a hub in this process,
// and tells where it ended.
func (k kind) carryOut(ctx context.Context, cmd *cli.Command) error {
	own, err := settingsOf(cmd)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var ahead *dialling
	if cmd.String("hub") != "" {
		ahead = dialAhead(ctx, cmd, cancel)
		defer ahead.close()
	}
	defer cancel(nil)
	d, err := k.draft(ctx, cmd, own)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	return d.carryOut(ctx, cmd, own, ahead)
}

// carryOut sees the run through: on the hub that ahead leads to, or where that is nil on a
// hub in this process.
func (d draft) carryOut(ctx context.Context, cmd *cli.Command, own settings, ahead *dialling) (err error) {
	m, o := d.manifest, d.order
	name := cmd.String("name")
	if name == "" {
		name = fmt.Sprintf("%s-%.6s", m.Kind, m.ID())
	}
	if err := checkName(name); err != nil {
		return command.WrongUsef("--name %w", err)
	}
	if o.out != "" {
		file, err := o.gather(m, d.plan)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
	}
	f := coordinator.Follower{
		Manifest: m, Plan: d.plan, Keep: o.keep, Times: link.Usual(), Log: logger(cmd.Root().ErrWriter), Host: hostname(),
		Open: link.Open{Run: m.ID(), Name: name, Title: o.title, Owner: owner(), Kind: m.Kind, Jobs: m.Jobs, Share: 1, Began: time.Now().Round(0)},
	}
	var st coordinator.Status
	if ahead == nil {
		st, err = carryOutHere(ctx, cmd, f, own, o)
	} else if <-ahead.done; ahead.conn == nil {
		err = context.Cause(ctx)
	} else {
		f.Conn = ahead.conn
		st, err = see(ctx, cmd, f, o)
	}
	if err != nil {
		return err
	}
	return o.finish(cmd.Root().Writer, st)
}

// carryOutHere sees a run through on a hub and a worker in this process.
func carryOutHere(ctx context.Context, cmd *cli.Command, f coordinator.Follower, own settings, o *order) (st coordinator.Status, err error) {
	dir, err := home(cmd)
	if err != nil {
		return st, err
	}
	timed, _ := f.Plan.(run.Timed)
	m, err := machine(ctx, cmd.Int("cores"), f.Manifest.Bench != 0 || timed != nil && timed.Timed())
	if err != nil {
		return st, err
	}
	own.nps = m.NPS
	warns := slog.New(slog.NewTextHandler(cmd.Root().ErrWriter, &slog.HandlerOptions{Level: slog.LevelWarn}))
	h, err := hub.Start(hub.Config{Dir: filepath.Join(dir, "hub"), Open: opener(own), Times: f.Times, Log: warns, Alone: true})
	if err != nil {
		return st, err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	worker, err := work.OpenHome(filepath.Join(dir, "worker"))
	if err != nil {
		return st, err
	}
	defer worker.Close()
	key, err := link.NewKey(link.RoleWorker, "")
	if err != nil {
		return st, err
	}
	conn, err := link.Dial(ctx, link.Options{Name: "worker", Process: h, Key: key, Machine: worker.Machine, Log: f.Log}, insistence)
	if err != nil {
		return st, err
	}
	defer conn.Close()
	working, stop := context.WithCancel(ctx)
	var group sync.WaitGroup
	failed := make(chan error, 1)
	group.Go(func() {
		failed <- work.Run(working, work.Config{Conn: conn, Home: worker, Machine: m, Open: opener(own), Times: f.Times, Log: f.Log})
		stop()
	})
	f.Conn = h.Conn
	st, err = see(working, cmd, f, o)
	stop()
	group.Wait()
	if e := <-failed; err != nil && ctx.Err() == nil && !errors.Is(e, context.Canceled) {
		err = e
	}
	return st, err
}

// printText tells where a run ended.
func printText(out io.Writer, st coordinator.Status) error {
	_, err := fmt.Fprintf(out, "%s, by %d workers, %.0f s of their cores\n", st.Fold.Text(), len(st.Workers), st.Took)
	return err
}

// reportEvery is the time between two lines of a command that does not write to a
// terminal.
const reportEvery = 30 * time.Second

// see follows a run and shows how far it is.
func see(ctx context.Context, cmd *cli.Command, f coordinator.Follower, o *order) (coordinator.Status, error) {
	errOut := cmd.Root().ErrWriter
	if err := prepare(ctx, f, o); err != nil {
		return coordinator.Status{}, err
	}
	bar := command.NewBar(errOut, int64(f.Manifest.Jobs), f.Open.Name)
	defer bar.Close()
	next := time.Now().Add(reportEvery)
	f.Report = func(st coordinator.Status) {
		bar.Describe(st.Fold.Text())
		bar.Set(st.Folded)
		if !command.Terminal(errOut) && time.Now().After(next) {
			fmt.Fprintln(errOut, st.Fold.Text())
			next = time.Now().Add(reportEvery)
		}
	}
	st, err := coordinator.Follow(ctx, f)
	switch {
	case ctx.Err() != nil && cmd.String("hub") != "":
		return st, fmt.Errorf("%w at: %s; the farm goes on while its coordinator runs, and the same command shows it", command.ErrInterrupted, st.Fold.Text())
	case ctx.Err() != nil:
		return st, fmt.Errorf("%w at: %s; the same command goes on", command.ErrInterrupted, st.Fold.Text())
	case err != nil:
		return st, err
	case st.Failed != "":
		return st, fmt.Errorf("run %s: %s; the same command tries again", f.Open.Name, st.Failed)
	}
	return st, nil
}

// prepare makes the streams, gives the workers their inputs, and reopens a run that
// failed.
func prepare(ctx context.Context, f coordinator.Follower, o *order) error {
	c := f.Conn
	id := f.Manifest.ID()
	steps := []func(context.Context) error{c.Ensure, func(ctx context.Context) error {
		end, ended, err := c.Ended(ctx, id)
		if err == nil && ended && end.Failed != "" {
			err = c.Reopen(ctx, id)
		}
		return err
	}}
	for _, step := range steps {
		if err := c.Insist(ctx, insistence, step); err != nil {
			return err
		}
	}
	put := func(data []byte) error {
		return c.Insist(ctx, insistence, func(ctx context.Context) error { return c.PutInput(ctx, id, data) })
	}
	for _, data := range o.files {
		if err := put(data); err != nil {
			return err
		}
	}
	if o.send == nil {
		return nil
	}
	return o.send(put)
}

// insistence is the time for which a hub may be away when a command begins.
const insistence = time.Minute
