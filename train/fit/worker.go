package fit

import (
	"math"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/eval/wdl"
)

const (
	// maxBlock is the number of positions whose gradients are collected before they are
	// added to the first layer's: the more, the fewer passes over its 768 rows, but the
	// slopes of a group, 128 bytes for each of two accumulators a position, should stay in
	// the first-level cache.
	maxBlock = 128
	// chunkBytes bounds the accumulators that are in memory: they should stay in the cache.
	chunkBytes = 512 << 10
)

// worker passes positions through the network, forward and back. It owns its
// memory; each thread has one.
type worker struct {
	*Trainer
	lens     *[2][64]lens
	sorted   []Sample
	counts   []int         // working space of sortBy
	samples  []Sample      // of the block
	buckets  [maxBlock]int // of the output, by position of the block
	features []uint16      // of all positions of the block, the side to move first
	ends     []uint32      // where the lists of accumulators end in features, after a 0
	users    []uint16      // features turned: the accumulators that have a feature, by feature
	userEnds []uint32      // where their lists end in users, after a 0
	nextUser []uint32      // working space of turn
	chunk    int           // positions of a chunk
	first    int           // position of the block that the chunk begins with
	acc      []float32
	slopes   []float32 // of the block, by group of pairs and accumulator
	hidden   *hidden
}

func newWorker(t *Trainer) *worker {
	width := t.layout.width
	w := &worker{Trainer: t, lens: allLenses(&t.config.Shape)}
	w.userEnds, w.nextUser = make([]uint32, t.layout.rows+1), make([]uint32, t.layout.rows+1)
	w.chunk = max(8, min(maxBlock, chunkBytes/(2*4*width)))
	w.acc = aligned(2 * w.chunk * w.stride())
	w.features = make([]uint16, 0, 2*maxPieces*maxBlock)
	w.users = make([]uint16, 0, cap(w.features))
	w.slopes = aligned(width / 2 / group * slopesStep)
	w.hidden = newHidden(width, float32(t.config.Sparsity/float64(t.config.Batch)))
	return w
}

// slopesStep is the number of floats from a group of slopes to the next, a cache line
// more than they have, as of an accumulator, see stride.
const slopesStep = 2*maxBlock*2*group + 16

// stride is the number of floats from one accumulator to the next: a cache line
// more than they have, since the same neurons of all of them would share a few
// places in the caches if they lay a power of two apart.
func (w *worker) stride() int { return w.layout.width + 16 }

// row returns the accumulator of position i of the block, which must lie in the chunk,
// seen from a side: 0 the mover's.
func (w *worker) row(i, side int) []float32 {
	at := (2*(i-w.first) + side) * w.stride()
	return w.acc[at : at+w.layout.width]
}

// read makes samples the block, as many of them as it may have, and returns the others.
func (w *worker) read(samples []Sample) (rest []Sample) {
	n := min(len(samples), maxBlock)
	w.samples, rest = samples[:n], samples[n:]
	w.features, w.ends = w.features[:0], append(w.ends[:0], 0)
	for i := range w.samples {
		from := len(w.features)
		w.features = appendFeatures(w.features, w.lens, &w.samples[i])
		pieces := (len(w.features) - from) / 2
		w.ends = append(w.ends, uint32(from+pieces), uint32(len(w.features)))
		w.buckets[i] = w.config.Shape.OutputBucket(pieces)
	}
	return rest
}

// gather leaves the accumulators of the chunk that begins with a position of the block,
// and returns the position after it.
func (w *worker) gather(first int) (end int) {
	w.first, end = first, min(first+w.chunk, len(w.samples))
	for at := 0; at < w.layout.width; at += tile {
		rows := w.rows[w.layout.inTile(0, at):]
		w.kernel.gather(w.acc[at:], w.stride(), w.biases[at:], rows, w.features, w.ends[2*first:2*end+1])
	}
	return end
}

// forward returns the output for position i of the block, whose accumulators gather
// has left.
func (w *worker) forward(i int) float64 {
	l, bucket := &w.layout, w.buckets[i]
	offset := l.offset.of(w.used)[bucket]
	return float64(w.hidden.forward(w.kernel, l.stack(w.used, bucket), w.row(i, 0), w.row(i, 1)) + offset)
}

// pass passes samples through the network, a block after another. It calls visit with
// the output for each and its place in the block, and after each block done, unless that
// is nil.
func (w *worker) pass(samples []Sample, visit func(i int, out float64), done func()) {
	for len(samples) > 0 {
		samples = w.read(samples)
		for i := 0; i < len(w.samples); {
			for end := w.gather(i); i < end; i++ {
				visit(i, w.forward(i))
			}
		}
		if done != nil {
			done()
		}
	}
}

// loss returns the loss of an output for position i of the block and its derivative by
// the output.
func (w *worker) loss(i int, out float64) (loss, slope float64) {
	p := wdl.Sigmoid(out)
	d := p - target(&w.samples[i], w.config.Blend, w.config.ScoreScale)
	return float64(d * d), 2 * d * p * (1 - p)
}

// judge returns the sum of the losses of samples.
func (w *worker) judge(samples []Sample) (sum float64) {
	w.pass(samples, func(i int, out float64) {
		loss, _ := w.loss(i, out)
		sum += loss
	}, nil)
	return sum
}

