package x88

import (
	"fmt"
	"io"
	"time"
)

// Perft counts the leaves of the tree of legal moves depth half-moves deep;
// it is 1 for depth 0 and below. The last ply is counted, not played. It does
// not allocate once the lists of that many depths exist.
func (b *Board) Perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	b.reserve(depth)
	return b.perft(depth)
}

func (b *Board) perft(depth int) uint64 {
	list := &b.lists[depth]
	b.generate(list)
	check := b.InCheck()
	nodes := uint64(0)
	for _, m := range list.all() {
		switch {
		case !b.legal(m, check):
		case depth == 1:
			nodes++
		default:
			b.do(m)
			nodes += b.perft(depth - 1)
			b.undo()
		}
	}
	return nodes
}

// PerftTable writes the perft of depths 1 to depth with its time, one line
// each. Speed is left out where the time is too short to measure. Errors are
// those of w.
//
//	depth           nodes     seconds        nodes/s
//	    1              20       0.000              -
//	    5         4865609       0.071       68529704
func (b *Board) PerftTable(w io.Writer, depth int) error {
	if _, err := fmt.Fprintf(w, "depth %15s %11s %14s\n", "nodes", "seconds", "nodes/s"); err != nil {
		return err
	}
	for d := 1; d <= depth; d++ {
		start := time.Now()
		nodes := b.Perft(d)
		elapsed := time.Since(start)
		speed := "-"
		if elapsed >= time.Millisecond {
			speed = fmt.Sprintf("%.0f", float64(nodes)/elapsed.Seconds())
		}
		if _, err := fmt.Fprintf(w, "%5d %15d %11.3f %14s\n", d, nodes, elapsed.Seconds(), speed); err != nil {
			return err
		}
	}
	return nil
}
