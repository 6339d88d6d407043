// Package loader streams the positions of game files to a fitter: filtered,
// in random order, as fast as the cores allow, and the same for the same seed
// whatever the number of threads.
//
//	l, err := loader.Open(files, loader.Options{Filter: loader.DefaultFilter(), Seed: 1})
//	if err != nil { … }
//	defer l.Close()
//	batch := make([]games.Sample, 16384)
//	for {
//		n, err := l.Next(batch)
//		// … batch[:n] …
//		if err == io.EOF { … an epoch is over, the next call begins another … }
//	}
//
// An epoch visits the blocks of all files in random order, so many at a time
// as fill the shuffle buffer, and the positions of the buffer in random order.
// Neighbours of a game are thus in the same buffer.
//
// [Loader.SeekSample] goes on where a fit was left.
package loader

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/internal/chance"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/games"
)

// DefaultBuffer is the number of positions shuffled together by default; a
// Loader holds two buffers of 32 bytes a position.
const DefaultBuffer = 1 << 20

// Options say what to load and how.
type Options struct {
	Filter  Filter
	Part    Part    // of the games
	Held    float64 // share of the games that Part HeldOut means, 0 to 1
	Seed    uint64  // of every order
	Buffer  int     // positions shuffled together, before filtering; 0 means DefaultBuffer
	Threads int     // that decode, 0 means all cores
	ordered bool    // no random order: files, blocks and games as they come

	// The target of a position is the result of its game where Lambda is 0
	// or 1. Between them it also counts the scores that follow, each with
	// Lambda times the weight of the one before; ScoreScale is the centipawns
	// that stand for odds of e to one, 0 for chance.DefaultScale.
	Lambda, ScoreScale float64

	// Tables, nil for none, know the true result of positions of few men, which
	// are fitted to it and to nothing else.
	Tables *syzygy.Tables

	// Spool, nil for none, holds the samples of the part already, so that the
	// games need not be read.
	Spool *Spool

	// Results is how much the result of its game weighs in a target besides,
	// by file, 0 to 1; nil means 0 for all.
	Results []float64
}

// Mark is a place in the stream. The zero Mark is its beginning.
type Mark struct {
	Epoch  int `json:"epoch"`
	Buffer int `json:"buffer"` // of the epoch
	Offset int `json:"offset"` // samples of the buffer that were delivered
}

// Loader streams samples. It is not safe for concurrent use.
type Loader struct {
	options   Options
	files     []*games.File
	names     []string
	blocks    []place
	first     []int // block of each file among all blocks
	positions int
	mark      Mark
	plans     [2]plan // of the last epochs asked for, by their lowest bit
	now       []games.Sample
	loaded    bool        // now is the buffer of mark
	ahead     chan result // the buffer after, being filled; nil for none
	spare     []games.Sample
}

// plan divides the blocks of an epoch into buffers.
type plan struct {
	made    bool
	epoch   int
	buffers [][]place
}

// place is a block of a file.
type place struct{ file, entry int }

// result is a filled buffer.
type result struct {
	samples []games.Sample
	err     error
}

// Open opens the files for reading. It refuses files with damage that the
// headers show; damage inside a block is reported by [Loader.Next].
func Open(names []string, o Options) (*Loader, error) {
	if !(o.Held >= 0 && o.Held <= 1) {
		return nil, command.WrongUsef("held share %v: want 0 to 1", o.Held)
	}
	if !(o.Lambda >= 0 && o.Lambda <= 1) {
		return nil, command.WrongUsef("lambda %v: want 0 to 1", o.Lambda)
	}
	if o.Lambda == 0 {
		o.Lambda = 1
	}
	if o.ScoreScale == 0 {
		o.ScoreScale = chance.DefaultScale
	}
	if o.Buffer <= 0 {
		o.Buffer = DefaultBuffer
	}
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Results != nil && len(o.Results) != len(names) {
		return nil, command.WrongUsef("weights of results for %d files: want %d", len(o.Results), len(names))
	}
	for i, r := range o.Results {
		if !(r >= 0 && r <= 1) {
			return nil, command.WrongUsef("%s: weight %v of the result: want 0 to 1", names[i], r)
		}
	}
	l := &Loader{options: o, names: names}
	for i, name := range names {
		f, err := games.OpenWhole(name)
		if err != nil {
			l.Close()
			return nil, err
		}
		l.files = append(l.files, f)
		l.first = append(l.first, len(l.blocks))
		for e := range f.Entries {
			l.blocks = append(l.blocks, place{i, e})
		}
		l.positions += f.Counts().Positions
	}
	if l.positions == 0 {
		l.Close()
		return nil, fmt.Errorf("no positions in %v", names)
	}
	return l, nil
}

