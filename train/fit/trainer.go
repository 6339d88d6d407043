package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// AdamW's constants, as its authors have them.
const (
	beta1   = 0.9
	beta2   = 0.999
	epsilon = 1e-8
)

// Trainer fits a network to a set. [New] and [Resume] return one. Its methods must not be called during Run.
type Trainer struct {
	config  Config
	set     *TrainingSet
	layout  layout
	kernel  *kernel
	workers []*worker

	params, mean, square []float32
	rows                 []int8      // of the first layer, rounded, in tiles
	biases               []int16     // of the first layer, rounded
	used                 []float32   // what follows the first layer, rounded
	grads                [][]float32 // by shard
	losses               []float64   // by shard

	stream *stream  // of the positions, while Run is at work
	next   []Sample // the batch in hand, by king buckets
	spare  []Sample // as many, for sorting
	has    []uint16 // by shard, a bit for each king bucket that it has gradients of

	step   int64
	recent recent
	curve  []Point
}

// recent is the loss since the last point of the curve.
type recent struct {
	Sum   float64
	Steps int64
}

// Point is a point of the learning curve.
type Point struct {
	Step  int64
	Train float64 // mean loss of the training positions since the previous point
	Held  float64 // mean loss of the held-out positions, 0 if there are none
	Rate  float64 // learning rate
}

// New returns a new trainer with GOMAXPROCS threads and the kernels of [nnue.Default]. The error names a field of
// config, or says that the set is empty.
func New(config Config, set *TrainingSet) (*Trainer, error) {
	if err := config.Check(); err != nil {
		return nil, err
	}
	if set.Positions() == 0 {
		return nil, errors.New("no training positions")
	}
	t := &Trainer{config: config, set: set, layout: newLayout(&config.Shape), kernel: kernelOf(nnue.Default())}
	t.params, t.mean, t.square = aligned(t.layout.size), aligned(t.layout.size), aligned(t.layout.size)
	t.layout.initialise(t.params, config.Seed)
	t.used = aligned(t.layout.size)
	t.rows, t.biases = make([]int8, t.layout.rows*t.layout.width), make([]int16, t.layout.width)
	for range config.Shards {
		t.grads = append(t.grads, aligned(t.layout.size))
	}
	t.losses, t.has = make([]float64, config.Shards), make([]uint16, config.Shards)
	t.SetThreads(runtime.GOMAXPROCS(0))
	t.renew()
	return t, nil
}

// SetThreads sets the number of threads, which does not change the result.
func (t *Trainer) SetThreads(n int) {
	t.workers = nil
	for range max(1, n) {
		t.workers = append(t.workers, newWorker(t))
	}
}

// Steps returns the total number of steps.
func (t *Trainer) Steps() int64 {
	return max(1, int64(math.Ceil(t.config.Epochs*float64(t.set.Positions())/float64(t.config.Batch))))
}

// Step returns the number of steps taken.
func (t *Trainer) Step() int64 { return t.step }

// Seen returns the number of positions trained on, with repetitions.
func (t *Trainer) Seen() int64 { return t.step * int64(t.config.Batch) }

// progress describes how far the fit is, given the mean time of a step.
func (t *Trainer) progress(perStep time.Duration) string {
	speed := float64(t.config.Batch) / 1e6 / perStep.Seconds()
	return fmt.Sprintf("step %d of %d%s, %.2f M/s", t.step, t.Steps(), t.Losses(), speed)
}

// Losses returns the last point of the learning curve as text that continues a line, "" before the first.
func (t *Trainer) Losses() string {
	if len(t.curve) == 0 {
		return ""
	}
	last := t.curve[len(t.curve)-1]
	text := fmt.Sprintf(", loss %.5f", last.Train)
	if len(t.set.Held) > 0 {
		text += fmt.Sprintf(", held out %.5f", last.Held)
	}
	return text
}

// errDiverged reports weights that are of no use.
var errDiverged = errors.New("the loss is not a number")

// Run trains until the last step, or until ctx ends, and then returns the context's error. A further call
// continues. Run calls after, if not nil, after each step; an error of after ends the run.
func (t *Trainer) Run(ctx context.Context, after func(*Trainer) error) error {
	if err := t.open(); err != nil {
		return err
	}
	defer t.stream.close()
	steps := t.Steps()
	for t.step < steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		loss, err := t.batch()
		if err != nil {
			return err
		}
		t.update(steps)
		t.step++
		t.recent.Sum += loss
		t.recent.Steps++
		if math.IsNaN(loss) {
			return fmt.Errorf("step %d: %w; try a lower rate than %v", t.step, errDiverged, t.config.Rate)
		}
		if t.step%int64(t.config.JudgeEvery) == 0 || t.step == steps {
			t.judge(steps)
		}
		if after != nil {
			if err := after(t); err != nil {
				return err
			}
		}
	}
	return nil
}

// open makes the stream begin with the next batch.
func (t *Trainer) open() (err error) {
	t.stream, err = t.set.open(t.config.Seed, uint64(t.Seen()))
	return err
}

