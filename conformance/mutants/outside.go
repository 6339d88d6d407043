package main

// evalMutants break the network's evaluation.
func evalMutants() []mutant {
	return []mutant{
		{in: "eval/nnue.Evaluator.Evaluate", what: "the sides are exchanged", old: "s.acc[us], s.acc[us^1]", new: "s.acc[us^1], s.acc[us]"},
		{in: "eval/nnue.Network.output", what: "the scale of the first layer twice", old: "sum/QA", new: "sum/QA/QA"},
		{in: "eval/nnue.Evaluator.bring", what: "a king that changes its bucket is updated like any piece", old: "step.Move != chess.NoMove &&", new: "step.Move == chess.NoMove &&"},
		{in: "eval/nnue.Evaluator.bring", what: "accumulators of other positions are taken", old: "from.key[c] == before.Key && from.known[c]", new: "from.known[c]"},
		{in: "eval/nnue.rows.step", what: "the pawn taken en passant stays", old: "victim ^= 8", new: "victim ^= 0"},
		{in: "eval/nnue.rows.step", what: "promoted pawns stay pawns", old: "placed = chess.MakePiece(c, m.PromotionType())", new: "placed = step.Moved"},
		{in: "eval/nnue.rows.step", what: "the castling rook becomes a queen", old: "rook := chess.MakePiece(c, chess.Rook)", new: "rook := chess.MakePiece(c, chess.Queen)"},
		{in: "eval/nnue.View.Feature", what: "pieces have their colour, not that of the perspective", old: "int(pc.Color() ^ v.color)", new: "int(pc.Color())"},
		{in: "eval/nnue.Network.checkRange", what: "networks that overflow are taken", old: "> 32767", new: "> 65534"},
		{in: "eval/nnue.Stack.checkRange", what: "small layers that overflow are taken", old: "1<<31 - 1", new: "1<<40 - 1"},
		{in: "eval/nnue.tail.after", what: "negative sums have no square", old: "square(y)", new: "square(max(y, 0))"},
		{in: "eval/nnue.tail.after", what: "what goes past the small layers is not clipped", old: "min(max(y>>skipShift, -1<<15), 1<<15-1)", new: "y>>skipShift"},
	}
}

// uciMutants break the protocol.
func uciMutants() []mutant {
	return []mutant{
		{in: "uci.request.decide", what: "the opponent's clock instead of one's own", old: "l.Timed[them] && !l.Timed[us]", new: "l.Timed[them]"},
		{in: "uci.goWords", what: "White's clock is Black's", old: "set: clock(chess.White)", new: "set: clock(chess.Black)"},
		{in: "uci.goWords", what: "Black's increment is White's", old: "set: increment(chess.Black)", new: "set: increment(chess.White)"},
		{in: "uci.goWords", what: "one ply too many", old: "search.Depth(n)", new: "search.Depth(n+1)"},
		{in: "uci.millis", what: "milliseconds are microseconds", old: "time.Millisecond", new: "time.Microsecond"},
		{in: "uci.parseGo", what: "searchmoves takes the words after it", old: "find(args[end]) < 0", new: "true"},
		{in: "uci.appendScore", what: "bounds from below are told as bounds from above", old: `" lowerbound"`, new: `" upperbound"`},
		{in: "uci.appendMove", what: "castling to the queen's side lands on the king's", old: "to < from", new: "to == from"},
		{in: "uci.printer.hasRoom", what: "reports are dropped while there is room", old: "len(p.waiting) < limit", new: "len(p.waiting) > limit"},
		{in: "uci.session.printFENs", what: "all positions of genfens are one", old: "uint64(i)", new: "uint64(0)"},
	}
}

// trainMutants break the training chain.
func trainMutants() []mutant {
	return []mutant{
		{in: "train/fit.stackOf.bound", what: "small layers are fitted to sums that overflow", old: "sum <= lastSum", new: "sum <= 2*lastSum"},
		{in: "train/fit.line.solve", what: "a line through too few points", old: "l.points < least*len(a)", new: "l.points < len(a)"},
		{in: "train/fit.Trainer.update", what: "steps leave the rounded weights behind", old: "t.renewRest()", new: "_ = free"},
		{in: "train/fit.layout.parts", what: "small layers pass positions through another unit", old: "nnue.Weight1Unit", new: "nnue.QB"},
		{in: "train/fit.hidden.forward", what: "products have more bits than the file's", old: "if h.rounded", new: "if !h.rounded"},
		{in: "train/relabel.distiller.stray", what: "all but the share is taken", old: "IntN(d.t.OneIn) > 0", new: "IntN(d.t.OneIn) == 0"},
		{in: "train/fit.target", what: "Black's score is White's", old: "score, result = -score, 1-result", new: "result = 1-result"},
		{in: "train/fit.target", what: "score and result exchanged", old: "blend*result + (1-blend)*", new: "(1-blend)*result + blend*"},
		{in: "internal/chance.exp", what: "rounding down", old: "+ 0.5", new: "+ 0.0"},
		{in: "train/match.scoreOf", what: "Elo with the wrong sign", old: "-elo/400", new: "elo/400"},
		{in: "train/match.Pairs.Elo", what: "twice the error", old: "eloOf(mean-d)) / 2", new: "eloOf(mean-d)) / 1"},
		{in: "train/match.Test.LLR", what: "the hypotheses exchanged", old: "one[i]/zero[i]", new: "zero[i]/one[i]"},
		{in: "train/games.checksum", what: "no checksum", old: "crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))", new: "uint32(crc32.Size)"},
	}
}
