//go:build !tabula_rules

package session

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// Config configures a [Service].
type Config struct {
	Version   string // of the program, for hello
	Transport string // how messages travel, for hello: server, worker or stream

	Engines int // that search at once; 0: 1
	Threads int // of each engine; 0: 1
	Hash    int // MiB of each engine's transposition table; 0: 16

	// Shared means that sessions belong to different users: none may change the engines' options.
	// If it is false, there is one engine.
	Shared bool

	// Home is the directory of a user's data: the database "games", exercises and reviews; "" for none.
	Home string

	Search time.Duration // maximum search time of one request; 0 for no limit
	Tables []string      // directories with more endgame tables
}

// engines is the part of a service that searches.
type engines struct {
	config   Config
	defaults values // of a new session's own options
	pool     pool
	tables   *syzygy.Tables

	home   sync.Mutex // for changes of the exercises
	sheets sheets

	mu     sync.Mutex
	values values // of the engines' options
}

// maxEngines bounds the engines of a service.
const maxEngines = 1024

// player is the part of a session that belongs to the engines and the user's data.
type player struct {
	client client
	own    values                        // of the session's options; used only on the goroutine of Run
	parts  atomic.Pointer[io.PipeWriter] // of the file that is imported
}

// player returns that part of a new session.
func (e *engines) player() *player { return &player{own: maps.Clone(e.defaults)} }

// engineHandlers returns the handlers of the requests that need the engine, its network or a database.
func engineHandlers() map[string]handler {
	return map[string]handler{
		"hello":     answer((*Session).hello),
		"analyse":   begin((*Session).analyse),
		"play":      begin((*Session).play),
		"hint":      begin((*Session).hint),
		"review":    begin((*Session).review),
		"evaluate":  answer((*Session).evaluate),
		"tablebase": answer((*Session).tablebase),
		"explore":   begin((*Session).explore),
		"game":      begin((*Session).game),
		"import":    begin((*Session).importGames),
		"part":      begin((*Session).part),
		"drop":      begin((*Session).drop),
		"survey":    begin((*Session).survey),
		"exercise":  begin((*Session).exercise),
		"try":       begin((*Session).try),
		"answer":    begin((*Session).answer),
		"learn":     begin((*Session).learn),
		"forget":    begin((*Session).forget),
		"exercises": begin((*Session).exercises),
		"option":    handle((*Session).option),
	}
}

// New returns a service and creates its engines. Errors: numbers out of bounds, not enough memory,
// unreadable directories.
func New(config Config) (*Service, error) {
	if config.Engines == 0 || !config.Shared {
		config.Engines = 1
	}
	config.Threads, config.Hash = cmp.Or(config.Threads, 1), cmp.Or(config.Hash, uci.DefaultHash)
	if config.Engines < 0 || config.Engines > maxEngines {
		return nil, fmt.Errorf("%d engines, want 1 to %d", config.Engines, maxEngines)
	}
	tables, err := syzygy.Open(config.Tables...)
	if err != nil {
		_ = tables.Close() // err is already known
		return nil, err
	}
	s := newService(ruleHandlers(), engineHandlers())
	s.config, s.longest = config, config.Search
	if runtime.GOOS != "js" { // there the program of the rules answers these, and the engine is loaded over the network
		maps.Copy(s.handlers, labHandlers())
	}
	s.defaults, s.tables, s.pool.longest, s.pool.shortest = defaultValues(), tables, longestTurn, shortestTurn
	s.values = values{"Hash": config.Hash, "Threads": config.Threads}
	for range config.Engines {
		e, err := search.NewEngine(config.Hash)
		if err == nil {
			s.pool.idle = append(s.pool.idle, e)
			err = e.SetThreads(config.Threads)
		}
		if err != nil {
			s.Close()
			return nil, fmt.Errorf("engines: %w", err)
		}
		e.SetTables(tables)
	}
	return s, nil
}

// Close releases the engines and the tables. No session may be running.
func (s *Service) Close() {
	s.pool.close()
	s.sheets.close()
	_ = s.tables.Close() // read-only files
}
