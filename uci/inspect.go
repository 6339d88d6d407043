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

// evaluate obeys eval: the parts of the static evaluation in pawns, in the
// middlegame and in the endgame, and what they come to.
func (s *session) evaluate() {
	p := s.root
	if p.InCheck() {
		s.out.printf("no static evaluation: %s is in check", p.SideToMove())
		return
	}
	e := eval.New()
	var b strings.Builder
	const head, row = "%-13s %17s %17s %17s\n", "%-13s %8.2f %8.2f %8s %8s %8.2f %8.2f\n"
	fmt.Fprintf(&b, head, "", "White mg     eg", "Black mg     eg", "difference     ")
	for _, part := range e.Parts(p) {
		d := part.White - part.Black
		black := [2]string{"-", "-"}
		if !part.Joint {
			black = [2]string{pawns(part.Black.Middle()), pawns(part.Black.End())}
		}
		fmt.Fprintf(&b, row, part.Name, float64(part.White.Middle())/100, float64(part.White.End())/100,
			black[0], black[1], float64(d.Middle())/100, float64(d.End())/100)
	}
	sum, phase, scale := e.Terms(p)
	score := int(e.Evaluate(p))
	white := score
	if p.SideToMove() == chess.Black {
		white = -score
	}
	fmt.Fprintf(&b, "\nsum %+.2f in the middlegame, %+.2f in the endgame (scale %d/%d), phase %d/%d\n",
		float64(sum.Middle())/100, float64(sum.End())/100, scale, eval.FullScale, phase, eval.MaxPhase)
	fmt.Fprintf(&b, "evaluation %+.2f for White, %d centipawns for %s to move\n", float64(white)/100, score, p.SideToMove())
	s.out.write([]byte(b.String()))
}

// pawns writes centipawns as pawns.
func pawns(cp int) string { return fmt.Sprintf("%.2f", float64(cp)/100) }

// compiler obeys compiler: how the binary was built and what it runs on.
func (s *session) compiler() {
	s.out.write([]byte(strings.TrimRight(s.cfg.Build, "\n") + "\n"))
}
