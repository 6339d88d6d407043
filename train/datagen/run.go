package datagen

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// Config holds the settings and limits of a run. The first limit reached ends the run; without limits it runs
// until the context ends.
type Config struct {
	Nodes    uint64         // soft limit of a search: no iteration starts that is likely to end after it
	Chess960 float64        // share of games that start from Chess960, 0 to 1
	Threads  int            // games at a time, one engine each
	Hash     int            // MiB of each engine
	Network  *nnue.Network  // to play with, nil for the embedded one
	Params   map[string]int // of the search, that differ from the defaults
	Tables   *syzygy.Tables // that end games with the exact result, nil for none
	Seed     uint64         // number of the run, if Seeded
	Seeded   bool           // the run's number was given; otherwise it is random
	First    uint32         // number of the first game
	Material bool           // a "game" is a random position with its material as score, and no engine plays
	Games    int            // in the file at the end, 0 for no limit
	Time     time.Duration  // of this run, 0 for no limit
}

// Check returns an error that names the first field out of range.
func (c *Config) Check() error {
	switch {
	case c.Nodes < 1 || c.Nodes > math.MaxUint32:
		return exit.WrongUsef("nodes %d: want 1 to %d", c.Nodes, uint32(math.MaxUint32))
	case !(c.Chess960 >= 0 && c.Chess960 <= 1):
		return exit.WrongUsef("chess960 share %v: want 0 to 1", c.Chess960)
	case c.Threads < 1:
		return exit.WrongUsef("threads %d: want at least 1", c.Threads)
	case c.Games < 0:
		return exit.WrongUsef("games %d: want 0 or more", c.Games)
	case c.Time < 0:
		return exit.WrongUsef("time %v: want 0 or more", c.Time)
	}
	return nil
}

// Progress is the progress of a run.
type Progress struct {
	Run       uint64
	Totals    record.Counts // of the file
	Games     int           // of this run
	Positions int           // of this run
	Elapsed   time.Duration // of this run
	Done      float64       // progress towards the nearest limit, 0 to 1; 0 without a limit
}

// Rate returns the positions per second of this run.
func (p *Progress) Rate() float64 {
	if p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Positions) / p.Elapsed.Seconds()
}

// run is a run in progress.
type run struct {
	config Config
	id     uint64
	log    *record.Log
	began  time.Time
	before record.Counts // totals of the file at the start

	played map[uint32]bool // numbers already in the file
}

// Run appends games to the file name until it reaches a limit or ctx ends. The end of ctx loses the games in
// progress and is not an error. Run calls opened once with the open file, and report after one or a few games.
// Both may be nil. The calls do not overlap.
func Run(
	ctx context.Context, name string, c Config, opened func(*record.Log), report func(Progress),
) (p Progress, err error) {
	if err := c.Check(); err != nil {
		return p, err
	}
	log, err := record.OpenLog(name)
	if err != nil {
		return p, err
	}
	if opened != nil {
		opened(log)
	}
	r := &run{config: c, log: log, began: time.Now(), before: log.Counts()}
	if err = r.identify(); err == nil {
		if c.Time > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, c.Time)
			defer cancel()
		}
		err = r.play(ctx, report)
	}
	p = r.progress()
	if closeErr := log.Close(); err == nil {
		err = closeErr
	}
	return p, err
}

// identify draws the number of the run, or finds the games that a given run has already played.
func (r *run) identify() (err error) {
	if r.config.Seeded {
		r.id = r.config.Seed
		r.played, err = r.log.Numbers(r.id)
		return err
	}
	r.id = rand.Uint64()
	return nil
}

// numbers yields the numbers of the games to play.
func (r *run) numbers(yield func(uint32) bool) {
	left := uint64(math.MaxUint64)
	if r.config.Games > 0 {
		left = uint64(max(0, r.config.Games-r.before.Games))
	}
	for n := uint64(r.config.First); n <= math.MaxUint32 && left > 0; n++ {
		if r.played[uint32(n)] {
			continue
		}
		if !yield(uint32(n)) {
			return
		}
		left--
	}
}

// player plays the game seeded by an ID.
type player interface {
	Play(ctx context.Context, id record.ID) (*record.Game, error)
	Close()
}

// finished is a game on its way to the file.
type finished struct {
	id   record.ID
	game *record.Game
	err  error
}

// play runs the players and writes their games.
func (r *run) play(parent context.Context, report func(Progress)) error {
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	idle := make(chan player, r.config.Threads)
	defer func() {
		for range len(idle) {
			(<-idle).Close()
		}
	}()
	for range cap(idle) {
		if r.config.Material {
			idle <- &material{r.config.Chess960}
			continue
		}
		p, err := NewPlayer(&r.config)
		if err != nil {
			return err
		}
		idle <- p
	}
	// The next games do not wait for a long one.
	err := parallel.InOrder(ctx, 4*cap(idle), r.numbers, func(number uint32) finished {
		p := <-idle
		defer func() { idle <- p }()
		id := record.ID{Run: r.id, Number: number, Nodes: uint32(r.config.Nodes)}
		game, err := p.Play(ctx, id)
		return finished{id, game, err}
	}, func(g finished) error {
		err := g.err
		if err == nil && g.game != nil {
			err = r.log.Add(g.id, g.game)
		}
		if err != nil {
			cancel() // the others need not end
		} else if report != nil {
			report(r.progress())
		}
		return err
	})
	if parent.Err() != nil && errors.Is(err, context.Cause(parent)) {
		return nil
	}
	return err
}

// progress returns how far the run is.
func (r *run) progress() Progress {
	t := r.log.Counts()
	p := Progress{
		Run: r.id, Totals: t, Games: t.Games - r.before.Games, Positions: t.Positions - r.before.Positions,
		Elapsed: time.Since(r.began),
	}
	// Each limit by the share of this run's part of it that is done.
	share := func(have, before, want float64) {
		if want > before {
			p.Done = max(p.Done, min(1, (have-before)/(want-before)))
		}
	}
	share(float64(t.Games), float64(r.before.Games), float64(r.config.Games))
	share(float64(p.Elapsed), 0, float64(r.config.Time))
	return p
}
