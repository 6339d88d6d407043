package fit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// BenchmarkStep times whole steps at 256 wide on all threads; the metric is
// what counts.
func BenchmarkStep(b *testing.B) {
	set := randomGames(b, 10, 2000, 0)
	for _, path := range runnable(b) {
		b.Run(fmt.Sprint(path), func(b *testing.B) {
			tr := newTrainer(b, Default(256), set)
			tr.kernel = kernels[path]
			if err := tr.open(); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := tr.batch(); err != nil {
					b.Fatal(err)
				}
				tr.update(1000)
				tr.step++
			}
			b.ReportMetric(float64(tr.Seen())/b.Elapsed().Seconds(), "positions/s")
			b.ReportMetric(set.meanPieces(), "pieces")
		})
	}
}

// BenchmarkChunk times the gradient of 512 positions on one thread, with small
// layers and without. It is short enough to be measured on a busy machine: take
// the least of many runs. The weights are random ones, of which more products
// are not zero than later on.
func BenchmarkChunk(b *testing.B) {
	set := randomGames(b, 10, 2000, 0)
	for _, shape := range []nnue.Shape{
		{Width: 256}, {Width: 512}, {Width: 512, Layered: true}, {Width: 1024}, {Width: 1024, Layered: true},
	} {
		shape.Outputs, shape.Scale = 8, 150
		c := Default(shape.Width)
		c.Shape = shape
		for _, path := range runnable(b) {
			b.Run(fmt.Sprintf("%v/%v", shape, path), func(b *testing.B) {
				tr := newTrainer(b, c, set)
				tr.kernel = kernels[path]
				n, samples := 0, slices.Clone(set.source.(memory)) // in random order, as in a fit
				rand.New(rand.NewPCG(1, 1)).Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
				for b.Loop() {
					tr.workers[0].shard(tr.grads[0], samples[n%len(samples)&^511:][:512])
					n += 512
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/position")
			})
		}
	}
}

// meanPieces returns the pieces of a position in the mean, to which the work
// is in proportion.
func (s *Set) meanPieces() float64 {
	sum := 0
	all := s.source.(memory)
	for i := range all {
		sum += all[i].Occupied.Count()
	}
	return float64(sum) / float64(len(all))
}

// BenchmarkUpdate times the sum over the shards and the step of AdamW.
func BenchmarkUpdate(b *testing.B) {
	set := randomGames(b, 10, 10, 0)
	for _, path := range runnable(b) {
		b.Run(fmt.Sprint(path), func(b *testing.B) {
			tr := newTrainer(b, Default(256), set)
			tr.kernel = kernels[path]
			for b.Loop() {
				tr.update(1000)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*tr.config.Batch), "ns/position")
		})
	}
}
