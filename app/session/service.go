package session

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Service answers the requests of its sessions.
type Service struct {
	engines
	handlers map[string]handler
	places   places        // of all sessions
	longest  time.Duration // of one request's work; 0 for no limit
}

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

// newService returns a service without engines that answers the requests of some handlers.
func newService(handlers ...map[string]handler) *Service {
	s := &Service{handlers: map[string]handler{}, places: newPlaces(func(k kind) int { return bounds[k].all })}
	for _, some := range handlers {
		maps.Copy(s.handlers, some)
	}
	return s
}

// Rules returns a service without an engine. It answers the requests that need only the rules of
// chess, and those about package lab. A program built with the tag tabula_rules has nothing else.
func Rules() *Service {
	s := newService(ruleHandlers(), labHandlers())
	s.handlers["hello"] = answer(func(*Session, *bare) (any, *Error) {
		return &Hello{Name: "Tabula", Protocol: Protocol, Requests: slices.Sorted(maps.Keys(s.handlers))}, nil
	})
	return s
}
