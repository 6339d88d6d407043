package movegen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// maxFuzzPlies bounds a game of bytes, so that one input stays cheap.
const maxFuzzPlies = 200

// FuzzGame reads bytes as a game: the first chooses the position, each further
// one the move, and 255 is a null move where the side to move is not in check.
// At each position the lists, counts, keys and FENs must agree, and at the end
// all moves are taken back.
func FuzzGame(f *testing.F) {
	f.Add([]byte{0})
	f.Add([]byte{1, 46, 0, 255, 7, 3, 3, 3, 3})
	f.Add([]byte("\x05random bytes make a game of Chess960"))
	f.Add([]byte("\x08\x01\x02\x03\x05\x08\x0d\x15\x22\x37\x59"))
	f.Fuzz(func(t *testing.T, game []byte) {
		if len(game) == 0 {
			return
		}
		root := starts[int(game[0])%len(starts)]
		p := testkit.Position(t, root)
		start := p.Clone()
		var legal []chess.Move
		for _, b := range game[1:min(len(game), maxFuzzPlies)] {
			legal = movegen.Legal(p, legal[:0])
			checkPosition(t, p, legal)
			if t.Failed() || len(legal) == 0 {
				break
			}
			if b == 255 && !p.InCheck() {
				p.MakeNull()
				continue
			}
			m := legal[int(b)%len(legal)]
			if gives := p.GivesCheck(m); gives != checkAfter(p, m) {
				t.Errorf("%s: GivesCheck(%v) = %v", p, m, gives)
			}
			p.Make(m)
		}
		for p.Plies() > 0 {
			p.Unmake()
		}
		if !p.Equal(start) || p.Key() != start.Key() || p.PawnKey() != start.PawnKey() {
			t.Errorf("%s: after all moves are taken back: %s, key %x, want %x", root, p, p.Key(), start.Key())
		}
	})
}

// checkAfter reports whether the side to move is in check after m.
func checkAfter(p *chess.Position, m chess.Move) bool {
	p.Make(m)
	defer p.Unmake()
	us := p.SideToMove()
	return p.Attacked(p.King(us), us.Other(), p.Occupied())
}

// checkPosition compares everything that should agree about p, whose legal
// moves are given.
func checkPosition(t *testing.T, p *chess.Position, legal []chess.Move) {
	t.Helper()
	if p.Key() != p.ComputeKey() {
		t.Errorf("%s: key %x, recomputed %x", p, p.Key(), p.ComputeKey())
	}
	back, err := chess.ParseFEN(p.FEN())
	if err != nil || !back.Equal(p) || back.Key() != p.Key() {
		t.Fatalf("%s reads back as %v, %v", p, back, err)
	}
	want := slices.Clone(legal)
	slices.Sort(want)
	compare := func(name string, got []chess.Move) {
		t.Helper()
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %s\n got %v\nwant %v", p, name, got, want)
		}
	}
	var looked []chess.Move
	us := p.SideToMove()
	for _, m := range movegen.Pseudo(p, nil) {
		if p.IsLegal(m) != slices.Contains(legal, m) {
			t.Errorf("%s: IsLegal(%v) = %v", p, m, p.IsLegal(m))
		}
		p.Make(m)
		if !p.Attacked(p.King(us), us.Other(), p.Occupied()) {
			looked = append(looked, m)
		}
		p.Unmake()
	}
	compare("make and look", looked)
	checkLists(t, p)
	frame, geometry := perft.FrameOf(p)
	for path := movegen.Magic; path <= movegen.NEON; path++ {
		if b, err := perft.For(path); err == nil && int(b.Count(&frame, &geometry)) != len(legal) {
			t.Errorf("%s: %s counts %d moves, want %d", p, path, b.Count(&frame, &geometry), len(legal))
		}
	}
	if p.Chess960() {
		return
	}
	for _, c := range course.Chapters() {
		var list []chess.Move
		for _, text := range c.Moves(p.FEN()) {
			m, err := chess.ParseMove(text)
			if err != nil {
				t.Fatalf("%s: %s: %v", p, c.Name, err)
			}
			list = append(list, p.Infer(m))
		}
		compare(c.Name, list)
	}
}

func TestRandomWalk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	stalemate := testkit.Position(t, "k7/8/1Q6/8/8/8/8/K7 b - - 0 1")
	if n := movegen.RandomWalk(stalemate, r, 1); n != 0 || stalemate.Plies() != 0 {
		t.Errorf("%d moves of a stalemate", n)
	}
	seen := map[string]bool{}
	for range 200 {
		p := chess.NewPosition()
		if n := movegen.RandomWalk(p, r, 8); n < 8 && p.HasLegalMove() || p.Plies() != n {
			t.Fatalf("%s: %d moves told of, %d made, want 8", p, n, p.Plies())
		}
		seen[p.FEN()] = true
		for p.Plies() > 0 {
			p.Unmake()
		}
		if p.FEN() != chess.StartFEN {
			t.Fatalf("taken back to %s", p)
		}
	}
	if len(seen) < 190 {
		t.Errorf("%d different positions of 200", len(seen))
	}
}

// TestRandomOrder draws from the moves in the order of their numbers: a seed
// must mean the same when moves are generated in another order.
func TestRandomOrder(t *testing.T) {
	for seed := range uint64(20) {
		p := chess.NewPosition()
		made := movegen.RandomWalk(p, rand.New(rand.NewPCG(seed, 1)), 20)
		q, r := chess.NewPosition(), rand.New(rand.NewPCG(seed, 1))
		for range made {
			moves := movegen.Legal(q, nil)
			slices.Sort(moves)
			q.Make(moves[r.IntN(len(moves))])
		}
		if !p.Equal(q) {
			t.Errorf("seed %d: %s, want %s", seed, p, q)
		}
	}
}

func TestRandomOpening(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	sides := [2]int{}
	for range 200 {
		p := chess.NewPosition()
		goesOn := movegen.RandomOpening(p, r, 6)
		if want := p.Plies() >= 6 && p.Outcome() == chess.Ongoing; goesOn != want || p.Plies() > 7 {
			t.Fatalf("%s after %d plies: %v, want %v and 6 or 7 plies", p, p.Plies(), goesOn, want)
		}
		sides[p.SideToMove()]++
	}
	if min(sides[0], sides[1]) < 60 {
		t.Errorf("sides to move: %v of 200", sides)
	}
	mate := testkit.Position(t, "k7/8/1K6/8/8/8/8/7R w - - 0 1")
	for range 50 {
		p := mate.Clone()
		if p.Make(chess.NewMove(chess.H1, chess.H8, chess.Normal)); movegen.RandomOpening(p, r, 0) {
			t.Fatalf("%s is taken for an opening", p)
		}
	}
}
