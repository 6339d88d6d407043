package mates

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

// Generator makes a suite of shortest mates. It proves each by trying all moves, so that the choice does not
// depend on a search.
type Generator struct {
	Seed    uint64
	Each    int // positions of each distance
	Longest int // moves to mate

	known []proof
	left  int // positions that the current proof may still visit
}

// proof is the knowledge of a position with the attacker to move.
type proof struct {
	key    chess.Key
	within int8 // moves within which it mates, 0 if unknown
	not    int8 // moves within which it does not
}

const (
	proofEntries = 1 << 20
	proofNodes   = 30_000_000
)

// Generate writes a suite of mates in 2 to Longest moves. The positions come from the last moves of self-play
// games with 5 to 600 nodes per move, at most one of each mate length per game. Positions whose proof takes too
// long are skipped. The same seed and engine write the same suite.
func (g *Generator) Generate(ctx context.Context, w io.Writer) error {
	e, err := search.NewEngine(16)
	if err != nil {
		return err
	}
	g.known = make([]proof, proofEntries)
	r := rand.New(rand.NewPCG(g.Seed, 0x70726f6f66))
	need, missing, seen := map[int]int{}, g.Each*(g.Longest-1), map[chess.Key]bool{}
	for moves := 2; moves <= g.Longest; moves++ {
		need[moves] = g.Each
	}
	for missing > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := opening(r)
		if !playOut(e, r, p) {
			continue
		}
		taken := map[int]bool{}
		for back := 1; back <= 4*g.Longest && p.Plies() > 0; back++ {
			p.Unmake()
			if back%2 == 0 || p.HalfmoveClock() > 60 || seen[p.Key()] {
				continue
			}
			seen[p.Key()] = true
			if moves := g.shortest(p); need[moves] > 0 && !taken[moves] {
				taken[moves] = true
				need[moves]--
				missing--
				if _, err := fmt.Fprintf(w, "%s dm %d;\n", p.FEN(), moves); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// playOut plays a game to its end, one side with fewer nodes than the other,
// and reports whether it ended in mate.
func playOut(e *search.Engine, r *rand.Rand, p *chess.Position) bool {
	nodes := [2]uint64{20 + r.Uint64N(600), 5 + r.Uint64N(120)}
	weak := r.IntN(2)
	for range 240 {
		if p.Outcome() != chess.Ongoing {
			break
		}
		side := int(p.SideToMove()) ^ weak
		p.Make(e.Search(p, search.Limits{Nodes: nodes[side]}, search.Options{MultiPV: 1}, nil).Best)
	}
	return p.InCheck() && !p.HasLegalMove()
}

// shortest returns the number of moves of the shortest mate. It returns 0 if there is none up to Longest or the
// proof takes too long.
func (g *Generator) shortest(p *chess.Position) int {
	g.left = proofNodes
	for moves := 1; moves <= g.Longest; moves++ {
		if g.mates(p, moves) {
			return moves
		}
	}
	return 0
}

// mates reports whether the side to move can force mate within the given moves. It ignores repetition, because a
// shortest mate repeats nothing, and the fifty-move rule, because the clocks of a suite are low. After the budget
// is used up it returns false and stores nothing.
func (g *Generator) mates(p *chess.Position, moves int) bool {
	if g.left--; g.left < 0 {
		return false
	}
	known := &g.known[uint64(p.Key())%proofEntries]
	if known.key == p.Key() {
		switch {
		case known.within > 0 && int(known.within) <= moves:
			return true
		case int(known.not) >= moves:
			return false
		}
	}
	found := g.tries(p, moves, true) || moves > 1 && g.tries(p, moves, false)
	if g.left < 0 {
		return false
	}
	if moves > 1 {
		if known.key != p.Key() {
			*known = proof{key: p.Key()}
		}
		if found {
			known.within = int8(moves) // a smaller known number would have answered
		} else {
			known.not = int8(moves)
		}
	}
	return found
}

// tries looks for a first move of a mate among the moves that give check, or among the others.
func (g *Generator) tries(p *chess.Position, moves int, checks bool) bool {
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		if p.GivesCheck(m) != checks {
			continue
		}
		p.Make(m)
		found := g.mated(p, moves-1)
		p.Unmake()
		if found {
			return true
		}
	}
	return false
}

// mated reports whether the other side can force mate within the given moves; with 0, whether the side to move
// is mated now.
func (g *Generator) mated(p *chess.Position, moves int) bool {
	if !p.HasLegalMove() {
		return p.InCheck()
	}
	if moves < 1 || p.InsufficientMaterial() {
		return false
	}
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		p.Make(m)
		lost := g.mates(p, moves)
		p.Unmake()
		if !lost {
			return false
		}
	}
	return true
}

// opening returns a random position: some moves from the start, or a few men
// set up at random.
func opening(r *rand.Rand) *chess.Position {
	p := chess.NewPosition()
	if r.IntN(3) == 0 {
		if q := ending(r); q != nil {
			return q
		}
	}
	for range 6 + r.IntN(6) {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			return chess.NewPosition()
		}
		p.Make(moves[r.IntN(len(moves))])
	}
	return p
}

// ending sets up a few men at random. It returns nil if the result is not legal.
func ending(r *rand.Rand) *chess.Position {
	men := "KkQRRBNPPqrbnpp"
	var board [64]byte
	for i := range 4 + r.IntN(6) {
		man := men[min(i, 1)]
		if i > 1 {
			man = men[2+r.IntN(len(men)-2)]
		}
		at := 8 + r.IntN(48)
		if board[at] == 0 {
			board[at] = man
		} else if i < 2 {
			return nil
		}
	}
	var text []byte
	for rank := range 8 {
		for _, man := range board[8*rank : 8*rank+8] {
			if man == 0 {
				man = '1'
			}
			text = append(text, man)
		}
		if rank < 7 {
			text = append(text, '/')
		}
	}
	p, err := chess.ParseFEN(string(text) + " w - - 0 1")
	if err != nil || p.Outcome() != chess.Ongoing {
		return nil
	}
	return p
}
