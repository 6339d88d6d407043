package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/tabula-farm/annotate"
	"github.com/tabula-chess/tabula/tabula-farm/datagen"
	"github.com/tabula-chess/tabula/tabula-farm/match"
	"github.com/tabula-chess/tabula/tabula-farm/perft"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/tune"
	trainmatch "github.com/tabula-chess/tabula/train/match"
)

const (
	datagenHash = 2  // MiB of each engine's table: more gains nothing in short searches
	tuneHash    = 8  // MiB
	pairsPerJob = 4  // of a match and of tuning
	tuneLag     = 64 // jobs of tuning at a time: more than there are cores, or some would have nothing to do
	timeMargin  = 20 * time.Millisecond
)

// softNodes explains the nodes of a search in games of the engine with itself.
const softNodes = "nodes of a search: no iteration starts that would probably end after `N`, and twice as many end the search"

func nodesFlag(s *spec, usage string) cli.Flag {
	return &cli.Uint64Flag{Name: "nodes", Value: s.Nodes, Destination: &s.Nodes, Usage: usage}
}

func clockFlag(s *spec) cli.Flag {
	return &cli.StringFlag{Name: "tc", Destination: &s.TC, Usage: "play by the clock, `SECONDS+INCREMENT` as in 3+0.03"}
}

func pairsFlag(s *spec) cli.Flag {
	return &cli.IntFlag{Name: "pairs", Value: s.Pairs, Destination: &s.Pairs, Usage: "play at most `N` pairs of games"}
}

func chess960Flag(s *spec) cli.Flag {
	return &cli.FloatFlag{Name: "chess960", Value: s.Chess960, Destination: &s.Chess960, Usage: "`SHARE` of games that start from Chess960, half of those with different ranks"}
}

func networkFlag(s *spec) cli.Flag {
	return &cli.StringFlag{Name: "network", Destination: &s.Network, Usage: "play with the network of `FILE` (default: the embedded one)"}
}

func outFlag(s *spec, name string, required bool) cli.Flag {
	return &cli.StringFlag{Name: name, Aliases: map[bool][]string{true: {"o"}}[required], Required: required, Destination: &s.Out, Usage: "`FILE` to write, which has to be new or of this run"}
}

// rules returns the limits of the games.
func (s *spec) rules() (r trainmatch.Rules, err error) {
	switch {
	case s.TC == "" && s.NodeTime != 0:
		return r, errors.New("--node-time: want --tc too")
	case s.TC == "":
		r.Nodes = s.Nodes
		return r, nil
	}
	if r.Clock, err = trainmatch.ParseClock(s.TC); err != nil {
		return r, fmt.Errorf("--tc %w", err)
	}
	if r.Clock.NodeTime = s.NodeTime; s.NodeTime < 0 {
		return r, fmt.Errorf("--node-time %d: want at least 1", s.NodeTime)
	}
	return r, nil
}

// perJob returns how many games of eighty positions make a job of a minute, given the nodes of
// a position and the most games.
func perJob(nodes uint64, most int) int {
	const nodesOfJob = 60_000_000
	return int(max(1, min(uint64(most), nodesOfJob/80/max(1, nodes))))
}

// summary tells where a run ended.
func summary(out io.Writer, st run.Outcome) error {
	_, err := fmt.Fprintf(out, "%s, by %d workers, %.0f s of their cores\n", st.Fold.Text(), len(st.Workers), st.Took)
	return err
}

