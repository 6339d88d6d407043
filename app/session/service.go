package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"
)

// Service answers the requests of its sessions.
type Service struct {
	handlers map[string]handler
	options  map[string]int // values of a new session's own options
	queues   queues         // of all sessions
	longest  time.Duration  // of one request's work; 0 for no limit
	close    func()
}

// kind is a kind of work that takes time or memory.
type kind int

const (
	searching kind = iota // with whatever engine
	reading               // the database
	reviewing             // a game
	counting              // moves, and the search for magic numbers
	kinds
)

// bounds limit the concurrent work of each kind, per session and in total. The total of searching is the
// number of engines.
var bounds = [kinds]struct{ each, all int }{
	searching: {1, 0}, reading: {1, 2}, reviewing: {4, 8}, counting: {1, 2},
}

// queue admits work in order of arrival.
type queue struct {
	places  chan struct{} // holds a token for each place that is taken
	waiting atomic.Int32
}

// queues are the queues of all kinds.
type queues [kinds]queue

// take waits for a place or the end of ctx.
func (q *queue) take(ctx context.Context) error {
	q.waiting.Add(1)
	defer q.waiting.Add(-1)
	select {
	case q.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// enter waits for a place of the session and then for a place of the service, or for the end of ctx.
// So a session has few requests in the common queue, however many it makes.
func (s *Session) enter(ctx context.Context, k kind) (leave func(), err error) {
	own, all := &s.queues[k], &s.service.queues[k]
	if err := own.take(ctx); err != nil {
		return nil, err
	}
	if err := all.take(ctx); err != nil {
		<-own.places
		return nil, err
	}
	return func() { <-all.places; <-own.places }, nil
}

// place waits for a place like enter, calls use and leaves the place, all within the service's time for a request.
func (c *call) place(k kind, use func(context.Context) error) error {
	ctx := c.ctx
	if bound := c.session.service.longest; bound > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, bound, fmt.Errorf("it took longer than %v", bound))
		defer cancel()
	}
	leave, err := c.session.enter(ctx, k)
	if err != nil {
		return err
	}
	defer leave()
	return use(ctx)
}

// newService returns a service with so many engines that answers the requests of some handlers.
func newService(handlers map[string]handler, engines int) *Service {
	s := &Service{handlers: handlers, close: func() {}}
	for k := range s.queues {
		s.queues[k].places = make(chan struct{}, bounds[k].all)
	}
	s.queues[searching].places = make(chan struct{}, engines)
	return s
}

// requests returns the names of the requests.
func (s *Service) requests() []string { return slices.Sorted(maps.Keys(s.handlers)) }

// Close releases the engines and the files. No session may be running.
func (s *Service) Close() { s.close() }
