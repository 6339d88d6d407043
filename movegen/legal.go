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

// Generate appends the legal moves of a stage to buf, on the process's default
// [Path]. Moves are legal as generated: a check mask and pin
// masks bound the targets, and nothing is written to the board.
// Source: CPW "Checks and Pinned Pieces (Bitboards)".
func Generate(p *chess.Position, stage Stage, buf []chess.Move) []chess.Move {
	buf = withRoom(buf)
	n := len(buf)
	return buf[:n+listBy(defaultList(), p, stage, (*moveList)(buf[n:n+chess.MaxMoves]))]
}

// withRoom returns buf with room for the moves of any position beyond its end.
func withRoom(buf []chess.Move) []chess.Move {
	if cap(buf)-len(buf) < chess.MaxMoves {
		return grown(buf)
	}
	return buf
}

func grown(buf []chess.Move) []chess.Move {
	return append(make([]chess.Move, 0, len(buf)+chess.MaxMoves), buf...)
}

// generator holds what every step of one generation shares.
type generator struct {
	p       *chess.Position
	list    *moveList
	n       int
	us      chess.Color
	king    chess.Square
	occ     chess.Bitboard
	theirs  chess.Bitboard
	targets chess.Bitboard // where the stage lets pieces go, before check
	check   chess.Bitboard // where a move ends the check: everywhere if there is none
	pinned  chess.Bitboard // our pieces that may only move along the line to our king
	safe    chess.Bitboard // squares found not attacked once the king has left its own
	danger  chess.Bitboard // squares found attacked then
}

// run generates one stage.
func (g *generator) run(stage Stage) {
	p := g.p
	us := p.SideToMove()
	ours, theirs, checkers := p.ByColor(us), p.ByColor(us.Other()), p.Checkers()
	g.us, g.king, g.occ, g.theirs = us, p.King(us), ours|theirs, theirs
	g.pinned = p.Blockers(us) & ours
	switch stage {
	case All:
		g.targets = ^ours
	case Tactical:
		g.targets = theirs
	case Quiet:
		g.targets = ^g.occ
	}
	g.kingMoves()
	g.check = ^chess.Bitboard(0)
	if checkers != 0 {
		if checkers.MoreThanOne() {
			return
		}
		g.check = chess.Between(g.king, checkers.First()) | checkers
	} else if stage != Tactical && p.Castling() != chess.NoCastling {
		g.castling()
	}
	if us == chess.White {
		g.whitePawns(stage)
	} else {
		g.blackPawns(stage)
	}
	g.pieces()
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

// addShifted appends a pawn move to each of a set of squares, from the square
// that lies back behind it.
func (g *generator) addShifted(to chess.Bitboard, back int) {
	n := g.n
	for ; to != 0; to &= to - 1 {
		s := to.First()
		g.list[n&(chess.MaxMoves-1)] = chess.NewMove(chess.Square(int(s)-back), s, chess.Normal)
		n++
	}
	g.n = n
}

// kingMoves generates the king's steps to squares that are not attacked once
// the king has left its own.
func (g *generator) kingMoves() {
	to := chess.KingAttacks(g.king) & g.targets
	if to != 0 {
		g.addAll(g.king, g.attackedApart(to))
	}
}

// attackedApart sorts squares into safe and danger and returns the safe ones.
func (g *generator) attackedApart(squares chess.Bitboard) chess.Bitboard {
	occ := g.occ ^ g.king.Bitboard()
	for b := squares &^ (g.safe | g.danger); b != 0; b &= b - 1 {
		s := b.First()
		if g.p.Attacked(s, g.us.Other(), occ) {
			g.danger |= s.Bitboard()
		} else {
			g.safe |= s.Bitboard()
		}
	}
	return squares & g.safe
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

// castling generates the castling moves; the side to move is not in check. It
// is [chess.Position.CanCastle], but does not look again at the squares beside
// the king.
func (g *generator) castling() {
	for w := chess.KingSide; w <= chess.QueenSide; w++ {
		rook := g.p.CastlingRook(g.us, w)
		if rook == chess.NoSquare {
			continue
		}
		empty, path := g.p.CastlingPath(g.us, w)
		path &^= g.king.Bitboard()
		if g.occ&empty == 0 && path&g.danger == 0 && !g.pinned.Has(rook) && g.attackedApart(path) == path {
			g.add(chess.NewMove(g.king, rook, chess.Castling))
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
