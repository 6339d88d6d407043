// Package race measures the attack paths against an engine's perft and tells
// whether the ratios that Tabula aims at are held. How it is measured is package
// timing's.
package race

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/bench/timing"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// raceColumn is a position of the race with its depth.
type raceColumn struct {
	position *timing.Position
	depth    int
}

// raceRow is a line of the table: a way to count, and what it aims at.
type raceRow struct {
	name    string
	counter *timing.Counter // nil: this machine cannot run it
	missing string          // why
	targets []float64       // by column; nil: none
	to      int             // the row that ratios are to
	deeper  int             // plies beyond the depth of the column
	note    string          // what a reader has to know of the ratio
	trials  []*timing.Trial // by column
}

// Race holds what is measured.
type Race struct {
	columns []raceColumn
	rows    []*raceRow
	Rounds  int           // measured
	Limit   time.Duration // perfts shorter than half of it are repeated
}

// engineRow is the row of the engine, which most others are measured against.
const engineRow = 0

// New sets up the rows: the engine, the paths from the fastest to the
// plainest, then the best path on two threads and with a hash table.
func New(engine *oracle.Engine, hashMiB, shallower int) (*Race, error) {
	positions := timing.Positions()
	r := &Race{columns: []raceColumn{{positions[0], 6 - shallower}, {positions[1], 5 - shallower}}}
	for _, c := range r.columns {
		if c.depth < 1 {
			return nil, command.WrongUsef("shallower: %d leaves no depth", shallower)
		}
	}
	r.rows = append(r.rows, &raceRow{name: engine.Name, counter: timing.CounterOfEngine(engine), to: engineRow})
	best := -1
	for _, goal := range []struct {
		path    movegen.Path
		name    string
		targets []float64
	}{
		{movegen.AVX512, "AVX-512", []float64{9.2, 13.7}},
		{movegen.AVX2, "AVX2", []float64{4.6, 6.9}},
		{movegen.Pext, "PEXT, scalar", []float64{2, 2.5}},
		{movegen.Magic, "magic, pure Go", []float64{1.2, 1.4}},
	} {
		row := &raceRow{name: goal.name, targets: goal.targets, to: engineRow}
		backend, err := perft.For(goal.path)
		if err != nil {
			row.missing = err.Error()
		} else {
			row.counter = counterOfBackend(goal.name, perft.Options{Backend: backend}, 0)
			if best < 0 {
				best = len(r.rows)
			}
		}
		r.rows = append(r.rows, row)
	}
	r.addBest(best, hashMiB)
	return r, nil
}

// addBest adds the rows that multiply the best path.
func (r *Race) addBest(best, hashMiB int) {
	name := r.rows[best].name
	backend, err := perft.For(movegen.BestPath())
	if err != nil {
		return // the magic path runs everywhere
	}
	// A second core takes a moment to wake: a perft of some hundredths of a
	// second would measure that.
	one := &raceRow{name: name + ", one ply deeper", to: best, deeper: 1}
	one.counter = counterOfBackend(one.name, perft.Options{Backend: backend}, 0)
	r.rows = append(r.rows, one)
	threads := &raceRow{name: "two threads, one ply deeper, to one thread", targets: []float64{1.95, 1.95}, to: len(r.rows) - 1, deeper: 1}
	if runtime.GOMAXPROCS(0) < 2 {
		threads.missing = "one core only"
	} else {
		threads.counter = counterOfBackend(threads.name, perft.Options{Backend: backend, Threads: 2}, 0)
	}
	r.rows = append(r.rows, threads)
	if hashMiB > 0 {
		hash := &raceRow{name: fmt.Sprintf("hash of %d MiB, %s", hashMiB, name), to: engineRow,
			note: "remembers subtrees instead of walking them, so that its ratio compares with no other row's; making the table is in the time"}
		hash.counter = counterOfBackend(hash.name, perft.Options{Backend: backend}, hashMiB)
		r.rows = append(r.rows, hash)
	}
}

// counterOfBackend returns a counter on a back end. A hash table is made anew
// for each perft, and making it is part of the time.
func counterOfBackend(name string, opt perft.Options, hashMiB int) *timing.Counter {
	return &timing.Counter{Name: name, Perft: timing.Observe(func(fen string, depth int) (uint64, error) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return 0, err
		}
		opt := opt
		if hashMiB > 0 {
			if opt.Hash, err = perft.NewHash(hashMiB); err != nil {
				return 0, err
			}
		}
		return perft.New(opt).Count(context.Background(), p, depth)
	})}
}

// Run measures all rows in turn, the columns one after the other in each
// round.
func (r *Race) Run(ctx context.Context, errOut io.Writer) error {
	groups := make([][]*timing.Trial, len(r.columns))
	total := 0
	for _, row := range r.rows {
		if row.counter == nil {
			continue
		}
		for i, c := range r.columns {
			t := &timing.Trial{Counter: row.counter, Position: c.position, Depth: c.depth + row.deeper}
			row.trials = append(row.trials, t)
			groups[i] = append(groups[i], t)
			total += r.Rounds + 1
		}
	}
	bar := command.NewBar(errOut, int64(total), "perfts")
	defer bar.Close()
	v := &timing.Verifier{}
	for _, group := range groups {
		for _, t := range group {
			if err := t.Deepen(ctx, r.Limit, v); err != nil {
				return err
			}
			bar.Add(1)
		}
	}
	return timing.Alternate(ctx, r.Rounds, groups, v, func() { bar.Add(1) })
}
