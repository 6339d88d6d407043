package generator

import (
	"math/rand/v2"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// known are positions of standard chess whose games soon need castling, en passant with pins, promotion and
// stalemate.
var known = []string{
	chess.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
	"r3k2r/1b4bq/8/8/8/8/7B/R3K2R w KQkq - 0 1",
	"r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 0 1",
	"8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"8/pppppppp/8/R3k2q/8/8/PPPPPPPP/4K3 b - - 0 1",
	"k7/pppppppp/8/b1r5/2R1B3/8/PPPPPPPP/7K w - - 0 1",
	"7k/5Q2/8/8/8/8/8/K7 w - - 0 1",
	"8/8/8/8/8/1k6/1p6/1K6 w - - 0 1",
	"k7/P7/8/K7/8/8/8/8 w - - 0 1",
	"5k2/5P2/8/5K2/8/8/p7/8 w - - 0 1",
}

// randomStart returns the FEN of a game's first position: a known one, a start position of Chess960, one for each side, or pieces set up at random.
func randomStart(r *rand.Rand, chess960 bool) string {
	switch {
	case r.IntN(10) < 3:
		return randomSetup(r, chess960)
	case chess960:
		return chess960Start(r.IntN(chess.Chess960Starts), r.IntN(chess.Chess960Starts))
	}
	return known[r.IntN(len(known))]
}

// chess960Start returns a double Chess960 start position by its numbers.
func chess960Start(white, black int) string {
	p, err := chess.NewDoubleChess960(white, black)
	if err != nil {
		return chess.StartFEN // no such number; the callers draw from those there are
	}
	return p.FEN()
}

// legalOr returns fen if it is a position, and other if not: taking pieces off
// can leave the side not to move in check.
func legalOr(fen, other string) string {
	if _, err := chess.ParseFEN(fen); err != nil {
		return other
	}
	return fen
}

// joinDigits writes runs of empty squares as FEN wants them.
func joinDigits(placement string) string {
	var sb strings.Builder
	run := byte(0)
	flush := func() {
		if run > 0 {
			sb.WriteByte('0' + run)
			run = 0
		}
	}
	for _, c := range []byte(placement) {
		if c >= '1' && c <= '8' {
			run += c - '0'
			continue
		}
		flush()
		sb.WriteByte(c)
	}
	flush()
	return sb.String()
}

// randomSetup sets pieces up at random: kings at home with castling rights
// half of the time, a few pieces of each side, pawns on all their ranks.
func randomSetup(r *rand.Rand, chess960 bool) string {
	for {
		if fen := trySetup(r, chess960); legalOr(fen, "") != "" {
			return fen
		}
	}
}

// trySetup is one attempt, which may be no legal position.
func trySetup(r *rand.Rand, chess960 bool) string {
	cells := []byte(strings.Repeat("1", 64)) // a8 first
	rights := ""
	for side, home := range [2]int{56, 0} {
		letter := func(c byte) byte { return c | byte(side)<<5 }
		if r.IntN(2) == 0 {
			cells[r.IntN(64)] = letter('K')
			continue
		}
		files := [3]int{0, 4, 7}
		if chess960 {
			rank := strings.ToUpper(chess960Start(0, r.IntN(chess.Chess960Starts))[:8])
			files = [3]int{strings.IndexByte(rank, 'R'), strings.IndexByte(rank, 'K'), strings.LastIndexByte(rank, 'R')}
		}
		for i, piece := range []byte("RKR") {
			cells[home+files[i]] = letter(piece)
		}
		rights += string([]byte{letter('K'), letter('Q')})
	}
	if rights == "" {
		rights = "-"
	}
	pieces, pawns := r.IntN(8), r.IntN(17)
	for range pieces {
		putRandom(r, cells, 0, 64, "NBRQnbrq")
	}
	for range pawns {
		putRandom(r, cells, 8, 56, "Pp")
	}
	var ranks []string
	for rank := range 8 {
		ranks = append(ranks, joinDigits(string(cells[rank*8:rank*8+8])))
	}
	return strings.Join(ranks, "/") + " " + string("wb"[r.IntN(2)]) + " " + rights + " - 0 1"
}

// putRandom puts one of the letters on a random empty cell, if it finds one.
func putRandom(r *rand.Rand, cells []byte, low, high int, letters string) {
	if i := low + r.IntN(high-low); cells[i] == '1' {
		cells[i] = letters[r.IntN(len(letters))]
	}
}
