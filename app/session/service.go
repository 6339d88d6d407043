package session

import (
	"cmp"
	"context"
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
}

// Service holds the engines that its sessions share.
type Service struct {
	config   Config
	handlers map[string]handler
	pool     pool
	tables   *syzygy.Tables
	places   places // of all sessions

	home   sync.Mutex // for changes of the exercises
	sheets sheets

	mu     sync.Mutex
	values values // of the engines' options
}

// maxEngines bounds the engines of a service.
const maxEngines = 1024

// kind is a kind of work that takes memory or time beside the searches.
type kind int

const (
	reading   kind = iota // games
	reviewing             // a game
	counting              // moves, and the search for magic numbers
	playing               // at limited strength: such a search takes only milliseconds
	sending               // a large message until it is answered
	kinds
)

// bounds limit the concurrent work of each kind, in total and per session.
var bounds = [kinds]struct{ all, each int }{reading: {2, 1}, reviewing: {8, 4}, counting: {2, 1}, playing: {2, 1}, sending: {8, 1}}

// places limit the work of each kind. Each channel holds one token per running work; waiting work
// starts in order of arrival.
type places [kinds]chan struct{}

// newPlaces returns size(k) places for each kind k.
func newPlaces(size func(k kind) int) (p places) {
	for k := range p {
		p[k] = make(chan struct{}, size(kind(k)))
	}
	return p
}

// take waits for a place or the end of ctx.
func (p *places) take(ctx context.Context, k kind) error {
	select {
	case p[k] <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// enter waits for a place of the session and then for a place of the service, or for the end of ctx.
// So each session has a bounded number of requests in the common queue.
func (s *Session) enter(ctx context.Context, k kind) (leave func(), err error) {
	if err := s.places.take(ctx, k); err != nil {
		return nil, err
	}
	if k == reading {
		s.out.room(ctx) // its replies are large: make no more while the client reads none
	}
	if err := s.service.places.take(ctx, k); err != nil {
		<-s.places[k]
		return nil, err
	}
	return func() { <-s.service.places[k]; <-s.places[k] }, nil
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
	s := &Service{
		config: config, handlers: handlers(), tables: tables, pool: pool{longest: longestTurn, shortest: shortestTurn},
		places: newPlaces(func(k kind) int { return bounds[k].all }), values: values{"Hash": config.Hash, "Threads": config.Threads},
	}
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
