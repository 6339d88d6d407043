package tune

import "github.com/tabula-chess/tabula/eval"

// Start returns plausible weights from which a first fit can begin: plain
// formulas over rank, file and count, in centipawns.
func Start() eval.Weights {
	var w eval.Weights
	startSquares(&w)
	startMobility(&w)
	startPawns(&w)
	startKing(&w)
	pair := eval.MakePair
	w.BishopPair = pair(25, 45)
	w.MinorOutpost = [2]eval.Pair{pair(25, 15), pair(18, 5)}
	w.MinorShield = pair(6, 3)
	w.RookOpen = [2]eval.Pair{pair(12, 6), pair(28, 8)}
	w.RookSeventh = pair(5, 18)
	for i := range w.BishopPawns {
		w.BishopPawns[i] = pair(6-3*i, 10-5*i)
	}
	w.ThreatByPawn = [6]eval.Pair{0, pair(55, 35), pair(50, 40), pair(65, 30), pair(60, 20)}
	w.ThreatByMinor = [6]eval.Pair{pair(3, 15), pair(20, 20), pair(25, 22), pair(45, 15), pair(40, 20)}
	w.ThreatByRook = [6]eval.Pair{pair(2, 18), pair(18, 20), pair(20, 20), pair(5, 10), pair(45, 20)}
	w.ThreatByKing = pair(10, 35)
	w.Hanging = pair(12, 8)
	w.PushThreat = pair(14, 12)
	w.Restricted = pair(2, 2)
	w.Tempo = pair(20, 15)
	return w
}

// startSquares sets material and square tables.
func startSquares(w *eval.Weights) {
	middle := [6]int{75, 310, 325, 440, 960, 0}
	end := [6]int{105, 300, 315, 540, 1000, 0}
	central := [6][2]int{{3, 0}, {9, 7}, {5, 4}, {3, 1}, {2, 6}, {-9, 11}}
	forward := [6][2]int{{3, 6}, {4, 1}, {2, 0}, {1, 3}, {0, 4}, {-12, 4}}
	for t := range w.Square {
		for i := range w.Square[t] {
			rank, file := i/4, i%4
			centre := file + min(rank, 7-rank) - 3
			mg := middle[t] + central[t][0]*centre + forward[t][0]*(min(rank, 5)-2)
			eg := end[t] + central[t][1]*centre + forward[t][1]*(min(rank, 5)-2)
			w.Square[t][i] = eval.MakePair(mg, eg)
		}
	}
}

// startMobility sets the mobility curves, steep where moves are few.
func startMobility(w *eval.Weights) {
	set := func(table []eval.Pair, mean, mg, eg int) {
		for i := range table {
			x := i - mean
			if x < 0 {
				x = x * 3 / 2
			}
			table[i] = eval.MakePair(mg*x, eg*x)
		}
	}
	set(w.KnightMobility[:], 4, 7, 6)
	set(w.BishopMobility[:], 6, 5, 6)
	set(w.RookMobility[:], 7, 3, 6)
	set(w.QueenMobility[:], 13, 2, 4)
}

// startPawns sets pawn structure and passed pawns.
func startPawns(w *eval.Weights) {
	pair := eval.MakePair
	for i := range w.Isolated {
		w.Isolated[i] = pair(-8-2*i, -12)
	}
	w.Doubled = pair(-6, -18)
	w.Backward = [2]eval.Pair{pair(-8, -8), pair(-18, -12)}
	w.PassedRook = pair(3, 12)
	for r := 1; r < 7; r++ {
		w.Phalanx[r] = pair(4+r*r, r*r)
		w.Supported[r] = pair(8+r*r, 2+r*r)
		w.Passed[r] = pair(2*r*r-4, 4*r*r+2)
		w.Candidate[r] = pair(r*r, 2*r*r)
		w.PassedFree[r] = pair(r, 3*r)
		w.PassedSafe[r] = pair(3*r, 8*r)
	}
	for d := range w.PassedKing {
		w.PassedOurKing[d] = pair(0, 25-7*d)
		w.PassedKing[d] = pair(0, 10*d-35)
	}
	for d := range w.KingDistance[0] {
		w.KingDistance[0][d] = pair(-2*d, -2*d)
		w.KingDistance[1][d] = pair(-d, -d)
	}
}

// startKing sets shelter, storm and the danger curve.
func startKing(w *eval.Weights) {
	pair := eval.MakePair
	for f := range w.Shelter {
		w.Shelter[f] = [8]eval.Pair{pair(-18, 0), pair(22, 0), pair(14, 0), pair(2, 0), pair(-2, 0), pair(-6, 0), pair(-10, 0), 0}
	}
	w.Storm[0] = [8]eval.Pair{0, pair(-5, 0), pair(-30, 0), pair(-22, 0), pair(-8, 0), pair(-2, 0), 0, 0}
	w.Storm[1] = [8]eval.Pair{0, 0, pair(-12, -5), pair(-4, -4), pair(-2, -2), 0, 0, 0}
	w.SafeCheck = [6]eval.Pair{0, pair(25, 2), pair(15, 3), pair(30, 3), pair(20, 8), 0}
	w.KingFile = [2]eval.Pair{pair(-12, 0), pair(-25, 0)}
	for u := range w.KingDanger {
		w.KingDanger[u] = pair(u*u/5-4, u*u/40)
	}
}
