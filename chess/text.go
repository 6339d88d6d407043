package chess

import "fmt"

// Everything that has a text is an encoding.TextMarshaler and, by pointer, an
// encoding.TextUnmarshaler with the same text, so that encoding/json, flag.TextVar
// and the like read and write it. The zero Position has no text, nor has one whose FEN
// cannot be read: composed with more pieces than a game has, or after a null move in check.
// All others come back equal, and a Move as far as its text can tell.

// MarshalText returns the FEN.
func (p *Position) MarshalText() ([]byte, error) {
	if p.King(White) == NoSquare {
		return nil, fmt.Errorf("chess: the zero Position has no text")
	}
	text := p.AppendFEN(nil, FENStyle{})
	if err := new(Position).SetFEN(string(text)); err != nil {
		return nil, fmt.Errorf("chess: a position has no text: %w", err)
	}
	return text, nil
}

// UnmarshalText reads a FEN as [Position.SetFEN] does.
func (p *Position) UnmarshalText(text []byte) error { return p.SetFEN(string(text)) }

// MarshalText returns the UCI text. Castling with king and rook where standard chess
// puts them is the king's step ("e1g1"), any other is king takes rook.
func (m Move) MarshalText() ([]byte, error) {
	from, to := m.From(), m.To()
	c := Color(from >> 5)
	if w := wingOf(from, to); m.Kind() == Castling && from == E1.Relative(c) && to == [2]Square{H1, A1}[w].Relative(c) {
		to, _ = CastlingTargets(c, w)
		return []byte(from.String() + to.String()), nil
	}
	return []byte(m.String()), nil
}

// UnmarshalText reads UCI text without a position, and "0000" as NoMove. [Position.Play] finds out
// whether the move castles, in either form, or captures en passant. Where the position is at hand use
// [Position.ParseUCI].
func (m *Move) UnmarshalText(text []byte) error { return parseInto(m, parseMove, text) }

// MarshalText returns the name, see [Square.String].
func (s Square) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name such as "e4", or "-" for NoSquare.
func (s *Square) UnmarshalText(text []byte) error {
	if string(text) == NoSquare.String() {
		*s = NoSquare
		return nil
	}
	return parseInto(s, ParseSquare, text)
}

// MarshalText returns the FEN letter, see [Piece.String].
func (p Piece) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads a FEN letter as [ParsePiece] does.
func (p *Piece) UnmarshalText(text []byte) error { return parseInto(p, ParsePiece, text) }

// MarshalText returns "white" or "black".
func (c Color) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads a colour as [ParseColor] does.
func (c *Color) UnmarshalText(text []byte) error { return parseInto(c, ParseColor, text) }

// MarshalText returns the words of [Outcome.String].
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText reads the words of [Outcome.String].
func (o *Outcome) UnmarshalText(text []byte) error { return parseInto(o, ParseOutcome, text) }

// MarshalText returns the result as PGN writes it.
func (r Result) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads a result as [ParseResult] does.
func (r *Result) UnmarshalText(text []byte) error { return parseInto(r, ParseResult, text) }

// parseInto stores what parse reads, and nothing on an error.
func parseInto[T any](to *T, parse func(string) (T, error), text []byte) error {
	v, err := parse(string(text))
	if err == nil {
		*to = v
	}
	return err
}
