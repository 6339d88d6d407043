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

// evaluate obeys eval: the static evaluation, White's as well as the mover's.
func (s *session) evaluate() {
	p := s.root
	if p.InCheck() {
		s.out.printf("no static evaluation: %s is in check", p.SideToMove())
		return
	}
	score := int(eval.New().Evaluate(p))
	white := score
	if p.SideToMove() == chess.Black {
		white = -score
	}
	s.out.printf("evaluation %+.2f for White, %d centipawns for %s to move", float64(white)/100, score, p.SideToMove())
}

// compiler obeys compiler: how the binary was built and what it runs on.
func (s *session) compiler() {
	s.out.write([]byte(strings.TrimRight(s.cfg.Build, "\n") + "\n"))
}
