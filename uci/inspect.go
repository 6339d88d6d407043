package uci

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/plural"
)

// display handles d: the board, its FEN and key, who gives check, and which
// paths run.
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
	fmt.Fprintf(&b, "\nAttacks: %s\nEvaluation: %s\n", s.cfg.Attacks, s.cfg.Kernels)
	s.out.write([]byte(b.String()))
}

// evaluate handles eval: what each piece is worth to the network where it stands,
// in pawns from White's view, and what the position comes to.
func (s *session) evaluate() {
	p := s.root
	s.tellPosition()
	if p.InCheck() {
		s.out.printf("no static evaluation: %s is in check", p.SideToMove())
		return
	}
	network := s.engine.Network()
	values := network.PieceValues(p)
	var b strings.Builder
	const rule = " +-------+-------+-------+-------+-------+-------+-------+-------+\n"
	for rank := 7; rank >= 0; rank-- {
		var letters, worth string
		for file := range 8 {
			sq := chess.MakeSquare(file, rank)
			letter, value := " ", ""
			if pc := p.Piece(sq); pc != chess.NoPiece {
				letter = pc.String()
				if pc.Type() != chess.King {
					value = fmt.Sprintf("%+.2f", float64(values[sq])/100)
				}
			}
			letters += fmt.Sprintf(" |   %s  ", letter)
			worth += fmt.Sprintf(" |%6s", value)
		}
		b.WriteString(rule + letters + " |\n" + worth + " |\n")
	}
	score := int(nnue.NewEvaluator(network).Evaluate(p))
	white := score
	if p.SideToMove() == chess.Black {
		white = -score
	}
	fmt.Fprintf(&b, rule+"\nnetwork %s\n", describeNetwork(network))
	fmt.Fprintf(&b, "evaluation %+.2f for White, %s for %s to move\n", float64(white)/100, plural.Of(score, "centipawn"),
		p.SideToMove())
	s.out.write([]byte(b.String()))
}

// compiler handles compiler: how the binary was built and what it runs on.
func (s *session) compiler() {
	s.out.write([]byte(strings.TrimRight(s.cfg.Build, "\n") + "\n"))
}
