package games

import "github.com/tabula-chess/tabula/chess"

// board is what a pattern looks at: the men of a position and where they stand. Stored games are played on it because a
// [chess.Position], which has keys, checks and a history too, makes a scan of all games take twice as long.
type board struct {
	pieces [chess.NoPiece]chess.Bitboard
	colors [2]chess.Bitboard
	at     [64]chess.Piece
}

// set makes b the board of p.
func (b *board) set(p *chess.Position) {
	for i := range b.at {
		b.at[i] = p.Piece(chess.Square(i))
	}
	for i := range b.pieces {
		b.pieces[i] = p.Pieces(chess.Piece(i).Color(), chess.Piece(i).Type())
	}
	b.colors = [2]chess.Bitboard{p.ByColor(chess.White), p.ByColor(chess.Black)}
}

func (b *board) occupied() chess.Bitboard { return b.colors[chess.White] | b.colors[chess.Black] }

func (b *board) pawns(c chess.Color) chess.Bitboard { return b.pieces[chess.MakePiece(c, chess.Pawn)] }

func (b *board) king(c chess.Color) chess.Square {
	return b.pieces[chess.MakePiece(c, chess.King)].First()
}

// lift removes what stands on a square and returns it.
func (b *board) lift(s chess.Square) chess.Piece {
	pc := b.at[s&63]
	if pc != chess.NoPiece {
		b.at[s&63] = chess.NoPiece
		b.pieces[pc] ^= s.Bitboard()
		b.colors[pc.Color()] ^= s.Bitboard()
	}
	return pc
}

// put sets a man on an empty square.
func (b *board) put(pc chess.Piece, s chess.Square) {
	b.at[s&63] = pc
	b.pieces[pc] ^= s.Bitboard()
	b.colors[pc.Color()] ^= s.Bitboard()
}

// play plays a stored move, which may be none. It reports whether men are there to move so. Moves that are illegal in
// other ways, which only a damaged game with the right checksum has, are left to [DB.Check] and [Found.Game].
func (b *board) play(m chess.Move) (ok bool) {
	if m == chess.NoMove {
		return true
	}
	from, to := m.From(), m.To()
	pc := b.lift(from)
	if pc == chess.NoPiece {
		return false
	}
	switch ok = true; m.Kind() {
	case chess.Castling:
		return b.castle(pc, b.lift(to), from, to)
	case chess.EnPassant:
		ok = b.lift(to^8).Type() == chess.Pawn
	case chess.Promotion:
		ok = pc.Type() == chess.Pawn
		pc = chess.MakePiece(pc.Color(), m.PromotionType())
	}
	ok = b.lift(to).Type() != chess.King && ok
	b.put(pc, to)
	return ok
}

// castle puts a king and a rook that were on two squares where castling leads them.
func (b *board) castle(king, rook chess.Piece, from, to chess.Square) bool {
	wing := chess.QueenSide
	if to > from {
		wing = chess.KingSide
	}
	kingTo, rookTo := chess.CastlingTargets(king.Color(), wing)
	if king.Type() != chess.King || rook != chess.MakePiece(king.Color(), chess.Rook) ||
		b.at[kingTo&63] != chess.NoPiece || b.at[rookTo&63] != chess.NoPiece {
		return false
	}
	b.put(king, kingTo)
	b.put(rook, rookTo)
	return true
}

// ahead returns all squares in front of some men of a color, on their files.
func ahead(c chess.Color, men chess.Bitboard) chess.Bitboard {
	if c == chess.Black {
		return ahead(chess.White, men.Flip()).Flip()
	}
	men <<= 8
	men |= men << 8
	men |= men << 16
	return men | men<<32
}

// beside returns the squares left and right of those of a set.
func beside(b chess.Bitboard) chess.Bitboard { return b&^chess.FileA>>1 | b&^chess.FileH<<1 }

// passed returns the pawns of a color that have no enemy pawn in front of them on their file or a file beside.
func (b *board) passed(c chess.Color) chess.Bitboard {
	guarded := ahead(c.Other(), b.pawns(c.Other()))
	return b.pawns(c) &^ (guarded | beside(guarded))
}

// isolated returns the pawns of a color that have no pawn of their color on a file beside.
func (b *board) isolated(c chess.Color) chess.Bitboard {
	files := b.pawns(c)
	files |= ahead(chess.White, files) | ahead(chess.Black, files)
	return b.pawns(c) &^ beside(files)
}

// attacked returns those of some squares that men of a color attack, be these pinned or not.
func (b *board) attacked(by chess.Color, squares chess.Bitboard) (hit chess.Bitboard) {
	men := func(t chess.PieceType) chess.Bitboard { return b.pieces[chess.MakePiece(by, t)] }
	occ, queens := b.occupied(), men(chess.Queen)
	for ; squares != 0; squares &= squares - 1 {
		s := squares.First()
		if chess.PawnAttacks(by.Other(), s)&men(chess.Pawn)|chess.KnightAttacks(s)&men(chess.Knight)|
			chess.KingAttacks(s)&men(chess.King)|chess.BishopAttacks(s, occ)&(men(chess.Bishop)|queens)|
			chess.RookAttacks(s, occ)&(men(chess.Rook)|queens) != 0 {
			hit |= s.Bitboard()
		}
	}
	return hit
}

// pinned returns the men of a color that alone stand between their king and an enemy bishop, rook or queen.
func (b *board) pinned(c chess.Color) (pinned chess.Bitboard) {
	men := func(t chess.PieceType) chess.Bitboard { return b.pieces[chess.MakePiece(c.Other(), t)] }
	king, occ := b.king(c), b.occupied()
	snipers := chess.BishopAttacks(king, 0)&(men(chess.Bishop)|men(chess.Queen)) |
		chess.RookAttacks(king, 0)&(men(chess.Rook)|men(chess.Queen))
	for ; snipers != 0; snipers &= snipers - 1 {
		if between := chess.Between(king, snipers.First()) & occ; !between.MoreThanOne() {
			pinned |= between & b.colors[c]
		}
	}
	return pinned
}

// wing returns where the king of a color stands as after castling, on the first two ranks of its side: 1 for the files
// g and h, -1 for the files a to c, 0 for elsewhere.
func (b *board) wing(c chess.Color) int {
	king := b.king(c).Relative(c)
	switch file := king.File(); {
	case king.Rank() <= 1 && file >= 6:
		return 1
	case king.Rank() <= 1 && file <= 2:
		return -1
	}
	return 0
}
