package nnue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// slowly evaluates by the definition: no accumulators, no kernels, no views.
func slowly(n *Network, p *chess.Position) eval.Score {
	s := n.Shape()
	us := p.SideToMove()
	var accs [2][]int
	bucket := (p.Occupied().Count() - 2) / ((31 + s.Outputs) / s.Outputs)
	for side, c := range []chess.Color{us, us.Other()} {
		king := p.King(c).Relative(c)
		mirror := king.File() >= 4
		see := func(sq chess.Square) chess.Square {
			sq = sq.Relative(c)
			if mirror {
				sq = chess.MakeSquare(7-sq.File(), sq.Rank())
			}
			return sq
		}
		for i := range s.Width {
			acc := int(n.weights.Biases[i])
			for sq := range chess.Square(64) {
				pc := p.Piece(sq)
				if pc == chess.NoPiece {
					continue
				}
				theirs := 0
				if pc.Color() != c {
					theirs = 1
				}
				row := ((slowBucket(s.KingBuckets, see(p.King(c)))*2+theirs)*6+int(pc.Type()))*64 + int(see(sq))
				acc += int(n.weights.Features[row*s.Width+i])
			}
			accs[side] = append(accs[side], min(max(acc, 0), QA))
		}
	}
	v := (slowLayers(n.weights.Stacks[bucket], accs) + int(n.weights.OutputBiases[bucket])) * s.Scale / OutputUnit
	return eval.Score(min(max(v, -int(eval.Limit)), int(eval.Limit)))
}

// slowBucket returns the bucket of a king, as its side sees the square.
func slowBucket(buckets int, king chess.Square) int {
	if buckets == 0 {
		return 0
	}
	file := king.File()
	return [8]int{file, 4 + file/2, 6, 6, 7, 7, 7, 7}[king.Rank()]
}

// slowLayers computes small layers by the definition, from clipped
// accumulators and weights in the order of the file.
func slowLayers(s Stack, accs [2][]int) int {
	top := func(v, low int) int { return min(max(v, low), 1<<14-1) }
	square := func(v int) int { return int(math.Floor(float64(v*v)/(1<<14) + 0.5)) }
	half := len(accs[0]) / 2
	var inputs []int
	for neuron := range 16 {
		y := int(s.Biases1[neuron])
		for side, acc := range accs {
			for i, a := range acc[:half] {
				y += (a*acc[half+i] + 256) / 512 * int(s.Weights1[(side*half+i)*16+neuron])
			}
		}
		inputs = append(inputs, y)
	}
	out := 0
	for neuron, y := range inputs[:16] {
		out += min(max(int(math.Floor(float64(y)/2)), -32768), 32767) * int(s.Skips[neuron])
		inputs = append(inputs, square(top(y, -1<<14+1)))
	}
	for i, y := range inputs[:16] {
		inputs[i] = top(y, 0)
	}
	for neuron := range 32 {
		z := int(s.Biases2[neuron])
		for i, v := range inputs {
			z += v * int(s.Weights2[i*32+neuron])
		}
		out += square(top(int(math.Floor(float64(z)/1024)), 0)) * int(s.Weights3[neuron])
	}
	return out
}

// TestRandomGames compares every path along random games, asked at every
// position or only now and then, with the definition.
func TestRandomGames(t *testing.T) {
	for _, tt := range shapes {
		t.Run(tt.name, func(t *testing.T) {
			net := randomNetwork(t, tt.shape, 5)
			var often, seldom []*Evaluator
			for _, path := range runnable(t) {
				for _, set := range []*[]*Evaluator{&often, &seldom} {
					*set = append(*set, newEvaluator(net, kernels[path]))
				}
			}
			r := rand.New(rand.NewPCG(uint64(tt.shape.Width), 2))
			for _, fen := range starts {
				walk(t, r, fen, 150, func(p *chess.Position) {
					want := slowly(net, p)
					asked := often
					if r.IntN(4) == 0 {
						asked = append(asked[:len(asked):len(asked)], seldom...)
					}
					for i, e := range asked {
						if got := e.Evaluate(p); got != want {
							t.Fatalf("%s after %d plies: evaluator %d says %d, want %d", p.FEN(), p.Plies(), i, got, want)
						}
					}
				})
			}
		})
	}
}

func TestNoAllocation(t *testing.T) {
	e := NewEvaluator(randomNetwork(t, shapes[1].shape, 7))
	p := chess.NewPosition()
	p.Reserve(8)
	line := benchLine(t, p)
	got := testing.AllocsPerRun(100, func() {
		for _, m := range line {
			p.Make(m)
			e.Evaluate(p)
		}
		for range line {
			p.Unmake()
		}
	})
	if got != 0 {
		t.Errorf("%v allocations in %d evaluations, want none", got, len(line))
	}
}