// kinds returns the kinds of work. A new one is its parameters (run.Params), the plan of a run
// (run.Plan) and an entry here; package perft is the smallest. Its Version has to change whenever
// jobs of the same parameters come to other values.
func kinds() []kind {
	return append([]kind{{
		name: perft.Kind, version: perft.Version, defaults: spec{FEN: chess.StartFEN, Depth: 7},
		open:  func(m *run.Manifest, _ place) (*run.Plan, error) { return perft.Open(m) },
		usage: "count the leaves of the tree of legal moves, twice",
		description: "Every job is counted by two workers with different keys and different hash tables; where they differ, this\n" +
			"machine decides. On one machine, its worker counts twice. The last line on standard output is the count.",
		flags: func(s *spec) []cli.Flag {
			return []cli.Flag{
				&cli.StringFlag{Name: "fen", Value: s.FEN, Destination: &s.FEN, Usage: "the root, as a `FEN`, X-FEN or Shredder-FEN"},
				&cli.IntFlag{Name: "depth", Value: s.Depth, Destination: &s.Depth, Usage: "depth in `PLIES`"},
			}
		},
		order: perftOrder,
	}, {
		name: datagen.Kind, version: datagen.Version, engine: true, defaults: spec{Nodes: 5000, Chess960: 0.1, Games: 10000},
		open:  func(m *run.Manifest, _ place) (*run.Plan, error) { return datagen.Open(m) },
		usage: "let the engine play itself and record every position with its score",
		description: "As train datagen, on many machines. A job's games are checked move by move before they are added to the\n" +
			"file; one job in a hundred is played again by another worker and has to be equal, byte for byte. A worker whose\n" +
			"engine has another bench gets no jobs. The same command goes on after a break.",
		flags: func(s *spec) []cli.Flag {
			return []cli.Flag{
				nodesFlag(s, softNodes), chess960Flag(s), networkFlag(s), outFlag(s, "out", true),
				&cli.IntFlag{Name: "games", Value: s.Games, Destination: &s.Games, Usage: "play `N` games"},
			}
		},
		order: func(_ context.Context, s *spec, _ place) (*order, error) {
			p := &datagen.Params{Nodes: s.Nodes, Hash: datagenHash, Chess960: s.Chess960, Games: s.Games, PerJob: perJob(s.Nodes, datagen.MaxPerJob)}
			if err := p.Check(); err != nil {
				return nil, err
			}
			o := &order{params: p, finish: summary}
			o.Title = fmt.Sprintf("%d games, %d nodes", p.Games, p.Nodes)
			return o, o.playWith(s.Network)
		},
	}, {
		name: match.Kind, version: match.Version, engine: true, defaults: spec{Nodes: 20000, Pairs: 200, Hash: 16},
		open:  func(m *run.Manifest, at place) (*run.Plan, error) { return match.Open(m, at.cache, at.nps) },
		usage: "let two engines play each other", args: "A B",
		description: "A and B are commits of the repository in the present directory (HEAD, a tag, a hash), which every worker\n" +
			"builds, or exec:PROGRAM ARGUMENTS, which every worker must have; UCI options follow after commas, NAME=VALUE.\n" +
			"Pairs of games from one opening with colours exchanged, at fixed nodes or by the clock; the last line is A's\n" +
			"result. Clocks are those of a core that does a million nodes a second in tabula bench; others scale them.",
		flags: func(s *spec) []cli.Flag {
			return []cli.Flag{
				nodesFlag(s, softNodes), clockFlag(s), pairsFlag(s), chess960Flag(s), outFlag(s, "pgn", false),
				&cli.StringFlag{Name: "sprt", Destination: &s.SPRT, Usage: "end when a test of the bounds `ELO0,ELO1` has a verdict, alpha and beta 0.05"},
				&cli.StringFlag{Name: "openings", Destination: &s.Openings, Usage: "`FILE` with a FEN or EPD a line (default: random moves from the start)"},
				&cli.IntFlag{Name: "hash", Value: s.Hash, Destination: &s.Hash, Usage: "`MIB` of each engine's table"},
			}
		},
		arguments: func(s *spec, args []string) error {
			if len(args) != 2 {
				return fmt.Errorf("%d engines: want two", len(args))
			}
			s.A, s.B = args[0], args[1]
			return nil
		},
		order: matchOrder,
	}, {
		name: tune.Kind, version: tune.Version, engine: true, defaults: spec{Nodes: 20000, Pairs: 25000, Step: 0.05, Rate: 0.004},
		open:  func(m *run.Manifest, _ place) (*run.Plan, error) { return tune.Open(m) },
		usage: "fit the parameters of the search by games of the engine against itself",
		description: "Simultaneous perturbation (SPSA): each pair of games is played between the parameters with a random step\n" +
			"added and taken away, and all move towards the winner. What is printed belongs into search/params.go once a\n" +
			"match shows that it gains; search/bench.txt changes with it.",
		flags: func(s *spec) []cli.Flag {
			return []cli.Flag{
				nodesFlag(s, softNodes), clockFlag(s), networkFlag(s), chess960Flag(s), pairsFlag(s),
				&cli.IntFlag{Name: "node-time", Destination: &s.NodeTime, Usage: "with --tc: count `N` nodes as a millisecond, so that games do not depend on the machine"},
				&cli.StringSliceFlag{Name: "param", Destination: &s.Params, Usage: "fit `NAME`, given once for each (default: all)"},
				&cli.FloatFlag{Name: "step", Value: s.Step, Destination: &s.Step, Usage: "step at the end, `SHARE` of a parameter's range"},
				&cli.FloatFlag{Name: "rate", Value: s.Rate, Destination: &s.Rate, Usage: "`PART` of a step by which a game moves a parameter at the end"},
			}
		},
		order: func(_ context.Context, s *spec, _ place) (*order, error) {
			rules, err := s.rules()
			if err != nil {
				return nil, err
			}
			p := &tune.Params{
				Names: s.Params, Pairs: s.Pairs, Rules: rules, Seed: s.Seed, Hash: tuneHash,
				Chess960: s.Chess960, Step: s.Step, Rate: s.Rate, PerJob: pairsPerJob, Lag: tuneLag,
			}
			o := &order{
				params: p, finish: func(out io.Writer, st run.Outcome) error { return st.Fold.(*tune.Fold).Compare(out) },
			}
			o.Title = strings.TrimSpace(fmt.Sprintf("%d pairs, %s %s", p.Pairs, s.pace(), strings.Join(p.Names, " ")))
			return o, o.playWith(s.Network)
		},
	}, {
		name: annotate.Kind, version: annotate.Version, engine: true, defaults: spec{Nodes: review.DefaultNodes},
		open:  func(m *run.Manifest, _ place) (*run.Plan, error) { return annotate.Open(m) },
		usage: "review the games of a PGN file", args: "FILE.pgn",
		description: "Writes what tabula annotate writes with the same nodes; one job in fifty is done by two workers. A game that\n" +
			"cannot be read is copied as it is; the exit code is 1 then. The same command goes on after a break.",
		flags: func(s *spec) []cli.Flag {
			return []cli.Flag{nodesFlag(s, "search each position for `N` nodes"), outFlag(s, "out", true)}
		},
		arguments: func(s *spec, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("%d arguments: want one PGN file", len(args))
			}
			s.File = args[0]
			return files.Check(s.File)
		},
		order: annotateOrder,
	}}, testKinds...)
}

