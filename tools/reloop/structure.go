package main

import (
	"encoding/binary"
	"errors"
	"slices"
)

// structured returns the function's body with loops and ifs. old is the function to
// call in its place if it goes on at another place than its start, -1 for none.
func (f *function) structured(old int) ([]byte, error) {
	f.thread()
	g, err := f.graph()
	if err != nil {
		return nil, err
	}
	w := &writer{graph: g, out: slices.Clone(f.locals)}
	if old >= 0 {
		w.put(opLocalGet, 0)
		w.put(opIf, emptyType, opLocalGet, 0, opCall)
		w.number(old)
		w.put(opReturn, opEnd)
	}
	w.put(opGlobalGet, 0, opLocalSet, 1)
	if f.unwinds {
		w.open(opBlock, label{kind: ofUnwind})
	}
	w.tree(f.entry)
	w.put(opUnreachable)
	if f.unwinds {
		w.close()
		w.put(opI32Const, 1)
	}
	w.put(opEnd)
	return w.out, nil
}

// thread leads each edge past blocks without code.
func (f *function) thread() {
	past := func(n int) int {
		for range len(f.blocks) { // a loop of such blocks stays
			if b := &f.blocks[n]; len(b.code) > 0 || len(b.to) != 1 {
				break
			}
			n = f.blocks[n].to[0]
		}
		return n
	}
	for n := range f.blocks {
		b := &f.blocks[n]
		for k := range b.to {
			b.to[k] = past(b.to[k])
		}
		if len(b.to) == 2 && b.to[0] == b.to[1] {
			b.code = append(b.code, stretch{raw: []byte{opDrop}})
			b.to = b.to[:1]
		}
	}
	f.entry = past(f.entry)
}

// graph is the reachable blocks of a function with what their order tells.
type graph struct {
	*function
	order     []int   // reverse postorder
	place     []int   // by block: in order, -1 if unreachable
	dominator []int   // by block: the immediate one, of the entry itself
	loops     []bool  // by block: an edge leads back to it
	merges    []bool  // by block: two edges lead forward to it
	below     [][]int // by block: the merges it is the immediate dominator of, the last in order first
}

var errIrreducible = errors.New("irreducible")

func (f *function) graph() (*graph, error) {
	n := len(f.blocks)
	g := &graph{
		function: f, place: make([]int, n), dominator: make([]int, n),
		loops: make([]bool, n), merges: make([]bool, n), below: make([][]int, n),
	}
	g.number()
	before := make([][]int, n) // the predecessors
	for _, x := range g.order {
		for _, y := range f.blocks[x].to {
			before[y] = append(before[y], x)
		}
	}
	g.dominate(before)
	for _, y := range g.order {
		forward := 0
		for _, x := range before[y] {
			if g.place[x] < g.place[y] {
				forward++
				continue
			}
			if !g.dominates(y, x) {
				return nil, errIrreducible
			}
			g.loops[y] = true
		}
		g.merges[y] = forward > 1
	}
	for _, y := range slices.Backward(g.order) {
		if g.merges[y] {
			d := g.dominator[y]
			g.below[d] = append(g.below[d], y)
		}
	}
	return g, nil
}

// number sets order and place.
func (g *graph) number() {
	for i := range g.place {
		g.place[i] = -1
	}
	type visit struct{ block, next int }
	stack := []visit{{g.entry, 0}}
	g.place[g.entry] = 0
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		to := g.blocks[top.block].to
		if top.next == len(to) {
			g.order = append(g.order, top.block)
			stack = stack[:len(stack)-1]
			continue
		}
		// The first edge is visited last, so that its block comes first in order.
		y := to[len(to)-1-top.next]
		top.next++
		if g.place[y] < 0 {
			g.place[y] = 0
			stack = append(stack, visit{y, 0})
		}
	}
	slices.Reverse(g.order)
	for i, x := range g.order {
		g.place[x] = i
	}
}

