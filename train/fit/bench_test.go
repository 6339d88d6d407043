package fit

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tabula-chess/tabula/train/games"
)

// BenchmarkChunk times the gradient of 2048 positions on one thread. It is short enough to be measured on a busy machine: take
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
				n, samples := 0, make([]games.Sample, 1<<16)
				if err := errors.Join(tr.open(), tr.stream.Next(samples)); err != nil {
					b.Fatal(err)
				}
				for b.Loop() {
					tr.workers[0].shard(tr.grads[0], samples[n%len(samples):][:2048])
					n += 2048
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/position")
			})
		}
	}
}
