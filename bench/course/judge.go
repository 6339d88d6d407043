package course

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/bench/fuzz"
	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// Find returns a chapter by its number, from 1.
func Find(number int) (course.Chapter, error) {
	all := course.Chapters()
	if number < 1 || number > len(all) {
		return course.Chapter{}, exit.WrongUsef("chapter: %d is not between 1 and %d", number, len(all))
	}
	return all[number-1], nil
}

// Judge runs the tests of a chapter and prints the result of each stage. At the first failure it prints what is wrong and
// returns an error.
func Judge(s Subject, chapter course.Chapter, out io.Writer) error {
	tested := 0
	for i, stage := range stages(chapter.Name) {
		depth := 1
		if i < easy {
			depth = 0
		}
		fens, err := stage.positions()
		if err != nil {
			return err
		}
		for _, fen := range fens {
			p, err := chess.ParseFEN(fen)
			if err != nil {
				return err
			}
			n, f := examine(s, p, depth)
			if tested += n; f != nil {
				fmt.Fprintf(out, "wrong  %s\n\n%s", stage.name, f.describe(s))
				return errors.New("wrong in " + stage.name)
			}
		}
		fmt.Fprintf(out, "right  %s\n", stage.name)
	}
	if s.Counts() {
		for _, position := range generator.Positions() {
			p, err := chess.ParseFEN(position.FEN)
			if err != nil {
				return err
			}
			if text := miscount(s, p, 3); text != "" {
				fmt.Fprintf(out, "wrong  counts\n\n%s", text)
				return errors.New("wrong counts")
			}
		}
		fmt.Fprintln(out, "right  counts")
	}
	fmt.Fprintf(out, "\nAll is right, in %d positions.\n", tested)
	return nil
}

// failure is a wrong answer about the moves of a position.
type failure struct {
	p    *chess.Position
	kind string // failures with the same cause have the same kind
	text string
	err  error // of the subject, which may answer nothing more
}

// examine compares the moves of a position, and of the positions after its moves. It returns the number of positions.
func examine(s Subject, p *chess.Position, depth int) (tested int, f *failure) {
	if f = ask(s, p); f != nil || depth == 0 {
		return 1, f
	}
	tested = 1
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		n, f := examine(s, p, depth-1)
		if tested += n; f != nil {
			return tested, f
		}
		p.Unmake()
	}
	return tested, nil
}

// ask compares the moves of a position. It returns the first thing that is wrong, or nil.
func ask(s Subject, p *chess.Position) *failure {
	texts, err := s.Moves(p)
	if err != nil {
		return &failure{p.Clone(), "error", fmt.Sprintf("Moves failed: %v.\n", err), err}
	}
	wrong := func(kind, format string, args ...any) *failure {
		return &failure{p.Clone(), kind, fmt.Sprintf(format, args...), nil}
	}
	slices.Sort(texts)
	var theirs []perft.DivideLine
	for i, text := range texts {
		m, err := chess.ParseMove(text)
		switch m = p.Infer(m); {
		case err != nil:
			return wrong("text", "%q is not a move in UCI text, such as e2e4, e1g1 for castling or a7a8q.\n", text)
		case i > 0 && text == texts[i-1]:
			return wrong("twice", "%s is listed twice.\n", text)
		case p.IsLegal(m) && text != p.UCI(m):
			return wrong("text", "%s is written %s in UCI text.\n", text, p.UCI(m))
		}
		theirs = append(theirs, perft.DivideLine{Text: text, Move: m, Nodes: 1})
	}
	var right []perft.Branch
	for _, m := range movegen.Legal(p, nil) {
		right = append(right, perft.Branch{Move: m, Nodes: 1})
	}
	found := perft.Compare(p, right, theirs)
	if len(found) == 0 {
		return nil
	}
	d := found[0]
	if d.Listed {
		text := fmt.Sprintf("%s\nListed: %s.", d, moves(len(texts), len(right)))
		return wrong(fmt.Sprint("illegal ", d.Reasons[0].Rule), "%s\n", text)
	}
	kind, rule := missing(p, d.Move)
	return wrong("missing "+kind, "%s: missing. %s\nListed: %s.\n", d.Text, rule, moves(len(texts), len(right)))
}

// moves compares two numbers of moves.
func moves(listed, legal int) string { return fmt.Sprintf("%d moves; legal: %d", listed, legal) }

// missing tells what kind a legal move is of, and why it is legal.
func missing(p *chess.Position, m chess.Move) (kind, rule string) {
	piece := p.Piece(m.From()).Type()
	name := [6]string{"pawn", "knight", "bishop", "rook", "queen", "king"}[piece]
	switch {
	case m.Kind() == chess.Castling:
		return "castling", "The right to castle is there, the squares between king and rook are empty, and the king is not " +
			"attacked on its square, on the way or on its target."
	case m.Kind() == chess.EnPassant:
		return "en passant", fmt.Sprintf("A pawn has just moved two squares and passed %s, where this pawn captures it.", m.To())
	case m.Kind() == chess.Promotion:
		return "promotion", "A pawn that reaches the last rank becomes a queen, a rook, a bishop or a knight: four moves."
	case p.InCheck() && piece == chess.King:
		return "king in check", fmt.Sprintf("The king is in check, and no enemy attacks %s.", m.To())
	case p.InCheck():
		return name + " in check", fmt.Sprintf("The king is in check, and the %s on %s ends it.", name, m.From())
	case p.Piece(m.To()) != chess.NoPiece:
		return name + " captures", fmt.Sprintf("The %s on %s captures on %s.", name, m.From(), m.To())
	case piece == chess.Pawn && m.From()^m.To() == 16:
		return "double step", "A pawn on its first square may move two squares if both are empty."
	}
	return name, fmt.Sprintf("The %s on %s can move to %s, and its king stays safe.", name, m.From(), m.To())
}

// describe reduces the position as long as the failure is of the same kind, and describes it.
func (f *failure) describe(s Subject) string {
	small := f
	if f.err == nil || strings.HasPrefix(f.err.Error(), "panic: ") {
		fuzz.Reduce(f.p.FEN(), func(fen string) bool {
			p, err := chess.ParseFEN(fen)
			if err != nil {
				return false
			}
			again := ask(s, p)
			if again == nil || again.kind != f.kind {
				return false
			}
			small = again
			return true
		})
	}
	text := small.p.FEN() + "\n" + chess.Diagram{}.ASCII(small.p) + "\n" + small.text
	if small != f {
		text += fmt.Sprintf("Reduced from %s\n", f.p.FEN())
	}
	return text
}

// miscount compares a count, and follows a wrong one to the position that is counted wrongly although those after its moves
// are not. It returns "" for a right count.
func miscount(s Subject, p *chess.Position, depth int) string {
	want := perft.Walk(p, depth)
	got, err := s.Perft(p, depth)
	if err == nil && got == want {
		return ""
	}
	if depth > 1 {
		for _, m := range movegen.Legal(p, nil) {
			p.Make(m)
			text := miscount(s, p, depth-1)
			p.Unmake()
			if text != "" {
				return text
			}
		}
	}
	text := fmt.Sprintf("%s\n%s\nPerft %d is %d, want %d.\n", p.FEN(), chess.Diagram{}.ASCII(p), depth, got, want)
	switch {
	case err != nil:
		text = fmt.Sprintf("%s\n%s\nPerft %d failed: %v.\n", p.FEN(), chess.Diagram{}.ASCII(p), depth, err)
	case depth > 1:
		text += "Every position after one move is counted right on its own: look at how moves are made and taken back,\n" +
			"and at what a table remembers.\n"
	}
	return text
}
