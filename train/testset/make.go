package testset

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/uci/client"
)

// Config holds the settings of [Make].
type Config struct {
	Games     []string // files
	Positions int
	Nodes     uint64   // of the search of each position
	Engine    []string // command of an engine that searches instead of Network
	Seed      uint64
	Network   *nnue.Network
	Threads   int    // at least 1; do not affect the set
	Command   string // stored in the set
}

// Check returns an error that names the first field that is out of bounds.
func (c *Config) Check() error {
	switch {
	case len(c.Games) == 0:
		return exit.WrongUsef("no game files")
	case c.Positions < 1 || c.Positions > 1<<24:
		return exit.WrongUsef("positions %d: want 1 to %d", c.Positions, 1<<24)
	case c.Nodes < 100 || c.Nodes > 1<<32:
		return exit.WrongUsef("nodes %d: want 100 to %d", c.Nodes, uint64(1)<<32)
	case c.Threads < 1:
		return exit.WrongUsef("threads %d: want at least 1", c.Threads)
	}
	return nil
}

const (
	chunk   = 50 // positions from one block of games; they depend on the seed and its number alone
	hashMiB = 8  // of each engine
	probe   = 10 // the searches to look into have a tenth of the nodes
)

// Make makes a set and writes it to the file out. It calls report, if not nil, with the number of finished
// positions.
func Make(ctx context.Context, out string, c Config, report func(done int)) error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := files.CheckTarget(out); err != nil {
		return err
	}
	m := &maker{config: &c}
	for i, name := range c.Games {
		f, err := record.OpenWhole(name)
		if err != nil {
			return err
		}
		defer f.Close()
		m.files = append(m.files, f)
		for e := range f.Entries {
			m.blocks = append(m.blocks, place{i, e})
		}
	}
	if len(m.blocks) == 0 {
		return fmt.Errorf("no positions in %v", c.Games)
	}
	r := rand.New(rand.NewPCG(c.Seed, 0))
	r.Shuffle(len(m.blocks), func(i, j int) { m.blocks[i], m.blocks[j] = m.blocks[j], m.blocks[i] })
	engine, records, err := m.work(ctx, report)
	if err != nil {
		return err
	}
	o := Origin{
		Command: c.Command, Commit: version.Commit(), Network: c.Network.Hash().String(), Engine: engine,
		Seed: c.Seed, Nodes: c.Nodes, Positions: c.Positions,
	}
	for _, name := range c.Games {
		o.Games = append(o.Games, filepath.Base(name))
	}
	return write(out, o, records)
}

// maker is a set in the making.
type maker struct {
	config *Config
	files  []*record.File
	blocks []place // in the order in which chunks take them
}

// place is a block of a file.
type place struct{ file, entry int }

// work makes the records on all threads. It returns the name of the engine that
// searched, "" for the network.
func (m *maker) work(ctx context.Context, report func(done int)) (engine string, records []string, err error) {
	c := m.config
	workers := make(chan *worker, c.Threads)
	for range c.Threads {
		w, err := newWorker(ctx, c)
		defer w.close()
		if err != nil {
			return "", nil, err
		}
		if w.other != nil {
			engine = w.other.Name()
		}
		workers <- w
	}
	type made struct {
		records []string
		err     error
	}
	err = parallel.InOrder(ctx, c.Threads, func(yield func(int) bool) {
		for n := range (c.Positions + chunk - 1) / chunk {
			if !yield(n) {
				return
			}
		}
	}, func(n int) (x made) {
		w := <-workers
		defer func() { workers <- w }()
		x.records, x.err = m.chunk(ctx, w, n)
		return x
	}, func(x made) error {
		if records = append(records, x.records...); report != nil {
			report(len(records))
		}
		return x.err
	})
	return engine, records, err
}

// chunk makes the chunk with a number.
func (m *maker) chunk(ctx context.Context, w *worker, n int) ([]string, error) {
	at := m.blocks[n%len(m.blocks)]
	file, name := m.files[at.file], m.config.Games[at.file]
	if err := file.Read(at.entry, &w.block); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	records, err := w.chunk(ctx, n, min(chunk, m.config.Positions-n*chunk))
	if err != nil {
		return nil, fmt.Errorf("%s: block %d: %w", name, file.Entries[at.entry].Number, err)
	}
	return records, nil
}

