package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/work"
)

// spec says what a run is to be, as the flags of its command or the page say it.
type spec struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	A        string   `json:"a"` // engines of a match, as farm match takes them; or the PGN file to annotate
	B        string   `json:"b"`
	Pairs    int      `json:"pairs"`
	TC       string   `json:"tc"` // without it, Nodes
	SPRT     string   `json:"sprt"`
	Nodes    uint64   `json:"nodes"`
	Games    int      `json:"games"`
	Seed     uint64   `json:"seed,omitempty"`
	Hash     int      `json:"hash,omitempty"`
	Chess960 float64  `json:"chess960,omitempty"`
	Openings string   `json:"-"` // file
	Network  string   `json:"-"` // file
	Out      string   `json:"-"` // file that collects what the jobs come to; "" for none
	FEN      string   `json:"-"`
	Depth    int      `json:"-"`
	Params   []string `json:"-"` // of the search
	Step     float64  `json:"-"`
	Rate     float64  `json:"-"`
}

// kind is a kind of work, and the command that starts runs of it.
type kind struct {
	name    string
	version int
	engine  bool // its workers play or search, so that the speed of their engine matters
	open    func(*run.Manifest, place) (*run.Plan, error)

	usage, args, description string
	defaults                 spec
	flags                    []string // by their names: see spec.flags
	// order reads what a run is to be. It may take minutes. Its errors are of use.
	order func(ctx context.Context, s *spec, p place) (*order, error)
}

// order is a run that can be started.
type order struct {
	run.Order
	params  run.Params
	title   string                   // the parameters in a line
	network *nnue.Network            // that the outcome depends on, as on the search; nil where it does not
	sums    []string                 // hashes of inputs
	inputs  []func() ([]byte, error) // see run.Order
	finish  func(out io.Writer, st run.Outcome) error
}

// attach adds a file for the workers.
func (o *order) attach(data []byte) {
	o.sums, o.inputs = append(o.sums, run.Sum(data)), append(o.inputs, func() ([]byte, error) { return data, nil })
}

// playWith takes a network; it is the first input. "" is the embedded one.
func (o *order) playWith(name string) error {
	o.network = nnue.Embedded()
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	if err == nil {
		o.network, err = nnue.Read(bytes.NewReader(text))
	}
	if err != nil {
		return fmt.Errorf("--network %s: %w", name, err)
	}
	o.attach(text)
	return nil
}

func (o *order) close() error {
	if o.Out == nil {
		return nil
	}
	return o.Out.Close()
}

// prepare makes a run of a spec. It may build engines and run a bench.
func (k kind) prepare(ctx context.Context, s *spec, at place) (*order, error) {
	o, err := k.order(ctx, s, at)
	if err != nil {
		return nil, exit.WrongUse(err)
	}
	m, err := run.NewManifest(k.name, k.version, s.Seed, o.params)
	if err != nil {
		return nil, exit.WrongUse(err)
	}
	m.Inputs = o.sums
	if o.network != nil {
		m.Network = o.network.Hash().String()
		if m.Bench, _, err = search.Bench(ctx, nnue.Embedded(), search.DefaultBench(), nil); err != nil {
			return nil, err
		}
	}
	o.Order = run.Order{Manifest: m, Name: s.Name, Title: o.title, Owner: ownerName(), Inputs: o.inputs, Log: at.log}
	if o.Plan, err = k.open(m, at); err != nil {
		return nil, err
	}
	if o.Name == "" {
		o.Name = fmt.Sprintf("%s-%.6s", m.Kind, m.ID())
	} else if err := run.CheckName(o.Name); err != nil {
		return nil, exit.WrongUsef("--name %w", err)
	}
	if s.Out != "" {
		if o.Out, err = run.OpenOutput(s.Out, m.ID()); err != nil {
			return nil, exit.WrongUsef("%s: %w", s.Out, err)
		}
	}
	return o, nil
}

