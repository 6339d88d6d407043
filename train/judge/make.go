package judge

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/replace"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/statefile"
)

// Config says how to make a set.
type Config struct {
	Games     []string // files
	Positions int
	Families  int      // of positions that differ by one move
	Nodes     uint64   // of the search of each position
	Engine    []string // command of an engine that searches them instead; none for Network
	Seed      uint64
	Network   *nnue.Network // that searches
	Threads   int           // at work, at least 1; the set does not depend on them
	Command   string        // to be kept in the set
}

// Check returns an error that names the first field that is out of bounds.
func (c *Config) Check() error {
	switch {
	case len(c.Games) == 0:
		return exit.WrongUsef("no files of games")
	case c.Positions < 0 || c.Positions > 1<<24:
		return exit.WrongUsef("positions %d: want 0 to %d", c.Positions, 1<<24)
	case c.Families < 0 || c.Families > 1<<20:
		return exit.WrongUsef("families %d: want 0 to %d", c.Families, 1<<20)
	case c.Positions+c.Families == 0:
		return exit.WrongUsef("no positions and no families: want either")
	case c.Nodes < 100 || c.Nodes > 1<<32:
		return exit.WrongUsef("nodes %d: want 100 to %d", c.Nodes, uint64(1)<<32)
	case c.Threads < 1:
		return exit.WrongUsef("threads %d: want at least 1", c.Threads)
	}
	return nil
}

// chunk is the number of positions that come from one block of games, familyChunk
// that of families. A chunk depends on the seed and its number alone.
const (
	chunk       = 50
	familyChunk = 4
)

// state is what the file beside an unfinished set holds.
type state struct {
	Origin Origin
	Chunks [][]string // records, nil for a chunk that is not made
}

// partName returns the name of that file.
func partName(out string) string { return out + ".part" }

// saveEvery is the time between two writings of the state.
const saveEvery = 10 * time.Second

// Make makes a set and writes it to the file out. Where ctx ends first, or the
// program is killed, the same call goes on from what is kept beside it, to the
// same set. report, which may be nil, is told the positions and families that are made.
func Make(ctx context.Context, out string, c Config, report func(done int)) error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := replace.Check(out); err != nil {
		return err
	}
	m := &maker{config: &c, out: out, report: report}
	defer m.close()
	if err := m.open(ctx); err != nil {
		return err
	}
	if err := m.resume(); err != nil {
		return err
	}
	if err := m.work(ctx); err != nil {
		return err
	}
	if err := write(out, m.state.Origin, slices.Concat(m.state.Chunks...)); err != nil {
		return err
	}
	if err := os.Remove(partName(out)); err != nil && !os.IsNotExist(err) {
		return err
	}
	return nil
}

// maker is a set in the making.
type maker struct {
	config *Config
	out    string
	files  []*block.File
	blocks []place // in the order in which chunks take them
	single int     // chunks of single positions, before those of families
	state  state
	report func(done int)

	mu    sync.Mutex // of state while workers are at work
	saved time.Time
}

// place is a block of a file.
type place struct{ file, entry int }

// open opens the files and names them in the origin.
func (m *maker) open(ctx context.Context) error {
	c := m.config
	o := &m.state.Origin
	*o = Origin{
		Command: c.Command, Commit: version.Commit(), Network: c.Network.Hash().String(),
		Seed: c.Seed, Nodes: c.Nodes, Positions: c.Positions, Families: c.Families,
	}
	if len(c.Engine) > 0 {
		name, err := engineName(ctx, c.Engine)
		if err != nil {
			return err
		}
		o.Engine = name
	}
	for i, name := range c.Games {
		f, err := block.OpenWhole(name)
		if err != nil {
			return err
		}
		m.files = append(m.files, f)
		for e := range f.Entries {
			m.blocks = append(m.blocks, place{i, e})
		}
		sum, err := sumOf(name)
		if err != nil {
			return err
		}
		o.Games = append(o.Games, Games{filepath.Base(name), sum, f.Positions()})
	}
	if len(m.blocks) == 0 {
		return fmt.Errorf("no positions in %v", c.Games)
	}
	r := rand.New(rand.NewPCG(c.Seed, 0))
	r.Shuffle(len(m.blocks), func(i, j int) { m.blocks[i], m.blocks[j] = m.blocks[j], m.blocks[i] })
	m.single = (c.Positions + chunk - 1) / chunk
	m.state.Chunks = make([][]string, m.single+(c.Families+familyChunk-1)/familyChunk)
	return nil
}

