package lineage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/work"
)

// Chain makes the networks of a manifest in a directory: games in NAME/CHUNK.tbg, networks in NAME.nn, and the
// manifest with the results so far. It does not make existing files again.
type Chain struct {
	Dir      string
	Manifest *Manifest                                // the expected results; Run fills in unknown sums
	Tables   func(men int) (*syzygy.Tables, error)    // opens the endgame tables of 3 to men men
	Threads  int                                      // do not affect the result
	Missing  bool                                     // take networks from the repository, play only what the others need
	Report   func(stage, text string, done float64)   // called after a few games or steps; may be nil
	Warn     func(error)                              // called with what is done again; may be nil
	network  func(name string) (*nnue.Network, error) // of the repository; CommittedNetwork except in tests
}

// Run makes the missing files, stage by stage, until the last network exists or ctx ends. It stops at the first
// chunk or network that differs from the manifest.
func (c *Chain) Run(ctx context.Context) error {
	if c.network == nil {
		c.network = CommittedNetwork
	}
	if err := os.MkdirAll(c.Dir, 0o777); err != nil {
		return err
	}
	if err := c.resume(); err != nil {
		return err
	}
	for i := range c.Manifest.Stages {
		if err := c.stage(ctx, &c.Manifest.Stages[i]); err != nil {
			return fmt.Errorf("stage %s: %w", c.Manifest.Stages[i].Name, err)
		}
	}
	return nil
}

// resume takes over the results in the manifest of the directory, which must have been
// made by the same rows.
func (c *Chain) resume() error {
	have, err := Read(c.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range have.Stages {
		h, s := &have.Stages[i], c.Manifest.Stage(have.Stages[i].Name)
		if h.Search == 0 && h.Network == (Sum{}) && have.Chunk(h.Name, 0) == nil {
			continue // not begun: its row may change
		}
		if s == nil || h.settings() != s.settings() {
			return fmt.Errorf("%s was made by another row %s; give another directory", c.Dir, h.Name)
		}
		if s.Search == 0 {
			s.Commit, s.Search = h.Commit, h.Search
		}
		if s.Network == (Sum{}) {
			s.Network, s.Positions = h.Network, h.Positions
		}
	}
	for _, h := range have.Chunks {
		if err := c.Manifest.record(h); err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
	}
	return nil
}

// settings returns the part of a row that decides what comes out.
func (s *Stage) settings() string {
	c := *s
	c.Commit, c.Search, c.Positions, c.Network = "", 0, 0, Sum{}
	return line(c.columns(), (*column).text)
}

// record adds what is known of a chunk. An error says that something else was known.
func (m *Manifest) record(c Chunk) error {
	known := m.Chunk(c.Stage, c.Number)
	if known == nil {
		m.Chunks = append(m.Chunks, c)
	} else if known.Sum != c.Sum {
		return fmt.Errorf("chunk %d of %s: its games have the SHA-256 %v, the manifest has %v", c.Number, c.Stage, c.Sum,
			known.Sum)
	}
	return nil
}

// stage plays the games of a stage and fits its network.
func (c *Chain) stage(ctx context.Context, s *Stage) error {
	net, err := c.load(s.Name)
	if err != nil {
		return err // before hours of games
	}
	if c.needed(s) {
		if err := c.play(ctx, s); err != nil {
			return err
		}
	}
	if net == nil {
		net, err = c.fit(ctx, s)
	}
	if err != nil {
		return err
	}
	if sum := Sum(net.Hash()); s.Network == (Sum{}) {
		s.Network = sum
	} else if s.Network != sum {
		return fmt.Errorf("the network has the hash %v, the manifest has %v", sum, s.Network)
	}
	return c.Manifest.Write(c.Dir)
}

// needed reports whether the games of a stage have to be there: unless only what is
// missing is made, and every network that is fitted to them is there.
func (c *Chain) needed(s *Stage) bool {
	if !c.Missing {
		return true
	}
	return slices.ContainsFunc(c.Manifest.Stages, func(user Stage) bool {
		net, err := c.load(user.Name)
		return slices.Contains(user.Data, s.Name) && (err != nil || net == nil)
	})
}

// networkFile returns the name of the file of a network.
func (c *Chain) networkFile(name string) string { return filepath.Join(c.Dir, name+".nn") }

// load returns a network that the directory has, or the repository if that counts; nil
// where there is none.
func (c *Chain) load(name string) (*nnue.Network, error) {
	net, err := nnue.Load(c.networkFile(name))
	if !errors.Is(err, os.ErrNotExist) {
		return net, err
	}
	if !c.Missing {
		return nil, nil
	}
	return c.network(name)
}

// want is load where a network must be there.
func (c *Chain) want(name string) (*nnue.Network, error) {
	net, err := c.load(name)
	if err == nil && net == nil {
		err = fmt.Errorf("there is no network %s", name)
	}
	return net, err
}

// chunkFile returns the name of the file of a chunk.
func (c *Chain) chunkFile(stage string, chunk int) string {
	return filepath.Join(c.Dir, stage, fmt.Sprintf("%05d.tbg", chunk))
}

// play plays the chunks of a stage that are not there.
func (c *Chain) play(ctx context.Context, s *Stage) error {
	if err := os.MkdirAll(filepath.Join(c.Dir, s.Name), 0o777); err != nil {
		return err
	}
	var p *player // who may need a search that only an older commit has
	positions := 0
	for n := range s.Chunks() {
		name, known := c.chunkFile(s.Name, n), c.Manifest.Chunk(s.Name, n)
		there, err := complete(name, known)
		if err != nil {
			return err
		}
		if !there {
			if p == nil {
				if p, err = c.player(ctx, s); err != nil {
					return err
				}
			}
			made, file, err := p.chunk(ctx, n, name, func(text string, done float64) {
				c.report(s, fmt.Sprintf("chunk %d of %d, %s", n+1, s.Chunks(), text), (float64(n)+done)/float64(s.Chunks()))
			})
			if err != nil {
				return err
			}
			if err := c.Manifest.record(made); err != nil {
				return fmt.Errorf("%w; they are in %s: remove it, and they are played again", err, file)
			}
			if file != name { // only now, so that no later run takes games that differ
				if err := os.Rename(file, name); err != nil {
					return err
				}
			}
			if err := c.Manifest.Write(c.Dir); err != nil {
				return err
			}
			known = &made
		}
		positions += known.Positions
	}
	s.Positions = positions
	return nil
}

// complete reports whether the file of a known chunk is there. By its headers alone it must have the chunk's positions:
// a fit notices what else is wrong with it.
func complete(name string, known *Chunk) (bool, error) {
	if known == nil {
		return false, nil
	}
	f, err := record.Open(name)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("%w; remove the file, and the chunk is played again", err)
	}
	defer f.Close()
	if got := f.Counts().Positions; got != known.Positions || f.Damage != nil {
		return false, fmt.Errorf("%s is damaged: it has %s, not %d; remove the file, and the chunk is played again",
			name, plural.Of(got, "position"), known.Positions)
	}
	return true, nil
}

