package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
)

// spec says what a run is to be, as the flags of its command or the page say it.
type spec struct {
	Kind     string   `json:"kind"`
	Name     string   `json:"name"`
	A        string   `json:"a"` // engines of a match, as tabula-farm match takes them; or the PGN file to annotate
	B        string   `json:"b"`
	Pairs    int      `json:"pairs"`
	TC       string   `json:"tc"` // without it, Nodes
	SPRT     string   `json:"sprt"`
	Nodes    uint64   `json:"nodes"`
	Games    int      `json:"games"`
	Seed     uint64   `json:"seed"`
	Hash     int      `json:"hash"`
	Chess960 float64  `json:"chess960"`
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
	bench   bool // they do so with the engine of this program
	empty   func(place) work

	usage, args, description string
	defaults                 spec
	flags                    []string // by their names: see spec.flags
}

// work is a kind of work as the command that starts a run of it knows it.
type work interface {
	run.Kind

	// order takes the parameters of a spec, and returns a title and the inputs of the run. It may take minutes. Its
	// errors are of use.
	order(ctx context.Context, s *spec, at place) (title string, inputs [][]byte, err error)

	// result prints what a run that is over has come to.
	result(out io.Writer, st run.Outcome) error
}

// prepare makes a run of a spec. It may build engines and run a bench.
func (k kind) prepare(ctx context.Context, s *spec, at place) (o run.Order, err error) {
	w := k.empty(at)
	o = run.Order{Open: at.open, Owner: ownerName(), Log: at.log}
	if o.Title, o.Inputs, err = w.order(ctx, s, at); err != nil {
		return o, exit.WrongUse(err)
	}
	m, err := run.NewManifest(k.name, k.version, s.Seed, w)
	if err != nil {
		return o, exit.WrongUse(err)
	}
	for _, data := range o.Inputs {
		m.Inputs = append(m.Inputs, run.Sum(data))
	}
	if k.bench {
		if m.Bench, _, err = search.Bench(ctx, nnue.Embedded(), search.DefaultBench(), nil); err != nil {
			return o, err
		}
	}
	o.Manifest, o.Name = m, cmp.Or(s.Name, fmt.Sprintf("%s-%.6s", m.Kind, m.ID()))
	if err := run.CheckName(o.Name); err != nil {
		return o, exit.WrongUsef("--name %w", err)
	}
	if o.Out, err = run.OpenOutput(s.Out, at.owns); err != nil {
		return o, exit.WrongUsef("%s: %w", s.Out, err)
	}
	return o, nil
}

func (k kind) command() *cli.Command {
	s := k.defaults
	s.Kind = k.name
	flags := append(append(hubFlags(" (default: a hub in this process)"), machineFlags()...),
		&cli.StringFlag{Name: "name", Destination: &s.Name, Usage: "call the run `NAME` (default: KIND-ID)"},
		&cli.Uint64Flag{Name: "seed", Destination: &s.Seed, Usage: "`NUMBER` of the run; another number is another run"})
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
				err = exit.WrongUsef("%s: want %s", plural.Of(cmd.NArg(), "argument"), k.args)
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

// start sees a run through, on the hub of --hub or on a hub and a worker in this process, and prints where it ended.
func (k kind) start(ctx context.Context, cmd *cli.Command, s *spec) (err error) {
	at, err := placeOf(cmd)
	if err != nil {
		return err
	}
	var conn *run.Conn
	if cmd.String("hub") != "" {
		if conn, err = dial(ctx, cmd, run.RoleOwner, "", time.Minute); err != nil {
			return err
		}
		defer conn.Close()
	}
	o, err := k.prepare(ctx, s, at)
	if err != nil {
		return err
	}
	finished := false
	defer func() {
		if !finished {
			err = errors.Join(err, o.Out.Close(false))
		}
	}()
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
		forgetOthers(ctx, conn, o.Manifest.ID())
	}
	bar := command.NewBar(at.errOut, int64(o.Manifest.Jobs), o.Name)
	o.Report = func(st run.Outcome) { bar.Show(st.Folded, st.Text) }
	st, err := run.Start(working, conn, o)
	bar.Close()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("%w at: %s; %s", exit.ErrInterrupted, st.Kind.Text(), again)
	case err != nil:
		return fmt.Errorf("%w; the same command tries again", err)
	}
	finished = true
	if err := o.Out.Close(true); err != nil {
		return err
	}
	err = conn.ChangeRun(ctx, o.Manifest.ID(), func(r *run.Record) { r.Written = true })
	return errors.Join(err, st.Kind.(work).result(cmd.Root().Writer, st))
}