// close closes the files.
func (m *maker) close() {
	for _, f := range m.files {
		f.Close()
	}
}

// sumOf returns the SHA-256 of a file.
func sumOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// resume takes over what an earlier run has kept.
func (m *maker) resume() error {
	var old state
	name := partName(m.out)
	found, err := statefile.Load(disk.OS(), name, &old)
	if err != nil || !found {
		return err
	}
	now := m.state.Origin
	old.Origin.Command, now.Command = "", ""
	if !reflect.DeepEqual(old.Origin, now) || len(old.Chunks) != len(m.state.Chunks) {
		return fmt.Errorf("%s: is part of a set of other games, settings, network or commit", name)
	}
	m.state.Chunks = old.Chunks
	return nil
}

// work makes the chunks that are missing, on all threads.
func (m *maker) work(ctx context.Context) error {
	m.saved = time.Now()
	m.tell()
	errs := make([]error, m.config.Threads)
	var next atomic.Int64
	var threads sync.WaitGroup
	for i := range errs {
		threads.Go(func() {
			w, err := newWorker(ctx, m.config)
			defer w.close()
			for err == nil {
				n := int(next.Add(1)) - 1
				if n >= len(m.state.Chunks) {
					return
				}
				err = m.one(ctx, w, n)
			}
			errs[i] = err
			next.Store(int64(len(m.state.Chunks)))
		})
	}
	threads.Wait()
	for _, err := range errs {
		if err != nil {
			return m.giveUp(ctx, err)
		}
	}
	return nil
}

// giveUp keeps what was made and returns why no more was.
func (m *maker) giveUp(ctx context.Context, err error) error {
	if saveErr := m.save(); saveErr != nil {
		return saveErr
	}
	if ctx.Err() != nil {
		return fmt.Errorf("interrupted: %w; the same command goes on from %s", ctx.Err(), partName(m.out))
	}
	return err
}

// one makes a chunk, unless it is there.
func (m *maker) one(ctx context.Context, w *worker, n int) error {
	m.mu.Lock()
	done := m.state.Chunks[n] != nil
	m.mu.Unlock()
	if done {
		return nil
	}
	at := m.blocks[n%len(m.blocks)]
	file := m.files[at.file]
	if err := file.Read(at.entry, &w.block); err != nil {
		return fmt.Errorf("%s: %w", m.config.Games[at.file], err)
	}
	var records []string
	var err error
	if first, count := m.share(n); n < m.single {
		records, err = w.chunk(ctx, n, count)
	} else {
		records, err = w.families(ctx, n, first, count)
	}
	if err != nil {
		return fmt.Errorf("%s: block %d: %w", m.config.Games[at.file], file.Entries[at.entry].Number, err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.state.Chunks[n] = records
	m.tell()
	if time.Since(m.saved) < saveEvery {
		return nil
	}
	return m.save()
}

// tell reports the positions and families that are made.
func (m *maker) tell() {
	if m.report == nil {
		return
	}
	done := 0
	for n, records := range m.state.Chunks {
		if records != nil {
			_, count := m.share(n)
			done += count
		}
	}
	m.report(done)
}

// share returns which positions, or which families, a chunk has: the number of the
// first and how many.
func (m *maker) share(n int) (first, count int) {
	if n < m.single {
		first = n * chunk
		return first, min(chunk, m.config.Positions-first)
	}
	first = (n - m.single) * familyChunk
	return first, min(familyChunk, m.config.Families-first)
}

// save writes the state.
func (m *maker) save() error {
	m.saved = time.Now()
	return statefile.Save(disk.OS(), partName(m.out), &m.state)
}
