package fuzz

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tabula-chess/tabula/bench/starts"
	"github.com/tabula-chess/tabula/chess"
)

// Random games end after a number of plies between these: short ones visit
// more first positions, long ones more endgames.
const minFuzzPlies, maxFuzzPlies = 20, 120

// line is a way to a position: a first position and moves from it.
type line struct {
	root  string
	moves []chess.Move
}

// game plays one game, by the seed and its number, and checks each position.
// The error is that of an engine.
func (f *Fuzzer) game(number int, stats *fuzzStats) (*fuzzFinding, error) {
	random := rand.New(rand.NewPCG(f.seed, uint64(number)))
	l := line{root: starts.Random(random, f.chess960)}
	// What is checked must not change which moves are played.
	r, err := newRig(f.gens, l.root, rand.New(rand.NewPCG(uint64(number), f.seed)))
	if err != nil {
		return refusal(number, l, "set-up", err), nil
	}
	stats.games++
	for range minFuzzPlies + random.IntN(maxFuzzPlies-minFuzzPlies) {
		n := f.visited.Add(1)
		if n > f.positions {
			f.stop.Store(true)
			return nil, nil
		}
		r.engine = nil
		if f.engine != nil && n%f.every == 0 {
			if f.engineAsked.Add(1) <= f.engineMax {
				r.engine = f.engine
			} else {
				f.engineAsked.Add(^uint64(0)) // this one was not asked
			}
		}
		diff := r.check()
		if r.err != nil {
			return nil, r.err
		}
		if diff != nil {
			return &fuzzFinding{number, l, diff}, nil
		}
		stats.look(r)
		if len(r.legal) == 0 || r.p.InsufficientMaterial() {
			return nil, nil
		}
		m := r.choose(random)
		l.moves = append(l.moves, m)
		stats.played(m)
		if err := r.play(m); err != nil {
			return refusal(number, l, "set-up", err), nil
		}
	}
	return nil, nil
}

// refusal is the finding that a generator refuses a position of the game.
func refusal(number int, l line, check string, err error) *fuzzFinding {
	return &fuzzFinding{number, l, &difference{
		check: check, fen: l.root, names: [2]string{"generator", "expected"}, answers: [2]string{err.Error(), "no error"},
	}}
}

// choose picks the next move at random, the rare kinds more often.
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

// weight says how much the i-th legal move is wanted; all are wanted a little.
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

// fuzzStats counts what the games have visited.
type fuzzStats struct {
	games, positions                                   uint64
	castling, enPassant, promotion                     uint64 // positions where it is legal
	castled, enPassants, promoted                      uint64 // moves played
	check, doubleCheck, pin, pinnedEP, stalemate, mate uint64 // positions
	chess960                                           uint64 // positions with such castling rights
}

// look counts the position of the rig.
func (s *fuzzStats) look(r *rig) {
	count := func(n *uint64, yes bool) {
		if yes {
			*n++
		}
	}
	var has [4]bool
	for _, m := range r.legal {
		has[m.Kind()>>14] = true
	}
	p, us := r.p, r.p.SideToMove()
	s.positions++
	count(&s.castling, has[chess.Castling>>14])
	count(&s.enPassant, has[chess.EnPassant>>14])
	count(&s.promotion, has[chess.Promotion>>14])
	count(&s.check, p.InCheck())
	count(&s.doubleCheck, p.Checkers().Several())
	count(&s.pin, p.Blockers(us)&p.ByColor(us) != 0)
	if ep := p.EnPassant(); ep != chess.NoSquare && !p.EnPassantLegal() {
		count(&s.pinnedEP, chess.PawnAttacks(us.Other(), ep)&p.Pieces(us, chess.Pawn) != 0)
	}
	count(&s.stalemate, len(r.legal) == 0 && !p.InCheck())
	count(&s.mate, len(r.legal) == 0 && p.InCheck())
	count(&s.chess960, p.Chess960())
}

// played counts a move of a game.
func (s *fuzzStats) played(m chess.Move) {
	switch m.Kind() {
	case chess.Castling:
		s.castled++
	case chess.EnPassant:
		s.enPassants++
	case chess.Promotion:
		s.promoted++
	}
}

// add adds the counts of another thread.
func (s *fuzzStats) add(t *fuzzStats) {
	into, from := s.fields(), t.fields()
	for i := range into {
		*into[i].n += *from[i].n
	}
}

// fuzzField is a count by its name.
type fuzzField struct {
	name string
	n    *uint64
}

func (s *fuzzStats) fields() []fuzzField {
	return []fuzzField{
		{"games", &s.games}, {"positions", &s.positions},
		{"castling legal", &s.castling}, {"castling played", &s.castled},
		{"en passant legal", &s.enPassant}, {"en passant played", &s.enPassants}, {"en passant forbidden by a pin or check", &s.pinnedEP},
		{"promotion legal", &s.promotion}, {"promotion played", &s.promoted},
		{"check", &s.check}, {"double check", &s.doubleCheck}, {"pin", &s.pin},
		{"stalemate", &s.stalemate}, {"mate", &s.mate}, {"Chess960 rights", &s.chess960},
	}
}

// String returns the counts but for games and positions in one line.
func (s *fuzzStats) String() string {
	var parts []string
	for _, f := range s.fields()[2:] {
		parts = append(parts, fmt.Sprintf("%s %d", f.name, *f.n))
	}
	return "positions with " + strings.Join(parts, ", ") + "\n"
}
