package session

import (
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// Evaluation is the result of evaluate: what the network says without a search, nothing in check.
type Evaluation struct {
	Eval   *int         `json:"eval,omitempty"` // centipawns, for White
	Pieces []PieceValue `json:"pieces"`
}

// PieceValue is the value of a piece on its square according to the network.
type PieceValue struct {
	Square string `json:"square"`
	Piece  string `json:"piece"`
	CP     int    `json:"cp"` // for White
}

// Tablebase is the result of tablebase.
type Tablebase struct {
	Known bool        `json:"known"`
	WDL   *syzygy.WDL `json:"wdl,omitempty"`   // −2 to 2 with the position's fifty-move counter, for the side to move
	Maybe bool        `json:"maybe,omitempty"` // ±1 is perhaps ±2: the tables cannot tell whether it comes in time
	DTZ   *syzygy.DTZ `json:"dtz,omitempty"`
	Moves []TableMove `json:"moves,omitempty"`
}

// TableMove is a move with its endgame table result, for the side that makes it.
type TableMove struct {
	jsonMove
	WDL   syzygy.WDL  `json:"wdl"`
	Maybe bool        `json:"maybe,omitempty"`
	DTZ   *syzygy.DTZ `json:"dtz,omitempty"`
}

// hello answers hello.
func (e *engines) hello(c *call, _ *bare) (any, error) {
	options := e.list(c.options)
	e.mu.Lock()
	defer e.mu.Unlock()
	return &Hello{
		Name: "Tabula", Version: e.config.Version, Protocol: Protocol, Transport: e.config.Transport,
		Requests: c.session.service.requests(),
		Threads:  e.values["Threads"], Hash: e.values["Hash"], Network: fmt.Sprint(nnue.Embedded().Hash()),
		Tables:  e.tables.Pieces(),
		Elo:     Span{Min: search.LeastElo, Max: search.MostElo},
		Options: options,
		Limits: Bounds{
			Message: MaxMessage, Moves: maxMoves, MultiPV: maxMultiPV, Requests: maxRequests,
			Search: millis(e.config.Search), Games: maxGames,
		},
	}, nil
}

// evaluate answers evaluate.
func evaluate(_ *call, p *chess.Position, _ *placeFields) (any, error) {
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

// tablebase answers tablebase.
func (e *engines) tablebase(c *call, p *chess.Position, _ *placeFields) (any, error) {
	wdl, maybe, err := e.tables.AtClock(p)
	if errors.Is(err, syzygy.ErrMissing) || errors.Is(err, syzygy.ErrCastling) {
		return &Tablebase{}, nil
	} else if err != nil {
		return nil, err
	}
	out := &Tablebase{Known: true, WDL: &wdl, Maybe: maybe}
	dtz, err := e.tables.DTZ(p)
	if err == nil {
		out.DTZ = &dtz
	}
	moves, exact, rootErr := e.tables.Root(p, false) // needs the tables for what moves lead to
	for _, err := range []error{err, rootErr} {
		if err != nil && !errors.Is(err, syzygy.ErrMissing) {
			c.warning = err.Error() // a damaged file; the rest is used
		}
	}
	for _, m := range moves {
		move := TableMove{jsonMove: describe(p, m.Move), WDL: m.WDL, Maybe: m.Maybe}
		if exact && (m.DTZ != 0 || m.WDL == syzygy.Draw) {
			move.DTZ = &m.DTZ
		}
		out.Moves = append(out.Moves, move)
	}
	return out, nil
}