// pace tells how fast games are played.
func (s *spec) pace() string {
	if s.TC != "" {
		return s.TC
	}
	return fmt.Sprintf("%d nodes", s.Nodes)
}

func perftOrder(ctx context.Context, s *spec, at place) (*order, error) {
	fen, assumed := chess.CompleteFEN(s.FEN)
	if assumed {
		fmt.Fprintf(at.errOut, "the FEN has only the board: %s is assumed\n", chess.FENRest)
	}
	p, err := perft.NewParams(ctx, fen, s.Depth)
	if err != nil {
		return nil, err
	}
	o := &order{params: p}
	o.Title = fmt.Sprintf("depth %d of %s", p.Depth, p.FEN)
	o.finish = func(out io.Writer, st run.Outcome) error {
		fmt.Fprintf(out, "%d jobs, each counted twice, by %d workers, %.1f s of their cores\n", p.Jobs(), len(st.Workers), st.Took)
		_, err := fmt.Fprintln(out, st.Fold.(*perft.Fold).Sum)
		return err
	}
	return o, nil
}

func matchOrder(ctx context.Context, s *spec, at place) (*order, error) {
	rules, err := s.rules()
	if err != nil {
		return nil, err
	}
	if s.Pairs < 1 || s.Pairs > match.MaxPairs {
		return nil, fmt.Errorf("pairs %d: want 1 to %d", s.Pairs, match.MaxPairs)
	}
	p := &match.Params{Pairs: s.Pairs, PerJob: pairsPerJob, Nodes: rules.Nodes, Clock: rules.Clock, Hash: s.Hash}
	if p.Nodes == 0 {
		p.Margin = timeMargin
	}
	if s.SPRT != "" {
		if p.Test, err = trainmatch.ParseTest(s.SPRT); err != nil {
			return nil, fmt.Errorf("SPRT: %w", err)
		}
		if err := p.Test.Check(); err != nil {
			return nil, err // before engines are built
		}
	}
	fens, err := s.openings()
	if err != nil {
		return nil, err
	}
	o := &order{params: p}
	o.attach(match.Book(fens)) // the first input
	for _, side := range []struct {
		*match.Side
		text string
	}{{&p.A, s.A}, {&p.B, s.B}} {
		source, err := side.Set(ctx, side.text, at.cache, at.errOut)
		if err != nil {
			return nil, err
		}
		if source != nil {
			o.attach(source)
		}
	}
	o.Title = fmt.Sprintf("%s against %s, %s", p.A.Name, p.B.Name, s.pace())
	o.finish = func(out io.Writer, st run.Outcome) error {
		_, err := fmt.Fprintf(out, "%s against %s: %s\n", p.A.Name, p.B.Name, st.Fold.Text())
		return err
	}
	return o, nil
}

