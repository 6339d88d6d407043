package session

import (
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/openings"
)

// start returns the position before the moves, and what was dropped from its FEN or assumed.
func (pl *Place) start() (p *chess.Position, warning, err error) {
	switch {
	case pl.FEN != "" && pl.Chess960 != nil:
		return nil, nil, fault("position.chess960", "want fen or chess960, not both")
	case pl.Chess960 != nil:
		if err := within("position.chess960", int64(*pl.Chess960), 0, chess.Chess960Starts-1); err != nil {
			return nil, nil, err
		}
		p, err := chess.NewChess960(*pl.Chess960)
		return p, nil, of("position.chess960", err)
	case pl.FEN != "":
		p, warning, err := chess.ReadPosition(pl.FEN)
		return p, warning, faultOfFEN("position.fen", err)
	}
	return chess.NewPosition(), nil, nil
}

// faultOfFEN returns the error of a field with a position, with its place; nil for nil.
func faultOfFEN(field string, err error) error {
	if wrong, ok := errors.AsType[*chess.FENError](err); ok {
		return faultAt(field, wrong.Offset, wrong.Field+": "+wrong.Reason)
	}
	return of(field, err)
}

// read returns the position with its history, and what was dropped from its FEN or assumed.
func (pl *Place) read() (p *chess.Position, warning, err error) {
	if p, warning, err = pl.start(); err != nil {
		return nil, nil, err
	}
	if n := p.Plies() + len(pl.Moves); n > maxMoves {
		return nil, nil, fault("position.moves", "%d moves, want at most %d", n, maxMoves)
	}
	for i, text := range pl.Moves {
		m, err := readMove(p, text)
		if err == nil && m == chess.NoMove && p.InCheck() && i == len(pl.Moves)-1 {
			err = &chess.MoveError{Text: text, Reason: "passing is not allowed in check"}
		}
		if err != nil {
			return nil, nil, fault(fmt.Sprintf("position.moves[%d]", i), "%v", err)
		}
		play(p, m)
	}
	return p, warning, nil
}

// readMove reads a legal move of p in SAN or UCI notation. For a null move it returns NoMove: games have some in check
// too, but no request is about the position after one.
func readMove(p *chess.Position, text string) (chess.Move, error) {
	if chess.IsNullMove(text) {
		return chess.NoMove, nil
	}
	return p.ReadMove(text)
}

// play makes m, a legal move or NoMove for a null move.
func play(p *chess.Position, m chess.Move) {
	if m == chess.NoMove {
		p.MakeNull()
	} else {
		p.Make(m)
	}
}

// describe returns the texts of m, a legal move of p or NoMove for a null move.
func describe(p *chess.Position, m chess.Move) jsonMove {
	return jsonMove{UCI: p.UCI(m), SAN: p.SAN(m)}
}

// texts returns the moves of a line from p on, in UCI and in SAN.
func texts(p *chess.Position, line []chess.Move) (uci, san []string) {
	p = p.Clone()
	uci, san = make([]string, 0, len(line)), make([]string, 0, len(line))
	for _, m := range line {
		text := describe(p, m)
		uci, san = append(uci, text.UCI), append(san, text.SAN)
		play(p, m)
	}
	return uci, san
}

// legalMoves returns the legal moves of p with the data for a board.
func legalMoves(p *chess.Position) []Legal {
	moves := movegen.Legal(p, nil)
	out := make([]Legal, 0, len(moves))
	for _, m := range moves {
		l := Legal{jsonMove: describe(p, m), From: m.From().String(), To: m.To().String()}
		switch m.Kind() {
		case chess.Promotion:
			l.Promotion = chess.MakePiece(chess.Black, m.PromotionType()).String()
		case chess.Castling:
			l.Castling = castling(p, m)
			if !p.Chess960() {
				l.To = l.Castling.King
			}
		}
		switch {
		case m.Kind() == chess.EnPassant:
			l.Capture = chess.MakeSquare(m.To().File(), m.From().Rank()).String()
		case p.IsCapture(m):
			l.Capture = m.To().String()
		}
		out = append(out, l)
	}
	return out
}

// castling returns the target squares of king and rook.
func castling(p *chess.Position, m chess.Move) *jsonCastling {
	wing := chess.QueenSide
	if m.To() > m.From() {
		wing = chess.KingSide
	}
	king, rook := chess.CastlingTargets(p.SideToMove(), wing)
	return &jsonCastling{King: king.String(), RookFrom: m.To().String(), Rook: rook.String()}
}

// outcomeOf returns the result of the game at p by the rules.
func outcomeOf(p *chess.Position) jsonOutcome {
	o := p.Outcome()
	return jsonOutcome{Over: o.Over(), Claimable: o.Claimable(), Result: p.Result().String(), Reason: o.String()}
}

// describeGame returns the description of p and of its last n moves.
func describeGame(p *chess.Position, n int) *jsonPosition {
	q := p.Clone()
	for range n {
		q.Unmake()
	}
	out := &jsonPosition{
		FEN: p.FEN(), Start: q.FEN(), Chess960: p.Chess960(), Turn: p.SideToMove().String(),
		Check: p.InCheck(), Checkers: []string{}, Halfmove: p.HalfmoveClock(), Fullmove: p.FullmoveNumber(),
		Repetitions: p.Repetitions(), Legal: legalMoves(p), Played: []Played{}, Outcome: outcomeOf(p),
	}
	for back := n - 1; back >= 0; back-- {
		m := p.Step(back).Move
		played := Played{jsonMove: describe(q, m)}
		play(q, m)
		played.FEN = q.FEN()
		out.Played = append(out.Played, played)
	}
	for sq := range p.Checkers().Squares() {
		out.Checkers = append(out.Checkers, sq.String())
	}
	if o, ok := openings.OfGame(p); ok {
		out.Opening = &o
	}
	return out
}

// showPosition answers position.
func showPosition(_ *call, p *chess.Position, _ *placeFields) (any, error) {
	return describeGame(p, p.Plies()), nil
}