func (c *Chain) report(s *Stage, text string, done float64) {
	if c.Report != nil {
		c.Report(s.Name, text, done)
	}
}

// player makes chunks of a stage.
type player struct {
	chain   *Chain
	stage   *Stage
	files   work.Files // with the network that plays
	network int        // its number, 0 without
	tables  *syzygy.Tables
}

// player returns who plays a stage. It first compares the search of this program with
// that of the row.
func (c *Chain) player(ctx context.Context, s *Stage) (*player, error) {
	p := &player{chain: c, stage: s}
	if s.material() {
		return p, nil
	}
	first, err := c.load(c.Manifest.Stages[0].Name)
	if err == nil {
		err = s.recognise(ctx, first)
	}
	if err != nil {
		return nil, err
	}
	net, err := c.want(s.Player)
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	if _, err := net.WriteTo(&data); err != nil {
		return nil, err
	}
	if p.network = p.files.Add(data.Bytes()); s.Men > 0 {
		p.tables, err = c.Tables(s.Men)
	}
	return p, err
}

// games returns the games of chunk n as a kind of work.
func (p *player) games(n int) *datagen.Games {
	s := p.stage
	first, count := s.chunk(n)
	g := &datagen.Games{
		Run: s.Run, Nodes: max(1, s.Nodes), Chess960: s.Chess960, Material: s.material(), Params: searches[s.Search],
		Network: p.network, Tables: p.tables, First: uint32(first), Want: count,
	}
	if g.Tables != nil {
		g.Men = s.Men
	}
	return g
}

