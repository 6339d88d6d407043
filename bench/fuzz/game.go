package fuzz

import (
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
)

// Bounds of the length of random games in plies. Short games visit more start positions, long ones more endgames.
const minFuzzPlies, maxFuzzPlies = 20, 120

// line is a start position and moves from it.
type line struct {
	root  string
	moves []chess.Move
}

// game plays the game with a number and checks each position. An error comes from the engine.
func (f *Fuzzer) game(number int, stats *stats) (*finding, error) {
	random := rand.New(rand.NewPCG(f.seed, uint64(number)))
	l := line{root: randomStart(random, f.chess960)}
	// The checks must not change which moves are played.
	r, err := newRig(f.gens, l.root, rand.New(rand.NewPCG(uint64(number), f.seed)))
	if err != nil {
		return refusal(number, l, err), nil
	}
	stats.games++
	for range minFuzzPlies + random.IntN(maxFuzzPlies-minFuzzPlies) {
		n := f.visited.Add(1)
		if n > f.positions {
			f.stop.Store(true)
			return nil, nil
		}
		r.engine = nil
		if f.engine != nil && n%engineEvery == 0 {
			f.engineAsked.Add(1)
			r.engine = f.engine
		}
		diff := r.check()
		if r.err != nil {
			return nil, r.err
		}
		if diff != nil {
			return &finding{number, l, diff}, nil
		}
		stats.positions++
		if len(r.legal) == 0 || r.p.InsufficientMaterial() {
			return nil, nil
		}
		m := r.choose(random)
		l.moves = append(l.moves, m)
		if err := r.play(m); err != nil {
			return refusal(number, l, err), nil
		}
	}
	return nil, nil
}

// refusal is the finding for a generator that refuses a position of the game.
func refusal(number int, l line, err error) *finding {
	return &finding{number, l, &difference{
		check: "set-up", fen: l.root, names: [2]string{"generator", "expected"}, answers: [2]string{err.Error(), "no error"},
	}}
}

// choose picks a random move and prefers rare kinds.
func (r *rig) choose(random *rand.Rand) chess.Move {
	if random.IntN(10) == 0 {
		return r.legal[random.IntN(len(r.legal))]
	}
	sum := 0
	for i := range r.legal {
		sum += r.weight(i)
	}
	n := random.IntN(sum)
	for i, m := range r.legal {
		if n -= r.weight(i); n < 0 {
			return m
		}
	}
	return r.legal[0] // not reached: the weights add up to sum
}

// weight returns the weight of the i-th legal move, at least 1.
func (r *rig) weight(i int) int {
	m, result := r.legal[i], r.outcomes[i]
	switch {
	case result.replies == 0 && !result.check:
		return 100 // stalemate
	case m.Kind() == chess.Castling:
		return 80
	case m.Kind() == chess.EnPassant, result.double:
		return 100
	case m.Kind() == chess.Promotion:
		return 8
	case result.check:
		return 10
	}
	us, to := r.p.SideToMove(), m.To()
	pc := r.p.Piece(m.From()).Type()
	switch {
	case pc == chess.Pawn && m.From()^to == 16 && chess.PawnAttacks(us, to^8)&r.p.Pieces(us.Other(), chess.Pawn) != 0:
		return 40 // en passant comes next
	case (pc == chess.King || pc == chess.Rook) && r.p.Castling() != chess.NoCastling:
		return 1
	case result.pin:
		return 8
	case r.p.Piece(to) != chess.NoPiece:
		return 5
	case pc == chess.Pawn:
		return 5
	}
	return 3
}

// stats counts the visited positions by kind.
type stats struct{ games, positions int }
