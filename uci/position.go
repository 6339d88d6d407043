package uci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
)

// position handles "position startpos|fen F [moves …]". A line with anything wrong in it is
// refused as a whole, but for castling rights and an en-passant square, which are dropped.
func (s *session) position(args []string) error {
	p, note, err := parsePosition(args, s.set.chess960)
	s.behind = err != nil
	if err != nil {
		return exit.WrongUsef("error: position refused: %w", err)
	}
	if note != "" {
		s.out.note("position: %s", note)
	}
	s.root = p
	return nil
}

// tellPosition says which position the next answer is for, where that is not the last one
// that was sent.
func (s *session) tellPosition() {
	if s.behind {
		s.out.note("the last position was refused; this answers for %s", s.root.FEN())
	}
}

// parsePosition returns the position that the arguments of a position command
// describe, with the history of its moves, and a note of what was assumed in its FEN or
// dropped from it. chess960 says that the GUI plays Chess960.
func parsePosition(args []string, chess960 bool) (p *chess.Position, note string, err error) {
	setup, moves := args, []string(nil)
	if i := slices.Index(args, "moves"); i >= 0 {
		setup, moves = args[:i], args[i+1:]
	}
	if len(setup) == 0 {
		return nil, "", fmt.Errorf("want startpos or fen")
	}
	switch {
	case setup[0] == "startpos" && len(setup) == 1:
		p = chess.NewPosition()
	case setup[0] == "fen", strings.Contains(setup[0], "/"): // people forget the word
		text := strings.TrimPrefix(strings.Join(setup, " "), "fen ")
		var warning error
		if strings.Contains(text, " ") || strings.Count(text, "/") == 7 {
			p, warning, err = chess.RepairFEN(text, chess960)
		} else { // an address
			p, warning, err = chess.ReadPosition(text)
		}
		if err != nil {
			return nil, "", err
		}
		if warning != nil {
			note = warning.Error()
		}
	case setup[0] == "startpos":
		return nil, "", fmt.Errorf("%.40q after startpos, want moves", setup[1])
	default:
		return nil, "", fmt.Errorf("%.40q is neither startpos nor fen, nor a FEN", setup[0])
	}
	for i, text := range moves {
		m, err := p.ParseUCI(text)
		if err != nil {
			if !chess960 && note != "" { // the moves may be those of Chess960
				if q, note, wrong := parsePosition(args, true); wrong == nil {
					return q, note, nil
				}
			}
			return nil, "", fmt.Errorf("move %d of %d: %w", i+1, len(moves), err)
		}
		p.Make(m)
	}
	return p, note, nil
}
