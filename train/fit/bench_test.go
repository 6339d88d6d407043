package fit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// BenchmarkChunk times the gradient of 512 positions on one thread. It is short enough to be measured on a busy machine: take
// the least of many runs. The weights are random ones, of which more products
// are not zero than later on.
func BenchmarkChunk(b *testing.B) {
	set := randomGames(b, 10, 2000, 0)
	for _, width := range []int{512, 1024} {
		c := Default(width)
		for _, path := range runnable(b) {
			b.Run(fmt.Sprintf("%v/%v", c.Shape, path), func(b *testing.B) {
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
