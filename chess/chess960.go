package chess

import "fmt"

// Chess960Starts is the number of start positions of Chess960.
const Chess960Starts = 960

// StandardStart is the number of standard chess among the Chess960 starts.
const StandardStart = 518

// NewChess960 returns Chess960 start n, 0 to 959 in Scharnagl's numbering. Source:
// Reinhard Scharnagl, "Fischer-Random-Schach"; CPW "Reinhard Scharnagl".
func NewChess960(n int) (*Position, error) { return NewDoubleChess960(n, n) }

// NewDoubleChess960 returns a double Chess960 start, in which White has the first rank
// of one Chess960 start and Black that of another.
func NewDoubleChess960(white, black int) (*Position, error) {
	var s Setup
	for c, n := range [2]int{white, black} {
		rank, err := chess960Rank(n)
		if err != nil {
			if white != black {
				err = fmt.Errorf("%w for %s", err, Color(c))
			}
			return nil, err
		}
		for file, t := range rank {
			s.Pieces[c][t] |= MakeSquare(file, 0).Relative(Color(c)).Bitboard()
		}
		s.Pieces[c][Pawn] = Rank2 << (40 * c)
		s.Castling |= s.Pieces[c][Rook]
	}
	return s.Position()
}

// chess960Rank returns the first rank of start n. The number is a mixed-radix
// one: light bishop (4), dark bishop (4), queen (6), pair of knights (10).
func chess960Rank(n int) ([8]PieceType, error) {
	const none = NoPieceType
	rank := [8]PieceType{none, none, none, none, none, none, none, none}
	if n < 0 || n >= Chess960Starts {
		return rank, fmt.Errorf("Chess960 start %d, want 0 to %d", n, Chess960Starts-1)
	}
	// place puts a piece on the i-th square that is still empty.
	place := func(piece PieceType, i int) {
		for f := range rank {
			if rank[f] != none {
				continue
			}
			if i == 0 {
				rank[f] = piece
				return
			}
			i--
		}
	}
	rank[n%4*2+1] = Bishop
	rank[n/4%4*2] = Bishop
	place(Queen, n/16%6)
	// The ten pairs of five squares in lexicographic order; the second index
	// counts after the first knight stands.
	pair, first := n/96, 0
	for left := 4; pair >= left; left-- {
		pair -= left
		first++
	}
	place(Knight, first)
	place(Knight, first+pair)
	for _, piece := range [3]PieceType{Rook, King, Rook} {
		place(piece, 0)
	}
	return rank, nil
}
