package main

// legalMutants break the generator of legal moves.
func legalMutants() []mutant {
	return []mutant{
		{
			in: "movegen.generator.run", what: "the checker cannot be captured",
			old: "chess.Between(g.king, checkers.First()) | checkers", new: "chess.Between(g.king, checkers.First())",
		},
		{
			in: "movegen.generator.run", what: "a check cannot be blocked",
			old: "chess.Between(g.king, checkers.First()) | checkers", new: "checkers",
		},
		{
			in: "movegen.generator.run", what: "pins ignored",
			old: "g.pinned = p.Blockers(us) & ours", new: "g.pinned = 0",
		},
		{
			in: "movegen.generator.run", what: "double check answered like a single one",
			old: "if checkers.Several() {", new: "if checkers.Several() && g.n < 0 {",
		},
		{
			in: "movegen.generator.attackedApart", what: "the king hides behind himself",
			old: "occ := g.occ ^ g.king.Bitboard()", new: "occ := g.occ",
		},
		{
			in: "movegen.generator.pieces", what: "pinned knights move",
			old: "p.Pieces(g.us, chess.Knight) &^ g.pinned", new: "p.Pieces(g.us, chess.Knight)",
		},
		{
			in: "movegen.generator.pinLine", what: "a pinned piece does not capture its pinner",
			old: "return chess.Line(g.king, from)", new: "return chess.Between(g.king, from) | from.Bitboard()",
		},
		{
			in: "movegen.generator.addPromotions", what: "two promotions to a bishop, none to a knight",
			old: "g.add(chess.NewPromotion(from, to, chess.Knight))", new: "g.add(chess.NewPromotion(from, to, chess.Bishop))",
		},
		{
			in: "movegen.generator.run", what: "quiet moves capture",
			old: "g.targets = ^g.occ", new: "g.targets = ^g.p.ByColor(g.us)",
		},
		{
			in: "movegen.generator.pieces", what: "queens do not move like rooks",
			old: "(p.ByType(chess.Rook) | queens) & ours", new: "p.ByType(chess.Rook) & ours",
		},
		{
			in: "movegen.generator.castling", what: "a castling square not tested",
			old: "path &^= g.king.Bitboard()", new: "path &= chess.C1.Bitboard() | chess.G1.Bitboard() | chess.C8.Bitboard() | chess.G8.Bitboard()",
		},
		{
			in: "movegen.generator.castling", what: "castling over a piece",
			old: "if g.occ&empty == 0 && path", new: "if g.occ&empty&path == 0 && path",
		},
		{
			in: "movegen.generator.castling", what: "Chess960: a rook leaves its pinned king",
			old: "&& !g.pinned.Has(rook)", new: "",
		},
		{
			in: "movegen.generator.castling", what: "no castling to the queen's side",
			old: "w <= chess.QueenSide; w++", new: "w < chess.QueenSide; w++",
		},
	}
}

// pawnMutants break what gen writes for the pawns.
func pawnMutants() []mutant {
	return []mutant{
		{
			in: "movegen.generator.whitePawns", what: "a white pawn on the a file captures around the edge",
			old: "(free &^ chess.FileA) << 7 & hits", new: "free << 7 & hits",
		},
		{
			in: "movegen.generator.blackPawns", what: "a black pawn on the h file captures around the edge",
			old: "(free &^ chess.FileH) >> 7 & hits", new: "free >> 7 & hits",
		},
		{
			in: "movegen.generator.whitePawns", what: "a white pawn moves two squares from anywhere",
			old: "(one & chess.Rank3) << 8 & empty", new: "one << 8 & empty",
		},
		{
			in: "movegen.generator.blackPawns", what: "a black pawn jumps over a piece",
			old: "(one & chess.Rank6) >> 8 & empty", new: "(push & chess.Rank7) >> 16 & empty",
		},
		{
			in: "movegen.generator.whitePawns", what: "a pawn's push to the last rank does not answer a check",
			old: "(push & chess.Rank7) << 8 & empty & g.check", new: "(push & chess.Rank7) << 8 & empty &^ g.p.Checkers()",
		},
		{
			in: "movegen.generator.blackPawns", what: "a pinned black pawn captures off its line",
			old: "chess.PawnAttacks(chess.Black, from) & hits & chess.Line(g.king, from)", new: "chess.PawnAttacks(chess.Black, from) & hits",
		},
	}
}

