// Package course is the judge of the course in docs/course: it tests a reader's move generator in stages, from a lone
// knight to the published perft counts, and explains the first wrong move in the smallest position that shows it.
package course

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
)

// suite is a part of the tests that is about one thing.
type suite struct {
	name string
	fens []string // each is also tested with the colours exchanged
}

// easy are the first stages. In their positions every move is legal that the pieces can make, so that nothing about
// check need be written yet. The positions after the moves are not tested.
const easy = 6

// basics are the stages of every chapter, from easy to hard.
var basics = []suite{
	{"kings, and the edges of the board", []string{
		"k7/8/8/8/3K4/8/8/8 w - - 0 1", "k7/8/8/8/7K/8/8/8 w - - 0 1", "7k/8/8/8/K7/8/8/8 w - - 0 1",
		"7k/8/8/8/8/8/8/K7 w - - 0 1",
		"k7/8/8/8/8/8/8/7K w - - 0 1", "K7/8/8/8/1k6/8/8/8 w - - 0 1", "4K3/8/8/8/8/8/k7/8 w - - 0 1",
		"7K/8/8/k7/8/8/8/8 w - - 0 1",
	}},
	{"knights, and the edges of the board", []string{
		"k7/8/8/8/4N3/8/8/7K w - - 0 1", "7k/8/8/8/8/8/8/N6K w - - 0 1", "k7/8/8/7N/N7/8/8/7K w - - 0 1",
		"N1k4N/8/8/8/4K3/8/8/1N5N w - - 0 1", "k7/1N4N1/8/8/3K4/8/1N4N1/8 w - - 0 1",
	}},
	{"bishops, rooks and queens on open lines", []string{
		"1k6/8/8/8/3B4/8/7K/8 w - - 0 1", "1k6/8/8/8/3R4/8/8/6K1 w - - 0 1", "1k6/8/8/8/3Q4/8/7K/8 w - - 0 1",
		"1k6/8/7B/B7/8/8/8/6K1 w - - 0 1", "1k6/8/7R/R7/8/8/8/6K1 w - - 0 1",
		"Q7/8/8/8/5k2/7Q/1K6/8 w - - 0 1", "1R6/8/8/8/8/2k3K1/8/7Q w - - 0 1", "B7/k7/8/8/3K4/8/8/6R1 w - - 0 1",
		"7B/8/4K3/1k6/8/8/8/8 w - - 0 1", "8/5K2/8/8/8/8/8/6kB w - - 0 1", "8/7K/3k4/8/8/8/8/B7 w - - 0 1",
		"8/5K2/8/8/1k6/8/8/Q7 w - - 0 1", "7Q/8/8/8/4K3/k7/8/8 w - - 0 1",
	}},
	{"pieces in the way, and captures", []string{
		"1k6/8/2p1N3/3B4/2N1p3/8/8/6K1 w - - 0 1", "k7/3N4/8/1p1R1p2/8/3p4/8/6K1 w - - 0 1",
		"1k6/1p1p1p2/8/1N1Q1N2/8/1p1p4/8/7K w - - 0 1", "1k6/8/2p1N3/1p3N2/3N4/1N6/2N1p3/7K w - - 0 1",
		"1k6/8/8/8/8/8/6NN/5n1K w - - 0 1", "8/8/8/3rN3/3NK3/8/8/k7 w - - 0 1",
		"8/4k3/Q7/1n6/1R6/4pR2/1b1QKR2/2Q2RB1 w - - 0 1", "8/8/2Q5/2B1N3/8/5B2/8/1k4K1 w - - 0 1",
		"B6b/5Nk1/8/3BR3/2K5/4Q3/8/8 w - - 0 1", "1N1k4/3P4/8/6K1/6p1/1N1Q4/8/Q1r5 w - - 0 1",
		"2k5/8/8/4r3/3B4/6K1/Nq3R2/2n5 w - - 0 1", "3Q4/2N5/4K3/4P3/8/5k2/8/8 w - - 0 1", "Kn6/2B5/8/2k5/8/8/8/8 w - - 0 1",
		"8/8/3Bk2K/8/R7/P7/7b/8 w - - 0 1", "4K3/5p2/8/3B4/8/4N3/N6k/2q5 w - - 0 1",
		"4N2k/3p4/3n4/2N3r1/6R1/8/8/1K6 w - - 0 1", "6bK/7Q/4k3/8/8/8/8/8 w - - 0 1", "2K4k/1p6/8/8/8/8/8/8 w - - 0 1",
		"7K/8/8/7k/8/8/2Q5/3q4 w - - 0 1", "k7/8/8/4N3/3bK3/4N3/8/8 w - - 0 1",
		"8/6k1/8/8/8/8/6n1/4RK2 w - - 0 1",
	}},
	{"pawns: steps, double steps and captures", []string{
		"4k3/8/8/8/8/8/P6P/4K3 w - - 0 1", "4k3/8/8/3p4/3P4/4P3/8/4K3 w - - 0 1", "4k3/8/8/8/p6p/7P/P7/4K3 w - - 0 1",
		"7k/8/8/8/8/1p1p3p/P1P3P1/7K w - - 0 1", "4k3/8/p6p/P6P/8/8/8/4K3 w - - 0 1", "4k3/8/7p/p7/7P/P7/8/4K3 w - - 0 1",
		"4k3/8/2p1p3/3P4/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/3P4/8/2P5/4K3 w - - 0 1",
		"8/8/4K3/8/8/4b2k/4P3/8 w - - 0 1", "8/2K5/8/8/8/2k1p3/5P2/8 w - - 0 1", "8/8/7K/8/8/n6P/Pk5n/8 w - - 0 1",
		"8/5K2/8/q7/P7/7P/1k1P4/8 w - - 0 1", "8/pK6/1P6/6k1/8/8/4P3/8 w - - 0 1", "8/8/1K6/5Nn1/5PP1/8/7k/8 w - - 0 1",
		"8/8/1Pq5/1P1n4/4PP2/6k1/K5P1/8 w - - 0 1", "8/5q2/6P1/K3R3/3PP1b1/7P/8/3k4 w - - 0 1",
		"5k2/1Q6/1P6/5r2/4PP2/K7/P7/8 w - - 0 1", "8/8/2P5/1k2B3/4P3/8/1P2P3/7K w - - 0 1",
	}},
	{"promotion", []string{
		"8/P6k/8/8/8/8/8/K7 w - - 0 1", "1n6/P6k/8/8/8/8/8/K7 w - - 0 1", "n1n5/1P5k/8/8/8/8/8/K7 w - - 0 1",
		"n7/P6k/8/8/8/8/8/K7 w - - 0 1", "6n1/P6P/3k4/8/8/8/8/K7 w - - 0 1", "8/5P2/3k4/8/8/8/8/7K w - - 0 1",
		"8/k6P/8/8/K7/8/8/8 w - - 0 1",
		"1b1r1B1K/2P1PPP1/8/5k2/8/8/8/8 w - - 0 1", "2n1nbnr/3PPPP1/8/8/k2K4/8/8/8 w - - 0 1",
	}},
	{"check: move away, capture or step between", []string{
		"4k3/8/8/8/8/8/4r3/4K3 w - - 0 1", "4r1k1/8/8/8/8/8/8/B2RK1N1 w - - 0 1", "7k/8/8/8/1b6/8/2P5/R3K3 w - - 0 1",
		"6k1/8/8/8/8/3n4/2P5/4K2R w - - 0 1", "7k/8/8/8/8/8/3p4/1N2K3 w - - 0 1", "4r2k/8/8/8/8/8/3P4/4K3 w - - 0 1",
		"6k1/8/8/8/8/8/8/r3K2R w - - 0 1", "7k/8/8/8/8/1r6/r7/4K3 w - - 0 1",
		"8/8/8/3k4/8/3K4/8/8 w - - 0 1", "1k6/8/8/2PPP3/2PKp3/2PPp3/8/8 w - - 0 1",
		"8/1k6/6q1/6K1/8/8/8/8 w - - 0 1", "2Q5/8/5k2/8/8/1K6/2q5/8 w - - 0 1", "8/2K2k2/2b5/q7/8/8/8/8 w - - 0 1",
		"8/8/5b2/8/8/2K5/4k3/8 w - - 0 1", "3k1B1K/2R5/7r/8/7R/8/8/8 w - - 0 1", "8/8/8/8/8/8/3K2n1/1k6 w - - 0 1",
		"8/2k5/8/8/5b2/4nK2/8/8 w - - 0 1", "q7/8/8/2k5/q4K2/5p2/1P6/8 w - - 0 1", "8/8/8/4r3/3K4/8/2k5/8 w - - 0 1",
		"8/5q2/8/1K6/8/1n6/4k3/8 w - - 0 1", "8/8/2b5/5K2/4b3/2k5/8/8 w - - 0 1", "6qr/6K1/8/8/4P3/8/5k2/8 w - - 0 1",
		"8/2K5/2p5/8/8/7k/8/8 w - - 0 1", "3K4/8/8/6b1/8/8/8/6k1 w - - 0 1", "8/4r3/5k2/7q/8/8/3KN3/8 w - - 0 1",
		"3n4/8/1K6/8/8/8/6k1/Q5b1 w - - 0 1", "8/1b6/6k1/8/4P3/8/5K2/8 w - - 0 1",
		"8/8/3K4/q1n5/6k1/8/8/2r5 w - - 0 1", "8/8/2Kn4/4b1k1/8/8/8/8 w - - 0 1",
		"7k/8/5p2/8/4K3/8/8/8 w - - 0 1",
	}},
	{"double check, mate and stalemate", []string{
		"4r2k/8/8/8/8/5n2/6B1/4K3 w - - 0 1", "4r2k/8/8/b7/8/8/R7/4K1B1 w - - 0 1", "4r1k1/8/8/8/8/3n4/P1P5/B3K2R w - - 0 1",
		"7k/8/8/8/8/8/1r6/r5K1 w - - 0 1", "8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", "8/k7/8/8/4qK2/4b3/8/8 w - - 0 1",
	}},
	{"pins", []string{
		"4r2k/8/8/8/8/8/4N3/4K3 w - - 0 1", "4r2k/8/8/8/4R3/8/8/4K3 w - - 0 1", "7k/8/8/8/1b6/8/3P4/4K3 w - - 0 1",
		"6k1/8/8/8/1b6/2B5/8/4K3 w - - 0 1", "4r2k/8/8/8/8/5p2/4P3/4K3 w - - 0 1", "7k/8/8/8/7b/6p1/5P2/4K3 w - - 0 1",
		"4r1k1/8/8/8/1b6/2Q5/4Q3/4K3 w - - 0 1", "4r2k/4r3/8/8/8/8/4N3/4K3 w - - 0 1",
		"8/8/8/8/4q3/5P2/8/2k4K w - - 0 1", "8/8/2b5/3B4/4Pk2/8/8/7K w - - 0 1", "8/8/6r1/8/k3B3/8/8/1K2N1q1 w - - 0 1",
		"8/8/5q2/5Q2/8/8/qQ3K2/7k w - - 0 1", "3k4/8/5R2/8/2r1B2K/8/8/8 w - - 0 1", "8/8/1K6/8/3P1k2/4b3/8/8 w - - 0 1",
		"4K3/5R2/8/7q/8/1k6/8/8 w - - 0 1", "8/1K4Nr/8/4k3/8/8/8/8 w - - 0 1", "8/4k3/8/8/8/8/8/2b3NK w - - 0 1",
		"6n1/4k3/6Q1/6K1/8/8/8/8 w - - 0 1", "8/8/K1nP1q2/8/4k3/8/8/8 w - - 0 1", "8/8/7K/6P1/8/8/8/1kq5 w - - 0 1",
		"3K4/3Q4/8/8/8/3q4/8/5k2 w - - 0 1", "8/4b3/3R4/8/1K6/7k/8/8 w - - 0 1", "6K1/5N2/8/8/8/8/b5k1/8 w - - 0 1",
		"8/4K3/4Q3/8/3k4/8/4r3/8 w - - 0 1", "8/6q1/8/4B3/8/2K2k2/8/8 w - - 0 1",
	}},
	{"castling: the right, the way and the attacks", []string{
		"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1",
		"4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "4k3/8/8/8/8/8/8/R1B1K1NR w KQ - 0 1",
		"4k3/8/8/8/8/8/8/R2QKB1R w KQ - 0 1", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1",
		"4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/7r/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/3r4/8/8/R3K2R w KQ - 0 1",
		"4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1", "4k3/8/8/8/r7/8/8/R3K2R w KQ - 0 1",
		"4k3/8/8/8/8/8/7p/R3K2R w KQ - 0 1", "4k3/8/8/8/8/4n3/8/R3K2R w KQ - 0 1", "8/8/8/8/8/8/6k1/R3K2R w Q - 0 1",
		"8/3q4/8/6k1/8/4q3/8/R3K2R w KQ - 0 1", "8/8/8/8/8/8/2k5/R3Kn1R w KQ - 0 1", "8/8/8/8/6b1/8/6k1/R3K2R w KQ - 0 1",
		"8/8/8/8/6k1/8/3p4/R3K2R w KQ - 0 1", "8/8/8/2k5/8/8/6n1/R3K2R w KQ - 0 1", "3k4/8/8/8/7b/8/8/R3K2R w KQ - 0 1",
		"3k4/8/8/8/8/8/4p3/R3K2R w KQ - 0 1", "4k3/8/5q1b/8/8/8/8/R3K2R w KQ - 0 1", "8/2k5/8/8/2b5/8/8/R2nK2R w KQ - 0 1",
		"8/8/8/8/8/3k4/8/4K1bR w K - 0 1", "8/8/8/8/8/4k3/8/R1b1K3 w Q - 0 1", "8/8/8/1k6/8/8/8/Rb2K3 w Q - 0 1",
		"8/1k6/8/8/8/8/n7/R3K2R w KQ - 0 1", "8/8/1k6/8/8/8/7b/R3K2R w KQ - 0 1", "8/8/8/8/5k2/8/4n3/R3K2R w KQ - 0 1",
	}},
	{"en passant", []string{
		"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", "4k3/8/8/2PpP3/8/8/8/4K3 w - d6 0 1",
		"4k3/8/8/pP5P/8/8/8/4K3 w - a6 0 1", "4k3/8/8/P5Pp/8/8/8/4K3 w - h6 0 1", "8/8/8/3pP3/4K2k/8/8/8 w - d6 0 1",
		"8/8/8/K2pP2r/8/8/8/7k w - d6 0 1", "4k3/6b1/8/3pP3/8/8/1K6/8 w - d6 0 1", "4r2k/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
		"3r3k/8/8/3pP3/8/8/8/3K4 w - d6 0 1", "8/6k1/8/3pP3/8/8/8/B6K w - d6 0 1",
		"8/8/8/K2pP2q/8/8/8/7k w - d6 0 1", "8/8/8/r2pP2K/8/8/8/k7 w - d6 0 1", "4k3/6q1/8/3pP3/8/8/1K6/8 w - d6 0 1",
		"8/6K1/8/3pP3/8/8/8/b5k1 w - d6 0 1", "4k3/8/P7/7p/8/8/8/4K3 w - h6 0 1", "8/8/8/1PpP4/2k5/8/K7/8 w - c6 0 1",
		"q7/8/8/PpP5/K7/8/k7/8 w - b6 0 1", "2K5/8/8/3PpP2/8/7b/8/3k4 w - e6 0 1", "8/7k/3K4/4pPpP/8/8/8/8 w - g6 0 1",
		"3K4/8/8/4PpP1/8/5k2/8/8 w - f6 0 1", "8/8/1q6/2PpPpk1/3K4/8/8/8 w - d6 0 1", "8/P7/7K/1kPp4/8/8/8/8 w - - 0 1",
		"2b5/8/4K3/3pP3/8/8/8/1k6 w - d6 0 1", "1K2k3/8/8/Pp6/8/8/8/8 w - b6 0 1", "K2k4/8/8/1pP5/4q3/8/8/8 w - b6 0 1",
		"8/3q3K/8/4pP2/8/1k6/8/8 w - e6 0 1", "8/8/8/p7/1k3K1P/8/8/8 w - a6 0 1", "8/8/6K1/6Pp/8/8/2k3q1/8 w - h6 0 1",
		"8/3K4/8/5Pp1/3k2b1/8/8/8 w - g6 0 1", "5K2/8/8/1pP5/8/q7/5k2/8 w - b6 0 1", "8/8/3K4/2pP4/8/8/3r4/2k5 w - c6 0 1",
		"8/7k/7P/p7/4K3/8/8/8 w - a6 0 1",
	}},
}

