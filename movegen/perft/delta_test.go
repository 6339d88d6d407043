package perft

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// positionsFlag says how many random positions TestLeaves compares: go test -run TestLeaves -positions 10000000.
var positionsFlag = flag.Int("positions", 200_000, "random positions to count on every path")

// wanderer hands out positions: those of random games from random starts of Chess960, both sides alike or not, and from
// random placements.
type wanderer struct {
	rng  *rand.Rand
	p    *chess.Position
	left int // plies of the game
	list [chess.MaxMoves]chess.Move
}

func newWanderer(seed uint64) *wanderer { return &wanderer{rng: rand.New(rand.NewPCG(20, seed))} }

func (w *wanderer) next() *chess.Position {
	var moves []chess.Move
	if w.left > 0 {
		moves = movegen.Legal(w.p, w.list[:0])
	}
	switch {
	case len(moves) > 0:
		w.left--
		w.p.Make(moves[w.rng.IntN(len(moves))])
	case w.rng.IntN(3) > 0:
		w.left = 10 + w.rng.IntN(150)
		white := w.rng.IntN(960)
		black := white
		if w.rng.IntN(2) == 0 {
			black = w.rng.IntN(960)
		}
		w.p, _ = chess.NewDoubleChess960(white, black)
	default:
		w.scatter()
	}
	return w.p
}

// scatter puts up to 26 pieces and two kings anywhere, which makes many checks, pins and promotions.
func (w *wanderer) scatter() {
	w.left = 20
	for {
		var s chess.Setup
		squares := w.rng.Perm(64)
		s.Side = chess.Color(w.rng.IntN(2))
		s.Put(chess.MakePiece(chess.White, chess.King), chess.Square(squares[0]))
		s.Put(chess.MakePiece(chess.Black, chess.King), chess.Square(squares[1]))
		for _, sq := range squares[2 : 2+w.rng.IntN(27)] {
			s.Put(chess.MakePiece(chess.Color(w.rng.IntN(2)), chess.PieceType(w.rng.IntN(5))), chess.Square(sq))
		}
		s.Composed = true // whatever sixteen men may be
		if p, err := s.Position(); err == nil {
			w.p = p
			return
		}
	}
}

// kernels are those that the processor can run.
var kernels = sync.OnceValue(func() map[movegen.Path]func(*countingNode) {
	all := map[movegen.Path]func(*countingNode){}
	for path := movegen.Magic; path <= movegen.NEON; path++ {
		if kernel := kernelOf(path); kernel != nil && path.Supported() == nil {
			all[path] = kernel
		}
	}
	return all
})

// checkLeaves compares the leaves two plies below p on all paths with those of listing the moves of every child, and
// one time in eight, by a number, the leaves below each of its moves too.
func checkLeaves(t *testing.T, n *countingNode, p *chess.Position, number int) {
	t.Helper()
	want := ByLists(p, 2)
	if got := leaves(p); got != want {
		t.Fatalf("%s: %d leaves, want %d", p.FEN(), got, want)
	}
	var list [chess.MaxMoves]chess.Move
	moves := movegen.Legal(p, list[:0])
	below := make([]uint64, len(moves))
	if number%8 == 0 {
		for i, m := range moves {
			p.Make(m)
			below[i] = ByLists(p, 2)
			p.Unmake()
		}
	}
	for path, kernel := range kernels() {
		describe(n, p, p.SideToMove().Other())
		if got := run(n, kernel, &[chess.MaxMoves]chess.Move{noMove}, 1); got != want {
			t.Fatalf("%s, %v: %d leaves, want %d", p.FEN(), path, got, want)
		}
		if len(moves) == 0 || number%8 != 0 {
			continue
		}
		n.Each = 1
		describe(n, p, p.SideToMove())
		sum := run(n, kernel, &list, len(moves))
		for i, m := range moves {
			if sum -= below[i]; n.Leaves[i] != below[i] {
				t.Fatalf("%s after %v, %v: %d leaves, want %d", p.FEN(), m, path, n.Leaves[i], below[i])
			}
		}
		if sum != 0 {
			t.Fatalf("%s, %v: %d leaves too many", p.FEN(), path, sum)
		}
		n.Each = 0
	}
}

