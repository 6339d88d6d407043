package course

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// count is a position to count, to each depth up to one.
type count struct {
	fen   string
	depth int
}

// effects are positions with few pieces in which each effect of a move changes a count: rights that end, for each
// corner and each reason; castling; en passant, on each file and beside moves that look like it; promotion.
var effects = []count{
	{"4k3/8/8/8/8/8/8/4K3 w - - 0 1", 3},
	{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", 3},
	{"7k/7p/8/8/8/8/8/4K2R w K - 0 1", 5}, // the king or the rook returns
	{"k7/p7/8/8/8/8/8/R3K3 w Q - 0 1", 5},
	{"k7/8/8/8/7R/8/6b1/4K2R b K - 0 1", 4}, // another rook replaces the captured one
	{"7k/8/8/8/R7/8/1b6/R3K3 b Q - 0 1", 4},
	{"r3k2r/8/8/8/3BB3/8/8/4K3 w kq - 0 1", 3},
	{"r3k2r/8/1N4N1/8/8/8/8/4K3 w kq - 0 1", 3},
	{"r3k2r/1P4P1/8/8/8/8/1p4p1/R3K2R w KQkq - 0 1", 3},
	{"7k/3PP3/8/8/8/8/3pp3/7K w - - 0 1", 2},
	{"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1", 3},
	{"8/1P4P1/8/8/1k3K2/8/1p4p1/8 w - - 0 1", 3}, // the corners are not en-passant squares
	{"k7/8/8/8/3P4/2NBQR2/1p4p1/4K3 w - - 0 1", 2},
	{"r3k2r/p6p/8/2n1b3/2N1B3/8/P6P/R3K2R w KQkq - 0 1", 3}, // rights that stay
	{"4k3/4p3/8/3P4/8/8/8/4K3 b - - 0 1", 4},
	{"4k3/3pp3/8/8/8/P7/8/RNBQK3 b - - 0 1", 3}, // no capture on a square that an own pawn has passed
	{"4k3/p1p1p1p1/8/1P1P1P1P/8/8/8/4K3 b - - 0 1", 3},
	{"4k3/1p1p1p1p/8/P1P1P1P1/8/8/8/4K3 b - - 0 1", 3},
	{"6k1/2Kp4/R6Q/1N2P3/1B6/8/8/8 b - - 0 1", 3}, // pieces on the square that a pawn has passed
	{"4k3/8/8/8/1p3p2/8/R5Q1/4K3 w - - 0 1", 3},   // double steps of rook and queen
	{"1k6/8/8/8/R3Q2R/8/2K5/R3R2R w - - 0 1", 3},  // two squares sideways, beside a rook
}

// counts returns the positions of a chapter's last stage: the effects of moves, each also with the colours exchanged,
// and the published positions. Differences go wrong in other positions, so that their chapter has more.
func counts(chapter string) (all []count, err error) {
	list := slices.Clone(effects)
	if chapter == "delta" {
		for _, fen := range crowded() {
			list = append(list, count{fen, 2})
		}
	}
	for _, c := range list {
		other, err := exchanged(c.fen)
		if err != nil {
			return nil, err
		}
		all = append(all, c, count{other, c.depth})
	}
	for _, p := range generator.Positions() {
		all = append(all, count{p.FEN, 3})
	}
	return all, nil
}

// miscount compares a count. It follows a wrong one to the position that is counted wrongly although those after its
// moves are not: there, a move is played wrongly, perhaps by one of the suspects. It returns nil for a right count.
func miscount(s Subject, p *chess.Position, depth int, suspects []slip) *failure {
	want := perft.Walk(p, depth)
	got, err := s.Perft(p, depth)
	switch {
	case err != nil:
		return &failure{p: p.Clone(), kind: "error", text: fmt.Sprintf("Perft %d failed: %v.\n", depth, err), err: err, depth: depth}
	case got == want:
		return nil
	}
	f := &failure{p: p.Clone(), kind: fmt.Sprint("counts ", depth), text: fmt.Sprintf("Perft %d is %d, want %d.\n", depth, got, want), depth: depth}
	if depth == 1 {
		if wrong := ask(s, p); wrong != nil {
			return wrong
		}
		f.text += "Moves is right here: does Perft count all legal moves, and no others?\n"
		return f
	}
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		deeper := miscount(s, p, depth-1, suspects)
		p.Unmake()
		if deeper != nil {
			return deeper
		}
	}
	f.diagnose(s, got, suspects)
	return f
}

// slip is a fault in playing a move.
type slip struct {
	rule   string // that it breaks
	change func(before, after *array.Position, m array.Move)
}

