package session

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
)

// bare is a request without fields of its own.
type bare struct{}

// hello answers hello.
func (s *Session) hello(*bare) (any, *Error) {
	b := s.service
	options := b.list(s.own)
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Hello{
		Name: "Tabula", Version: b.config.Version, Protocol: Protocol, Transport: b.config.Transport,
		Requests: slices.Sorted(maps.Keys(b.handlers)),
		Threads:  b.values["Threads"], Hash: b.values["Hash"], Network: fmt.Sprint(nnue.Embedded().Hash()), Tables: b.tables.Men(),
		Elo:     Span{Min: search.LeastElo, Max: search.MostElo},
		Options: options,
		Limits: Bounds{
			Message: MaxMessage, Moves: maxMoves, MultiPV: maxMultiPV, Requests: maxRequests,
			Search: millis(b.config.Search), Games: maxGames,
		},
	}, nil
}

// positionFields are the fields of position.
type positionFields struct {
	Position Place `json:"position"`
	Worth    bool  `json:"worth"`
}

// position answers position.
func (s *Session) position(f *positionFields) (any, *Error) {
	return f.Position.describe("", network(f.Worth))
}

// network returns the network if the request asks for it.
func network(asked bool) *nnue.Network {
	if asked {
		return nnue.Embedded()
	}
	return nil
}

// makeFields are the fields of make.
type makeFields struct {
	Position Place  `json:"position"`
	Move     string `json:"move"`
	Worth    bool   `json:"worth"`
}

// makeMove answers make.
func (s *Session) makeMove(f *makeFields) (any, *Error) {
	if f.Move == "" {
		return nil, fault("move", "a move is missing")
	}
	return f.Position.describe(f.Move, network(f.Worth))
}

// stopFields are the fields of stop.
type stopFields struct {
	Target json.RawMessage `json:"target"`
}

// stopRequest answers stop.
func (s *Session) stopRequest(f *stopFields) (any, *Error) {
	key, err := canonicalID(f.Target)
	if err != nil {
		return nil, fault("target", "%v", err)
	}
	return &Stopped{Stopped: s.stop(string(key))}, nil
}