// dominate sets dominator. Source: K. Cooper, T. Harvey, K. Kennedy, "A Simple,
// Fast Dominance Algorithm", 2001.
func (g *graph) dominate(before [][]int) {
	for i := range g.dominator {
		g.dominator[i] = -1
	}
	g.dominator[g.entry] = g.entry
	for changed := true; changed; {
		changed = false
		for _, y := range g.order[1:] {
			d := -1
			for _, x := range before[y] {
				switch {
				case g.dominator[x] < 0:
				case d < 0:
					d = x
				default:
					d = g.common(d, x)
				}
			}
			if g.dominator[y] != d {
				g.dominator[y], changed = d, true
			}
		}
	}
}

// common returns the nearest block that dominates both.
func (g *graph) common(x, y int) int {
	for x != y {
		for g.place[x] > g.place[y] {
			x = g.dominator[x]
		}
		for g.place[y] > g.place[x] {
			y = g.dominator[y]
		}
	}
	return x
}

// dominates reports whether every way to y leads through x.
func (g *graph) dominates(x, y int) bool {
	for g.place[y] > g.place[x] {
		y = g.dominator[y]
	}
	return x == y
}

// label is a construct around the code being written.
type label struct{ kind, block int }

const (
	ofIf     = iota // nothing branches to it
	ofLoop          // continues at block
	ofMerge         // leads to block
	ofUnwind        // leads out of the function
)

// writer writes the code of a graph.
type writer struct {
	*graph
	out    []byte
	labels []label
}

func (w *writer) put(code ...byte) { w.out = append(w.out, code...) }
func (w *writer) number(v int)     { w.out = binary.AppendUvarint(w.out, uint64(v)) }

func (w *writer) open(op byte, l label) {
	w.put(op, emptyType)
	w.labels = append(w.labels, l)
}

func (w *writer) close() {
	w.put(opEnd)
	w.labels = w.labels[:len(w.labels)-1]
}

// branch writes a branch to a construct, from depth constructs further in.
func (w *writer) branch(op byte, to label, depth int) {
	w.put(op)
	w.number(len(w.labels) - 1 - slices.Index(w.labels, to) + depth)
}

// tree writes block x and the blocks that it dominates.
func (w *writer) tree(x int) {
	if w.loops[x] {
		w.open(opLoop, label{ofLoop, x})
		defer w.close()
	}
	for _, y := range w.below[x] {
		w.open(opBlock, label{ofMerge, y})
	}
	w.block(x)
	for _, y := range slices.Backward(w.below[x]) {
		w.close()
		w.tree(y)
	}
}

// block writes the code of x and what follows it but for the merges that x dominates.
func (w *writer) block(x int) {
	b := &w.blocks[x]
	for _, p := range b.code {
		if p.branch == 0 {
			w.put(p.raw...)
		} else {
			w.branch(p.branch, label{kind: ofUnwind}, p.depth)
		}
	}
	switch len(b.to) {
	case 1:
		w.follow(x, b.to[0])
	case 2:
		if to, ok := w.leads(x, b.to[0]); ok {
			w.branch(opBrIf, to, 0)
		} else {
			w.open(opIf, label{kind: ofIf})
			w.tree(b.to[0])
			w.close()
		}
		w.follow(x, b.to[1])
	}
}

// leads returns the construct that the edge from x to y branches to; not ok where
// y is written in its place.
func (w *writer) leads(x, y int) (to label, ok bool) {
	switch {
	case w.place[y] <= w.place[x]:
		return label{ofLoop, y}, true
	case w.merges[y]:
		return label{ofMerge, y}, true
	}
	return label{}, false
}

// follow writes the edge from x to y.
func (w *writer) follow(x, y int) {
	if to, ok := w.leads(x, y); ok {
		w.branch(opBr, to, 0)
	} else {
		w.tree(y)
	}
}
