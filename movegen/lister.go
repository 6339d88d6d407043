package movegen

import (
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
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

// listerOf returns how moves are listed on a path. Path AVX2 has no kernel of its own
// for lists: it uses that of PEXT where PEXT is fast, which is nearly everywhere.
func listerOf(path Path) lister {
	switch {
	case path == AVX512:
		return listsByAVX512
	case path == Pext, path == AVX2 && Pext.Supported() == nil && !pextIsSlow():
		return listsByPext
	}
	return listsByGo
}

// decided is the lister of the process's default path once it is known.
var decided atomic.Uint32

// defaultLister returns how the process lists moves. It is DefaultPath
// without a call, which matters at the price of a list.
func defaultLister() lister {
	if l := decided.Load(); l != uint32(undecided) {
		return lister(l)
	}
	return decide()
}

func decide() lister {
	l := listerOf(DefaultPath())
	decided.Store(uint32(l))
	return l
}

// ListerName returns the lister of a path: magic, pext or avx512.
func ListerName(path Path) string {
	switch listerOf(path) {
	case listsByPext:
		return Pext.String()
	case listsByAVX512:
		return AVX512.String()
	}
	return Magic.String()
}

// listByGo lists in plain Go with magic look-ups.
func listByGo(p *chess.Position, stage Stage, list *moveList) int {
	g := generator{p: p, list: list}
	g.run(stage)
	return g.n
}
