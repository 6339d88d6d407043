package uci

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// Engine is what the protocol needs of a search; *search.Engine is one. Search
// blocks and may be stopped from another goroutine by Stop; a search with
// Infinite or Ponder set returns only after Stop, or PonderHit for Ponder.
type Engine interface {
	// SetHash sets the size of the transposition table in MiB, without waiting
	// for its memory. On an error the old table stays.
	SetHash(mib int) error
	// Ready waits until the memory of the table is at hand, as a search need not.
	Ready()
	// HashNote tells the size of the table and what memory it lies in.
	HashNote() string
	// Lend lends the empty table's memory to use, which returns how many lines, from the
	// first on, it may have written to. These are emptied.
	Lend(use func(lines [][8]uint64) (written int))
	// SetParam searches with the number of the search called name at value.
	SetParam(name string, value int) error
	// SetThreads makes the number of search threads n, 1 to search.MaxThreads.
	SetThreads(n int) error
	// Network returns the network that evaluates.
	Network() *nnue.Network
	// SetNetwork evaluates with n from now on and forgets what was learnt.
	SetNetwork(n *nnue.Network)
	// SetTables gives the engine endgame tables; a search uses those that its
	// options name.
	SetTables(t *syzygy.Tables)
	// SetStrength holds the engine to a strength.
	SetStrength(search.Strength) error
	// Clear forgets everything learnt from earlier searches.
	Clear()
	// Arm announces a Search with the limits l: from now on Stop and PonderHit
	// count for it, although it may not have begun.
	Arm(l search.Limits)
	// Search looks for the best move in p, calling report as it learns more.
	Search(p *chess.Position, l search.Limits, o search.Options, report func(search.Info)) search.Result
	// Stop ends the search under way; harmless when there is none.
	Stop()
	// PonderHit tells the search under way that the expected move was played.
	PonderHit()
}

// Config says how the engine introduces itself and which kind of session it
// is in.
type Config struct {
	Name    string // engine name and version, for "id name"
	Author  string // for "id author"
	Attacks string // which attack path runs, why, and in which parts; told at the first go and by d
	Kernels string // which evaluation path runs and why, told likewise
	Build   string // what "compiler" prints: toolchain and system, lines parted by \n

	// Path is the attack path of "go perft"; empty means the best one here.
	Path string
}
