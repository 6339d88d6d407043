package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/test/kit"
)

// depths by position: some million leaves, but for the slowest generators not too many.
var depths = map[string]int{"start": 5, "kiwipete": 4, "endgame": 6, "promotions": 4, "openking": 4, "middlegame": 4}

// BenchmarkGenerators is perft of every generator, and of the go perft of the engine that
// ENGINE names, such as stockfish. Every count is checked. make bench and make speed show
// the results.
func BenchmarkGenerators(b *testing.B) {
	gens := generator.Supported()
	engine := startEngine(b)
	for _, p := range generator.Positions() {
		depth := depths[p.Key]
		name := fmt.Sprintf("position=%s/depth=%d/generator=", p.Key, depth)
		check := func(b *testing.B, nodes uint64, err error) {
			if err != nil || nodes != p.Nodes(depth) {
				b.Fatalf("%s: perft %d = %d, %v, want %d", p.FEN, depth, nodes, err, p.Nodes(depth))
			}
		}
		for _, g := range gens {
			b.Run(name+g.Name, func(b *testing.B) {
				b.ReportAllocs()
				if _, err := g.Perft(p.FEN, 1); err != nil { // some generators make their tables now
					b.Fatal(err)
				}
				for b.Loop() {
					nodes, err := g.Perft(p.FEN, depth)
					check(b, nodes, err)
				}
				b.ReportMetric(float64(p.Nodes(depth))*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
			})
		}
		if engine != nil {
			root := kit.Position(b, p.FEN)
			b.Run(name+strings.ReplaceAll(engine.Name, " ", "_"), func(b *testing.B) {
				var counting time.Duration // without the position and the waiting for readyok
				for b.Loop() {
					start := time.Now()
					nodes, err := engine.Perft(root, depth)
					counting += time.Since(start)
					check(b, nodes, err)
				}
				b.ReportMetric(float64(p.Nodes(depth))*float64(b.N)/counting.Seconds(), "nodes/s")
			})
		}
	}
}

// startEngine returns the engine to compare with, nil where none is asked for.
func startEngine(b *testing.B) *generator.External {
	line := os.Getenv("ENGINE")
	if line == "" {
		return nil
	}
	e, err := generator.StartEngine(b.Context(), line)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.Close)
	return e
}
