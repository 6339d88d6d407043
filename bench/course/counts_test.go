package course

import (
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/test/kit"
)

// leaves counts the leaves below a position with the slip.
func (s slip) leaves(p *chess.Position, depth int) uint64 {
	root, _ := array.ReadFEN(p.FEN())
	return s.count(root, depth)
}

// TestSlips plays moves with each slip: a count is wrong.
func TestSlips(t *testing.T) {
	all, err := counts("")
	kit.Succeed(t, err)
	all = all[:2*len(effects)] // the published positions take longer
	slices.SortStableFunc(all, func(a, b count) int { return a.depth - b.depth })
	for _, s := range slips {
		if !slices.ContainsFunc(all, func(c count) bool {
			p := kit.Position(t, c.fen)
			return s.leaves(p, c.depth) != perft.Walk(p, c.depth)
		}) {
			t.Errorf("no count is wrong although not always %s", s.rule)
		}
	}
}

// takenBack counts on one board. The fault changes what it is after a move has been taken back.
func takenBack(p *array.Position, depth int, fault func(before, after, back *array.Position, m array.Move)) (n uint64) {
	if depth == 0 {
		return 1
	}
	for _, m := range p.Legal() {
		before := *p
		after := p.Make(m)
		played := after
		n += takenBack(&after, depth-1, fault)
		fault(&before, &played, p, m)
	}
	return n
}

// TestTakenBack takes moves back with one fault each: a count is wrong, in a position with few pieces.
func TestTakenBack(t *testing.T) {
	is := func(p *array.Position, m array.Move, kind byte) bool { return p.Board[m.From]|32 == kind }
	passes := func(p *array.Position, m array.Move) bool { return is(p, m, 'p') && m.To == p.EnPassant }
	all, err := counts("")
	kit.Succeed(t, err)
	all = all[:2*len(effects)]
	slices.SortStableFunc(all, func(a, b count) int { return a.depth - b.depth })
	for name, fault := range map[string]func(before, after, back *array.Position, m array.Move){
		"the turn":              func(_, after, back *array.Position, _ array.Move) { back.White = after.White },
		"the castling rights":   func(_, after, back *array.Position, _ array.Move) { back.Castling = after.Castling },
		"the en-passant square": func(_, after, back *array.Position, _ array.Move) { back.EnPassant = after.EnPassant },
		"no en-passant square":  func(_, _, back *array.Position, _ array.Move) { back.EnPassant = -1 },
		"the captured piece":    func(_, _, back *array.Position, m array.Move) { back.Board[m.To] = '.' },
		"the piece":             func(_, _, back *array.Position, m array.Move) { back.Board[m.From] = '.' },
		"the pawn that has promoted": func(_, after, back *array.Position, m array.Move) {
			if m.Promotion != 0 {
				back.Board[m.From] = after.Board[m.To]
			}
		},
		"the pawn captured en passant": func(before, after, back *array.Position, m array.Move) {
			if beside := m.From&56 + m.To&7; passes(before, m) {
				back.Board[beside] = after.Board[beside]
			}
		},
		"the pawn captured en passant, on the target": func(before, _, back *array.Position, m array.Move) {
			if beside := m.From&56 + m.To&7; passes(before, m) {
				back.Board[beside], back.Board[m.To] = '.', before.Board[beside]
			}
		},
		"the rook in castling": func(before, after, back *array.Position, m array.Move) {
			if is(before, m, 'k') && (m.To-m.From == 2 || m.From-m.To == 2) {
				copy(back.Board[m.From&56:], after.Board[m.From&56:m.From&56+8])
				back.Board[m.From], back.Board[m.To] = before.Board[m.From], '.'
			}
		},
	} {
		if !slices.ContainsFunc(all, func(c count) (wrong bool) {
			defer func() { wrong = recover() != nil || wrong }() // such as where a king is missing
			p, _ := array.ReadFEN(c.fen)
			return takenBack(&p, c.depth, fault) != perft.Walk(kit.Position(t, c.fen), c.depth)
		}) {
			t.Errorf("no count is wrong although %s is not taken back", name)
		}
	}
	p, _ := array.ReadFEN(chess.StartFEN)
	if n := takenBack(&p, 3, func(before, after, back *array.Position, m array.Move) {}); n != 8902 {
		t.Errorf("without a fault: %d", n)
	}
}
