//go:build !tabula_rules

package session

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
)

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

// evaluate answers evaluate.
func (s *Session) evaluate(f *placeFields) (any, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong != nil {
		return nil, wrong
	}
	out := &Evaluation{Pieces: []PieceValue{}}
	if p.InCheck() {
		return out, nil
	}
	network := nnue.Embedded()
	score := int(search.WhiteScore(p, nnue.NewEvaluator(network).Evaluate(p)))
	out.Eval = &score
	values := network.PieceValues(p)
	for sq := range p.Occupied().Squares() {
		if pc := p.Piece(sq); pc.Type() != chess.King {
			out.Pieces = append(out.Pieces, PieceValue{Square: sq.String(), Piece: pc.String(), CP: values[sq]})
		}
	}
	return out, nil
}
