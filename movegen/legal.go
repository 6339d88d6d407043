package movegen

import "github.com/tabula-chess/tabula/chess"

// Stage selects which legal moves to generate.
type Stage uint8

// The stages. Tactical and Quiet together are All.
const (
	All      Stage = iota
	Tactical       // captures, en passant and promotions
	Quiet          // everything else, castling included
)

// Legal appends all legal moves of p to buf and returns it. It does not
// allocate where buf has room for [chess.MaxMoves] more. In check these are
// the evasions.
func Legal(p *chess.Position, buf []chess.Move) []chess.Move { return Generate(p, All, buf) }

// Captures appends the legal captures and promotions to buf.
func Captures(p *chess.Position, buf []chess.Move) []chess.Move { return Generate(p, Tactical, buf) }

// Quiets appends the legal moves that neither capture nor promote to buf.
func Quiets(p *chess.Position, buf []chess.Move) []chess.Move { return Generate(p, Quiet, buf) }

// Generate appends the legal moves of a stage to buf. Moves are legal as
// generated: a check mask and pin masks bound the targets, and nothing is
// written to the board. Source: CPW "Checks and Pinned Pieces (Bitboards)".
func Generate(p *chess.Position, stage Stage, buf []chess.Move) []chess.Move {
	n := len(buf)
	if cap(buf)-n < chess.MaxMoves {
		buf = append(make([]chess.Move, 0, n+chess.MaxMoves), buf...)
	}
	g := newGenerator(p, (*[chess.MaxMoves]chess.Move)(buf[n:n+chess.MaxMoves]))
	g.run(stage)
	return buf[: n+g.n : cap(buf)]
}

// generator holds what every step of one generation shares.
type generator struct {
	p       *chess.Position
	list    *[chess.MaxMoves]chess.Move
	n       int
	us      chess.Color
	king    chess.Square
	occ     chess.Bitboard
	theirs  chess.Bitboard
	targets chess.Bitboard // where the stage lets pieces go, before check
	check   chess.Bitboard // where a move ends the check: everywhere if there is none
	pinned  chess.Bitboard // our pieces that may only move along the line to our king
}

// newGenerator computes the masks of p. Moves go to list.
func newGenerator(p *chess.Position, list *[chess.MaxMoves]chess.Move) generator {
	us := p.SideToMove()
	g := generator{
		p: p, list: list, us: us, king: p.King(us), occ: p.Occupied(),
		theirs: p.ByColor(us.Other()), check: ^chess.Bitboard(0),
	}
	if checkers := p.Checkers(); checkers != 0 {
		g.check = chess.Between(g.king, checkers.First()) | checkers
	}
	g.pinned = p.Blockers(us) & p.ByColor(us)
	return g
}

// run generates one stage.
func (g *generator) run(stage Stage) {
	switch stage {
	case All:
		g.targets = ^g.p.ByColor(g.us)
	case Tactical:
		g.targets = g.theirs
	case Quiet:
		g.targets = ^g.occ
	}
	g.kingMoves()
	if g.p.Checkers().Several() {
		return
	}
	if g.us == chess.White {
		g.whitePawns(stage)
	} else {
		g.blackPawns(stage)
	}
	g.pieces()
	if stage != Tactical && g.p.Checkers() == 0 && g.p.Castling() != chess.NoCastling {
		g.castling()
	}
}

// add appends one move; at most MaxMoves are ever legal.
func (g *generator) add(m chess.Move) {
	g.list[g.n&(chess.MaxMoves-1)] = m
	g.n++
}

// addAll appends a move from one square to each of a set.
func (g *generator) addAll(from chess.Square, to chess.Bitboard) {
	n := g.n
	base := chess.NewMove(from, 0, chess.Normal)
	for ; to != 0; to &= to - 1 {
		g.list[n&(chess.MaxMoves-1)] = base | chess.Move(to.First())
		n++
	}
	g.n = n
}

// kingMoves generates the king's steps to squares that are not attacked once
// the king has left its own.
func (g *generator) kingMoves() {
	occ := g.occ ^ g.king.Bitboard()
	for b := chess.KingAttacks(g.king) & g.targets; b != 0; {
		to := b.Pop()
		if !g.p.Attacked(to, g.us.Other(), occ) {
			g.add(chess.NewMove(g.king, to, chess.Normal))
		}
	}
}

// pieces generates the moves of knights, bishops, rooks and queens.
func (g *generator) pieces() {
	p, mask := g.p, g.targets&g.check
	for b := p.Pieces(g.us, chess.Knight) &^ g.pinned; b != 0; {
		from := b.Pop()
		g.addAll(from, chess.KnightAttacks(from)&mask)
	}
	ours := p.ByColor(g.us)
	queens := p.ByType(chess.Queen)
	for b := (p.ByType(chess.Bishop) | queens) & ours; b != 0; {
		from := b.Pop()
		g.addAll(from, chess.BishopAttacks(from, g.occ)&mask&g.pinLine(from))
	}
	for b := (p.ByType(chess.Rook) | queens) & ours; b != 0; {
		from := b.Pop()
		g.addAll(from, chess.RookAttacks(from, g.occ)&mask&g.pinLine(from))
	}
}

// pinLine returns where the piece on from may go without exposing its king.
func (g *generator) pinLine(from chess.Square) chess.Bitboard {
	if !g.pinned.Has(from) {
		return ^chess.Bitboard(0)
	}
	return chess.Line(g.king, from)
}

// castling generates the castling moves; the side to move is not in check.
func (g *generator) castling() {
	for w := chess.KingSide; w <= chess.QueenSide; w++ {
		if g.p.CanCastle(w) {
			g.add(chess.NewMove(g.king, g.p.CastlingRook(g.us, w), chess.Castling))
		}
	}
}

// enPassant generates the en-passant captures. They are rare and may expose
// the king along the rank both pawns leave, so each is checked by itself.
func (g *generator) enPassant() {
	to := g.p.EnPassant()
	for b := chess.PawnAttacks(g.us.Other(), to) & g.p.Pieces(g.us, chess.Pawn); b != 0; {
		if m := chess.NewMove(b.Pop(), to, chess.EnPassant); g.p.IsLegal(m) {
			g.add(m)
		}
	}
}

// addPromotions appends the four promotions from-to.
func (g *generator) addPromotions(from, to chess.Square) {
	g.add(chess.NewPromotion(from, to, chess.Queen))
	g.add(chess.NewPromotion(from, to, chess.Rook))
	g.add(chess.NewPromotion(from, to, chess.Bishop))
	g.add(chess.NewPromotion(from, to, chess.Knight))
}

// IsLegal reports whether m is legal in p; it is [chess.Position.IsLegal].
func IsLegal(p *chess.Position, m chess.Move) bool { return p.IsLegal(m) }
