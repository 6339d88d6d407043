package movegen

import (
	"sync/atomic"

	"github.com/tabula-chess/tabula/chess"
)

// moveList has room for the moves of any position.
type moveList [chess.MaxMoves]chess.Move

// ListPath returns the path that lists moves on a path: itself, Pext for AVX2, which has no kernel of its own for
// lists, where PEXT is fast, and Magic, plain Go, for all others. All give the same moves in the same order; that of
// Magic is the specification.
func ListPath(path Path) Path {
	switch {
	case path == AVX512, path == Pext:
		return path
	case path == AVX2 && Pext.Supported() == nil && !pextIsSlow():
		return Pext
	}
	return Magic
}

// decided is ListPath of the process's default path, plus 1, once it is known.
var decided atomic.Uint32

// defaultList returns how the process lists moves. It is ListPath(DefaultPath()) without a call, which matters at the
// price of a list.
func defaultList() Path {
	if l := decided.Load(); l > 0 {
		return Path(l - 1)
	}
	return decide()
}

func decide() Path {
	l := ListPath(DefaultPath())
	decided.Store(uint32(l) + 1)
	return l
}

// listByGo lists in plain Go with magic look-ups.
func listByGo(p *chess.Position, stage Stage, list *moveList) int {
	g := generator{p: p, list: list}
	g.run(stage)
	return g.n
}
