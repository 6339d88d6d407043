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
	A        string   `json:"a"` // engines of a match, as farm match takes them
	B        string   `json:"b"`
	Pairs    int      `json:"pairs"`
	TC       string   `json:"tc"` // without it, Nodes
	SPRT     string   `json:"sprt"`
	Nodes    uint64   `json:"nodes"`
	Games    int      `json:"games"`
	Seed     uint64   `json:"seed,omitempty"`
	Openings string   `json:"openings,omitempty"`
	Hash     int      `json:"hash,omitempty"`
	Chess960 float64  `json:"chess960,omitempty"`
	Network  string   `json:"-"` // file
	Out      string   `json:"-"` // file that gathers those of the jobs; "" for none
	FEN      string   `json:"-"`
	Depth    int      `json:"-"`
	File     string   `json:"-"` // PGN
	NodeTime int      `json:"-"`
	Params   []string `json:"-"` // of the search
	Step     float64  `json:"-"`
	Rate     float64  `json:"-"`
}

// kind is a kind of work, and the command that starts runs of it.
type kind struct {
	name    string
	version int
	open    func(*run.Manifest, place) (run.Plan, error)

	usage, args, description string
	defaults                 spec
	flags                    func(*spec) []cli.Flag
	arguments                func(*spec, []string) error // nil for none
	// order reads what a run is to be. It may take minutes. Its errors are of use.
	order func(ctx context.Context, s *spec, p place) (*order, error)
}

// order is what a kind makes of a spec.
type order struct {
	params  run.Params
	title   string                                  // the parameters in a line
	network *nnue.Network                           // values depend on it and on the search; nil where they do not
	inputs  []string                                // hashes of files for the workers
	files   [][]byte                                // those that are held in memory
	send    func(put func(data []byte) error) error // sends the others; nil for none
	finish  func(out io.Writer, st run.Outcome) error
}

// attach adds a file for the workers, which is held in memory.
func (o *order) attach(data []byte) {
	o.inputs, o.files = append(o.inputs, run.Sum(data)), append(o.files, data)
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

// prepared is a run that can be started.
type prepared struct {
	run.Order
	finish func(out io.Writer, st run.Outcome) error
	file   *run.Gathered // nil for none
}

func (p *prepared) close() error {
	if p.file == nil {
		return nil
	}
	return p.file.Close()
}

// prepare makes a run of a spec. It may build engines and run a bench.
func (k kind) prepare(ctx context.Context, s *spec, at place) (*prepared, error) {
	o, err := k.order(ctx, s, at)
	if err != nil {
		return nil, exit.WrongUse(err)
	}
	m, err := run.NewManifest(k.name, k.version, s.Seed, o.params)
	if err != nil {
		return nil, exit.WrongUse(err)
	}
	m.Inputs = o.inputs
	if o.network != nil {
		m.Network = o.network.Hash().String()
		if m.Bench, _, err = search.Bench(ctx, nnue.Embedded(), search.DefaultBench(), nil); err != nil {
			return nil, err
		}
	}
	p := &prepared{finish: o.finish, Order: run.Order{Manifest: m, Name: s.Name, Title: o.title, Owner: ownerName(), Log: at.log}}
	if p.Plan, err = k.open(m, at); err != nil {
		return nil, err
	}
	if p.Name == "" {
		p.Name = fmt.Sprintf("%s-%.6s", m.Kind, m.ID())
	} else if err := run.CheckName(p.Name); err != nil {
		return nil, exit.WrongUsef("--name %w", err)
	}
	p.Send = func(put func([]byte) error) error {
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
	checker, files := p.Plan.(run.Checker)
	if files && s.Out == "" { // what a result says is held against its file even where nobody keeps that
		p.Keep = func(ctx context.Context, r *run.Result, get func(context.Context, *run.File) ([]byte, error)) error {
			if r.File == nil {
				return run.Refused(errors.New("the result has no file"))
			}
			data, err := get(ctx, r.File)
			if err == nil {
				if err = checker.CheckFile(r, data); err != nil {
					err = run.Refused(err)
				}
			}
			return err
		}
	} else if files {
		if p.file, err = run.Gather(s.Out, m.ID()); err != nil {
			return nil, exit.WrongUsef("%s: %w", s.Out, err)
		}
		p.Keep = p.file.Keep(checker.CheckFile)
	}
	return p, nil
}

// command describes the command that starts runs.
func (k kind) command() *cli.Command {
	s := k.defaults
	s.Kind = k.name
	flags := append(append(hubFlags(" (default: a hub in this process)"), machineFlags()...),
		&cli.StringFlag{Name: "name", Destination: &s.Name, Usage: "call the run `NAME` (default: its kind and the start of its id)"},
		&cli.Uint64Flag{Name: "seed", Destination: &s.Seed, Usage: "`NUMBER` of the run: another one is another run"})
	return &cli.Command{
		Name: k.name, Usage: k.usage, ArgsUsage: k.args, Description: k.description, Flags: append(flags, k.flags(&s)...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			var err error
			if k.arguments == nil {
				err = command.NoArguments(cmd)
			} else {
				err = exit.WrongUse(k.arguments(&s, cmd.Args().Slice()))
			}
			switch {
			case err != nil:
			case s.TC != "" && cmd.IsSet("nodes"):
				err = exit.WrongUsef("--nodes and --tc: want one of the two")
			default:
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
// tells where it ended.
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
	p, err := k.prepare(ctx, s, at)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if conn == nil {
		done, local, err := workHere(working, stop, at, p)
		if err != nil {
			return err
		}
		defer done()
		conn = local
	}
	st, err := follow(working, cmd, conn, p)
	switch {
	case ctx.Err() != nil && cmd.String("hub") != "":
		return fmt.Errorf("%w at: %s; workers go on with what is queued, and the same command goes on", exit.ErrInterrupted, st.Fold.Text())
	case ctx.Err() != nil:
		return fmt.Errorf("%w at: %s; the same command goes on", exit.ErrInterrupted, st.Fold.Text())
	case err != nil:
		return fmt.Errorf("%w; the same command tries again", err)
	}
	return p.finish(cmd.Root().Writer, st)
}

// workHere starts a hub and a worker in this process. Where the worker fails, it cancels with
// the reason.
func workHere(ctx context.Context, cancel context.CancelCauseFunc, at place, p *prepared) (done func(), conn *run.Conn, err error) {
	m, err := at.machine(ctx, p.Manifest.Bench != 0 || run.IsTimed(p.Plan))
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
		cancel(work.Run(ctx, work.Config{Conn: worker, Name: "here", Machine: m, Open: at.open, Times: times, Log: warnings}))
	}()
	return func() {
		stop()
		<-ended
		worker.Close()
		_ = h.Close()
	}, h.Conn, nil
}

// follow starts a run and shows how far it is.
func follow(ctx context.Context, cmd *cli.Command, conn *run.Conn, p *prepared) (run.Outcome, error) {
	const reportEvery = 30 * time.Second // to what is no terminal
	errOut := cmd.Root().ErrWriter
	bar := command.NewBar(errOut, int64(p.Manifest.Jobs), p.Name)
	defer bar.Close()
	next := time.Now().Add(reportEvery)
	p.Report = func(st run.Outcome) {
		bar.Describe(st.Text)
		bar.Set(st.Folded)
		if !command.Terminal(errOut) && time.Now().After(next) {
			fmt.Fprintln(errOut, st.Text)
			next = time.Now().Add(reportEvery)
		}
	}
	return run.Start(ctx, conn, p.Order)
}
