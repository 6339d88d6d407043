// Package array is the generator of chapter 1: a board of 64 bytes, with files and ranks.
//
// A move is tried on a copy of the position. It is legal if the own king is then not attacked.
package array

import (
	"bytes"
	"strings"
)

// A Move leads from one square to another. Castling is a move of the king by two squares.
type Move struct {
	From, To  int
	Promotion byte // q, r, b or n; 0 for none
}

// String returns the move in UCI text, such as e2e4 or a7a8q.
func (m Move) String() string {
	text := []byte{'a' + byte(m.From%8), '1' + byte(m.From/8), 'a' + byte(m.To%8), '1' + byte(m.To/8)}
	if m.Promotion != 0 {
		text = append(text, m.Promotion)
	}
	return string(text)
}

// Directions as files and ranks.
var (
	lines     = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	diagonals = [][2]int{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	eight     = append(lines[:4:4], diagonals...)
	jumps     = [][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}
)

// Step returns the square that is some files and ranks away, and false outside the board.
func Step(from, files, ranks int) (to int, ok bool) {
	file, rank := from%8+files, from/8+ranks
	return 8*rank + file, file >= 0 && file < 8 && rank >= 0 && rank < 8
}

// own reports whether a piece belongs to the side to move. White's letters are capitals.
func (p *Position) own(piece byte) bool { return piece != '.' && (piece < 'a') == p.White }

// lower returns the kind of a piece, of either colour.
func lower(piece byte) byte { return piece | 0x20 }

// pseudo lists the moves of the side to move that obey all rules except the safety of the king.
func (p *Position) pseudo() (moves []Move) {
	for from, piece := range p.Board {
		if !p.own(piece) {
			continue
		}
		switch lower(piece) {
		case 'p':
			moves = p.pawn(moves, from)
		case 'n':
			moves = p.piece(moves, from, jumps, 1)
		case 'b':
			moves = p.piece(moves, from, diagonals, 7)
		case 'r':
			moves = p.piece(moves, from, lines, 7)
		case 'q':
			moves = p.piece(moves, from, eight, 7)
		case 'k':
			moves = p.castling(p.piece(moves, from, eight, 1), from)
		}
	}
	return moves
}

// piece adds the moves of a piece that goes up to reach steps in each direction.
func (p *Position) piece(moves []Move, from int, directions [][2]int, reach int) []Move {
	for _, d := range directions {
		for n := 1; n <= reach; n++ {
			to, ok := Step(from, n*d[0], n*d[1])
			if !ok || p.own(p.Board[to]) {
				break
			}
			moves = append(moves, Move{from, to, 0})
			if p.Board[to] != '.' {
				break // a capture ends the walk
			}
		}
	}
	return moves
}

// pawn adds the moves of a pawn.
func (p *Position) pawn(moves []Move, from int) []Move {
	up, first := 1, 1
	if !p.White {
		up, first = -1, 6
	}
	if to, _ := Step(from, 0, up); p.Board[to] == '.' {
		moves = promote(moves, from, to)
		if two, _ := Step(from, 0, 2*up); from/8 == first && p.Board[two] == '.' {
			moves = append(moves, Move{from, two, 0})
		}
	}
	for _, side := range []int{-1, 1} {
		to, ok := Step(from, side, up)
		if ok && (to == p.EnPassant || p.Board[to] != '.' && !p.own(p.Board[to])) {
			moves = promote(moves, from, to)
		}
	}
	return moves
}

// promote adds a pawn's move, or four of them onto the last rank.
func promote(moves []Move, from, to int) []Move {
	if to >= 8 && to < 56 {
		return append(moves, Move{from, to, 0})
	}
	return append(moves, Move{from, to, 'q'}, Move{from, to, 'r'}, Move{from, to, 'b'}, Move{from, to, 'n'})
}

// castling adds the castling moves of a king on e1 or e8: the squares up to the rook are empty, and neither
// the king's square nor the next one is attacked. That the last one is not attacked is left to the test of
// all moves.
func (p *Position) castling(moves []Move, king int) []Move {
	letters := "kq"
	if p.White {
		letters = "KQ"
	}
	for i, empty := range []string{"..", "..."} {
		if !strings.Contains(p.Castling, letters[i:i+1]) {
			continue
		}
		side, path := 1, p.Board[king+1:king+3]
		if i == 1 {
			side, path = -1, p.Board[king-3:king]
		}
		if string(path) == empty && !p.attacked(king, !p.White) && !p.attacked(king+side, !p.White) {
			moves = append(moves, Move{king, king + 2*side, 0})
		}
	}
	return moves
}

// attacked reports whether a side attacks a square. It looks from the square outwards: whatever attacks
// the square stands where the same kind of piece could go from there.
func (p *Position) attacked(square int, byWhite bool) bool {
	sees := func(directions [][2]int, reach int, kinds string) bool {
		for _, d := range directions {
			for n := 1; n <= reach; n++ {
				to, ok := Step(square, n*d[0], n*d[1])
				if !ok {
					break
				}
				if piece := p.Board[to]; piece != '.' {
					if (piece < 'a') == byWhite && strings.IndexByte(kinds, lower(piece)) >= 0 {
						return true
					}
					break
				}
			}
		}
		return false
	}
	pawns := [][2]int{{-1, 1}, {1, 1}} // where black pawns stand that attack the square
	if byWhite {
		pawns = [][2]int{{-1, -1}, {1, -1}}
	}
	return sees(jumps, 1, "n") || sees(eight, 1, "k") || sees(pawns, 1, "p") ||
		sees(lines, 7, "rq") || sees(diagonals, 7, "bq")
}

// Make returns the position after a move.
func (p Position) Make(m Move) Position {
	piece := p.Board[m.From]
	p.Board[m.From], p.Board[m.To] = '.', piece
	passed := p.EnPassant
	p.EnPassant = -1
	switch lower(piece) {
	case 'p':
		switch {
		case m.Promotion != 0:
			p.Board[m.To] = m.Promotion - 'p' + piece // of the pawn's colour
		case m.To == passed:
			p.Board[m.From/8*8+m.To%8] = '.' // the captured pawn stands beside the capturing one
		case m.To-m.From == 16 || m.From-m.To == 16:
			p.EnPassant = (m.From + m.To) / 2
		}
	case 'k':
		switch m.To - m.From {
		case 2:
			p.Board[m.From+1], p.Board[m.From+3] = p.Board[m.From+3], '.'
		case -2:
			p.Board[m.From-1], p.Board[m.From-4] = p.Board[m.From-4], '.'
		}
	}
	for i, square := range []int{7, 0, 63, 56} { // the rooks of KQkq
		king := 4 + 56*(i/2)
		if m.From == king || m.From == square || m.To == square {
			p.Castling = strings.ReplaceAll(p.Castling, "KQkq"[i:i+1], "")
		}
	}
	p.White = !p.White
	return p
}

// Legal lists the legal moves: after them, the own king is not attacked.
func (p *Position) Legal() (moves []Move) {
	king := byte('k')
	if p.White {
		king = 'K'
	}
	for _, m := range p.pseudo() {
		after := p.Make(m)
		if !after.attacked(bytes.IndexByte(after.Board[:], king), !p.White) {
			moves = append(moves, m)
		}
	}
	return moves
}

// perft counts the leaves of the tree of legal moves.
func (p Position) perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	nodes := uint64(0)
	for _, m := range p.Legal() {
		nodes += p.Make(m).perft(depth - 1)
	}
	return nodes
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) (texts []string) {
	p, ok := ReadFEN(fen)
	if !ok {
		return nil
	}
	for _, m := range p.Legal() {
		texts = append(texts, m.String())
	}
	return texts
}

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func Perft(fen string, depth int) uint64 {
	p, ok := ReadFEN(fen)
	if !ok {
		return 0
	}
	return p.perft(depth)
}
