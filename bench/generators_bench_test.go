package main

import (
	"fmt"
	"testing"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/bench/timing"
)

// BenchmarkGenerators is perft of every generator, named so that
//
//	go test -run '^$' -bench Generators -count 10 ./bench | tee new.txt
//	go tool benchstat -col /generator new.txt
//
// compares them.
func BenchmarkGenerators(b *testing.B) {
	positions := timing.Positions()
	for _, c := range []struct {
		position *timing.Position
		depth    int
	}{{positions[0], 4}, {positions[1], 3}} {
		for _, g := range generator.Supported() {
			b.Run(fmt.Sprintf("position=%s/depth=%d/generator=%s", c.position.Key, c.depth, g.Name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if nodes, err := g.Perft(c.position.FEN, c.depth); err != nil || nodes != c.position.Nodes(c.depth) {
						b.Fatalf("%s: Perft(%d) = %d, %v, want %d", c.position.FEN, c.depth, nodes, err, c.position.Nodes(c.depth))
					}
				}
				b.ReportMetric(float64(c.position.Nodes(c.depth))*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
			})
		}
	}
}
