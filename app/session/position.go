package session

import (
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/openings"
)

// nullMove is the notation of a null move, in SAN and in UCI.
const (
	nullMove    = "--"
	nullMoveUCI = "0000"
)

// start returns the position before the moves.
func (pl *Place) start() (*chess.Position, error) {
	switch {
	case pl.FEN != "" && pl.Chess960 != nil:
		return nil, fault("position.chess960", "want fen or chess960, not both")
	case pl.Chess960 != nil:
		if err := within("position.chess960", int64(*pl.Chess960), 0, chess.Chess960Starts-1); err != nil {
			return nil, err
		}
		p, err := chess.NewChess960(*pl.Chess960)
		return p, of("position.chess960", err)
	case pl.FEN != "":
		p, err := chess.ParseFEN(pl.FEN)
		if wrong, ok := errors.AsType[*chess.FENError](err); ok {
			return nil, faultAt("position.fen", wrong.Offset, wrong.Field+": "+wrong.Reason)
		}
		return p, of("position.fen", err)
	}
	return chess.NewPosition(), nil
}

// read returns the position with its history. It calls step, unless nil, with each move and the
// position before it.
func (pl *Place) read(step func(p *chess.Position, m chess.Move)) (*chess.Position, error) {
	if len(pl.Moves) > maxMoves {
		return nil, fault("position.moves", "%d moves, want at most %d", len(pl.Moves), maxMoves)
	}
	p, err := pl.start()
	if err != nil {
		return nil, err
	}
	for i, text := range pl.Moves {
		m, err := readMove(p, text)
		if err != nil {
			return nil, fault(fmt.Sprintf("position.moves[%d]", i), "%v", err)
		}
		if step != nil {
			step(p, m)
		}
		play(p, m)
	}
	return p, nil
}

// readMove reads a legal move of p in SAN or UCI notation. For a null move it returns NoMove.
func readMove(p *chess.Position, text string) (chess.Move, error) {
	if text == nullMove || text == nullMoveUCI {
		if p.InCheck() {
			return chess.NoMove, &chess.MoveError{Text: text, Reason: "passing is not allowed in check"}
		}
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

// describe returns the description of position pl.
func (pl *Place) describe() (*jsonPosition, error) {
	out := &jsonPosition{Played: []Played{}}
	start, err := pl.start()
	if err != nil {
		return nil, err
	}
	out.Start = start.FEN()
	p, err := pl.read(func(p *chess.Position, m chess.Move) {
		out.arrive(p)
		out.Played = append(out.Played, Played{jsonMove: describe(p, m)})
	})
	if err != nil {
		return nil, err
	}
	out.arrive(p)
	out.fill(p)
	return out, nil
}

// arrive sets the position after the last move.
func (out *jsonPosition) arrive(p *chess.Position) {
	if n := len(out.Played); n > 0 {
		out.Played[n-1].FEN = p.FEN()
	}
}

// fill describes p itself.
func (out *jsonPosition) fill(p *chess.Position) {
	out.FEN, out.Chess960, out.Turn = p.FEN(), p.Chess960(), p.SideToMove().String()
	out.Check, out.Checkers = p.InCheck(), []string{}
	for sq := range p.Checkers().Squares() {
		out.Checkers = append(out.Checkers, sq.String())
	}
	out.Halfmove, out.Fullmove, out.Repetitions = p.HalfmoveClock(), p.FullmoveNumber(), p.Repetitions()
	out.Legal, out.Outcome = legalMoves(p), outcomeOf(p)
	if o, ok := openings.Of(p); ok {
		out.Opening = &o
	}
}

// placeFields are the fields of position, evaluate and tablebase.
type placeFields struct {
	Position Place `json:"position"`
}

// showPosition answers position.
func showPosition(_ *call, f *placeFields) (any, error) { return f.Position.describe() }
