package main

// legalMutants break the generator of legal moves.
var legalMutants = []mutant{
	{"movegen/legal.go", "the checker cannot be captured", "chess.Between(g.king, checkers.First()) | checkers", "chess.Between(g.king, checkers.First())"},
	{"movegen/legal.go", "a check cannot be blocked", "chess.Between(g.king, checkers.First()) | checkers", "checkers"},
	{"movegen/legal.go", "pins ignored", "g.pinned = p.Blockers(us) & ours", "g.pinned = 0"},
	{"movegen/legal.go", "double check answered like a single one", "if checkers.Several() {", "if checkers.Several() && g.n < 0 {"},
	{"movegen/legal.go", "the king hides behind himself", "occ := g.occ ^ g.king.Bitboard()", "occ := g.occ"},
	{"movegen/legal.go", "pinned knights move", "p.Pieces(g.us, chess.Knight) &^ g.pinned", "p.Pieces(g.us, chess.Knight)"},
	{"movegen/legal.go", "a pinned piece does not capture its pinner", "return chess.Line(g.king, from)", "return chess.Between(g.king, from) | from.Bitboard()"},
	{"movegen/legal.go", "two promotions to a bishop, none to a knight", "g.add(chess.NewPromotion(from, to, chess.Knight))", "g.add(chess.NewPromotion(from, to, chess.Bishop))"},
	{"movegen/legal.go", "quiet moves capture", "g.targets = ^g.occ", "g.targets = ^g.p.ByColor(g.us)"},
	{"movegen/legal.go", "queens do not move like rooks", "(p.ByType(chess.Rook) | queens) & ours", "p.ByType(chess.Rook) & ours"},
	{"movegen/legal.go", "a castling square not tested", "path &^= g.king.Bitboard()", "path &= chess.C1.Bitboard() | chess.G1.Bitboard() | chess.C8.Bitboard() | chess.G8.Bitboard()"},
	{"movegen/legal.go", "castling over a piece", "if g.occ&empty == 0 && path", "if g.occ&empty&path == 0 && path"},
	{"movegen/legal.go", "Chess960: a rook leaves its pinned king", " && !g.pinned.Has(rook)", ""},
	{"movegen/legal.go", "no castling to the queen's side", "w <= chess.QueenSide; w++", "w < chess.QueenSide; w++"},
}

// pawnMutants break what gen writes for the pawns.
var pawnMutants = []mutant{
	{"movegen/zpawns.go", "a white pawn on the a file captures around the edge", "(free &^ chess.FileA) << 7 & hits", "free << 7 & hits"},
	{"movegen/zpawns.go", "a black pawn on the h file captures around the edge", "(free &^ chess.FileH) >> 7 & hits", "free >> 7 & hits"},
	{"movegen/zpawns.go", "a white pawn moves two squares from anywhere", "(one & chess.Rank3) << 8 & empty", "one << 8 & empty"},
	{"movegen/zpawns.go", "a black pawn jumps over a piece", "(one & chess.Rank6) >> 8 & empty", "(push & chess.Rank7) >> 16 & empty"},
	{"movegen/zpawns.go", "a pawn's push to the last rank does not answer a check", "(push & chess.Rank7) << 8 & empty & g.check", "(push & chess.Rank7) << 8 & empty &^ g.p.Checkers()"},
	{"movegen/zpawns.go", "a pinned black pawn captures off its line", "chess.PawnAttacks(chess.Black, from) & hits & chess.Line(g.king, from)", "chess.PawnAttacks(chess.Black, from) & hits"},
}

// positionMutants break the questions that a position answers.
var positionMutants = []mutant{
	{"chess/legal.go", "an en-passant pin ignored", "PawnAttacks(us, from).Has(to) && p.enPassantSafe(from)", "PawnAttacks(us, from).Has(to)"},
	{"chess/legal.go", "IsLegal: a double step from any rank", "step == 16 && from.Relative(us).Rank() == 1 &&", "step == 16 &&"},
	{"chess/legal.go", "IsLegal: a double step over a piece", "from.Relative(us).Rank() == 1 && !occ.Has((from+to)/2)", "from.Relative(us).Rank() == 1"},
	{"chess/legal.go", "IsLegal: a pawn reaches the last rank unpromoted", "(m.Kind() == Promotion) != (to.Relative(us) >= A8) ||", "m.Kind() == Promotion && to.Relative(us) < A8 ||"},
	{"chess/legal.go", "IsLegal: the unused promotion bits are ignored", "m.Kind() != Promotion && m>>12&3 != 0", "m.Kind() == Castling && m>>12&3 != 0"},
	{"chess/legal.go", "HasLegalMove forgets en passant", "return p.epLegal || p.CanCastle(KingSide)", "return p.CanCastle(KingSide)"},
	{"chess/legal.go", "HasLegalMove forgets castling to the king's side", "return p.epLegal || p.CanCastle(KingSide) ||", "return p.epLegal ||"},
	{"chess/legal.go", "GivesCheck: the pawn taken en passant still blocks", "after &^= (to ^ 8).Bitboard()", "after &^= from.Bitboard()"},
	{"chess/legal.go", "GivesCheck: the new piece is blocked by its own pawn", "PieceAttacks(t, to, after).Has(king)", "PieceAttacks(t, to, occ).Has(king)"},
	{"chess/legal.go", "GivesCheck: the castling rook is overlooked", "return RookAttacks(rookTo, occ).Has(king) ||", "return rookTo == king ||"},
	{"chess/castling.go", "a castling square not tested", "for b := safe &^ king.Bitboard(); b != 0; {", "for b := safe & (C1.Bitboard() | G1.Bitboard() | C8.Bitboard() | G8.Bitboard()); b != 0; {"},
	{"chess/castling.go", "castling over a piece", "if p.Occupied()&empty != 0 {", "if p.Occupied()&safe&empty != 0 {"},
	{"chess/castling.go", "Chess960: a rook leaves its pinned king", "return !p.blockers.Has(rook)", "return rook != NoSquare"},
	{"chess/attack.go", "pawns attack for the wrong side", "PawnAttacks(by.Other(), s)&p.pieces[Pawn]&them != 0", "PawnAttacks(by, s)&p.pieces[Pawn]&them != 0"},
}

