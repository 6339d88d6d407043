package session

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// Config says what a [Service] is made of.
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

// Service holds the engines that its sessions share.
type Service struct {
	config   Config
	handlers map[string]handler
	pool     pool
	tables   *syzygy.Tables
	places   places // of all sessions

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
	playing               // at a strength: that engine looks at few positions, and takes milliseconds for a move
	sending               // a large message that is not answered yet
	kinds
)

// bounds say how much of each kind may be under way at once, of all sessions and of one.
var bounds = [kinds]struct{ all, each int }{reading: {2, 1}, reviewing: {8, 4}, counting: {2, 1}, playing: {2, 1}, sending: {8, 1}}

// places bound the work of each kind: whoever does some is in the channel, and those who wait get
// their places in the order of their coming.
type places [kinds]chan struct{}

// newPlaces returns places, as many as size says.
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

// enter waits for a place of the session and then for one of all, or for the end of ctx. So each
// session is in the queue of all with a bounded number of requests.
func (s *Session) enter(ctx context.Context, k kind) (leave func(), err error) {
	if err := s.places.take(ctx, k); err != nil {
		return nil, err
	}
	if k == reading {
		s.out.room(ctx) // its replies are large, and no more are made for a client who takes none
	}
	if err := s.service.places.take(ctx, k); err != nil {
		<-s.places[k]
		return nil, err
	}
	return func() { <-s.service.places[k]; <-s.places[k] }, nil
}

// New returns a service with its engines made. Errors: numbers out of bounds, memory
// that cannot be had, directories that cannot be read.
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
		_ = tables.Close() // the reason is told already
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

// Close releases the engines and the tables. No session may be under way.
func (s *Service) Close() {
	s.pool.close()
	_ = s.tables.Close() // read-only files
}
