package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/chance"
	"github.com/tabula-chess/tabula/train/games"
)

// maxChunk bounds the positions that a worker passes through the network
// together. Their accumulators should stay in the cache until the gradients
// have been added up.
const maxChunk = 128

// chunkBytes is what the accumulators of a chunk may take.
const chunkBytes = 512 << 10

// worker passes positions through the network, forward and back. It owns its
// memory; each thread has one.
type worker struct {
	*Trainer
	lens    *[2][64]lens
	places  []uint32 // of features, see [layout.place]
	chunk   int
	samples [maxChunk]games.Sample
	inputs  [maxChunk]input
	acc     []float32 // two rows a position, of the side to move and of the other
	all     []uint32  // offsets of all rows of acc
	starts  []uint32  // by feature, see scatter
	ends    [2 * maxChunk]uint32
	rows    [maxChunk * 2 * maxPieces]uint32
	hidden  *hidden
}

func newWorker(t *Trainer) *worker {
	width := t.layout.width
	w := &worker{Trainer: t, lens: allLenses(&t.config.Shape)}
	w.chunk = max(8, min(maxChunk, chunkBytes/(2*4*width)))
	w.acc = aligned(2 * w.chunk * w.stride())
	for i := range 2 * w.chunk {
		w.all = append(w.all, uint32(i*w.stride()))
	}
	w.hidden = newHidden(width, float32(t.config.Sparsity/float64(t.config.Batch)), t.config.Rounded)
	w.starts = make([]uint32, t.config.Shape.Features()+1)
	for f := range t.config.Shape.Features() {
		w.places = append(w.places, uint32(t.layout.place(f)))
	}
	return w
}

// row returns the accumulator of position i seen from a side: 0 the mover's.
func (w *worker) row(i, side int) []float32 {
	at := (2*i + side) * w.stride()
	return w.acc[at : at+w.layout.width]
}

// stride is the number of floats from one accumulator to the next: a cache line
// more than they have, since the same neurons of all of them would share a few
// places in the caches if they lay a power of two apart.
func (w *worker) stride() int { return w.layout.width + 16 }

// gather reads k positions and leaves their accumulators.
func (w *worker) gather(k int) {
	l := &w.layout
	n := 0
	for i := range k {
		in := &w.inputs[i]
		in.read(&w.config.Shape, w.lens, &w.samples[i])
		for side := range in.features {
			for _, f := range in.features[side][:in.pieces] {
				w.rows[n] = w.places[f]
				n++
			}
			w.ends[2*i+side] = uint32(n)
		}
	}
	biases, features := l.biases.of(w.used), w.Trainer.rows
	for at := 0; at < l.width; at += l.tile {
		tile := features[at/l.tile*l.tileSize():]
		w.kernel.sumLists(w.acc[at:], w.stride(), l.tile, biases[at:at+l.tile], tile, 0, w.ends[:2*k], w.rows[:n])
	}
}

// forward returns the output for position i of the chunk, whose accumulators gather
// has left.
func (w *worker) forward(i int) float64 {
	l, in := &w.layout, &w.inputs[i]
	us, them := w.row(i, 0), w.row(i, 1)
	offset := l.offset.of(w.used)[in.bucket]
	return float64(w.hidden.forward(w.kernel, l.stack(w.used, in.bucket), us, them) + offset)
}

// output returns the output for a sample, which becomes position 0 of the chunk.
func (w *worker) output(s *games.Sample) float64 {
	w.samples[0] = *s
	w.gather(1)
	return w.forward(0)
}

// loss returns the squared error of an output for position i of the chunk and
// its derivative by the output.
func (w *worker) loss(i int, out float64) (loss, slope float64) {
	p := chance.Sigmoid(out)
	d := p - target(&w.samples[i], w.config.Blend, w.config.ScoreScale)
	return float64(d * d), 2 * d * p * (1 - p)
}

// shard adds the gradient of the mean loss of a batch by the parameters, as
// far as these positions of it go, to grad. It returns the sum of their losses.
func (w *worker) shard(grad []float32, samples []games.Sample) (sum float64) {
	for len(samples) > 0 {
		k := copy(w.samples[:w.chunk], samples)
		w.gather(k)
		for i := range k {
			out := w.forward(i)
			loss, slope := w.loss(i, out)
			sum += loss
			w.back(grad, i, float32(slope/float64(w.config.Batch)))
		}
		w.scatter(grad, k)
		samples = samples[k:]
	}
	return sum
}

// back takes the derivative d of the loss by the output of position i, the last
// that went forward, through what follows the first layer: its gradient goes
// to grad, that of the accumulators takes their place.
func (w *worker) back(grad []float32, i int, d float32) {
	l, bucket := &w.layout, w.inputs[i].bucket
	us, them := w.row(i, 0), w.row(i, 1)
	l.offset.of(grad)[bucket] += d
	w.hidden.back(w.kernel, l.stack(w.used, bucket), l.stack(grad, bucket), us, them, d)
}

// scatter adds the gradients of the accumulators of k positions to those of
// the first layer. The rows that a feature gets are listed first, by a
// counting sort, so that its gradient is loaded and stored once.
func (w *worker) scatter(grad []float32, k int) {
	l := &w.layout
	biases := l.biases.of(grad)
	w.kernel.sumRows(biases, biases, w.acc, w.all[:2*k])
	clear(w.starts)
	for i := range k {
		in := &w.inputs[i]
		for side := range in.features {
			for _, f := range in.features[side][:in.pieces] {
				w.starts[f+1]++
			}
		}
	}
	for f := 1; f < len(w.starts); f++ {
		w.starts[f] += w.starts[f-1]
	}
	for i := range k {
		in := &w.inputs[i]
		for side := range in.features {
			acc := w.all[2*i+side]
			for _, f := range in.features[side][:in.pieces] {
				next := &w.starts[f]
				w.rows[*next] = acc
				*next++
			}
		}
	}
	// starts[f] has become the end of f's list, which is the start of f+1's.
	for at := 0; at < l.width; at += l.tile {
		tile := l.features.of(grad)[at/l.tile*l.tileSize():]
		w.kernel.sumLists(tile, l.tile, l.tile, nil, w.acc[at:], 0, w.starts[:nnue.Inputs], w.rows[:])
	}
}

// each passes samples through the network, a chunk after the other, and calls visit
// with the output for each and its place in the chunk.
func (w *worker) each(samples []games.Sample, visit func(i int, out float64)) {
	for len(samples) > 0 {
		k := copy(w.samples[:w.chunk], samples)
		w.gather(k)
		for i := range k {
			visit(i, w.forward(i))
		}
		samples = samples[k:]
	}
}

// judge returns the sum of the losses of samples.
func (w *worker) judge(samples []games.Sample) (sum float64) {
	w.each(samples, func(i int, out float64) {
		loss, _ := w.loss(i, out)
		sum += loss
	})
	return sum
}

// rate returns the learning rate of a step: up in a line, down along a cosine.
// Source: Loshchilov and Hutter, "SGDR", 2017.
func (c *Config) rate(step, steps int64) float64 {
	up := c.WarmUp * float64(steps)
	if x := float64(step + 1); x < up {
		return c.Rate * x / up
	}
	x := (float64(step) - up) / math.Max(1, float64(steps-1)-up)
	return c.RateEnd + (c.Rate-c.RateEnd)*0.5*(1+math.Cos(math.Pi*min(1, max(0, x))))
}
