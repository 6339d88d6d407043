package fit

import (
	"fmt"
	"testing"
)

// BenchmarkStep times steps at 256 wide on all threads; the metric is what
// counts.
func BenchmarkStep(b *testing.B) {
	set := randomGames(b, 10, 2000, 0)
	for _, path := range paths(b) {
		b.Run(fmt.Sprint(path), func(b *testing.B) {
			c := Default(256)
			tr := newTrainer(b, c, set)
			tr.kernel = kernels[path]
			for b.Loop() {
				tr.batch()
				tr.update(1000)
				tr.step++
			}
			b.ReportMetric(float64(tr.Seen())/b.Elapsed().Seconds(), "positions/s")
		})
	}
}