// command describes the command that starts runs.
func (k kind) command() *cli.Command {
	s := k.defaults
	s.Kind = k.name
	flags := append(append(hubFlags(" (default: a hub in this process)"), machineFlags()...),
		&cli.StringFlag{Name: "name", Destination: &s.Name, Usage: "call the run `NAME` (default: its kind and the start of its id)"},
		&cli.Uint64Flag{Name: "seed", Destination: &s.Seed, Usage: "`NUMBER` of the run: another one is another run"})
	return &cli.Command{
		Name: k.name, Usage: k.usage, ArgsUsage: k.args, Flags: append(flags, s.flags(k.flags...)...),
		Description: k.description + "\nAfter an interruption or a kill, the same command continues the run.",
		Action: func(ctx context.Context, cmd *cli.Command) error {
			var err error
			s.A, s.B = cmd.Args().Get(0), cmd.Args().Get(1)
			switch n := len(strings.Fields(k.args)); {
			case s.TC != "" && cmd.IsSet("nodes"):
				err = exit.WrongUsef("--nodes and --tc: want one of the two")
			case n == 0:
				err = command.NoArguments(cmd)
			case cmd.NArg() != n:
				err = exit.WrongUsef("%d arguments: want %s", cmd.NArg(), k.args)
			}
			if err == nil {
				err = k.start(ctx, cmd, &s)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
			return nil
		},
	}
}

// start sees a run through, on the hub of --hub or on a hub and a worker in this process, and
// prints where it ended.
func (k kind) start(ctx context.Context, cmd *cli.Command, s *spec) (err error) {
	at, err := placeOf(cmd)
	if err != nil {
		return err
	}
	var conn *run.Conn
	if cmd.String("hub") != "" {
		if conn, err = dial(ctx, cmd, run.RoleOwner, time.Minute); err != nil {
			return err
		}
		defer conn.Close()
	}
	o, err := k.prepare(ctx, s, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.close()) }()
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	again := "workers go on with what is queued, and the same command continues the run"
	if conn == nil {
		again = "the same command continues the run"
		var done func()
		if done, conn, err = k.workHere(working, stop, at); err != nil {
			return err
		}
		defer done()
	}
	o.Report = reporter(cmd.Root().ErrWriter, &o.Order)
	st, err := run.Start(working, conn, o.Order)
	o.Report(run.Outcome{})
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w at: %s; %s", exit.ErrInterrupted, st.Fold.Text(), again)
	case err != nil:
		return fmt.Errorf("%w; the same command tries again", err)
	}
	return o.finish(cmd.Root().Writer, st)
}

// workHere starts a hub and a worker in this process. Where the worker fails, it cancels with
// the reason.
func (k kind) workHere(ctx context.Context, cancel context.CancelCauseFunc, at place) (done func(), conn *run.Conn, err error) {
	m, err := at.machine(ctx, k.engine)
	if err != nil {
		return nil, nil, err
	}
	at.nps = m.NPS
	warnings := slog.New(slog.NewTextHandler(at.errOut, &slog.HandlerOptions{Level: slog.LevelWarn}))
	h, err := hub.Start(hub.Config{Dir: filepath.Join(at.dir, "hub"), Times: times, Log: warnings})
	if err != nil {
		return nil, nil, err
	}
	key, err := run.NewKey(run.RoleWorker, "")
	var worker *run.Conn
	if err == nil {
		worker, err = run.Dial(ctx, run.Options{Name: "worker", Process: h, Key: key, Log: warnings}, time.Minute)
	}
	if err != nil {
		return nil, nil, errors.Join(err, h.Close())
	}
	ended := make(chan struct{})
	ctx, stop := context.WithCancel(ctx)
	go func() {
		defer close(ended)
		cancel(work.Run(ctx, work.Config{Conn: worker, Machine: m, Open: at.open, Times: times, Log: warnings}))
	}()
	return func() {
		stop()
		<-ended
		worker.Close()
		_ = h.Close()
	}, h.Conn, nil
}

// reporter returns what shows how far a run is: a bar, and every half minute a line where the output
// is no terminal. It ends with an outcome that has no fold.
func reporter(errOut io.Writer, o *run.Order) func(run.Outcome) {
	const every = 30 * time.Second
	bar := command.NewBar(errOut, int64(o.Manifest.Jobs), o.Name)
	next := time.Now().Add(every)
	return func(st run.Outcome) {
		if st.Fold == nil {
			bar.Close()
			return
		}
		bar.Describe(st.Text)
		bar.Set(st.Folded)
		if !command.Terminal(errOut) && time.Now().After(next) {
			fmt.Fprintln(errOut, st.Text)
			next = time.Now().Add(every)
		}
	}
}