// benchLine returns moves from the start position with a capture and castling.
func benchLine(t testing.TB, p *chess.Position) []chess.Move {
	t.Helper()
	q := p.Clone()
	var line []chess.Move
	for _, text := range []string{"e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "g8f6", "e1g1", "f6e4"} {
		m := kit.Move(t, q, text)
		line = append(line, m)
		q.Make(m)
	}
	return line
}

// BenchmarkUpdateEvaluate times an update of both perspectives by one move and
// the evaluation after it, without making the move: its accumulators are
// thrown away each time. Random weights leave hardly a product zero, those that were
// fitted most of them.
func BenchmarkUpdateEvaluate(b *testing.B) {
	benchmarkUpdateEvaluate(b, "embedded", Embedded())
	for _, width := range []int{256, 512, 1024} {
		net := randomNetwork(b, Shape{Width: width, Outputs: 1, Scale: 400}, 8)
		benchmarkUpdateEvaluate(b, fmt.Sprint(width), net)
	}
}

func benchmarkUpdateEvaluate(b *testing.B, name string, net *Network) {
	for _, path := range runnable(b) {
		e := newEvaluator(net, kernels[path])
		for back, kind := range []string{"capture", "castling", "quiet"} {
			b.Run(fmt.Sprintf("%v/%s/%s", path, name, kind), func(b *testing.B) {
				p := chess.NewPosition()
				line := benchLine(b, p)
				for _, m := range line[:len(line)-back] {
					p.Make(m)
					e.Evaluate(p)
				}
				at := &e.slots[p.Plies()%remembered]
				for b.Loop() {
					at.known = [2]bool{}
					e.Evaluate(p)
				}
			})
		}
	}
}

// BenchmarkRefresh times an evaluation whose accumulators both come from the
// refresh cache, four pieces changed.
func BenchmarkRefresh(b *testing.B) {
	net := randomNetwork(b, shapes[1].shape, 8)
	for _, path := range runnable(b) {
		e := newEvaluator(net, kernels[path])
		b.Run(path.String(), func(b *testing.B) {
			var twins [2]*chess.Position
			for i, fen := range []string{
				"r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4",
				"rnbqkb1r/pp1ppppp/5n2/2p5/2PP4/8/PP2PPPP/RNBQKBNR w KQkq - 0 3",
			} {
				twins[i] = kit.Position(b, fen)
			}
			for i := 0; b.Loop(); i++ {
				e.Evaluate(twins[i&1])
			}
		})
	}
}

func TestPieceValues(t *testing.T) {
	checkPieceValues(t, Embedded())
	checkPieceValues(t, randomNetwork(t, Shape{Width: 256, Outputs: 4, Scale: 50}, 3))
}

func checkPieceValues(t *testing.T, net *Network) {
	t.Helper()
	e := NewEvaluator(net)
	for _, fen := range []string{
		chess.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
		"8/2k5/8/8/3P4/8/5K2/8 b - - 0 1",
	} {
		p, err := chess.ParseFEN(fen)
		kit.Succeed(t, err)
		whole := net.white(p, chess.NoSquare)
		if p.SideToMove() == chess.Black {
			whole = -whole
		}
		if got := float64(e.Evaluate(p)); math.Abs(got-whole) > 1 {
			t.Errorf("%s: evaluation %v, the same from single features %.2f", fen, got, whole)
		}
		values := net.PieceValues(p)
		for sq, v := range values {
			if pc := p.Piece(chess.Square(sq)); (pc == chess.NoPiece || pc.Type() == chess.King) && v != 0 {
				t.Errorf("%s: %v on %v is worth %d, want 0", fen, pc, chess.Square(sq), v)
			}
		}
	}
}

// TestProducts: the side to move is first, and each side's products are those of its
// accumulator.
func TestProducts(t *testing.T) {
	n := Embedded()
	width := uint32(n.Shape().Width)
	us, them := []uint32{3 * width, 70 * width, 701 * width}, []uint32{5 * width, 80 * width, 600 * width}
	got, swapped, half := n.Products(us, them), n.Products(them, us), n.Shape().Width/2
	if !slices.Equal(got[:half], swapped[half:]) || !slices.Equal(got[half:], swapped[:half]) {
		t.Error("the halves are not the two sides")
	}
	for side, rows := range [2][]uint32{us, them} {
		acc := n.accumulators(rows, nil)[0]
		for i, x := range got[side*half:][:half] {
			product := min(max(int(acc[i]), 0), QA) * min(max(int(acc[half+i]), 0), QA)
			if want := (product + 1<<(pairShift-1)) >> pairShift; int(x) != want {
				t.Fatalf("side %d, product %d: %d, want %d", side, i, x, want)
			}
		}
	}
}

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
	kit.Succeed(t, err)
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
	{"8 king buckets", Shape{Width: 256, Outputs: 1, Scale: 400, KingBuckets: 8}},
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
	kit.Succeed(t, err)
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