// forgetOthers removes the runs of this machine, other than one, that are over and whose outputs, if they have any, are
// written: they would be kept twice.
func forgetOthers(ctx context.Context, c *run.Conn, id string) {
	v, err := c.View(ctx)
	if err != nil {
		c.Warn(err)
		return
	}
	for _, r := range v.Runs {
		if r.Run != id && r.Written {
			if err := c.Forget(ctx, r.Run); err != nil {
				c.Warn(err)
			}
		}
	}
}

// workHere starts a hub and a worker in this process. Where the worker fails, it cancels with the reason.
func (k kind) workHere(ctx context.Context, cancel context.CancelCauseFunc, at place) (func(), *run.Conn, error) {
	m, err := at.machine(ctx, k.engine)
	if err != nil {
		return nil, nil, err
	}
	at.nps = m.NPS
	times := times
	times.Hold = min(times.Hold, time.Second/2) // asking costs nothing here
	warnings := slog.New(slog.NewTextHandler(at.errOut, &slog.HandlerOptions{Level: slog.LevelWarn}))
	c := hub.Config{Dir: filepath.Join(at.dir, "hub"), Times: times, Log: warnings}
	h, err := hub.Start(context.WithoutCancel(ctx), c)
	if err != nil {
		return nil, nil, err
	}
	key, err := run.NewKey(run.RoleWorker, "")
	var worker *run.Conn
	if err == nil {
		worker, err = run.Dial(ctx, run.Options{Process: h, Key: key, Log: warnings}, time.Minute)
	}
	if err != nil {
		return nil, nil, errors.Join(err, h.Close())
	}
	var working sync.WaitGroup
	ctx, stop := context.WithCancel(ctx)
	working.Go(func() {
		cancel(run.Work(ctx, run.WorkConfig{Conn: worker, Machine: m, Open: at.open, Times: times, Log: warnings}))
	})
	working.Go(func() {
		if err := h.Wait(ctx); err != nil {
			cancel(err)
		}
	})
	return func() {
		stop()
		working.Wait()
		worker.Close()
		_ = h.Close()
	}, h.Conn, nil
}

// flags returns the flags of a kind of run by their names.
func (s *spec) flags(names ...string) []cli.Flag {
	text := func(name string, to *string, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Value: *to, Destination: to, Usage: usage}
	}
	number := func(name string, to *int, usage string) cli.Flag {
		return &cli.IntFlag{Name: name, Value: *to, Destination: to, Usage: usage}
	}
	share := func(name string, to *float64, usage string) cli.Flag {
		return &cli.FloatFlag{Name: name, Value: *to, Destination: to, Usage: usage}
	}
	out := &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Destination: &s.Out}
	out.Usage = "`FILE` to write, which has to be new or of this run"
	nodes := &cli.Uint64Flag{Name: "nodes", Value: s.Nodes, Destination: &s.Nodes}
	nodes.Usage = "search each position for about `N` nodes"
	all := []cli.Flag{
		text("fen", &s.FEN, "the root, as a `FEN`, X-FEN or Shredder-FEN"),
		number("depth", &s.Depth, "depth in `PLIES`"),
		nodes,
		text("tc", &s.TC, "play by the clock, `SECONDS+INCREMENT` as in 3+0.03"),
		number("games", &s.Games, "play `N` games"),
		number("pairs", &s.Pairs, "play at most `N` pairs of games"),
		share("chess960", &s.Chess960, "`SHARE` of games that start from Chess960, half of those with different ranks"),
		text("openings", &s.Openings, "`FILE` with a FEN or EPD a line (default: random moves from the start)"),
		number("hash", &s.Hash, "transposition table of each engine in `MIB`"),
		text("sprt", &s.SPRT, "stop when an SPRT of `ELO0,ELO1` accepts a hypothesis (alpha = beta = 0.05)"),
		text("network", &s.Network, "play with the network of `FILE` (default: the embedded one)"),
		&cli.StringSliceFlag{Name: "param", Destination: &s.Params, Usage: "fit `NAME`; may be repeated (default: all)"},
		share("step", &s.Step, "perturbation at the end, as a `SHARE` of the parameter's range"),
		share("rate", &s.Rate, "learning rate at the end, as a `SHARE` of the perturbation"),
		text("pgn", &s.Out, "write the games to `FILE`, which has to be new or of this run"),
		out,
	}
	return slices.DeleteFunc(all, func(f cli.Flag) bool { return !slices.Contains(names, f.Names()[0]) })
}