// stages returns the stages of a chapter: the basics, what its method gets wrong most easily, and published positions.
func stages(chapter string) []suite {
	all := slices.Clone(basics)
	random := rand.New(rand.NewPCG(1, 1))
	switch chapter {
	case "bitboards", "rays":
		all = append(all, suite{"sets at the first and the last square", []string{
			"7R/k7/8/8/8/8/8/1R5K w - - 0 1", "6k1/8/8/8/8/8/K7/B6B w - - 0 1", "1k4nn/pp5P/8/8/8/8/PP6/K5BR w - - 0 1",
			"4k3/P6P/8/8/8/8/p6p/4K3 w - - 0 1", "R6q/1k6/8/8/8/8/6K1/Q6r w - - 0 1",
		}})
	case "magics", "gather":
		s := suite{name: "sliders behind every arrangement of pieces"}
		for range 60 {
			s.fens = append(s.fens, scatter(random, "BRQbrqPpNn", 8+random.IntN(16)))
		}
		all = append(all, s)
	case "legal", "keys":
		s := suite{name: "kings under fire"}
		for range 60 {
			s.fens = append(s.fens, scatter(random, "BRQNPbrqn", 6+random.IntN(6)))
		}
		all = append(all, s)
	case "lanes":
		s := suite{name: "several sliders that reach one square, and more than eight moves"}
		for range 40 {
			s.fens = append(s.fens, scatter(random, "QQRRBBqrbn", 6+random.IntN(9)))
		}
		all = append(all, s)
	case "delta":
		all = append(all, suite{name: lines, fens: crowded()})
	}
	published := suite{name: "published positions"}
	for _, p := range generator.Positions() {
		published.fens = append(published.fens, p.FEN)
	}
	return append(all, published)
}

