package generator

import (
	"math/rand/v2"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
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

// randomStart returns the FEN of a game's first position: a known one, a start position of Chess960, one for each side,
// or pieces set up at random.
func randomStart(r *rand.Rand, chess960 bool) string {
	switch {
	case r.IntN(10) < 3:
		return randomSetup(r, chess960)
	case chess960:
		p, _ := chess.NewDoubleChess960(r.IntN(chess.Chess960Starts), r.IntN(chess.Chess960Starts)) // which exist
		return p.FEN()
	}
	return known[r.IntN(len(known))]
}

// randomSetup sets pieces up at random: kings at home with castling rights half of the time, a few pieces of each side,
// pawns on all their ranks.
func randomSetup(r *rand.Rand, chess960 bool) string {
	home := chess.NewPosition()
	if chess960 {
		home, _ = chess.NewChess960(r.IntN(chess.Chess960Starts)) // which exists
	}
	for {
		s := chess.Setup{Side: chess.Color(r.IntN(2))}
		for c := range s.Pieces {
			if r.IntN(2) == 0 {
				continue
			}
			for _, kind := range []chess.PieceType{chess.King, chess.Rook} {
				s.Pieces[c][kind] = home.Pieces(chess.Color(c), kind)
			}
			s.Castling |= s.Pieces[c][chess.Rook]
		}
		Scatter(r, &s, "NBRQnbrq", r.IntN(8))
		Scatter(r, &s, "Pp", r.IntN(17))
		if p, err := s.Position(); err == nil {
			return p.FEN()
		}
	}
}

// Scatter puts the kings that are missing on random free squares, and up to n random pieces of those letters, pawns on
// their ranks alone. The result may be no position.
func Scatter(r *rand.Rand, s *chess.Setup, letters string, n int) {
	put := func(piece chess.Piece) {
		at := chess.Square(r.IntN(64))
		for _, side := range s.Pieces {
			for _, set := range side {
				if set.Has(at) {
					return
				}
			}
		}
		if piece.Type() != chess.Pawn || at.Rank() > 0 && at.Rank() < 7 {
			s.Put(piece, at)
		}
	}
	for c := range s.Pieces {
		for s.Pieces[c][chess.King] == 0 {
			put(chess.MakePiece(chess.Color(c), chess.King))
		}
	}
	for range n {
		i := strings.IndexByte("PNBRQpnbrq", letters[r.IntN(len(letters))])
		put(chess.MakePiece(chess.Color(i/5), chess.PieceType(i%5)))
	}
}

// RandomGame plays random moves from a random start. Each side has at most eight pawns and sixteen men, and the game is
// not over before the last move.
func RandomGame(r *rand.Rand, chess960 bool) *chess.Position {
	for {
		p, err := chess.ParseFEN(randomStart(r, chess960))
		if err != nil || crowded(p) {
			continue
		}
		for range r.IntN(80) {
			moves := movegen.Legal(p, nil)
			if len(moves) == 0 || p.Outcome() != chess.Ongoing {
				break
			}
			p.Make(moves[r.IntN(len(moves))])
		}
		if p.Outcome() == chess.Ongoing || !p.HasLegalMove() {
			return p
		}
	}
}

// LongGame plays a random game that does not end: captures and pawn moves come only where fifty moves come near.
func LongGame(plies int) *chess.Position {
	r, p := rand.New(rand.NewPCG(1, 1)), chess.NewPosition()
	for p.Plies() < plies {
		moves := movegen.Legal(p, nil)
		m := moves[r.IntN(len(moves))]
		lasting := p.IsCapture(m) || p.Piece(m.From()).Type() == chess.Pawn
		if lasting != (p.HalfmoveClock() >= 60) && r.IntN(50) > 0 {
			continue
		}
		if p.Make(m); p.Outcome() != chess.Ongoing {
			p.Unmake()
		}
	}
	return p
}

// crowded reports whether no game has so many men, or so many checks at once.
func crowded(p *chess.Position) bool {
	for _, c := range []chess.Color{chess.White, chess.Black} {
		if p.Pieces(c, chess.Pawn).Count() > 8 || p.ByColor(c).Count() > 16 {
			return true
		}
	}
	return p.Checkers().Count() > 1
}
