package fit

import (
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// BenchmarkShard measures the gradients of a part of a batch, of 2,048 positions, at the
// embedded network.
func BenchmarkShard(b *testing.B) {
	n := nnue.Embedded()
	config := Default(n.Shape().Width)
	config.Shape = n.Shape()
	set := randomGames(b, 1, 30, 0)
	defer set.Close()
	t, err := New(config, set)
	if err != nil {
		b.Fatal(err)
	}
	t.startFrom(n)
	if err := t.open(); err != nil {
		b.Fatal(err)
	}
	defer t.stream.close()
	samples := make([]Sample, config.Batch/config.Shards)
	if err := t.stream.fill(samples); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		t.workers[0].shard(t.grads[0], samples)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(samples)), "ns/position")
}

// BenchmarkLoad measures the loading of 2,000 games, from the file to the scratch file.
func BenchmarkLoad(b *testing.B) {
	name := writeGames(b, 1, 2000)
	for b.Loop() {
		load(b, LoadOptions{}, name).Close()
	}
}