// lines is the name of a stage whose positions are counted, too.
const lines = "pieces that leave and reach the lines of others"

// crowded returns positions in which most moves change what other pieces can do.
func crowded() (fens []string) {
	random := rand.New(rand.NewPCG(1, 11))
	for range 40 {
		fens = append(fens, scatter(random, "QRRBBNPPqrrbbnpp", 12+random.IntN(12)))
	}
	return fens
}

// scatter returns a valid random position with kings and n other pieces at most, White to move.
func scatter(random *rand.Rand, letters string, n int) string {
	for {
		var s chess.Setup
		generator.Scatter(random, &s, letters, n)
		if p, err := s.Position(); err == nil {
			return p.FEN()
		}
	}
}

// exchanged returns a position with the colours exchanged and the board turned upside down.
func exchanged(fen string) (string, error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return "", err
	}
	s := p.Setup()
	s.Pieces[0], s.Pieces[1] = s.Pieces[1], s.Pieces[0]
	for c := range s.Pieces {
		for k := range s.Pieces[c] {
			s.Pieces[c][k] = turned(s.Pieces[c][k])
		}
	}
	s.Side, s.Castling, s.EnPassant = s.Side.Other(), turned(s.Castling), turned(s.EnPassant)
	if p, err = s.Position(); err != nil {
		return "", fmt.Errorf("%s turned: %w", fen, err)
	}
	return p.FEN(), nil
}

func turned(set chess.Bitboard) chess.Bitboard {
	return chess.Bitboard(bits.ReverseBytes64(uint64(set)))
}

// positions returns the positions of a stage, each as it is and with the colours exchanged.
func (s *suite) positions() (fens []string, err error) {
	for _, fen := range s.fens {
		other, err := exchanged(fen)
		if err != nil {
			return nil, err
		}
		fens = append(fens, fen, other)
	}
	return fens, nil
}
