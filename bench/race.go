package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/attacks"
)

// raceCommand races the counting back ends against an engine's perft.
func raceCommand() *cli.Command {
	return &cli.Command{
		Name:  "race",
		Usage: "race the attack paths against an engine's go perft",
		Description: "Prints for each attack path its speed, its ratio to the engine's in the same\n" +
			"rounds, and whether the ratio that Tabula aims at is held. The engine is one\n" +
			"process for all rounds; its time runs from the line \"go perft N\" to the line\n" +
			"\"Nodes searched\". All counts are checked.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "engine", Value: "stockfish", Usage: "the UCI engine's `COMMAND`; looked for in PATH and /usr/games"},
			&cli.IntFlag{Name: "rounds", Value: 7, Usage: "measure `N` times, all in turn"},
			&cli.DurationFlag{Name: "time", Value: runTime, Usage: "repeat a perft that is shorter than half this `TIME`"},
			&cli.IntFlag{Name: "hash", Value: 64, Usage: "table of the hash row in `MiB`; 0 leaves the row out"},
			&cli.IntFlag{Name: "shallower", Usage: "count `N` plies less than the table's depths, for a quick look"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 0 {
				return fmt.Errorf("race: unexpected argument %q", cmd.Args().First())
			}
			for _, name := range []string{"hash", "shallower"} {
				if cmd.Int(name) < 0 {
					return fmt.Errorf("%s: %d is negative", name, cmd.Int(name))
				}
			}
			if cmd.Int("rounds") < 1 {
				return fmt.Errorf("rounds: %d is less than 1", cmd.Int("rounds"))
			}
			engine, err := startEngine(ctx, cmd.String("engine"))
			if err != nil {
				return err
			}
			defer engine.Close()
			race, err := newRace(engine, cmd.Int("hash"), cmd.Int("shallower"))
			if err != nil {
				return err
			}
			race.rounds, race.limit = cmd.Int("rounds"), cmd.Duration("time")
			if err := race.run(ctx, cmd.Root().ErrWriter); err != nil {
				return err
			}
			if cmd.Bool("json") {
				return json.NewEncoder(cmd.Root().Writer).Encode(race.report())
			}
			return race.report().print(cmd.Root().Writer)
		},
	}
}

// raceColumn is a position of the race with its depth.
type raceColumn struct {
	position *standardPosition
	depth    int
}

// raceRow is a line of the table: a way to count, and what it aims at.
type raceRow struct {
	name    string
	counter *counter  // nil: this machine cannot run it
	missing string    // why
	targets []float64 // by column; nil: none
	to      int       // the row that ratios are to
	deeper  int       // plies beyond the depth of the column
	note    string    // what a reader has to know of the ratio
	trials  []*trial  // by column
}

// race holds what is measured.
type race struct {
	columns []raceColumn
	rows    []*raceRow
	rounds  int
	limit   time.Duration // perfts shorter than half of it are repeated
}

// engineRow is the row of the engine, which most others are measured against.
const engineRow = 0

// newRace sets up the rows: the engine, the paths from the fastest to the
// plainest, then the best path on two threads and with a hash table.
func newRace(engine *engine, hashMiB, shallower int) (*race, error) {
	positions := standardPositions()
	r := &race{columns: []raceColumn{{positions[0], 6 - shallower}, {positions[1], 5 - shallower}}}
	for _, c := range r.columns {
		if c.depth < 1 {
			return nil, fmt.Errorf("shallower: %d leaves no depth", shallower)
		}
	}
	r.rows = append(r.rows, &raceRow{name: engine.name, counter: counterOfEngine(engine), to: engineRow})
	best := -1
	for _, goal := range []struct {
		path    attacks.Path
		name    string
		targets []float64
	}{
		{attacks.AVX512, "AVX-512", []float64{9.2, 13.7}},
		{attacks.AVX2, "AVX2", []float64{4.6, 6.9}},
		{attacks.Pext, "PEXT, scalar", []float64{2, 2.5}},
		{attacks.Magic, "magic, pure Go", []float64{1.2, 1.4}},
	} {
		row := &raceRow{name: goal.name, targets: goal.targets, to: engineRow}
		backend, err := attacks.For(goal.path)
		if err != nil {
			row.missing = err.Error()
		} else {
			row.counter = counterOfBackend(goal.name, movegen.PerftOptions{Backend: backend}, 0)
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
func (r *race) addBest(best, hashMiB int) {
	name := r.rows[best].name
	backend, err := attacks.For(attacks.Best())
	if err != nil {
		return // the magic path runs everywhere
	}
	// A second core takes a moment to wake: a perft of some hundredths of a
	// second would measure that.
	one := &raceRow{name: name + ", one ply deeper", to: best, deeper: 1}
	one.counter = counterOfBackend(one.name, movegen.PerftOptions{Backend: backend}, 0)
	r.rows = append(r.rows, one)
	threads := &raceRow{name: "two threads, one ply deeper, to one thread", targets: []float64{1.95, 1.95}, to: len(r.rows) - 1, deeper: 1}
	if runtime.GOMAXPROCS(0) < 2 {
		threads.missing = "one core only"
	} else {
		threads.counter = counterOfBackend(threads.name, movegen.PerftOptions{Backend: backend, Threads: 2}, 0)
	}
	r.rows = append(r.rows, threads)
	if hashMiB > 0 {
		hash := &raceRow{name: fmt.Sprintf("hash of %d MiB, %s", hashMiB, name), to: engineRow,
			note: "remembers subtrees instead of walking them, so that its ratio compares with no other row's; making the table is in the time"}
		hash.counter = counterOfBackend(hash.name, movegen.PerftOptions{Backend: backend}, hashMiB)
		r.rows = append(r.rows, hash)
	}
}

// counterOfBackend returns a counter on a back end. A hash table is made anew
// for each perft, and making it is part of the time.
func counterOfBackend(name string, opt movegen.PerftOptions, hashMiB int) *counter {
	return &counter{name: name, perft: observed(func(fen string, depth int) (uint64, error) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return 0, err
		}
		opt := opt
		if hashMiB > 0 {
			if opt.Hash, err = movegen.NewPerftHash(hashMiB); err != nil {
				return 0, err
			}
		}
		return movegen.Perft(context.Background(), p, depth, opt)
	})}
}

// run measures all rows in turn, the columns one after the other in each
// round.
func (r *race) run(ctx context.Context, errOut io.Writer) error {
	groups := make([][]*trial, len(r.columns))
	total := 0
	for _, row := range r.rows {
		if row.counter == nil {
			continue
		}
		for i, c := range r.columns {
			t := &trial{counter: row.counter, position: c.position, depth: c.depth + row.deeper}
			row.trials = append(row.trials, t)
			groups[i] = append(groups[i], t)
			total += r.rounds + 1
		}
	}
	bar := newProgress(errOut, int64(total), "perfts")
	defer bar.Close()
	v := &verifier{}
	for _, group := range groups {
		for _, t := range group {
			if err := t.deepen(ctx, r.limit, v); err != nil {
				return err
			}
			bar.Add(1)
		}
	}
	return alternate(ctx, r.rounds, groups, v, func() { bar.Add(1) })
}