// recognise compares the search of this program with that of the row, or fills it in. The
// first network of the lineage is the same for all, which the embedded one is not.
func (s *Stage) recognise(ctx context.Context, first *nnue.Network) error {
	if first == nil {
		return errors.New("there is no first network to compare searches with")
	}
	nodes, err := search.Signature(ctx, first, searches[s.Search])
	if err != nil {
		return err
	}
	if s.Search == 0 {
		s.Search, s.Commit = nodes, version.Commit()
	}
	if s.Search != nodes {
		return fmt.Errorf("its games were played by the search of commit %s, whose bench visits %d nodes instead of %d; "+
			"check out that commit beside this one (git worktree add ../lineage %[1]s), copy the tables and networks of "+
			"train/lineage over to it, and run this command there", s.Commit, s.Search, nodes)
	}
	return nil
}

// chunk plays chunk n for a file, and says what came of it and where it is: in the file, which is only read if it is
// there, or in the one beside it that grows while it is played.
func (p *player) chunk(
	ctx context.Context, n int, name string, report func(text string, done float64),
) (c Chunk, file string, err error) {
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		name += ".part"
		if err := p.play(ctx, n, name, report); err != nil {
			return c, name, err
		}
	}
	c = Chunk{Stage: p.stage.Name, Number: n}
	c.Sum, c.Positions, err = sum(ctx, name)
	return c, name, err
}

// play adds the games of chunk n to a file that lacks them.
func (p *player) play(ctx context.Context, n int, name string, report func(text string, done float64)) error {
	g := p.games(n)
	spec, err := datagen.Type().Spec(g, p.stage.Search, p.files.Sums()...)
	if err != nil {
		return err
	}
	log, err := p.open(g, name)
	if err != nil {
		return err
	}
	first, err := g.Continue(log)
	if err == nil {
		err = work.Run(ctx, spec, g, work.Local(p.chain.Threads), work.RunOptions{First: first, Inputs: p.files.Get,
			Report: func() { report(g.Text(), float64(g.Counts().Games)/float64(g.Want)) }})
	}
	return errors.Join(err, log.Close())
}

// open opens the file of a chunk in progress. Its games have to be in the order of their numbers, without a gap:
// another order would be other training data. A file with anything else, of an older program or damaged, begins again.
func (p *player) open(g *datagen.Games, name string) (*record.Log, error) {
	log, err := record.OpenLog(name)
	if err != nil {
		return nil, err
	}
	ids, err := log.IDs()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	for i, id := range ids {
		if want := (record.ID{Run: g.Run, Number: g.First + uint32(i), Nodes: uint32(g.Nodes)}); id != want || i >= g.Want {
			if p.chain.Warn != nil {
				p.chain.Warn(fmt.Errorf("%s: game %d stands where game %d should be; its %s played again",
					name, id.Number, want.Number, plural.Do(len(ids), "game", "is", "are")))
			}
			if err := errors.Join(log.Close(), os.Remove(name)); err != nil {
				return nil, err
			}
			return record.OpenLog(name)
		}
	}
	return log, nil
}

// fit fits the network of a stage.
func (c *Chain) fit(ctx context.Context, s *Stage) (*nnue.Network, error) {
	j := fit.Resumable{Config: s.config(), Lambda: s.Lambda, Threads: c.Threads,
		Checkpoint: filepath.Join(c.Dir, s.Name+".checkpoint")}
	var err error
	if s.Start != "-" {
		if j.Start, err = c.want(s.Start); err != nil {
			return nil, err
		}
	}
	if s.Men > 0 {
		if j.Tables, err = c.Tables(s.Men); err != nil {
			return nil, err
		}
	}
	for _, d := range s.Data {
		for n := range c.Manifest.Stage(d).Chunks() {
			j.Data = append(j.Data, c.chunkFile(d, n))
		}
	}
	j.Stepped = func(t *fit.Trainer, text string) {
		c.report(s, "fit: "+text, float64(t.Step())/float64(t.Steps()))
	}
	c.report(s, "reading games", 0)
	t, err := j.Run(ctx)
	if err != nil {
		return nil, err
	}
	origin := fmt.Sprintf("train rebuild: %s, %g epochs of the games of %v", s.Name, s.Epochs, s.Data)
	net, err := t.Network([]string{origin})
	if err == nil && len(s.Scales) > 0 {
		net, err = fit.Rescale(net, s.Scales, fmt.Sprintf("scales %v", s.Scales))
	}
	if err == nil {
		err = net.Save(c.networkFile(s.Name))
	}
	if err == nil {
		err = t.Draw(filepath.Join(c.Dir, s.Name+".svg"))
	}
	if err == nil {
		err = os.Remove(j.Checkpoint)
	}
	return net, err
}
