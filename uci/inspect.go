package uci

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// display obeys d: the board, its FEN and key, who gives check, and which
// attack path runs.
func (s *session) display() {
	p := s.root
	var b strings.Builder
	const rule = " +---+---+---+---+---+---+---+---+\n"
	for rank := 7; rank >= 0; rank-- {
		b.WriteString(rule)
		for file := range 8 {
			letter := p.Piece(chess.MakeSquare(file, rank)).String()
			if letter == "." {
				letter = " "
			}
			b.WriteString(" | " + letter)
		}
		fmt.Fprintf(&b, " | %d\n", rank+1)
	}
	b.WriteString(rule + "   a   b   c   d   e   f   g   h\n\n")
	fmt.Fprintf(&b, "Fen: %s\nKey: %016X\nCheckers:", p.FEN(), uint64(p.Key()))
	for sq := range p.Checkers().Squares() {
		b.WriteString(" " + sq.String())
	}
	fmt.Fprintf(&b, "\nAttacks: %s\n", s.cfg.Attacks)
	s.out.write([]byte(b.String()))
}

// evaluate obeys eval: the terms of the static evaluation.
func (s *session) evaluate() {
	s.out.write([]byte(strings.TrimRight(eval.Trace(s.root), "\n") + "\n"))
}

// compiler obeys compiler: how the binary was built and what it runs on.
func (s *session) compiler() {
	s.out.write([]byte(strings.TrimRight(s.cfg.Build, "\n") + "\n"))
}