// share calls f for 0 to n-1, on all threads. Which thread takes which number
// is left to chance, so f must not let it matter.
func (t *Trainer) share(n int, f func(w *worker, i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for _, w := range t.workers[:min(n, len(t.workers))] {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(w, i)
			}
		})
	}
	group.Wait()
}

// batch computes the gradients of the next batch by shard and returns its mean
// loss.
func (t *Trainer) batch() (loss float64, err error) {
	size, shards := t.config.Batch, t.config.Shards
	if t.next == nil {
		t.next, t.spare = make([]Sample, size), make([]Sample, size)
	}
	if err := t.stream.fill(t.next); err != nil {
		return 0, err
	}
	if t.config.Shape.KingBuckets > 0 {
		t.workers[0].byKings(t.spare, t.next)
		t.next, t.spare = t.spare, t.next
	}
	t.share(shards, func(w *worker, i int) {
		t.losses[i], t.has[i] = w.shard(t.grads[i], t.next[size*i/shards:size*(i+1)/shards])
	})
	for _, l := range t.losses {
		loss += l
	}
	return loss / float64(size), nil
}

// stretch is the number of parameters that a thread updates at a time. Those of the first layer in a stretch are of one
// king bucket.
const stretch = nnue.Inputs * 2 * group / 6

// everywhere is the king buckets of gradients that all positions have.
const everywhere = math.MaxUint16

// update adds the gradients of the shards up and takes a step of AdamW.
func (t *Trainer) update(steps int64) {
	rate := t.config.rate(t.step, steps)
	n := t.step + 1
	k := rates{
		keepMean: beta1, addMean: 1 - beta1, keepSquare: beta2, addSquare: 1 - beta2,
		rate:       float32(rate / (1 - power(beta1, n))),
		correction: float32(1 / math.Sqrt(1-power(beta2, n))),
		epsilon:    epsilon,
		keep:       float32(1 - float64(rate*t.config.Decay)),
		limit:      biasLimit,
	}
	l := &t.layout
	rows := k
	rows.limit = rowLimit
	t.share(l.features.to/stretch, func(_ *worker, i int) {
		bucket := i * stretch / (nnue.Inputs * 2 * group) % (l.rows / nnue.Inputs)
		t.updateSpan(indexRange{i * stretch, (i + 1) * stretch}, &rows, 1<<bucket)
	})
	t.updateSpan(l.biases, &k, everywhere)
	t.updateHeads(&k)
	l.bound(t.params)
	free := k // output biases have no limit and no decay
	free.limit, free.keep = math.MaxFloat32, 1
	t.updateSpan(l.offset, &free, everywhere)
	t.renew()
}

// updateHeads does the work of update on what follows the first layer.
func (t *Trainer) updateHeads(k *rates) {
	for _, p := range t.layout.parts() {
		r := *k
		r.limit = p.limit
		t.share((p.to-p.from+stretch-1)/stretch, func(_ *worker, i int) {
			t.updateSpan(indexRange{p.from + i*stretch, min(p.from+(i+1)*stretch, p.to)}, &r, everywhere)
		})
	}
}

// updateSpan adds the gradients of the shards up for a part of the parameters, which
// belongs to some king buckets, and takes a step of AdamW with it.
func (t *Trainer) updateSpan(s indexRange, k *rates, buckets uint16) {
	for i, other := range t.grads[1:] {
		if t.has[i+1]&buckets != 0 {
			t.kernel.drain(s.of(t.grads[0]), s.of(other))
		}
	}
	t.kernel.adam(s.of(t.params), s.of(t.mean), s.of(t.square), s.of(t.grads[0]), k)
}

// judgePiece is the number of held-out positions whose losses are added up
// together.
const judgePiece = 4096

// HeldLoss returns the mean loss of the held-out positions, 0 if there are none.
func (t *Trainer) HeldLoss() float64 {
	held := len(t.set.Held)
	if held == 0 {
		return 0
	}
	sums := make([]float64, (held+judgePiece-1)/judgePiece)
	t.share(len(sums), func(w *worker, i int) {
		sums[i] = w.judge(t.set.Held[i*judgePiece : min((i+1)*judgePiece, held)])
	})
	sum := 0.0
	for _, s := range sums {
		sum += s
	}
	return sum / float64(held)
}

// judge adds a point to the curve.
func (t *Trainer) judge(steps int64) {
	t.curve = append(t.curve, Point{
		Step: t.step, Train: t.recent.Sum / float64(t.recent.Steps),
		Held: t.HeldLoss(), Rate: t.config.rate(t.step-1, steps),
	})
	t.recent = recent{}
}

// Network returns the current network, quantised, with its provenance and the given commands.
func (t *Trainer) Network(commands []string) (*nnue.Network, error) {
	loss := 0.0
	if n := len(t.curve); n > 0 {
		loss = t.curve[n-1].Held
	}
	net, err := t.quantised(nnue.Provenance{
		DataHash: t.set.Hash(), Positions: int64(t.set.Positions()), Seen: t.Seen(),
		Loss: loss, Commands: commands,
	})
	if err != nil {
		return net, err
	}
	return t.arranged(net)
}