// TestLeaves compares the counts of two plies in random games, in Chess960 too, and from random placements.
func TestLeaves(t *testing.T) {
	n, w := new(countingNode), newWanderer(26)
	checks, captures := 0, 0
	for i := range *positionsFlag {
		p := w.next()
		checkLeaves(t, n, p, i)
		if p.InCheck() {
			checks++
		}
		if p.EnPassantLegal() {
			captures++
		}
	}
	if checks < *positionsFlag/50 || captures < *positionsFlag/5000 {
		t.Errorf("only %d checks and %d en-passant captures", checks, captures)
	}
}

// TestMostMoves counts positions with more moves than games have, of either colour: as plain Go and by kernels, from
// the side with the many moves and from the other.
func TestMostMoves(t *testing.T) {
	for placement, want := range map[string]int{
		"2QQ1Q2/Q6Q/4Q3/1Q4QK/3Q4/Q4Q2/7k/1QQ1QQ2":   225,
		"Q4Qbk/3Q2nq/1Q4QQ/4Q3/2Q4Q/Q4Q1Q/3Q4/1Q4QK": 241,
	} {
		white := kit.Composed(t, placement, chess.White)
		for _, p := range []*chess.Position{white, white.Mirror()} {
			if got := Legal(p); got != want {
				t.Errorf("%s: %d moves, want %d", p.FEN(), got, want)
			}
			checkAllPaths(t, p)
			for _, m := range movegen.Legal(p, nil) {
				p.Make(m)
				checkLeaves(t, new(countingNode), p, 0)
				p.Unmake()
			}
		}
	}
}

// checkAllPaths compares the leaves up to three plies below p on all paths with those of playing every move.
func checkAllPaths(t *testing.T, p *chess.Position) {
	t.Helper()
	for depth := 1; depth <= 3; depth++ {
		want := Walk(p, depth)
		for path := movegen.Magic; path <= movegen.NEON; path++ {
			if path.Supported() != nil {
				continue
			}
			if got, err := Count(t.Context(), p, depth, Options{Path: path.String()}); got != want || err != nil {
				t.Errorf("%s, depth %d on %v: %d, %v, want %d", p.FEN(), depth, path, got, err, want)
			}
		}
	}
}

// TestNode: a node has room for the moves of any position, and vectors lie in cache lines.
func TestNode(t *testing.T) {
	n := new(countingNode)
	if moves, rest := len(n.Moves), len(n.Near.From)-8*chess.MaxMoves; moves != chess.MaxMoves || rest != 8 {
		t.Errorf("a node has %d moves and lists of eight times %d and %d, want %d and 8",
			moves, chess.MaxMoves, rest, chess.MaxMoves)
	}
	for name, at := range map[string]unsafe.Pointer{
		"sets": unsafe.Pointer(&n.Sets), "near": unsafe.Pointer(&n.Near), "full": unsafe.Pointer(&n.Full), "leaves": unsafe.Pointer(&n.Leaves),
	} {
		if uintptr(at)%64 != 0 {
			t.Errorf("%s at %v", name, at)
		}
	}
}

// FuzzDelta reads bytes as a position.
func FuzzDelta(f *testing.F) {
	f.Add([]byte("\x04\x3c\x00\x00\x03\x07\x03\x40\x04\x60\x02"))
	f.Add([]byte("\x44\x3c\x00\x00\x03\x07\x03\x1b\x01\x33\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 3 {
			return
		}
		s := kit.Setup(data)
		s.Composed = true
		if p, err := s.Position(); err == nil {
			checkLeaves(t, new(countingNode), p, 0)
		}
	})
}
