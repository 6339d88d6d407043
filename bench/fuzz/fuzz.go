// Package fuzz is the differential tester. It plays random games and compares the
// results of all generators, notations and make and unmake in each position. A
// difference is reduced to the shortest failing line.
//
// A rig sets up one position in all generators; moves.go, text.go and engine.go
// hold the checks. The same seed plays the same games on any number of threads.
package fuzz

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

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
)

// Fuzzer plays games on several threads until a limit or a difference.
type Fuzzer struct {
	gens      []*generator.Generator
	seed      uint64
	games     int
	positions uint64
	chess960  bool
	threads   int

	engine *generator.Engine

	nextGame    atomic.Int64
	visited     atomic.Uint64
	engineAsked atomic.Uint64
	stop        atomic.Bool
	progress    func(games, positions int)

	mu    sync.Mutex
	total stats
	found *finding // of the lowest game
	err   error
}

// finding is a difference and the game that led to it.
type finding struct {
	game int
	line line
	diff *difference
}

// Config chooses the games and the engine.
type Config struct {
	Games     int    // 0: until the positions are reached
	Positions uint64 // visited at most; 0: no limit
	Seed      uint64
	Chess960  bool   // start from positions of Chess960, double ones too
	Threads   int    // 0: one for each core
	Engine    string // command of a UCI engine that checks one position in engineEvery; "" for none
}

// engineEvery is the number of positions per position sent to the engine, whose answer takes longer than all
// other checks.
const engineEvery = 8

// New starts the engine, if c names one. Errors name the field.
func New(ctx context.Context, c Config) (*Fuzzer, error) {
	f := &Fuzzer{
		gens: generator.Supported(), seed: c.Seed, games: c.Games,
		positions: c.Positions, chess960: c.Chess960, threads: c.Threads,
		progress: func(int, int) {},
	}
	switch {
	case f.games < 0:
		return nil, exit.WrongUsef("games: %d is negative", f.games)
	case f.threads < 0:
		return nil, exit.WrongUsef("threads: %d is negative", f.threads)
	case f.games == 0 && f.positions == 0:
		return nil, exit.WrongUsef("games: 0 without --positions would never end")
	case f.games == 0:
		f.games = math.MaxInt
	}
	if f.threads == 0 {
		f.threads = runtime.NumCPU()
	}
	if f.positions == 0 {
		f.positions = math.MaxUint64
	}
	if c.Engine != "" {
		var err error
		if f.engine, err = generator.StartEngine(ctx, c.Engine); err != nil {
			return nil, err
		}
		if f.chess960 && !f.engine.Chess960 {
			f.Close()
			return nil, fmt.Errorf("engine %s has no option UCI_Chess960", c.Engine)
		}
	}
	return f, nil
}

// Close stops the engine.
func (f *Fuzzer) Close() {
	if f.engine != nil {
		f.engine.Close()
	}
}

// Run plays all games and reports.
func (f *Fuzzer) Run(ctx context.Context, out, errOut io.Writer) error {
	total, what := int64(f.games), "games"
	byPosition := f.games == math.MaxInt
	if byPosition {
		total, what = int64(f.positions), "positions"
	}
	bar := command.NewBar(errOut, total, what)
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
		return fmt.Errorf("the generators differ in %s", diff.check)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	var names []string
	for _, g := range f.gens {
		names = append(names, g.Name)
	}
	fmt.Fprintf(out, "no difference in %d positions of %d games (seed %d, %.1f s) between %s\n",
		f.total.positions, f.total.games, f.seed, time.Since(start).Seconds(), strings.Join(names, ", "))
	if f.engine != nil {
		fmt.Fprintf(out, "no difference from %s in %d positions, perft 1 and 2\n", f.engine.Command, f.engineAsked.Load())
	}
	return nil
}

// play plays the games on all threads.
func (f *Fuzzer) play(ctx context.Context) {
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
func (f *Fuzzer) work() {
	var stats stats
	for !f.stop.Load() {
		game := int(f.nextGame.Add(1))
		if game > f.games {
			break
		}
		before := stats.positions
		finding, err := f.game(game, &stats)
		f.progress(1, stats.positions-before)
		if finding != nil || err != nil {
			f.stop.Store(true)
			f.report(finding, err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total.games += stats.games
	f.total.positions += stats.positions
}

// report keeps the finding of the lowest game. It does not depend on the number of threads, because every lower
// game has begun and is played to its end.
func (f *Fuzzer) report(finding *finding, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil {
		f.err = err
	}
	if finding != nil && (f.found == nil || finding.game < f.found.game) {
		f.found = finding
	}
}
