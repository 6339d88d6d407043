package x88

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
