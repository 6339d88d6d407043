package course

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
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

// Judge runs the tests of a chapter and prints the result of each stage. At the first failure it prints what is wrong
// and returns an error.
func Judge(s Subject, chapter course.Chapter, out io.Writer) error {
	tested := 0
	for i, stage := range stages(chapter.Name) {
		n, f, err := stage.examine(s, i >= easy)
		if err != nil {
			return err
		}
		if tested += n; f != nil {
			fmt.Fprintf(out, "wrong  %s\n\n%s", stage.name, f.describe(s))
			return errors.New("wrong in " + stage.name)
		}
		fmt.Fprintf(out, "right  %s\n", stage.name)
	}
	if !s.Counts() {
		fmt.Fprintf(out,
			"\nMoves is right, in %s.\n\nNot tested: whether Make changes the side to move, the castling rights "+
				"and the en-passant square.\nOnly counts show that: write func Perft(fen string, depth int) uint64, too.\n",
			plural.Of(tested, "position"))
		return nil
	}
	counted, err := judgeCounts(s, chapter, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nAll is right, in %s and %s.\n", plural.Of(tested, "position"), plural.Of(counted, "count"))
	yours, err := speed(s.Perft)
	if err != nil {
		return err
	}
	theirs, err := speed(func(p *chess.Position, depth int) (uint64, error) {
		return chapter.Perft(generator.CourseFEN(p), depth), nil
	})
	fmt.Fprintf(out, "Yours counts %.3g million leaves a second, the chapter's %.3g million.\n", yours/1e6, theirs/1e6)
	return err
}

// speed returns how many leaves a second are counted three plies below the published positions, in a fifth of a second.
func speed(perft func(p *chess.Position, depth int) (uint64, error)) (float64, error) {
	leaves, begin := uint64(0), time.Now()
	for {
		for _, published := range generator.Positions() {
			p, err := chess.ParseFEN(published.FEN)
			if err != nil {
				return 0, err
			}
			n, err := perft(p, 3)
			if leaves += n; err != nil {
				return 0, err
			}
		}
		if d := time.Since(begin); d > time.Second/5 {
			return float64(leaves) / d.Seconds(), nil
		}
	}
}

// judgeCounts runs the last stage. It returns the number of counts.
func judgeCounts(s Subject, chapter course.Chapter, out io.Writer) (int, error) {
	all, err := counts(chapter.Name)
	if err != nil {
		return 0, err
	}
	for _, c := range all {
		p, err := chess.ParseFEN(c.fen)
		if err != nil {
			return 0, err
		}
		if f := miscount(s, p, c.depth, slips); f != nil {
			fmt.Fprintf(out, "wrong  counts\n\n%s", strings.Replace(f.describe(s), checklist, checklist+sixth[chapter.Name], 1))
			return 0, errors.New("wrong counts")
		}
	}
	fmt.Fprintln(out, "right  counts")
	return len(all), nil
}

// failure is a wrong answer about the moves of a position.
type failure struct {
	p    *chess.Position
	kind string // failures with the same cause have the same kind
	text string
	err  error // of the subject, which may answer nothing more

	depth    int    // of a count
	suspects []slip // that would count the same
}

// examine compares the moves in the positions of a stage, to the first failure. With after, it also compares those in
// the positions after each move. It returns the number of positions.
func (s *suite) examine(subject Subject, after bool) (tested int, f *failure, err error) {
	fens, err := s.positions()
	if err != nil {
		return 0, nil, err
	}
	depth := 0
	if after {
		depth = 1
	}
	for _, fen := range fens {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return tested, nil, err
		}
		n, f := examine(subject, p, depth)
		if tested += n; f != nil {
			return tested, f, nil
		}
	}
	return tested, nil, nil
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
		return &failure{p: p.Clone(), kind: "error", text: fmt.Sprintf("Moves failed: %v.\n", err), err: err}
	}
	wrong := func(kind, format string, args ...any) *failure {
		return &failure{p: p.Clone(), kind: kind, text: fmt.Sprintf(format, args...)}
	}
	slices.Sort(texts)
	var theirs []perft.DivideLine
	for i, text := range texts {
		m, err := p.ParseUCI(text)
		if errors.Is(err, chess.ErrIllegal) {
			err = nil // judged below
		}
		switch {
		case err != nil && edge.MatchString(text):
			name := "piece"
			if from, err := chess.ParseSquare(text[:2]); err == nil && p.Piece(from) != chess.NoPiece {
				name = names[p.Piece(from).Type()]
			}
			return wrong("edge", "%s: there is no square %s: the %s on %s walked over the edge of the board.\n", text, text[2:],
				name, text[:2])
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
func moves(listed, legal int) string {
	return fmt.Sprintf("%s; legal: %d", plural.Of(listed, "move"), legal)
}

// names are the names of the kinds of pieces.
var names = [6]string{"pawn", "knight", "bishop", "rook", "queen", "king"}

// edge is a move to a square outside the board.
var edge = regexp.MustCompile(`^[a-h][1-8](.[^1-8]|[^a-h].)$`)

// missing tells what kind a legal move is of, and why it is legal.
func missing(p *chess.Position, m chess.Move) (kind, rule string) {
	piece := p.Piece(m.From()).Type()
	name := names[piece]
	switch {
	case m.Kind() == chess.Castling:
		return "castling", "The right to castle is there, the squares between king and rook are empty, and the king is not " +
			"attacked on its square, on the way or on its target."
	case m.Kind() == chess.EnPassant:
		return "en passant", fmt.Sprintf("A pawn has just moved two squares and passed %s, where this pawn captures it. "+
			"Afterwards the king is safe, because the captured pawn leaves the board: does it disappear?", m.To())
	case m.Kind() == chess.Promotion:
		return "promotion",
			"A pawn that reaches the last rank becomes a queen, a rook, a bishop or a knight of its colour: four moves."
	case p.InCheck() && piece == chess.King:
		return "king in check", fmt.Sprintf("The king is in check, and no enemy attacks %s.", m.To())
	case p.InCheck():
		return name + " in check", fmt.Sprintf("The king is in check, and the %s on %s ends it.", name, m.From())
	case p.Piece(m.To()) != chess.NoPiece:
		return name + " captures", fmt.Sprintf("The %s on %s captures on %s.", name, m.From(), m.To())
	case piece == chess.Pawn && m.From()^m.To() == 16:
		return "double step", "A pawn on its first square may move two squares if both are empty."
	}
	return name, fmt.Sprintf("The %s on %s can move to %s.", name, m.From(), m.To())
}

// describe reduces the position as long as the failure is of the same kind, and describes it.
func (f *failure) describe(s Subject) string {
	small := f
	if f.err == nil || errors.Is(f.err, errPanic) {
		generator.Reduce(f.p.FEN(), func(fen string) bool {
			p, err := chess.ParseFEN(fen)
			if err != nil {
				return false
			}
			again := ask(s, p)
			if f.depth > 0 {
				again = miscount(s, p, f.depth, small.suspects)
			}
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
