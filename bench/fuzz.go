package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/urfave/cli/v3"
)

// fuzzCommand is the differential tester.
func fuzzCommand() *cli.Command {
	return &cli.Command{
		Name:  "fuzz",
		Usage: "play random games and compare all generators, and other answers about a position, on each position",
		Description: "The games prefer castling, en passant, promotion, checks and stalemate. On each position the\n" +
			"sets of moves of all generators are compared, counts with lists, IsLegal with membership,\n" +
			"gives-check with the checkers after the move, the key with the recomputed key, unmake with the\n" +
			"position before, the FEN with what is read back, slider attacks with the slow walk. The first\n" +
			"difference is reduced to the shortest failing line and printed; the exit code is then 1. The\n" +
			"same seed plays the same games.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "games", Value: 1000, Usage: "play `N` games; 0 means until --positions are reached"},
			&cli.Uint64Flag{Name: "positions", Usage: "stop after `N` positions; 0 means no limit"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the random games"},
			&cli.BoolFlag{Name: "chess960", Usage: "start from positions of Chess960 and with different set-ups for the sides"},
			&cli.StringFlag{Name: "engine", Usage: "compare also with the go perft of a UCI engine, run by `COMMAND`"},
			&cli.Uint64Flag{Name: "engine-positions", Value: 10000, Usage: "compare up to `N` positions with the engine"},
			&cli.Uint64Flag{Name: "engine-every", Value: 8, Usage: "compare one position in `N` with the engine"},
			&cli.IntFlag{Name: "threads", Value: 1, Usage: "play on `N` threads; 0 means one for each core"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 0 {
				return fmt.Errorf("fuzz: unexpected argument %q", cmd.Args().First())
			}
			f, err := newFuzzer(ctx, cmd)
			if err != nil {
				return err
			}
			defer f.close()
			return f.run(ctx, cmd.Root().Writer, cmd.Root().ErrWriter)
		},
	}
}

// fuzzer plays games on several threads until a limit or a difference.
type fuzzer struct {
	gens      []*generator
	seed      uint64
	games     int
	positions uint64
	chess960  bool
	threads   int

	engine    *engine
	engineMax uint64
	every     uint64

	nextGame    atomic.Int64
	visited     atomic.Uint64
	engineAsked atomic.Uint64
	stop        atomic.Bool
	progress    func(games, positions int)

	mu    sync.Mutex
	total fuzzStats
	found *fuzzFinding // of the lowest game
	err   error
}

// fuzzFinding is a difference and the game that led to it.
type fuzzFinding struct {
	game int
	line line
	diff *difference
}

// newFuzzer reads the flags and starts the engine.
func newFuzzer(ctx context.Context, cmd *cli.Command) (*fuzzer, error) {
	f := &fuzzer{
		gens: supportedGenerators(), seed: cmd.Uint64("seed"), games: cmd.Int("games"),
		positions: cmd.Uint64("positions"), chess960: cmd.Bool("chess960"), threads: cmd.Int("threads"),
		engineMax: cmd.Uint64("engine-positions"), every: max(cmd.Uint64("engine-every"), 1),
		progress: func(int, int) {},
	}
	if f.positions > 0 && !cmd.IsSet("games") {
		f.games = 0
	}
	switch {
	case f.games < 0:
		return nil, fmt.Errorf("games: %d is negative", f.games)
	case f.threads < 0:
		return nil, fmt.Errorf("threads: %d is negative", f.threads)
	case f.games == 0 && f.positions == 0:
		return nil, fmt.Errorf("games: 0 without --positions would never end")
	case f.games == 0:
		f.games = math.MaxInt
	}
	if f.threads == 0 {
		f.threads = runtime.NumCPU()
	}
	if f.positions == 0 {
		f.positions = math.MaxUint64
	}
	if command := cmd.String("engine"); command != "" {
		var err error
		if f.engine, err = startEngine(ctx, command); err != nil {
			return nil, err
		}
		if f.chess960 && !f.engine.chess960 {
			f.close()
			return nil, fmt.Errorf("engine %s: it has no option UCI_Chess960", command)
		}
	}
	return f, nil
}

func (f *fuzzer) close() {
	if f.engine != nil {
		f.engine.Close()
	}
}

// run plays all games and reports.
func (f *fuzzer) run(ctx context.Context, out, errOut io.Writer) error {
	total, what := int64(f.games), "games"
	byPosition := f.games == math.MaxInt
	if byPosition {
		total, what = int64(f.positions), "positions"
	}
	bar := newProgress(errOut, total, what)
	f.progress = func(games, positions int) {
		if byPosition {
			games = positions
		}
		bar.Add(games)
	}
	start := time.Now()
	f.play(ctx)
	bar.Close()
	switch {
	case f.err != nil:
		return f.err
	case f.found != nil:
		short, diff := reduceLine(f.gens, f.engine, f.found.line, f.found.diff)
		fmt.Fprintf(out, "game %d: %s", f.found.game, describeFinding(f.found.line, short, diff))
		return &wrongError{"the generators differ in " + diff.check}
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var names []string
	for _, g := range f.gens {
		names = append(names, g.name)
	}
	fmt.Fprintf(out, "no difference in %d positions of %d games (seed %d, %.1f s) between %s\n",
		f.total.positions, f.total.games, f.seed, time.Since(start).Seconds(), strings.Join(names, ", "))
	if f.engine != nil {
		fmt.Fprintf(out, "no difference from %s in %d positions, perft 1 and 2\n", f.engine.command, f.engineAsked.Load())
	}
	_, err := fmt.Fprint(out, f.total.String())
	return err
}

// play plays the games on all threads.
func (f *fuzzer) play(ctx context.Context) {
	done := context.AfterFunc(ctx, func() { f.stop.Store(true) })
	defer done()
	var group sync.WaitGroup
	for range f.threads - 1 {
		group.Go(f.work)
	}
	f.work()
	group.Wait()
}

// work plays games until there is nothing left to do.
func (f *fuzzer) work() {
	var stats fuzzStats
	for !f.stop.Load() {
		game := int(f.nextGame.Add(1))
		if game > f.games {
			break
		}
		before := stats.positions
		finding, err := f.game(game, &stats)
		f.progress(1, int(stats.positions-before))
		if finding != nil || err != nil {
			f.stop.Store(true)
			f.report(finding, err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total.add(&stats)
}

// report keeps the finding of the lowest game, so that it does not depend on
// the number of threads: every lower game has begun and is played to its end.
func (f *fuzzer) report(finding *fuzzFinding, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.err = err
	}
	if finding != nil && (f.found == nil || finding.game < f.found.game) {
		f.found = finding
	}
}
