package search

import (
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/openings"
)

// What a person brings along: openings that are known, and an eye for what has just moved
// and what can be taken. Both are the same whenever a position comes up again in a game.

const (
	lastKnown  = 10 // number of the last move that a player may know by heart
	surelyMove = 2  // and of the last one that everybody knows
	fewNamed   = 3  // names behind a position below which it is none of a known opening
)

// known returns those of the moves of p, a position of standard chess, that come to this
// player's mind because they lead to openings that have names; nil where it does not know
// the position. The more openings with names lie behind a move, the likelier it is.
func (j *judgement) known(p *chess.Position, moves []chess.Move) []chess.Move {
	if j.candidates == 0 || p.Chess960() || p.FullmoveNumber() > lastKnown {
		return nil
	}
	at := j.seed ^ uint64(p.Key())
	if p.FullmoveNumber() > surelyMove && int(mix(at^2<<20)%100) >= j.openings {
		return nil
	}
	q := p.Clone()
	weights, sum, near := make([]int, len(moves)), 0, 0
	home := chess.Rank1
	if p.SideToMove() == chess.Black {
		home = chess.Rank8
	}
	for i, m := range moves {
		if home&m.To().Bitboard() != 0 && home&m.From().Bitboard() == 0 {
			continue // it would lead back into what others have played before
		}
		q.Make(m)
		if replies := named(q, 1); replies > 0 {
			common := named(q, 2) + j.spread
			weights[i] = replies * common * common
			sum, near = sum+weights[i], near+replies
		}
		q.Unmake()
	}
	if near < fewNamed {
		return nil
	}
	var out []chess.Move
	for len(out) < j.candidates && sum > 0 {
		left := int(mix(at^uint64(3<<20+len(out))) % uint64(sum))
		for i, w := range weights {
			if left -= w; left < 0 {
				out = append(out, moves[i])
				sum -= w
				weights[i] = 0
				break
			}
		}
	}
	return out
}

// named counts the lines of at most so many plies from p that lead to an opening with a name.
func named(p *chess.Position, plies int) (n int) {
	if _, ok := openings.Find(p); ok {
		n++
	}
	if plies > 0 {
		for _, m := range movegen.Legal(p, nil) {
			p.Make(m)
			n += named(p, plies-1)
			p.Unmake()
		}
	}
	return n
}

// considered returns those of the moves of p that the player thinks of: captures,
// checks, threats, moves of attacked pieces, moves near the opponent's last one, castling, and some of the others.
func (j *judgement) considered(p *chess.Position, moves []chess.Move) []chess.Move {
	if j.attention >= 100 || p.InCheck() {
		return moves
	}
	var out []chess.Move
	for _, m := range moves {
		x := j.seed ^ uint64(p.Key()) ^ uint64(m)<<8
		if noticed(p, m) || int(mix(x)%100) < j.attention {
			out = append(out, m)
		}
	}
	if len(out) == 0 {
		return moves
	}
	return out
}

// Bounds of [Strength.Pause].
const (
	LeastPause = time.Second
	MostPause  = 8 * time.Second
)

// Pause returns how long a player without a clock would think before it plays the move m in p: shortly about an only
// move, a recapture or an opening that has a name, and else the longer, the more there is to look at.
func (s Strength) Pause(p *chess.Position, m chess.Move) time.Duration {
	pause := LeastPause
	legal := movegen.Legal(p, nil)
	after := p.Clone()
	after.Make(m)
	_, named := openings.Find(after)
	if len(legal) > 1 && !named && !(p.Captured() != chess.NoPiece && recaptures(p, m)) {
		for _, m := range legal {
			if noticed(p, m) {
				pause += LeastPause / 5
			}
		}
	}
	mood := mix(s.Game^uint64(p.Key())) % 1000 // between half as long and one and a half
	pause = pause * time.Duration(500+mood) / 1000
	return max(LeastPause, min(MostPause, pause))
}

// noticed reports whether a player notices m without looking for it.
func noticed(p *chess.Position, m chess.Move) bool {
	us, from, to := p.SideToMove(), m.From(), m.To()
	if isTactical(p, m) || m.Kind() == chess.Castling || p.GivesCheck(m) || p.Attacked(from, us.Other(), p.Occupied()) {
		return true
	}
	if last := p.LastMove(); last != chess.NoMove &&
		(chess.Distance(to, last.To()) <= 1 || chess.Distance(from, last.To()) <= 1) {
		return true
	}
	kind := p.Piece(from).Type()
	occ := p.Occupied()&^from.Bitboard() | to.Bitboard()
	attacks := chess.PieceAttacks(kind, to, occ)
	if kind == chess.Pawn {
		attacks = chess.PawnAttacks(us, to)
	}
	for b := attacks & p.ByColor(us.Other()); b != 0; {
		sq := b.Pop()
		if p.Piece(sq).Type() > kind || !p.Attacked(sq, us.Other(), occ) {
			return true
		}
	}
	return false
}