// makeMutants break make, unmake and the key.
var makeMutants = []mutant{
	{"chess/make.go", "a captured rook keeps its castling right", "p.castling.revoked[from&63] | p.castling.revoked[to&63]", "p.castling.revoked[from&63]"},
	{"chess/make.go", "a double step leaves no en-passant square", "case from^to == 16:", "case from^to == 24:"},
	{"chess/make.go", "a capture does not reset the half-move clock", "p.remove(victim, to)\n\t\tp.halfmove = 0", "p.remove(victim, to)"},
	{"chess/make.go", "Unmake puts the pawn taken en passant on the wrong square", "p.shiftRaw(MakePiece(us, Pawn), to, from)\n\t\tto ^= 8", "p.shiftRaw(MakePiece(us, Pawn), to, from)"},
	{"chess/make.go", "the key keeps the lost castling rights", "p.key ^= Key(tables.ZobristCastling(uint8(lost)))", "p.key ^= Key(tables.ZobristCastling(uint8(lost & 3)))"},
	{"chess/make.go", "the key keeps the en-passant file", "p.key ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))\n\t}\n\tp.enPassant = NoSquare", "p.key ^= 0\n\t}\n\tp.enPassant = NoSquare"},
	{"chess/make.go", "a promoted pawn stays a queen when unmade", "p.putRaw(MakePiece(us, Pawn), from)", "p.putRaw(MakePiece(us, Queen), from)"},
	{"chess/make.go", "castling puts the rook on the wrong square", "p.put(MakePiece(c, Rook), rookTo)", "p.put(MakePiece(c, Rook), rookTo^8)"},
	{"chess/make.go", "the number of the move goes up with White's moves", "p.fullmove += int(us)\n\tp.passTurn()\n\tp.findChecks()", "p.fullmove += 1 - int(us)\n\tp.passTurn()\n\tp.findChecks()"},
	{"chess/make.go", "a piece that shields with another is pinned", "} else if !between.Several() {\n\t\t\tblockers", "} else {\n\t\t\tblockers"},
	{"chess/make.go", "a knight's check is overlooked", "PawnAttacks(us, king)&p.pieces[Pawn] | KnightAttacks(king)&p.pieces[Knight]) & them\n\tvar", "PawnAttacks(us, king)&p.pieces[Pawn]) & them\n\tvar"},
	{"chess/position.go", "en passant is in the key where it is not legal", "if p.epLegal {\n\t\tk ^=", "if p.enPassant != NoSquare {\n\t\tk ^="},
}

// fenMutants break reading and writing positions.
var fenMutants = []mutant{
	{"chess/fen.go", "the side not to move may be in check", "if r.p.Attacked(r.p.King(us.Other()), us, r.p.Occupied()) {", "if r.p.Attacked(r.p.King(us.Other()), us, r.p.Occupied()) && r.n < 0 {"},
	{"chess/fen.go", "an en-passant square with a piece behind it", "if p.Piece(s) != NoPiece || p.Piece(origin) != NoPiece {", "if p.Piece(s) != NoPiece {"},
	{"chess/fen.go", "K means the innermost rook", "return (rooks &^ (king.Bitboard() - 1)).Last()", "return (rooks &^ (king.Bitboard() - 1)).First()"},
	{"chess/fen.go", "a counter above its bound", "case n < low || n > high:", "case n < low:"},
	{"chess/fen.go", "a rank with nine files", "if file > 8 {", "if file > 9 {"},
	{"chess/fenwrite.go", "an inner castling rook is written as K", "if byFile || rook != p.outermostRook(c, w) {", "if byFile {"},
}