// Close ends the loading and closes the files.
func (l *Loader) Close() error {
	l.wait()
	var err error
	for _, f := range l.files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// Positions returns the number of positions in the files before filtering.
func (l *Loader) Positions() int { return l.positions }

// Mark returns where the stream stands: the next sample is the first that was
// not delivered.
func (l *Loader) Mark() Mark { return l.mark }

// Seek goes to a place that Mark returned for the same files and options.
func (l *Loader) Seek(m Mark) error {
	if m.Epoch < 0 || m.Buffer < 0 || m.Offset < 0 {
		return fmt.Errorf("mark %+v: want no negative number", m)
	}
	l.wait()
	l.mark, l.loaded = m, false
	return nil
}

// wait lets a buffer that is being filled become the spare one.
func (l *Loader) wait() {
	if l.ahead != nil {
		l.spare = (<-l.ahead).samples
		l.ahead = nil
	}
}

// Next fills dst with the next samples. At the end of an epoch it returns the
// last ones with io.EOF, and the call after begins the next epoch. Other errors
// name file and block.
func (l *Loader) Next(dst []games.Sample) (n int, err error) {
	for n < len(dst) {
		if !l.loaded {
			if err := l.load(); err != nil {
				return n, err
			}
		}
		if l.mark.Offset < len(l.now) {
			k := copy(dst[n:], l.now[l.mark.Offset:])
			n += k
			l.mark.Offset += k
		}
		if l.mark.Offset >= len(l.now) {
			l.mark.Buffer++
			l.mark.Offset, l.loaded = 0, false
			if l.mark.Buffer >= len(l.plan(l.mark.Epoch)) {
				l.mark = Mark{Epoch: l.mark.Epoch + 1}
				return n, io.EOF
			}
		}
	}
	return n, nil
}

// load makes now the buffer of mark and starts to fill the one after, in random
// order also the first of the next epoch.
func (l *Loader) load() error {
	buffers := l.plan(l.mark.Epoch)
	if l.mark.Buffer >= len(buffers) {
		return fmt.Errorf("mark %+v: the epoch has %d buffers", l.mark, len(buffers))
	}
	var r result
	if l.ahead != nil {
		r, l.ahead = <-l.ahead, nil
		l.spare = l.now
	} else {
		r = l.fill(l.now[:0], buffers[l.mark.Buffer], l.mark)
	}
	if r.err != nil {
		return r.err
	}
	l.now, l.loaded = r.samples, true
	next := Mark{Epoch: l.mark.Epoch, Buffer: l.mark.Buffer + 1}
	if next.Buffer == len(buffers) {
		if l.options.ordered {
			return nil // such a stream is rarely read twice
		}
		next = Mark{Epoch: l.mark.Epoch + 1}
	}
	places, spare, ahead := l.plan(next.Epoch)[next.Buffer], l.spare[:0], make(chan result, 1)
	l.spare, l.ahead = nil, ahead
	go func() { ahead <- l.fill(spare, places, next) }()
	return nil
}

// plan returns the buffers of an epoch.
func (l *Loader) plan(epoch int) [][]place {
	p := &l.plans[epoch&1]
	if p.made && p.epoch == epoch {
		return p.buffers
	}
	order := slices.Clone(l.blocks)
	if !l.options.ordered {
		r := rand.New(rand.NewPCG(l.options.Seed, uint64(epoch)))
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	}
	*p = plan{made: true, epoch: epoch}
	start, size := 0, 0
	for i, place := range order {
		size += l.files[place.file].Entries[place.entry].Positions
		if size >= l.options.Buffer || i == len(order)-1 {
			p.buffers = append(p.buffers, order[start:i+1])
			start, size = i+1, 0
		}
	}
	return p.buffers
}

// fill decodes blocks on all threads and puts their samples, in an order that
// depends on seed and mark alone, into buf.
func (l *Loader) fill(buf []games.Sample, places []place, m Mark) result {
	parts := make([][]games.Sample, len(places))
	err := l.decode(places, []Part{l.options.Part}, func(i, _ int, samples []games.Sample) { parts[i] = slices.Clone(samples) })
	if err != nil {
		return result{buf, err}
	}
	for _, part := range parts {
		buf = append(buf, part...)
	}
	if !l.options.ordered {
		r := rand.NewPCG(l.options.Seed+1, uint64(m.Epoch)<<32|uint64(m.Buffer))
		shuffle(buf, r)
	}
	return result{buf, nil}
}

// decoder gets the samples of blocks, for one goroutine.
type decoder struct {
	loader  *Loader
	block   games.Block
	chosen  selection
	samples []games.Sample
	buf     []byte
}

// decode passes the samples of parts of a block's games to use; they are valid
// during the call.
func (d *decoder) decode(at place, parts []Part, use func(part int, samples []games.Sample)) (err error) {
	l := d.loader
	if spool := l.options.Spool; spool != nil {
		d.samples, d.buf, err = spool.read(d.samples[:0], d.buf, l.first[at.file]+at.entry)
		if err == nil {
			use(0, d.samples)
		}
		return err
	}
	f := l.files[at.file]
	if err := f.Read(at.entry, &d.block); err != nil {
		return err
	}
	if l.options.Results != nil {
		d.chosen.result = l.options.Results[at.file]
	}
	for p, part := range parts {
		if d.samples, err = d.chosen.append(d.samples[:0], &d.block, part); err != nil {
			return fmt.Errorf("block %d: %w", f.Entries[at.entry].Number, err)
		}
		use(p, d.samples)
	}
	return nil
}

// decode passes the samples of parts of each block's games to use, on all threads
// and in any order; they are valid during the call. The error is that of the first block
// that has one, and names file and block.
func (l *Loader) decode(places []place, parts []Part, use func(i, part int, samples []games.Sample)) error {
	errs := make([]error, len(places))
	work := make(chan int)
	var threads sync.WaitGroup
	for range min(l.options.Threads, len(places)) {
		threads.Go(func() {
			d := decoder{loader: l, chosen: selection{options: &l.options, endings: endings{tables: l.options.Tables}}}
			for i := range work {
				errs[i] = d.decode(places[i], parts, func(part int, samples []games.Sample) { use(i, part, samples) })
			}
		})
	}
	for i := range places {
		work <- i
	}
	close(work)
	threads.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("%s: %w", l.names[places[i].file], err)
		}
	}
	return nil
}

// shuffle puts s into random order. Sources: Fisher and Yates; the bounded
// numbers are those of Lemire, "Fast Random Integer Generation in an
// Interval", 2019, without the step that removes a bias too small to matter.
func shuffle(s []games.Sample, r *rand.PCG) {
	for i := uint64(len(s)); i > 1; i-- {
		j := r.Uint64() >> 32 * i >> 32
		s[i-1], s[j] = s[j], s[i-1]
	}
}
