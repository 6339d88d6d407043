package array

import "strings"

// A Position is a board of 64 squares and what the board does not show.
type Position struct {
	Board     [64]byte // a1 is 0, b1 is 1, h8 is 63; letters as in FEN, '.' for an empty square
	White     bool     // White is to move
	Castling  string   // the rights: some of the letters KQkq
	EnPassant int      // the square that a pawn has just passed by moving two; -1 for none
}

// ReadFEN reads the first four fields of a FEN and reports whether they have the right form.
func ReadFEN(fen string) (p Position, ok bool) {
	fields := strings.Fields(fen)
	if len(fields) < 4 {
		return p, false
	}
	square := 0
	for i, rank := range strings.Split(fields[0], "/") { // rank 8 comes first
		square = 56 - 8*i
		for _, c := range []byte(rank) {
			count, content := 1, c
			if c >= '1' && c <= '8' {
				count, content = int(c-'0'), '.'
			}
			for range count {
				if square < 0 || square > 63-8*i {
					return p, false
				}
				p.Board[square] = content
				square++
			}
		}
		if square != 64-8*i { // the rank is not complete
			return p, false
		}
	}
	p.White = fields[1] == "w"
	p.Castling = strings.Trim(fields[2], "-")
	p.EnPassant = -1
	if e := fields[3]; len(e) == 2 {
		p.EnPassant = int(e[0]-'a') + 8*int(e[1]-'1')
	}
	return p, square == 8 // the last rank is complete
}