// shard adds the gradient of the mean loss of a batch by the parameters, as
// far as these positions of it go, to grad. It returns the sum of their losses and a bit
// for each king bucket that they have.
func (w *worker) shard(grad []float32, samples []Sample) (sum float64, has uint16) {
	w.pass(w.byPieces(samples), func(i int, out float64) {
		loss, slope := w.loss(i, out)
		sum += loss
		w.back(grad, i, float32(slope/float64(w.config.Batch)))
	}, func() { has |= w.scatter(grad) })
	return sum, has
}

// byPieces returns samples in the order of their king buckets and numbers of pieces. Those of an output
// bucket share its weights while they are in the cache, and loops over features have
// the same length again and again, which the processor predicts.
func (w *worker) byPieces(samples []Sample) []Sample {
	if len(w.sorted) < len(samples) {
		w.sorted = make([]Sample, len(samples))
	}
	sorted := w.sorted[:len(samples)]
	w.counts = sortBy(sorted, samples, w.counts, func(s *Sample) int {
		return int(s.kings)*(maxPieces+1) + s.Occupied.Count()
	})
	return sorted
}

// byKings copies samples from src to dst in the order of their king buckets, so that a shard has gradients of few.
func (w *worker) byKings(dst, src []Sample) {
	for i := range src {
		src[i].kings = kingsOf(w.lens, &src[i])
	}
	w.counts = sortBy(dst, src, w.counts, func(s *Sample) int { return int(s.kings) })
}

// sortBy copies samples from src to dst in the order of their keys, and of src where they are equal. It works in counts
// and returns it, longer if need be.
func sortBy(dst, src []Sample, counts []int, key func(*Sample) int) []int {
	clear(counts)
	for i := range src {
		k := key(&src[i])
		for len(counts) < k+2 {
			counts = append(counts, 0)
		}
		counts[k+1]++
	}
	for i := range counts[:len(counts)-1] {
		counts[i+1] += counts[i]
	}
	for i := range src {
		at := &counts[key(&src[i])]
		dst[*at] = src[i]
		*at++
	}
	return counts
}

// back takes the derivative d of the loss by the output of position i, the last
// that went forward, back: the gradients of what follows the first layer and of its
// biases go to grad, those of its pairs of neurons to slopes.
func (w *worker) back(grad []float32, i int, d float32) {
	l, bucket := &w.layout, w.buckets[i]
	l.offset.of(grad)[bucket] += d
	w.hidden.back(w.kernel, l.stack(w.used, bucket), l.stack(grad, bucket), d)
	half := l.width / 2
	for side := range 2 {
		products := w.hidden.dProducts[side*half:][:half]
		w.kernel.slopes(w.slopes[(2*i+side)*2*group:], slopesStep, w.row(i, side), products, l.biases.of(grad))
	}
}

// scatter adds the slopes of the block to the gradients of the first layer's rows. It returns a bit for each king
// bucket that the block has.
func (w *worker) scatter(grad []float32) (has uint16) {
	w.turn()
	for i := range w.layout.width / 2 / group {
		for row := 0; row < w.layout.rows; row += nnue.Inputs {
			ends := w.userEnds[row:][:nnue.Inputs+1]
			if ends[0] == ends[nnue.Inputs] {
				continue
			}
			w.kernel.scatter(grad[w.layout.weight(row, i*group):], w.slopes[i*slopesStep:], w.users, ends)
			has |= 1 << (row / nnue.Inputs)
		}
	}
	return has
}

// turn lists the accumulators of the block by the features they have, in order.
func (w *worker) turn() {
	clear(w.userEnds)
	for _, f := range w.features {
		w.userEnds[f+1]++
	}
	for f := range w.layout.rows {
		w.userEnds[f+1] += w.userEnds[f]
	}
	copy(w.nextUser, w.userEnds)
	w.users = w.users[:len(w.features)]
	for user, end := range w.ends[1:] {
		for _, f := range w.features[w.ends[user]:end] {
			at := &w.nextUser[f]
			w.users[*at] = uint16(user)
			*at++
		}
	}
}

// rate returns the learning rate of a step: up in a line, down along a cosine.
// Source: Loshchilov and Hutter, "SGDR", 2017.
func (c *Config) rate(step, steps int64) float64 {
	up := c.WarmUp * float64(steps)
	if x := float64(step + 1); x < up {
		return c.Rate * x / up
	}
	x := (float64(step) - up) / math.Max(1, float64(steps-1)-up)
	return c.RateEnd + float64((c.Rate-c.RateEnd)*0.5*(1+cosine(math.Pi*min(1, max(0, x)))))
}

// cosine returns cos x for x from 0 to π by its Taylor series, to 14 digits. It is here, as
// power is, because math.Cos and math.Pow round differently on processors that multiply
// and add at once.
func cosine(x float64) float64 {
	square, term, sum := float64(x*x), 1.0, 1.0
	for n := 2.0; n <= 30; n += 2 {
		term = -float64(term*square) / (n * (n - 1))
		sum += term
	}
	return sum
}

// power returns x^n.
func power(x float64, n int64) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			y *= x
		}
		x *= x
	}
	return y
}