// slips are in the order in which a reader should look for them.
var slips = func() []slip {
	all := []slip{
		{"the other side is to move", func(before, after *array.Position, _ array.Move) { after.White = before.White }},
		{"the square that the piece leaves is empty", func(before, after *array.Position, m array.Move) {
			after.Board[m.From] = before.Board[m.From]
		}},
	}
	for _, ways := range [][]int{{2}, {-2}, {2, -2}} {
		castles := func(p *array.Position, m array.Move) bool {
			return p.Board[m.From]|32 == 'k' && slices.Contains(ways, m.To-m.From)
		}
		all = append(all, slip{"the rook has jumped over the king", func(before, after *array.Position, m array.Move) {
			if castles(before, m) {
				copy(after.Board[m.From&56:], before.Board[m.From&56:m.From&56+8])
				after.Board[m.From], after.Board[m.To] = '.', before.Board[m.From]
			}
		}}, slip{"the corner that the rook has left in castling is empty", func(before, after *array.Position, m array.Move) {
			if corner := m.From&56 + 7*((m.To&7)/4); castles(before, m) {
				after.Board[corner] = before.Board[corner]
			}
		}})
	}
	ends := func(letters, reason string, ended func(before *array.Position, m array.Move, corner int) bool) {
		all = append(all, slip{fmt.Sprintf("the castling right %s is gone%s", strings.Join(strings.Split(letters, ""), " or "), reason),
			func(before, after *array.Position, m array.Move) {
				for _, letter := range letters {
					l, corner := string(letter), map[rune]int{'K': 7, 'Q': 0, 'k': 63, 'q': 56}[letter]
					if strings.Contains(before.Castling, l) && !strings.Contains(after.Castling, l) && ended(before, m, corner) {
						after.Castling += l
					}
				}
			}})
	}
	for _, letters := range []string{"K", "Q", "k", "q", "KQ", "kq", "KQkq"} {
		ends(letters, ", because the rook is captured", func(_ *array.Position, m array.Move, corner int) bool { return m.To == corner })
		ends(letters, ", because the rook has moved", func(_ *array.Position, m array.Move, corner int) bool { return m.From == corner })
		ends(letters, ", because the king has moved", func(before *array.Position, m array.Move, corner int) bool {
			return before.Board[m.From]|32 == 'k' && m.To != corner
		})
		ends(letters, ", because the rook has moved or is captured", func(_ *array.Position, m array.Move, corner int) bool {
			return m.From == corner || m.To == corner
		})
		ends(letters, "", func(*array.Position, array.Move, int) bool { return true })
	}
	pawn := func(p *array.Position, m array.Move) bool { return p.Board[m.From]|32 == 'p' }
	return append(all,
		slip{"the square that the pawn passed is the en-passant square", func(_, after *array.Position, _ array.Move) { after.EnPassant = -1 }},
		slip{"there is no en-passant square", func(before, after *array.Position, _ array.Move) {
			if after.EnPassant < 0 {
				after.EnPassant = before.EnPassant
			}
		}},
		slip{"there is no en-passant square: 0 is a1", func(_, after *array.Position, _ array.Move) { after.EnPassant = max(after.EnPassant, 0) }},
		slip{"the pawn that was captured en passant is gone", func(before, after *array.Position, m array.Move) {
			if beside := m.From&56 + m.To&7; pawn(before, m) && m.To == before.EnPassant {
				after.Board[beside] = before.Board[beside]
			}
		}},
		slip{"the new piece stands on the target", func(before, after *array.Position, m array.Move) {
			if m.Promotion != 0 {
				after.Board[m.To] = before.Board[m.From]
			}
		}},
		slip{"the new piece has the pawn's colour", func(_, after *array.Position, m array.Move) {
			if m.Promotion != 0 {
				after.Board[m.To] ^= 32
			}
		}})
}()

// count counts leaves with the slip, up to a panic.
func (s slip) count(p array.Position, depth int) (n uint64) {
	defer func() { _ = recover() }() // such as where a king is missing
	if depth == 0 {
		return 1
	}
	for _, m := range p.Legal() {
		after := p.Make(m)
		s.change(&p, &after, m)
		n += s.count(after, depth-1)
	}
	return n
}

// checklist is for a wrong count that no slip explains.
const checklist = `After each move, your own count is right if Perft begins there. So a move is played wrongly. Look, in this order, at
  1. the side to move;
  2. the rook in castling, and only there;
  3. the castling rights, which end when king or rook moves and when the rook is captured, also by a promotion;
  4. the en-passant square, which a double step sets and every other move clears;
  5. the pawn that is captured en passant, and the new piece of a promotion.
`

// sixth is the last point of the checklist in chapters whose boards take moves back, or do not make all moves.
var sixth = map[string]string{
	"x88":   "  6. what is taken back.\n",
	"keys":  "  6. what is taken back, and what a table remembers.\n",
	"lanes": "  6. what is taken back, and what a table remembers.\n",
	"delta": "  6. whether the move is simple: count its answers by making it.\n",
}

// diagnose adds which move is played wrongly: those suspects stay that would count the same, and the first is shown
// with the moves after which it counts wrongly. An engine tells the move itself.
func (f *failure) diagnose(s Subject, got uint64, suspects []slip) {
	if e, ok := s.(subjectEngine); ok {
		theirs, _ := e.Divide(f.p, f.depth)
		for _, m := range movegen.Legal(f.p, nil) {
			text := f.p.UCI(m)
			f.p.Make(m)
			want := perft.Walk(f.p, f.depth-1)
			f.p.Unmake()
			at := slices.IndexFunc(theirs, func(l perft.DivideLine) bool { return l.Move == m })
			if at >= 0 && theirs[at].Nodes != want {
				f.text += fmt.Sprintf("After %s it counts %d, want %d.\n", text, theirs[at].Nodes, want)
				break
			}
		}
	}
	root, _ := array.ReadFEN(generator.CourseFEN(f.p))
	for _, slip := range suspects {
		if slip.count(root, f.depth) == got {
			f.suspects = append(f.suspects, slip)
		}
	}
	if len(f.suspects) == 0 {
		f.text += checklist
		return
	}
	f.kind += " with suspects"
	var moves []string
	for _, m := range root.Legal() {
		right := root.Make(m)
		wrong := right
		f.suspects[0].change(&root, &wrong, m)
		if f.suspects[0].count(wrong, f.depth-1) != f.suspects[0].count(right, f.depth-1) {
			moves = append(moves, m.String())
		}
	}
	if len(moves) > 3 {
		moves = append(moves[:3], "…")
	}
	f.text += fmt.Sprintf("After %s, %s. A program that forgets this counts %d.\n", strings.Join(moves, ", "), f.suspects[0].rule, got)
}