// kinds returns the kinds of work. A new one is a [work] and an entry here; perft is the smallest. Its version has to
// change whenever jobs of the same parameters come to something else.
func kinds() []kind {
	return append([]kind{{
		name: "perft", version: 3, defaults: spec{FEN: chess.StartFEN, Depth: 7},
		empty: func(place) work { return newPerft() },
		usage: "count the leaves of the tree of legal moves, twice", flags: []string{"fen", "depth"},
		description: "Two workers with different keys count every job, with different hash tables; if they differ, this\n" +
			"machine decides. On one machine, its worker counts twice. The last line of the output is the count.",
	}, {
		name: "datagen", version: 4, engine: true, defaults: spec{Nodes: 200, Chess960: 0.1, Games: 10000},
		bench: true, empty: func(place) work { return newDatagen() },
		usage: "let the engine play itself and record every position with its score",
		flags: []string{"nodes", "games", "chess960", "network", "out"},
		description: "Plays the games that train datagen plays, on many machines. The moves of every game are checked\n" +
			"before it is added to the file. A second worker repeats one job in a hundred, and the games must be the\n" +
			"same, byte for byte. Workers with another version of the engine get no jobs.",
	}, {
		name: "match", version: 5, engine: true, defaults: spec{Nodes: 20000, Pairs: 200, Hash: 16},
		empty: func(at place) work { return newMatch(at) },
		usage: "let two engines play each other", args: "A B",
		flags: []string{"nodes", "tc", "pairs", "chess960", "openings", "hash", "sprt", "pgn"},
		description: "A and B are commits of the repository in the present directory (HEAD, a tag, a hash), which every\n" +
			"worker builds, or exec:PROGRAM ARGUMENTS, which every worker must have; UCI options follow after commas,\n" +
			"NAME=VALUE. Each opening is played twice, with colours exchanged, at fixed nodes or by the clock. The\n" +
			"last line is A's result. Clocks are for a core that searches a million nodes a second in tabula bench;\n" +
			"other cores scale them.",
	}, {
		name: "tune", version: 4, engine: true, defaults: spec{Nodes: 20000, Pairs: 25000, Step: 0.05, Rate: 0.004},
		bench: true, empty: func(place) work { return newTune() },
		usage: "fit the parameters of the search by games of the engine against itself",
		flags: []string{"nodes", "pairs", "chess960", "network", "param", "step", "rate"},
		description: "Simultaneous perturbation (SPSA): each pair of games is played between the parameters with a\n" +
			"random step added and taken away, and all move towards the winner. Copy what is printed into\n" +
			"search/params.go once a match shows that it gains.",
	}, {
		name: "annotate", version: 1, engine: true, defaults: spec{Nodes: review.DefaultNodes},
		bench: true, empty: func(place) work { return new(annotateRun) },
		usage: "review the games of a PGN file", args: "FILE.pgn", flags: []string{"nodes", "out"},
		description: "Writes what tabula annotate writes with the same nodes. A second worker repeats one job in fifty.\n" +
			"A game that cannot be read is copied as it is, and the exit code is 1.",
	}}, testKinds...)
}

// perJob returns how many games of eighty positions make a job of a minute, given the nodes of a position and the
// most games.
func perJob(nodes uint64, most int) int {
	const nodesOfJob = 60_000_000
	return int(max(1, min(uint64(most), nodesOfJob/80/max(1, nodes))))
}

func summary(out io.Writer, st run.Outcome) error {
	_, err := fmt.Fprintf(out, "%s, by %s, %.0f s of their cores\n", st.Kind.Text(),
		plural.Of(len(st.Workers), "worker"), st.Took)
	return err
}
