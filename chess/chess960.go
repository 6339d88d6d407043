package chess

import (
	"fmt"
	"strings"
)

// Chess960Starts is the number of start positions of Chess960.
const Chess960Starts = 960

// StandardStart is the number of standard chess among the Chess960 starts.
const StandardStart = 518

// Chess960FEN returns the FEN of Chess960 start n, 0 to 959 in Scharnagl's
// numbering, castling written KQkq. Source: Reinhard Scharnagl,
// "Fischer-Random-Schach"; CPW "Reinhard Scharnagl".
func Chess960FEN(n int) (string, error) { return DoubleChess960FEN(n, n) }

// DoubleChess960FEN returns the FEN of a double Chess960 start, in which White
// has the first rank of one Chess960 start and Black that of another.
func DoubleChess960FEN(white, black int) (string, error) {
	w, err := chess960Rank(white)
	if err != nil {
		return "", fmt.Errorf("white: %w", err)
	}
	b, err := chess960Rank(black)
	if err != nil {
		return "", fmt.Errorf("black: %w", err)
	}
	return strings.ToLower(string(b[:])) + "/pppppppp/8/8/8/8/PPPPPPPP/" + string(w[:]) + " w KQkq - 0 1", nil
}

// NewChess960 returns Chess960 start n, see [Chess960FEN].
func NewChess960(n int) (*Position, error) { return NewDoubleChess960(n, n) }

// NewDoubleChess960 returns a double Chess960 start, see [DoubleChess960FEN].
func NewDoubleChess960(white, black int) (*Position, error) {
	fen, err := DoubleChess960FEN(white, black)
	if err != nil {
		return nil, err
	}
	return ParseFEN(fen)
}

// chess960Rank returns the first rank of start n. The number is a mixed-radix
// one: light bishop (4), dark bishop (4), queen (6), pair of knights (10).
func chess960Rank(n int) ([8]byte, error) {
	var rank [8]byte
	if n < 0 || n >= Chess960Starts {
		return rank, fmt.Errorf("Chess960 start %d out of range 0 to %d", n, Chess960Starts-1)
	}
	// place puts a piece on the i-th square that is still empty.
	place := func(piece byte, i int) {
		for f := range rank {
			if rank[f] != 0 {
				continue
			}
			if i == 0 {
				rank[f] = piece
				return
			}
			i--
		}
	}
	rank[n%4*2+1] = 'B'
	rank[n/4%4*2] = 'B'
	place('Q', n/16%6)
	// The ten pairs of five squares in lexicographic order; the second index
	// counts after the first knight stands.
	pair, first := n/96, 0
	for left := 4; pair >= left; left-- {
		pair -= left
		first++
	}
	place('N', first)
	place('N', first+pair)
	for _, piece := range []byte("RKR") {
		place(piece, 0)
	}
	return rank, nil
}