// worker makes chunks, for one goroutine.
type worker struct {
	config *Config
	filter loader.Filter
	engine *search.Engine
	other  *client.Engine // that searches instead, nil for none
	block  record.Block
}

// newWorker returns a worker, which has to be closed, also after an error.
func newWorker(ctx context.Context, c *Config) (*worker, error) {
	w := &worker{config: c, filter: loader.DefaultFilter()}
	e, err := search.NewEngine(hashMiB)
	if err != nil {
		return w, err
	}
	e.SetNetwork(c.Network)
	w.engine = e
	if len(c.Engine) > 0 {
		w.other, err = client.Start(ctx, client.Config{Path: c.Engine[0], Args: c.Engine[1:], Timeout: time.Minute})
		if err != nil {
			return w, fmt.Errorf("engine %s: %w", c.Engine[0], err)
		}
	}
	return w, nil
}

// close ends the engine that searches instead, if there is one.
func (w *worker) close() {
	if w.other != nil {
		_ = w.other.Close() // it never fails
	}
}

// gamePly is a ply of a game of the block.
type gamePly struct {
	game record.View
	at   int
}

// chunk returns the n records of the chunk with a number from the current block:
// plies of its games and positions inside searches of others of them in turn.
func (w *worker) chunk(ctx context.Context, number, n int) ([]string, error) {
	plies, err := w.plies()
	if err != nil {
		return nil, err
	}
	r := rand.New(rand.NewPCG(w.config.Seed, uint64(number)+1))
	seen := make(map[chess.Key]bool)
	records := make([]string, 0, n)
	for left := len(plies); len(records) < n; left-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if left == 0 {
			return nil, fmt.Errorf("%d of %d positions found; want more games", len(records), n)
		}
		i := r.IntN(left)
		p, err := position(plies[i])
		if err != nil {
			return nil, err
		}
		plies[i] = plies[left-1]
		from := FromGame
		if len(records)%2 == 1 {
			from = FromSearch
			w.engine.Clear()
			if p, err = meet(w.engine, p, max(1, w.config.Nodes/probe), w.filter.MinPieces, r); err != nil {
				return nil, err
			}
		}
		if p == nil || seen[p.Key()] || p.InCheck() || p.Outcome() != chess.Ongoing {
			continue
		}
		best, score, ok, err := w.search(ctx, p)
		if err != nil {
			return nil, err
		}
		if ok && !p.IsTactical(best) && score <= eval.Limit && score >= -eval.Limit {
			seen[p.Key()] = true
			records = append(records, line(p, score, from))
		}
	}
	return records, nil
}

// plies returns the plies of the current block that a fit would take.
func (w *worker) plies() ([]gamePly, error) {
	var all []gamePly
	p := new(chess.Position)
	for _, g := range w.block.Games() {
		i := 0
		err := g.Verify(p, func(p *chess.Position, ply record.Ply) {
			if w.filter.Keep(p, ply.Move.Chess()) {
				all = append(all, gamePly{g, i})
			}
			i++
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// position returns the position of a ply, without the moves before.
func position(at gamePly) (*chess.Position, error) {
	p, err := at.game.Start().Position()
	if err != nil {
		return nil, err
	}
	for i := range at.at {
		p.Make(at.game.Ply(i).Move.Chess()) // a file has no illegal moves
	}
	return chess.ParseFEN(p.FEN())
}

// search returns the best move of p and its score; ok is false for a score that is not
// in centipawns.
func (w *worker) search(
	ctx context.Context, p *chess.Position,
) (best chess.Move, score eval.Score, ok bool, err error) {
	if w.other == nil {
		w.engine.Clear()
		res := w.engine.Search(p, search.Limits{Nodes: w.config.Nodes}, search.Options{}, nil)
		return res.Best, res.Score, true, nil
	}
	if err := w.other.NewGame(ctx); err != nil {
		return 0, 0, false, err
	}
	res, err := w.other.Search(ctx, p, client.Limits{Nodes: w.config.Nodes}, nil)
	if err != nil {
		return 0, 0, false, err
	}
	s := res.Info().Score
	most := int(eval.Limit) + 1
	return res.Best, eval.Score(min(max(s.Value, -most), most)), s.Kind == client.Centipawns, nil
}
