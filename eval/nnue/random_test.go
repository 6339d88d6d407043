package nnue

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/movegen"
)

// randomNetwork returns a network whose accumulators pass both ends of the
// clipping.
func randomNetwork(t testing.TB, shape Shape, seed uint64) *Network {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	w := NewWeights(shape)
	for i := range w.Stacks {
		w.Stacks[i] = randomStack(r, shape.Width)
	}
	for i := range w.Features {
		w.Features[i] = int8(r.IntN(161) - 80)
	}
	for i := range w.Biases {
		w.Biases[i] = int16(r.IntN(401) - 150)
	}
	for i := range w.OutputBiases {
		w.OutputBiases[i] = int32(r.IntN(20001)-10000) * (OutputUnit >> 15)
	}
	n, err := New(shape, w, Provenance{DataHash: "none", Positions: 3, Commands: []string{"test"}})
	must.Succeed(t, err)
	return n
}

// randomStack returns small layers whose activations are now within their
// bounds and now beyond.
func randomStack(r *rand.Rand, width int) Stack {
	s := newStack(width)
	for i := range s.Weights1 {
		s.Weights1[i] = int8(r.IntN(41) - 20)
	}
	for i := range s.Biases1 {
		s.Biases1[i] = int32(r.IntN(2*HiddenUnit) - HiddenUnit)
	}
	for i := range s.Weights2 {
		s.Weights2[i] = int16(r.IntN(Weight2Unit) - Weight2Unit/2)
	}
	for i := range s.Biases2 {
		s.Biases2[i] = int32(r.IntN(2*Bias2Unit) - Bias2Unit)
	}
	for i := range s.Weights3 {
		s.Weights3[i] = int16(r.IntN(2*Weight3Unit) - Weight3Unit)
	}
	for i := range s.Skips {
		s.Skips[i] = int16(r.IntN(SkipUnit/4) - SkipUnit/8)
	}
	return s
}

// shapes are the architectures that the tests run.
var shapes = []struct {
	name  string
	shape Shape
}{
	{"256 wide", Shape{Width: 256, Outputs: 1, Scale: 400}},
	{"768 wide, 8 output buckets", Shape{Width: 768, Outputs: 8, Scale: 300}},
}

// starts are positions from which random games reach castling of both kinds,
// en passant and promotions soon.
var starts = []string{
	chess.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"1rkr4/pppppppp/8/8/8/8/PPPPPPPP/1RKR4 w DBdb - 0 1",
	"4k3/8/8/8/8/8/8/4K3 w - - 0 1",
}

// walk plays a random game of the given length, taking moves back now and
// then, and calls visit at every position.
func walk(t *testing.T, r *rand.Rand, fen string, steps int, visit func(p *chess.Position)) {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	must.Succeed(t, err)
	var buf [chess.MaxMoves]chess.Move
	for range steps {
		visit(p)
		moves := movegen.Legal(p, buf[:0])
		switch x := r.IntN(20); {
		case x == 0 && !p.InCheck():
			p.MakeNull()
		case x < 5 && p.Plies() > 0 || len(moves) == 0:
			for range 1 + r.IntN(8) {
				if p.Plies() > 0 {
					p.Unmake()
				}
			}
			if len(moves) == 0 && p.Plies() == 0 {
				return
			}
		default:
			p.Make(moves[r.IntN(len(moves))])
		}
	}
}