// openings returns the openings of a match: those of a file in an order that
// the seed decides, or random ones, one for each pair.
func (s *spec) openings() (fens []string, err error) {
	r := rand.New(rand.NewPCG(s.Seed, 0))
	if s.Openings != "" {
		if fens, err = trainmatch.ReadOpenings(s.Openings); err != nil {
			return nil, fmt.Errorf("--openings: %w", err)
		}
		r.Shuffle(len(fens), func(i, j int) { fens[i], fens[j] = fens[j], fens[i] })
		fens = fens[:min(s.Pairs, len(fens))]
		return fens, match.CheckBook(fens)
	}
	if !(s.Chess960 >= 0 && s.Chess960 <= 1) {
		return nil, fmt.Errorf("--chess960 %v: want 0 to 1", s.Chess960)
	}
	e, err := trainmatch.NewEngine(1, nil)
	if err != nil {
		return nil, err
	}
	for range s.Pairs {
		e.Clear()
		p, err := trainmatch.Opening(r, e.Engine, s.Chess960)
		if err != nil {
			return nil, err
		}
		fens = append(fens, p.FEN())
	}
	return fens, nil
}

func annotateOrder(_ context.Context, s *spec, _ place) (*order, error) {
	p := &annotate.Params{Nodes: s.Nodes}
	o := &order{params: p, network: nnue.Embedded()}
	o.Title = fmt.Sprintf("%s, %d nodes", filepath.Base(s.File), p.Nodes)
	o.finish = func(out io.Writer, st run.Outcome) error {
		if f := st.Fold.(*annotate.Fold); f.Bad > 0 {
			return fmt.Errorf("%d of %d games could not be read", f.Bad, f.Games)
		}
		return summary(out, st)
	}
	f, err := os.Open(s.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	at := int64(0)
	// The manifest names the text of each job, so that there are some 10,000 at most.
	return o, annotate.Split(f, perJob(s.Nodes, 100), info.Size()/10_000, func(text []byte, games int) error {
		from, size := at, len(text)
		at += int64(size)
		p.Games, o.sums = append(p.Games, games), append(o.sums, run.Sum(text))
		o.Inputs = append(o.Inputs, func() ([]byte, error) { // the games are read again, those of a job at a time
			f, err := os.Open(s.File)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			again := make([]byte, size)
			_, err = f.ReadAt(again, from)
			return again, err
		})
		return nil
	})
}
