package perft

import (
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
)

// key is 128 bits that stand for a position and a depth: the first word finds the bucket
// of a table, the second tells positions in it apart.
type key struct{ index, check uint64 }

func (k *key) xor(o *key) { k.index ^= o.index; k.check ^= o.check }

// keys holds random words whose exclusive or is the key of a position. Source: CPW
// "Zobrist Hashing".
type keys struct {
	pieces    [16][64]key // by chess.Piece; zero for no piece
	castle    [64]key     // by the rook's square
	enPassant [64]key     // by the square behind a double push that a pawn may attack
	black     key         // to move
	depth     [MaxDepth + 1]key
}

// What pieces are, as numbers of chess.PieceType.
const (
	pawn = iota
	knight
	bishop
	rook
	queen
	king
)

// newKeys returns the words of a seed. Positions that meet under the keys of one seed meet
// under those of another only by a chance as small as the first.
func newKeys(seed uint64) *keys {
	random := rand.New(rand.NewPCG(seed, 0x6a09e667f3bcc909))
	k := &keys{}
	fill := func(words []key) {
		for i := range words {
			words[i] = key{random.Uint64(), random.Uint64()}
		}
	}
	for piece := range k.pieces[:chess.NoPiece] {
		fill(k.pieces[piece][:])
	}
	fill(k.castle[:])
	fill(k.enPassant[:])
	fill(k.depth[:])
	k.black = key{random.Uint64(), random.Uint64()}
	return k
}

// of returns the key of a position.
func (k *keys) of(p *chess.Position, depth int) key {
	sum := k.depth[depth]
	side := p.SideToMove()
	if side == chess.Black {
		sum.xor(&k.black)
	}
	for s := range p.Occupied().Squares() {
		sum.xor(&k.pieces[p.Piece(s)&15][s])
	}
	k.toggleRights(&sum, k.rights(p))
	if target := p.EnPassant(); target != chess.NoSquare &&
		chess.PawnAttacks(side.Other(), target)&p.Pieces(side, chess.Pawn) != 0 {
		sum.xor(&k.enPassant[target])
	}
	return sum
}

// rights returns the squares of the rooks that may castle.
func (k *keys) rights(p *chess.Position) (rooks chess.Bitboard) {
	if p.Castling() == chess.NoCastling {
		return 0
	}
	for c := chess.White; c <= chess.Black; c++ {
		for w := chess.KingSide; w <= chess.QueenSide; w++ {
			if s := p.CastlingRook(c, w); s != chess.NoSquare {
				rooks |= s.Bitboard()
			}
		}
	}
	return rooks
}

// toggleRights adds the rights of the given rooks to a key, or takes them out.
func (k *keys) toggleRights(sum *key, rooks chess.Bitboard) {
	for ; rooks != 0; rooks &= rooks - 1 {
		sum.xor(&k.castle[rooks.First()&63])
	}
}

// after writes to out the keys of the positions that the moves lead to, with the depth one
// less: what of returns for them. from is the key of p.
func (k *keys) after(from key, p *chess.Position, depth int, moves []chess.Move, out []key) {
	base := from
	base.xor(&k.depth[depth])
	base.xor(&k.depth[depth-1])
	base.xor(&k.black)
	side := p.SideToMove()
	theirPawns := p.Pieces(side.Other(), chess.Pawn)
	if target := p.EnPassant(); target != chess.NoSquare &&
		chess.PawnAttacks(side.Other(), target)&p.Pieces(side, chess.Pawn) != 0 {
		base.xor(&k.enPassant[target&63])
	}
	rights := k.rights(p)
	own := rights & p.ByColor(side)
	for i, m := range moves {
		sum := base
		from, to := m.From()&63, m.To()&63
		pc := p.Piece(from)
		switch {
		case m.Kind() == chess.Castling:
			wing := chess.QueenSide
			if to > from {
				wing = chess.KingSide
			}
			kingTo, rookTo := chess.CastlingTargets(side, wing)
			rookPiece := chess.MakePiece(side, chess.Rook)
			sum.xor(&k.pieces[pc&15][from])
			sum.xor(&k.pieces[pc&15][kingTo&63])
			sum.xor(&k.pieces[rookPiece&15][to])
			sum.xor(&k.pieces[rookPiece&15][rookTo&63])
			k.toggleRights(&sum, own)
			out[i] = sum
			continue
		case m.Kind() == chess.Promotion:
			arrives := chess.MakePiece(side, m.PromotionType())
			sum.xor(&k.pieces[pc&15][from])
			sum.xor(&k.pieces[arrives&15][to])
		default:
			sum.xor(&k.pieces[pc&15][from])
			sum.xor(&k.pieces[pc&15][to])
		}
		sum.xor(&k.pieces[p.Piece(to)&15][to]) // what is captured
		if pc.Type() == chess.Pawn {
			switch {
			case from^to == 16:
				if target := to ^ 8; chess.PawnAttacks(side, target)&theirPawns != 0 {
					sum.xor(&k.enPassant[target&63])
				}
			case m.Kind() == chess.EnPassant:
				sum.xor(&k.pieces[chess.MakePiece(side.Other(), chess.Pawn)&15][(to^8)&63])
			}
		}
		if rights != 0 {
			lost := (from.Bitboard() | to.Bitboard()) & rights
			if pc.Type() == chess.King {
				lost |= own
			}
			k.toggleRights(&sum, lost)
		}
		out[i] = sum
	}
}
