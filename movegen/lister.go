package movegen

import (
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen/count"
)

// moveList has room for the moves of any position.
type moveList [chess.MaxMoves]chess.Move

// lister is a way to list moves. All give the same moves in the same order;
// that of listByGo is the specification.
type lister uint8

const (
	undecided lister = iota
	listsByGo
	listsByPext
	listsByAVX512
)

// listerOf returns how moves are listed on a path. The one without PEXT has no
// kernel of its own.
func listerOf(path count.Path) lister {
	switch path {
	case count.Pext:
		return listsByPext
	case count.AVX512:
		return listsByAVX512
	}
	return listsByGo
}

// decided is the lister of the process's default path once it is known.
var decided atomic.Uint32

// defaultLister returns how the process lists moves. It is count.Default
// without a call, which matters at the price of a list.
func defaultLister() lister {
	if l := decided.Load(); l != uint32(undecided) {
		return lister(l)
	}
	return decide()
}

func decide() lister {
	l := listerOf(count.Default().Path())
	decided.Store(uint32(l))
	return l
}

// ListerName tells how moves are listed on a path: magic, pext or avx512.
func ListerName(path count.Path) string {
	switch listerOf(path) {
	case listsByPext:
		return count.Pext.String()
	case listsByAVX512:
		return count.AVX512.String()
	}
	return count.Magic.String()
}

// listByGo lists in plain Go with magic look-ups.
func listByGo(p *chess.Position, stage Stage, list *moveList) int {
	g := generator{p: p, list: list}
	g.run(stage)
	return g.n
}
