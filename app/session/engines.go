package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
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
	Warn   func(error)   // is called with the error of a damaged table; nil for nobody
}

// engines answers the requests that need an engine, its network or a user's data.
type engines struct {
	config Config
	idle   chan *search.Engine
	tables *syzygy.Tables

	longest, shortest time.Duration // of a turn

	home     sync.Mutex // for changes of the exercises, and of the sites that are allowed
	sheets   sheets
	fetching map[string]*call // by the key of the site; guarded by home

	mu     sync.Mutex
	values map[string]int // of the engines' options
}

// maxEngines bounds the engines of a service.
const maxEngines = 1024

// How long a search keeps an engine while others wait: the longest time divided by the number of
// those that wait, but at least the shortest. In its next turn a search starts again, with its results
// still in the transposition table.
const (
	longestTurn  = 900 * time.Millisecond
	shortestTurn = 100 * time.Millisecond
)

// errCut ends a turn.
var errCut = errors.New("others wait for the engine")

// handlers returns the handlers of the requests.
func (e *engines) handlers() map[string]handler {
	return map[string]handler{
		"hello":      handle(e.hello),
		"position":   handleAt(showPosition),
		"pgn":        handle(readGames),
		"write":      handle(writeGames),
		"explain":    handleAt(explain),
		"divide":     handleAt(divide),
		"race":       handleAt(race),
		"analyse":    handleAt(e.analyse),
		"play":       handleAt(e.play),
		"review":     handle(e.review),
		"evaluate":   handleAt(evaluate),
		"tablebase":  handleAt(e.tablebase),
		"explore":    handleAt(e.explore),
		"game":       handle(e.game),
		"import":     handle(e.importGames),
		"part":       handle(e.part),
		"drop":       handle(e.drop),
		"sites":      handle(e.sites),
		"fetch":      handle(e.fetch),
		"survey":     handle(e.survey),
		"repertoire": handle(e.repertoire),
		"exercise":   handle(e.exercise),
		"try":        handle(e.try),
		"answer":     handle(e.answer),
		"learn":      handle(e.learn),
		"forget":     handle(e.forget),
		"exercises":  handle(e.exercises),
		"option":     handle(e.option),
		"stop":       handle(stopCall),
	}
}

// New returns a service and creates its engines. Errors: numbers out of bounds, not enough memory,
// unreadable directories.
func New(config Config) (*Service, error) {
	e, err := newEngines(config)
	if err != nil {
		return nil, err
	}
	return e.service(), nil
}

func newEngines(config Config) (*engines, error) {
	if config.Engines == 0 || !config.Shared {
		config.Engines = 1
	}
	config.Threads, config.Hash = cmp.Or(config.Threads, 1), cmp.Or(config.Hash, uci.DefaultHash)
	if config.Engines < 0 || config.Engines > maxEngines {
		return nil, fmt.Errorf("%d engines, want 1 to %d", config.Engines, maxEngines)
	}
	e := &engines{
		config: config, idle: make(chan *search.Engine, config.Engines), longest: longestTurn, shortest: shortestTurn,
		fetching: map[string]*call{},
		values:   map[string]int{"Hash": config.Hash, "Threads": config.Threads},
	}
	var err error
	if e.tables, err = syzygy.Open(config.Tables...); err != nil {
		e.close()
		return nil, err
	}
	e.tables.Watch(config.Warn)
	for range config.Engines {
		engine, err := search.NewEngine(config.Hash)
		if err == nil {
			e.idle <- engine
			err = engine.SetThreads(config.Threads)
		}
		if err != nil {
			e.close()
			return nil, fmt.Errorf("engines: %w", err)
		}
		engine.SetTables(e.tables)
	}
	return e, nil
}

// service returns the service of the engines.
func (e *engines) service() *Service {
	s := newService(e.handlers(), e.config.Engines)
	s.options, s.longest, s.close = defaultValues(), e.config.Search, e.close
	return s
}

// close releases what no session uses any more.
func (e *engines) close() {
	for len(e.idle) > 0 {
		(<-e.idle).Close()
	}
	e.sheets.close()
	_ = e.tables.Close() // read-only files
}

// withEngine waits for a place and calls use with a new engine.
func (e *engines) withEngine(c *call, k kind, hash int, use func(context.Context, *search.Engine) error) error {
	return c.place(k, func(ctx context.Context) error {
		engine, err := search.NewEngine(hash)
		if err != nil {
			return fmt.Errorf("engines: %w", err)
		}
		defer engine.Close()
		engine.SetTables(e.tables)
		return use(ctx, engine)
	})
}

// turn waits for an engine and calls use. If others wait, it ends use's context after a time, and
// reports that. A session uses one engine at a time.
func (e *engines) turn(
	ctx context.Context, s *Session, use func(context.Context, *search.Engine),
) (cut bool, err error) {
	leave, err := s.enter(ctx, searching)
	if err != nil {
		return false, err
	}
	defer leave()
	engine := <-e.idle // there are as many as places
	defer func() { e.idle <- engine }()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	go func() {
		began, tick := time.Now(), time.NewTicker(e.shortest/4)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			waiting := s.queues[searching].waiting.Load() + s.service.queues[searching].waiting.Load()
			if waiting > 0 && time.Since(began) >= max(e.shortest, e.longest/time.Duration(waiting)) {
				end(errCut)
			}
		}
	}()
	use(ctx, engine)
	return context.Cause(ctx) == errCut, nil
}
