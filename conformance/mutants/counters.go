package main

// countMutants break the counting of moves.
func countMutants() []mutant {
	return []mutant{
		{
			in: "movegen/count.Moves", what: "the king hides behind himself",
			old: "u.attacked = f.attacked(occ ^ f.K)", new: "u.attacked = f.attacked(occ)",
		},
		{
			in: "movegen/count.Moves", what: "pinned knights are counted",
			old: "f.N &^ pinned", new: "f.N",
		},
		{
			in: "movegen/count.countPawns", what: "three promotions instead of four",
			old: "n += 3 * (", new: "n += 2 * (",
		},
		{
			in: "movegen/count.Frame.countPinned", what: "pushes of a pawn pinned on its file do not answer the check",
			old: "countPawns(f.P&u.pinH, occ, them, u.lineH&u.mask, 0)", new: "countPawns(f.P&u.pinH, occ, them, u.lineH, 0)",
		},
		{
			in: "movegen/count.countPawns", what: "a wrap mask missing",
			old: "left := p << 7 & notH & them & take", new: "left := p << 7 & them & take",
		},
		{
			in: "movegen/count.lister.sliders", what: "pinned bishops leave their line",
			old: "to = tables.BishopAttacks(sq, occ) & u.lineD", new: "to = tables.BishopAttacks(sq, occ)",
		},
		{
			in: "movegen/count.List", what: "pinned pawns do not capture",
			old: "l.pawns(f.P&u.pinD, occ, them, 0, u.lineD&u.mask)", new: "l.pawns(f.P&u.pinD, occ, them, 0, 0)",
		},
		{
			in: "movegen/count.Frame.Make", what: "a captured rook keeps its castling right",
			old: "child.Castle = flip(f.Castle &^ s.Mask)", new: "child.Castle = flip(f.Castle &^ from)",
		},
		{
			in: "movegen/count.Frame.Make", what: "a king's step leaves the castling rights",
			old: "child.TK ^= mask\nchild.Castle &= rank1", new: "child.TK ^= mask\nchild.Castle &= rank1 | rank8",
		},
		{
			in: "movegen/count.Frame.Make", what: "the pawn taken en passant stays",
			old: "child.P ^= flip(to >> 8)", new: "child.P ^= flip(to>>8) & child.N",
		},
		{
			in: "movegen/count.Frame.castles", what: "Chess960: a rook leaves its pinned king",
			old: "u.attacked&w.Safe == 0 && u.pinH&w.Rook == 0", new: "u.attacked&w.Safe == 0",
		},
		{
			in: "movegen/count.guard.examine", what: "two pieces are pinned by one slider on a diagonal",
			old: "case between&(between-1) == 0:\nu.pinD |= between", new: "case between != 0:\nu.pinD |= between",
		},
		{
			in: "movegen/count.Frame.enPassants", what: "an en-passant pin ignored",
			old: "if after.Checkers() == 0 {", new: "if after.TK != 0 {",
		},
		{
			in: "movegen/count.NewWing", what: "the rook's castling path may be blocked",
			old: "w.Empty = (w.Safe | span(rookFile, rookTo)) &^", new: "w.Empty = w.Safe &^",
		},
		{
			in: "movegen/count.knightSteps", what: "knights jump around the edge",
			old: "two := n<<2&notAB | n>>2&notGH", new: "two := n<<2&notA | n>>2&notGH",
		},
	}
}

// tableMutants break single entries of the generated tables.
func tableMutants() []mutant {
	return []mutant{
		{
			in: "tables.between", what: "a wrong between entry (a1 to h8)",
			old: "0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0040201008040200,\n},\n// b1", new: "0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000201008040200,\n},\n// b1",
		},
		{
			in: "tables.knight", what: "a knight on d4 misses a square",
			old: "0x0000142200221400", new: "0x0000142200221000",
		},
		{
			in: "chess.castlingGeometry.grant", what: "a rook takes no right with it",
			old: "g.revoked[rook] |= Right(c, w)", new: "",
		},
	}
}

// referenceMutants break the reference generators.
func referenceMutants() []mutant {
	return []mutant{
		{
			in: "movegen/mailbox.Board.try", what: "castling through an attacked square",
			old: "b.attacked(from, 1-side) || b.attacked((from+to)/2, 1-side)", new: "b.attacked(from, 1-side) && from != to",
		},
		{
			in: "movegen/mailbox.Board.undo", what: "the pawn taken en passant comes back in the wrong colour",
			old: "(black >> side) | pawn", new: "(white << side) | pawn",
		},
		{
			in: "movegen/mailbox.Board.pawnMoves", what: "en passant as a plain capture",
			old: "newMove(from, to, enPassant)", new: "newMove(from, to, 0)",
		},
		{
			in: "movegen/mailbox.Board.castlings", what: "castling over the rook's first square",
			old: "b.cells[home-1] == empty && b.cells[home-2] == empty && b.cells[home-3] == empty", new: "b.cells[home-1] == empty && b.cells[home-2] == empty",
		},
		{
			in: "movegen/x88.Board.legal", what: "an en-passant pin ignored",
			old: "case check || m.special == enPassant:", new: "case check:",
		},
		{
			in: "movegen/x88.Board.castlings", what: "castling over the rook's first square",
			old: "b.cells[home-2] == none && b.cells[home-3] == none", new: "b.cells[home-2] == none",
		},
		{
			in: "movegen/x88.Board.legal", what: "the king hides behind himself",
			old: "b.cells[from] = none\nsafe", new: "b.cells[from] = us\nsafe",
		},
		{
			in: "movegen/x88.steps", what: "a knight's step missing",
			old: "-33, -31, -18, -14, 14, 18, 31, 33", new: "-33, -31, -18, -14, 14, 18, 31, 31",
		},
		{
			in: "movegen/rays.Board.legal", what: "en passant: the captured pawn still stands",
			old: "occupied&^(1<<from|gone) | 1<<to", new: "occupied&^(1<<from) | 1<<to",
		},
		{
			in: "movegen/rays.Board.pinned", what: "a pin by the farther of two sliders",
			old: "along(d, king, pinners) & pinners", new: "ray(d, king) & pinners",
		},
		{
			in: "movegen/rays.Board.legal", what: "castling onto an attacked square",
			old: "b.attackers(int(kingTo), occupied, them) == 0", new: "kingTo != rookTo",
		},
		{
			in: "movegen/rays.pawnMove", what: "a promotion to a knight missing",
			old: "chess.NewPromotion(f, t, chess.Bishop), chess.NewPromotion(f, t, chess.Knight))", new: "chess.NewPromotion(f, t, chess.Bishop))",
		},
	}
}
