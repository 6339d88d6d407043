package uci

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// Searcher is the part of a search engine that the protocol needs; *search.Engine implements it. A search
// blocks and may be stopped from another goroutine by Stop; a search with
// Infinite or Ponder set returns only after Stop, or PonderHit for Ponder.
type Searcher interface {
	// SetHash sets the size of the transposition table in MiB, without waiting
	// for its memory. On an error the old table stays.
	SetHash(mib int) error
	// Ready waits until the memory of the table is allocated, and does what Clear has put off. A search does not need
	// this.
	Ready()
	// Memory returns the size of the table and the state of its memory.
	Memory() search.Memory
	// SetParam sets a parameter of the search.
	SetParam(name string, value int) error
	// SetThreads makes the number of search threads n, 1 to search.MaxThreads.
	SetThreads(n int) error
	// Network returns the network that evaluates.
	Network() *nnue.Network
	// SetNetwork sets the network that evaluates and clears the table.
	SetNetwork(n *nnue.Network)
	// SetTables sets the endgame tables; the options of a search say which it uses.
	SetTables(t *syzygy.Tables)
	// SetStrength limits the playing strength.
	SetStrength(search.Strength) error
	// Clear clears the table and the histories, these by the next call of Ready or search.
	Clear()
	// Prepare returns a function that finds the best move in p and calls report for each line on the way. From now on
	// Stop and PonderHit apply to that search, even if it has not begun.
	Prepare(p *chess.Position, l search.Limits, o search.Options, report func(search.Info)) (run func() search.Result)
	// Stop ends the current search, if there is one.
	Stop()
	// PonderHit tells the current search that the expected move was played.
	PonderHit()
}

// SessionConfig says how the engine introduces itself and which kind of session it
// is in.
type SessionConfig struct {
	Name    string // engine name and version, for "id name"
	Author  string // for "id author"
	Attacks string // the attack path and why it was chosen; printed at the first go and by d
	Kernels string // the evaluation path and why it was chosen; printed likewise
	Build   string // what "compiler" prints: toolchain and system, lines parted by \n

	// Path is the attack path of "go perft"; empty means [movegen.DefaultPath].
	Path string
}
