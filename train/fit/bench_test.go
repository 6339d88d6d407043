package fit

import (
	"fmt"
	"testing"
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

// BenchmarkChunk times the gradient of 512 positions on one thread. It is
// short enough to be measured on a busy machine: take the least of many runs.
func BenchmarkChunk(b *testing.B) {
	set := randomGames(b, 10, 2000, 0)
	for _, path := range runnable(b) {
		b.Run(fmt.Sprint(path), func(b *testing.B) {
			tr := newTrainer(b, Default(256), set)
			tr.kernel = kernels[path]
			n, samples := 0, set.source.(memory)[:512]
			for b.Loop() {
				tr.workers[0].shard(tr.grads[0], samples)
				n += 512
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/position")
		})
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
