package session

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// Config says what a [Board] is made of.
type Config struct {
	Version   string // of the program, for hello
	Transport string // how messages travel, for hello: server, worker or stream

	Engines int // that search at once; 0: 1
	Threads int // of each engine; 0: 1
	Hash    int // MiB of each engine's transposition table; 0: 16

	// Shared says that sessions are strangers to each other: none may change
	// the engines' options. Without it there is one engine.
	Shared bool

	// Games opens the database of games, as it is then; nil for none.
	Games func() (*games.DB, error)

	Search time.Duration // that one request may search; 0 for no bound
	Tables []string      // directories of endgame tables, besides those of the program
}

// Board holds the engines that its sessions share.
type Board struct {
	config Config
	pool   pool
	weak   pool // engines held to a strength, made when the first is asked for
	tables *syzygy.Tables
	making sync.Mutex // guards weaks
	weaks  int        // engines that weak has

	readers   pool // turns at reading games
	reviewers pool // turns at reviewing a game
	labs      pool // turns at what package lab counts and searches
	large     pool // turns of messages that are large

	tidy *time.Timer // gives the memory of large messages back to the system

	threads, hash atomic.Int32 // of each engine
}

// maxEngines bounds the engines of a board.
const maxEngines = 1024

// How many sessions may do at once what takes memory: have games read, have one
// reviewed, count moves, and have a large message that is not answered.
const (
	readers   = 2
	reviewers = 8
	labs      = 2
	largeOnes = 8
)

// tidyTime is how long after the last large message its memory is given back.
const tidyTime = time.Second

// New returns a board with its engines made. Errors: numbers out of bounds, memory
// that cannot be had, directories that cannot be read.
func New(config Config) (*Board, error) {
	if config.Engines == 0 || !config.Shared {
		config.Engines = 1
	}
	config.Threads, config.Hash = cmp.Or(config.Threads, 1), cmp.Or(config.Hash, uci.DefaultHash)
	if config.Engines < 0 || config.Engines > maxEngines {
		return nil, fmt.Errorf("%d engines, want 1 to %d", config.Engines, maxEngines)
	}
	tables, err := syzygy.Open(config.Tables...)
	if err != nil {
		_ = tables.Close() // the reason is told already
		return nil, err
	}
	b := &Board{
		config: config, tables: tables, readers: newSlots(readers), reviewers: newSlots(reviewers), large: newSlots(largeOnes), labs: newSlots(labs),
	}
	b.tidy = time.AfterFunc(tidyTime, func() {
		debug.FreeOSMemory()
		debug.FreeOSMemory() // what pools of encoding/json hold is free after the second collection
	})
	b.tidy.Stop()
	b.pool.times, b.weak.times = usualTurns(), usualTurns()
	b.threads.Store(int32(config.Threads))
	b.hash.Store(int32(config.Hash))
	for range config.Engines {
		e, err := search.NewEngine(config.Hash)
		if err == nil {
			b.pool.idle = append(b.pool.idle, e)
			err = e.SetThreads(config.Threads)
		}
		if err != nil {
			b.Close()
			return nil, fmt.Errorf("engines: %w", err)
		}
		e.SetTables(tables)
	}
	return b, nil
}

// weakHash is the transposition table, in MiB, of an engine held to a strength: it
// looks at few positions, and forgets them for every move.
const weakHash = 1

// weakEngines is how many of them there are. None takes longer than some
// milliseconds for a move.
const weakEngines = 2

// weakPool returns the engines that are held to a strength. They are others than
// those that analyse: what those know must not help, nor be forgotten.
func (b *Board) weakPool() (*pool, error) {
	b.making.Lock()
	defer b.making.Unlock()
	for ; b.weaks < weakEngines; b.weaks++ {
		e, err := search.NewEngine(weakHash)
		if err != nil {
			return nil, fmt.Errorf("engines: %w", err)
		}
		e.SetTables(b.tables)
		b.weak.add(e)
	}
	return &b.weak, nil
}

// Close releases the engines and the tables. No session may be under way.
func (b *Board) Close() {
	b.tidy.Stop()
	b.pool.close()
	b.weak.close()
	_ = b.tables.Close() // read-only files
}
