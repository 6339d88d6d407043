package mates

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/search/plain"
	"github.com/tabula-chess/tabula/uci/client"
)

// Generator makes a suite from games that Tabula plays against itself, one
// side with hardly a search, from random openings and random endings.
type Generator struct {
	Seed    uint64
	Each    int            // positions of each distance
	Longest int            // moves to mate
	Judge   *client.Engine // confirms each mate by its own go mate
}

// judgeNodes bounds the search that confirms a mate, and the one that looks
// for the shortest.
const (
	judgeNodes = 600_000
	findNodes  = 150_000
)

// Generate writes a suite. A mate in up to Proven moves is proven by trying all
// moves, to be there and to be the shortest; a longer one by two searches that
// agree on the distance, and by trying that none of up to Proven moves exists.
// The same seed gives the same games; what a judge of another version confirms
// may differ.
func (g *Generator) Generate(ctx context.Context, w io.Writer, progress func(found int)) error {
	e, err := search.NewEngine(16)
	if err != nil {
		return err
	}
	r := rand.New(rand.NewPCG(g.Seed, 0x6d617465))
	need, missing, seen := map[int]int{}, g.Each*g.Longest, map[chess.Key]bool{}
	for moves := 1; moves <= g.Longest; moves++ {
		need[moves] = g.Each
	}
	for game := 0; missing > 0; game++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, taken := opening(r), 0
		for range 200 {
			if p.Outcome() != chess.Ongoing {
				break
			}
			weak := int(p.SideToMove()) == game%2
			nodes := uint64(1500)
			if weak {
				nodes = 40
			}
			result := e.Search(p, search.Limits{Nodes: nodes}, search.Options{MultiPV: 1}, nil)
			if !weak && result.Score > 600 && taken < 6 && !seen[p.Key()] {
				moves, err := g.distance(ctx, e, p)
				if err != nil {
					return err
				}
				if seen[p.Key()] = true; need[moves] > 0 {
					need[moves]--
					missing--
					taken++
					fmt.Fprintf(w, "%s dm %d;\n", p.FEN(), moves)
					progress(g.Each*g.Longest - missing)
				}
			}
			p.Make(result.Best)
		}
	}
	return nil
}

// distance returns the moves of the shortest mate from p, 0 where none is
// known or the judges do not agree.
func (g *Generator) distance(ctx context.Context, e *search.Engine, p *chess.Position) (int, error) {
	fresh, err := chess.ParseFEN(p.FEN()) // what was played before does not count
	if err != nil {
		return 0, err
	}
	e.Clear()
	found := e.Search(fresh, search.Limits{Nodes: findNodes}, search.Options{MultiPV: 1}, nil)
	moves, ok := search.MateIn(found.Score)
	if !ok || moves < 1 || moves > g.Longest {
		return 0, nil
	}
	if plies := plain.MateIn(fresh, 2*Proven-1); plies > 0 {
		moves = (plies + 1) / 2
	} else if moves <= Proven {
		return 0, fmt.Errorf("%s: the search says mate in %d, and there is none", fresh, moves)
	}
	return g.confirm(ctx, fresh, moves)
}

// confirm returns moves where the judge finds a mate in as many and no fewer.
func (g *Generator) confirm(ctx context.Context, p *chess.Position, moves int) (int, error) {
	if err := g.Judge.NewGame(ctx); err != nil {
		return 0, err
	}
	limits := client.Limits{Mate: moves}
	if moves > Proven {
		limits = client.Limits{Nodes: judgeNodes} // it may know a shorter one
	}
	result, err := g.Judge.Search(ctx, p, limits, nil)
	if err != nil {
		return 0, err
	}
	if s := result.Info().Score; s.Kind != client.Mate || s.Value != moves {
		return 0, nil
	}
	return moves, nil
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

// ending sets up a few men at random; nil where that is no position.
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