// positionMutants break the questions that a position answers.
func positionMutants() []mutant {
	return []mutant{
		{
			in: "chess.Position.IsLegal", what: "an en-passant pin ignored",
			old: "PawnAttacks(us, from).Has(to) && p.enPassantSafe(from)", new: "PawnAttacks(us, from).Has(to)",
		},
		{
			in: "chess.Position.pawnReaches", what: "IsLegal: a double step from any rank",
			old: "step == 16 && from.Relative(us).Rank() == 1 &&", new: "step == 16 &&",
		},
		{
			in: "chess.Position.pawnReaches", what: "IsLegal: a double step over a piece",
			old: "from.Relative(us).Rank() == 1 && !occ.Has((from+to)/2)", new: "from.Relative(us).Rank() == 1",
		},
		{
			in: "chess.Position.IsLegal", what: "IsLegal: a pawn reaches the last rank unpromoted",
			old: "(m.Kind() == Promotion) != (to.Relative(us) >= A8) ||", new: "m.Kind() == Promotion && to.Relative(us) < A8 ||",
		},
		{
			in: "chess.Position.IsLegal", what: "IsLegal: the unused promotion bits are ignored",
			old: "m.Kind() != Promotion && m>>12&3 != 0", new: "m.Kind() == Castling && m>>12&3 != 0",
		},
		{
			in: "chess.Position.HasLegalMove", what: "HasLegalMove forgets en passant",
			old: "return p.epLegal || p.CanCastle(KingSide)", new: "return p.CanCastle(KingSide)",
		},
		{
			in: "chess.Position.HasLegalMove", what: "HasLegalMove forgets castling to the king's side",
			old: "return p.epLegal || p.CanCastle(KingSide) ||", new: "return p.epLegal ||",
		},
		{
			in: "chess.Position.GivesCheck", what: "GivesCheck: the pawn taken en passant still blocks",
			old: "after &^= (to ^ 8).Bitboard()", new: "after &^= from.Bitboard()",
		},
		{
			in: "chess.Position.GivesCheck", what: "GivesCheck: the new piece is blocked by its own pawn",
			old: "PieceAttacks(t, to, after).Has(king)", new: "PieceAttacks(t, to, occ).Has(king)",
		},
		{
			in: "chess.Position.GivesCheck", what: "GivesCheck: the castling rook is overlooked",
			old: "return RookAttacks(rookTo, occ).Has(king) ||", new: "return rookTo == king ||",
		},
		{
			in: "chess.Position.CanCastle", what: "a castling square not tested",
			old: "way.safe &^ king.Bitboard()", new: "way.safe & (C1.Bitboard() | G1.Bitboard() | C8.Bitboard() | G8.Bitboard())",
		},
		{
			in: "chess.Position.CanCastle", what: "castling over a piece",
			old: "p.Occupied()&way.empty", new: "p.Occupied()&way.safe&way.empty",
		},
		{
			in: "chess.Position.CanCastle", what: "Chess960: a rook leaves its pinned king",
			old: "return !p.blockers.Has(rook)", new: "return rook != NoSquare",
		},
		{
			in: "chess.Position.Attacked", what: "pawns attack for the wrong side",
			old: "PawnAttacks(by.Other(), s)&p.pieces[Pawn]&them != 0", new: "PawnAttacks(by, s)&p.pieces[Pawn]&them != 0",
		},
	}
}

