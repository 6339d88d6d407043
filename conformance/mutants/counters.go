package main

// attackMutants break the counting of frames.
var attackMutants = []mutant{
	{"movegen/count/count.go", "the king hides behind himself", "u.attacked = f.attacked(occ ^ f.K)", "u.attacked = f.attacked(occ)"},
	{"movegen/count/count.go", "pinned knights are counted", "f.N &^ pinned", "f.N"},
	{"movegen/count/count.go", "three promotions instead of four", "n += 3 * (", "n += 2 * ("},
	{"movegen/count/count.go", "pushes of a pawn pinned on its file do not answer the check", "countPawns(f.P&u.pinH, occ, them, u.lineH&u.mask, 0)", "countPawns(f.P&u.pinH, occ, them, u.lineH, 0)"},
	{"movegen/count/count.go", "a wrap mask missing", "left := p << 7 & notH & them & take", "left := p << 7 & them & take"},
	{"movegen/count/list.go", "pinned bishops leave their line", "to = tables.BishopAttacks(sq, occ) & u.lineD", "to = Bishop(sq, occ)"},
	{"movegen/count/list.go", "pinned pawns do not capture", "l.pawns(f.P&u.pinD, occ, them, 0, u.lineD&u.mask)", "l.pawns(f.P&u.pinD, occ, them, 0, 0)"},
	{"movegen/count/step.go", "a captured rook keeps its castling right", "child.Castle = flip(f.Castle &^ s.Mask)", "child.Castle = flip(f.Castle &^ from)"},
	{"movegen/count/step.go", "a king's step leaves the castling rights", "child.TK ^= mask\n\t\tchild.Castle &= rank1", "child.TK ^= mask\n\t\tchild.Castle &= rank1 | rank8"},
	{"movegen/count/step.go", "the pawn taken en passant stays", "child.P ^= flip(to >> 8)", "child.P ^= flip(to>>8) & child.N"},
	{"movegen/count/guard.go", "Chess960: a rook leaves its pinned king", "u.attacked&w.Safe == 0 && u.pinH&w.Rook == 0", "u.attacked&w.Safe == 0"},
	{"movegen/count/guard.go", "two pieces are pinned by one slider on a diagonal", "case between&(between-1) == 0:\n\t\t\tu.pinD |= between", "case between != 0:\n\t\t\tu.pinD |= between"},
	{"movegen/count/guard.go", "an en-passant pin ignored", "if after.Checkers() == 0 {", "if after.TK != 0 {"},
	{"movegen/count/geometry.go", "the rook's castling path may be blocked", "w.Empty = (w.Safe | span(rookFile, rookTo)) &^", "w.Empty = w.Safe &^"},
	{"movegen/count/frame.go", "knights jump around the edge", "two := n<<2&notAB | n>>2&notGH", "two := n<<2&notA | n>>2&notGH"},
}

// tableMutants break single entries of the generated tables.
var tableMutants = []mutant{
	{"tables/zlines.go", "a wrong between entry (a1 to h8)", "0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0040201008040200,\n\t},\n\t// b1", "0x0000000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000201008040200,\n\t},\n\t// b1"},
	{"tables/zleapers.go", "a knight on d4 misses a square", "0x0000142200221400", "0x0000142200221000"},
	{"tables/zcastling.go", "the rook on h8 takes no right with it", "0x0c, 0x00, 0x00, 0x04,", "0x0c, 0x00, 0x00, 0x00,"},
}

// referenceMutants break the reference generators.
var referenceMutants = []mutant{
	{"movegen/mailbox/make.go", "castling through an attacked square", "b.attacked(from, 1-side) || b.attacked((from+to)/2, 1-side)", "b.attacked(from, 1-side) && from != to"},
	{"movegen/mailbox/make.go", "the pawn taken en passant comes back in the wrong colour", "(black >> side) | pawn", "(white << side) | pawn"},
	{"movegen/mailbox/generate.go", "en passant as a plain capture", "newMove(from, to, enPassant)", "newMove(from, to, 0)"},
	{"movegen/mailbox/generate.go", "castling over the rook's first square", "b.cells[home-1] == empty && b.cells[home-2] == empty && b.cells[home-3] == empty", "b.cells[home-1] == empty && b.cells[home-2] == empty"},
	{"movegen/x88/generate.go", "an en-passant pin ignored", "case check || m.special == enPassant:", "case check:"},
	{"movegen/x88/generate.go", "castling over the rook's first square", "b.cells[home-2] == none && b.cells[home-3] == none", "b.cells[home-2] == none"},
	{"movegen/x88/generate.go", "the king hides behind himself", "b.cells[from] = none\n\t\tsafe", "b.cells[from] = us\n\t\tsafe"},
	{"movegen/x88/board.go", "a knight's step missing", "-33, -31, -18, -14, 14, 18, 31, 33", "-33, -31, -18, -14, 14, 18, 31, 31"},
	{"movegen/rays/legal.go", "en passant: the captured pawn still stands", "occupied&^(1<<from|gone) | 1<<to", "occupied&^(1<<from) | 1<<to"},
	{"movegen/rays/legal.go", "a pin by the farther of two sliders", "t.along(d, king, pinners) & pinners", "t.ray[d][king] & pinners"},
	{"movegen/rays/legal.go", "castling onto an attacked square", "b.attackers(int(kingTo), occupied, them) == 0", "kingTo != rookTo"},
	{"movegen/rays/generate.go", "a promotion to a knight missing", "chess.NewPromotion(f, t, chess.Bishop), chess.NewPromotion(f, t, chess.Knight))", "chess.NewPromotion(f, t, chess.Bishop))"},
}
