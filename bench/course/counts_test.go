package course

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// change makes a fault in a move that was played.
type change func(before, after *array.Position, m array.Move)

// perft counts with the fault.
func (c change) perft(p array.Position, depth int) (n uint64) {
	if depth == 0 {
		return 1
	}
	for _, m := range p.Legal() {
		after := p.Make(m)
		c(&p, &after, m)
		n += c.perft(after, depth-1)
	}
	return n
}

// leaves counts the leaves after a position.
func (c change) leaves(p *chess.Position, depth int) uint64 {
	root, _ := array.ReadFEN(p.FEN())
	return c.perft(root, depth)
}

// fails reports whether a count is wrong, or cannot be made.
func (c change) fails(p *chess.Position, depth int, want uint64) (wrong bool) {
	defer func() { wrong = recover() != nil || wrong }()
	return c.leaves(p, depth) != want
}

// TestSlips plays moves wrongly: each effect of a move, for each colour, corner, file and kind of piece by itself.
func TestSlips(t *testing.T) {
	cases := map[string]change{}
	// add adds a fault in the moves of one side with one kind of piece.
	add := func(white bool, kind rune, name string, c change) {
		name = fmt.Sprintf("%s, %c, White %t", name, kind, white)
		if cases[name] != nil {
			t.Fatal(name)
		}
		cases[name] = func(before, after *array.Position, m array.Move) {
			if before.White == white && rune(before.Board[m.From]|32) == kind {
				c(before, after, m)
			}
		}
	}
	keeps := func(letter rune, when func(m array.Move) bool) change {
		return func(before, after *array.Position, m array.Move) {
			if l := string(letter); strings.Contains(before.Castling, l) && !strings.Contains(after.Castling, l) && when(m) {
				after.Castling += l
			}
		}
	}
	for _, white := range []bool{true, false} {
		for _, kind := range "pnbrqk" {
			add(white, kind, "the side does not change", func(_, after *array.Position, _ array.Move) { after.White = !after.White })
			add(white, kind, "the piece also stays", func(before, after *array.Position, m array.Move) {
				after.Board[m.From] = before.Board[m.From]
			})
			add(white, kind, "the en-passant square stays", func(before, after *array.Position, _ array.Move) {
				if after.EnPassant < 0 {
					after.EnPassant = before.EnPassant
				}
			})
			for _, corner := range map[bool][]int{true: {0, 7}, false: {56, 63}}[white] { // that the other side's pawns reach
				add(white, kind, fmt.Sprintf("no en-passant square is %d", corner), func(_, after *array.Position, _ array.Move) {
					if after.EnPassant < 0 {
						after.EnPassant = corner
					}
				})
			}
			for letter, corner := range map[rune]int{'K': 7, 'Q': 0, 'k': 63, 'q': 56} {
				if own := white == (letter < 'a'); own && kind == 'k' {
					for _, two := range []bool{true, false} {
						add(white, kind, fmt.Sprintf("%c stays after king's moves of two squares, %t", letter, two),
							keeps(letter, func(m array.Move) bool { return (m.To-m.From == 2 || m.From-m.To == 2) == two }))
					}
				} else if own && kind == 'r' {
					add(white, kind, fmt.Sprintf("%c stays when the rook moves", letter), keeps(letter, func(m array.Move) bool { return m.From == corner }))
				} else if !own && strings.ContainsRune("pnb", kind) { // after others, nobody can castle for a long time
					add(white, kind, fmt.Sprintf("%c stays when the rook is captured", letter), keeps(letter, func(m array.Move) bool { return m.To == corner }))
				}
				if kind != 'q' && (kind != 'k' || white != (letter < 'a')) {
					add(white, kind, fmt.Sprintf("%c ends too early", letter), func(_, after *array.Position, _ array.Move) {
						after.Castling = strings.ReplaceAll(after.Castling, string(letter), "")
					})
				}
			}
			if kind == 'r' || kind == 'q' {
				add(white, kind, "a double step makes an en-passant square", func(_, after *array.Position, m array.Move) {
					if m.To-m.From == 16 || m.From-m.To == 16 {
						after.EnPassant = (m.From + m.To) / 2
					}
				})
				for way, rook := range map[int]int{2: 3, -2: -4} {
					add(white, kind, fmt.Sprintf("%d squares sideways move a rook", way), func(_, after *array.Position, m array.Move) {
						if at := m.From + rook; m.To-m.From == way && at/8 == m.From/8 && at >= 0 && after.Board[at]|32 == 'r' {
							after.Board[m.From+way/2], after.Board[at] = after.Board[at], '.'
						}
					})
				}
			}
			if kind != 'p' {
				add(white, kind, "captures a pawn en passant", func(before, after *array.Position, m array.Move) {
					if m.To == before.EnPassant && white {
						after.Board[m.To-8] = '.'
					} else if m.To == before.EnPassant {
						after.Board[m.To+8] = '.'
					}
				})
			}
		}
		for file := range 8 {
			add(white, 'p', fmt.Sprintf("no en-passant square on file %d", file), func(_, after *array.Position, m array.Move) {
				if m.To%8 == file {
					after.EnPassant = -1
				}
			})
			add(white, 'p', fmt.Sprintf("the captured pawn on file %d stays", file), func(before, after *array.Position, m array.Move) {
				if m.To == before.EnPassant && m.To%8 == file {
					after.Board[m.From/8*8+file] = before.Board[m.From/8*8+file]
				}
			})
			add(white, 'p', fmt.Sprintf("no promotion on file %d", file), func(before, after *array.Position, m array.Move) {
				if m.Promotion != 0 && m.To%8 == file {
					after.Board[m.To] = before.Board[m.From]
				}
			})
		}
		add(white, 'p', "the en-passant square is the pawn's", func(_, after *array.Position, m array.Move) {
			if after.EnPassant >= 0 {
				after.EnPassant = m.To
			}
		})
		for _, capture := range []bool{true, false} {
			for _, piece := range "qrbn" {
				for _, other := range "qrbn" {
					add(white, 'p', fmt.Sprintf("%c instead of %c, capture %t", other, piece, capture), func(before, after *array.Position, m array.Move) {
						if rune(m.Promotion) == piece && (before.Board[m.To] != '.') == capture {
							after.Board[m.To] = byte(other) - 'p' + before.Board[m.From]
						}
					})
					if piece == other {
						delete(cases, fmt.Sprintf("%c instead of %c, capture %t, p, White %t", other, piece, capture, white))
					}
				}
				add(white, 'p', fmt.Sprintf("%c of the other colour, capture %t", piece, capture), func(before, after *array.Position, m array.Move) {
					if rune(m.Promotion) == piece && (before.Board[m.To] != '.') == capture {
						after.Board[m.To] ^= 32
					}
				})
			}
		}
		for way, rook := range map[int]int{2: 3, -2: -4} {
			for name, at := range map[string][2]int{"stays": {way / 2, rook}, "is copied": {99, rook}, "vanishes": {way / 2, 99},
				"goes too far": {way / 2, way * 3 / 2}} {
				add(white, 'k', fmt.Sprintf("the rook %s, king %d", name, way), func(before, after *array.Position, m array.Move) {
					if m.To-m.From != way {
						return
					}
					if at[0] != 99 {
						after.Board[m.From+at[0]] = '.'
					}
					if at[1] != 99 {
						after.Board[m.From+at[1]] = before.Board[m.From+rook]
					}
				})
			}
		}
	}
	var positions []*chess.Position
	var want []uint64
	all, err := counts()
	testkit.Succeed(t, err)
	all = all[:2*len(effects)] // the published positions take longer
	slices.SortStableFunc(all, func(a, b count) int { return a.depth - b.depth })
	for _, c := range all {
		positions = append(positions, testkit.Position(t, c.fen))
		want = append(want, perft.Walk(positions[len(want)], c.depth))
	}
	for name, c := range cases {
		found := false
		for i := range all {
			if found = c.fails(positions[i], all[i].depth, want[i]); found {
				break
			}
		}
		if !found {
			t.Errorf("%s: no count is wrong", name)
		}
	}
	t.Log(len(cases), "faults")
}