// makeMutants break make, unmake and the key.
func makeMutants() []mutant {
	return []mutant{
		{
			in: "chess.Position.Make", what: "a captured rook keeps its castling right",
			old: "p.castling.revoked[from&63] | p.castling.revoked[to&63]", new: "p.castling.revoked[from&63]",
		},
		{
			in: "chess.Position.moveOrCapture", what: "a double step leaves no en-passant square",
			old: "case from^to == 16:", new: "case from^to == 24:",
		},
		{
			in: "chess.Position.moveOrCapture", what: "a capture does not reset the half-move clock",
			old: "p.remove(victim, to)\np.halfmove = 0", new: "p.remove(victim, to)",
		},
		{
			in: "chess.Position.Unmake", what: "Unmake puts the pawn taken en passant on the wrong square",
			old: "p.shiftRaw(MakePiece(us, Pawn), to, from)\nto ^= 8", new: "p.shiftRaw(MakePiece(us, Pawn), to, from)",
		},
		{
			in: "chess.Position.Make", what: "the key keeps the lost castling rights",
			old: "p.key ^= Key(tables.ZobristCastling(uint8(lost)))", new: "p.key ^= Key(tables.ZobristCastling(uint8(lost & 3)))",
		},
		{
			in: "chess.Position.dropEnPassant", what: "the key keeps the en-passant file",
			old: "p.key ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))\n}\np.enPassant = NoSquare", new: "p.key ^= 0\n}\np.enPassant = NoSquare",
		},
		{
			in: "chess.Position.Unmake", what: "a promoted pawn stays a queen when unmade",
			old: "p.putRaw(MakePiece(us, Pawn), from)", new: "p.putRaw(MakePiece(us, Queen), from)",
		},
		{
			in: "chess.Position.castle", what: "castling puts the rook on the wrong square",
			old: "p.put(MakePiece(c, Rook), rookTo)", new: "p.put(MakePiece(c, Rook), rookTo^8)",
		},
		{
			in: "chess.Position.Make", what: "the number of the move goes up with White's moves",
			old: "p.fullmove += int(us)\np.passTurn()\np.findChecks()", new: "p.fullmove += 1 - int(us)\np.passTurn()\np.findChecks()",
		},
		{
			in: "chess.Position.findChecks", what: "a piece that shields with another is pinned",
			old: "} else if !between.Several() {\nblockers", new: "} else {\nblockers",
		},
		{
			in: "chess.Position.findChecks", what: "a knight's check is overlooked",
			old: "PawnAttacks(us, king)&p.pieces[Pawn] | KnightAttacks(king)&p.pieces[Knight]) & them\nvar", new: "PawnAttacks(us, king)&p.pieces[Pawn]) & them\nvar",
		},
		{
			in: "chess.Position.stateKey", what: "en passant is in the key where it is not legal",
			old: "if p.epLegal {\nk ^=", new: "if p.enPassant != NoSquare {\nk ^=",
		},
	}
}

// fenMutants break reading and writing positions.
func fenMutants() []mutant {
	return []mutant{
		{
			in: "chess.Position.checkWaitingKing", what: "the side not to move may be in check",
			old: "p.Occupied())", new: "p.Occupied()) && us > Black",
		},
		{
			in: "chess.Setup.passBy", what: "an en-passant square with a piece behind it",
			old: "|| p.Piece(origin) != NoPiece", new: "",
		},
		{
			in: "chess.outermostRook", what: "K means the innermost rook",
			old: "return (rooks &^ (king.Bitboard() - 1)).Last()", new: "return (rooks &^ (king.Bitboard() - 1)).First()",
		},
		{
			in: "chess.parseCounter", what: "a counter above its bound",
			old: "n > high", new: "n < 0",
		},
		{
			in: "chess.fenReader.placement", what: "a rank with nine files",
			old: "if file > 8 {", new: "if file > 9 {",
		},
		{
			in: "chess.Position.appendCastling", what: "an inner castling rook is written as K",
			old: "|| rook != outermostRook(c, w, p.King(c), p.Pieces(c, Rook))", new: "",
		},
	}
}
