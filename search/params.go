package search

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// Bounds of the histories.
const (
	historyMax    = 16384
	correctionMax = 1024
)

// Params are the parameters of the search that are fitted by games. Margins are in
// centipawns, depths in plies, reductions in 1024ths of a ply, history values within
// ±16384. [Params.rows] describes each.
type Params struct {
	AspirationDelta, AspirationDepth                                             int
	Decided, DecidedReduction                                                    int
	RazorBase, RazorSlope, RazorDepth                                            int
	ReverseMargin, ReverseImproves, ReverseWorsens, ReverseTrust, ReverseDepth   int
	NullBase, NullDepth, NullMargin, NullMost, NullStatic, NullSlope, NullVerify int
	ProbCut, ProbImprove, ProbCutDepth, ProbCutReduction                         int
	TableCut                                                                     int
	Hindsight                                                                    int
	IIRDepth, IIRGap                                                             int
	SingularMargin, SingularDepth, SingularGap, SingularBeta, SingularCut        int
	DoubleMargin, DoubleLimit, TripleMargin                                      int
	Raised, RaisedDepth                                                          int
	FutilityDepth, CaptureDepth, ExchangeDepth, HistoryPruneDepth, LMRDepth      int
	LateBase, LateSlope, LateHalf, LatePV, FutilityBase, FutilitySlope, FutilityHistory, HistoryPrune,
	QuietExchange, CaptureExchange, CaptureExchangeHistory, CaptureBase, CaptureSlope,
	CaptureHistory int
	LMRBase, LMRScale, LMRCut, LMRNotImproving, LMRTablePV, LMRPV, LMRTableCapture, LMRKiller,
	LMRCheck, LMRCutoffs, LMRCutoffsFrom, LMRCapture, LMRCorrection, LMRHistory, Deeper, Shallower int
	SwingSlope, SwingOffset, SwingMax                                        int
	Delta, QuiesceMoves                                                      int
	Value                                                                    [7]int // by PieceType
	KillerFirst, KillerSecond, CounterMove, QuietCheck, Escape, CaptureOrder int
	HistoryMain, HistoryOne, HistoryTwo, HistoryFour, HistoryPawn            int
	BonusSlope, BonusOffset, BonusMax, MalusSlope, MalusOffset, MalusMax     int
	PriorBonus, PriorMalus, PriorMoves                                       int
	FailHigh, StandPat, DampingSpan, TableClock, TableBonus                  int
	CorrectRate, CorrectPawn, CorrectPieces, CorrectMove                     int
	ClockMoves, ClockInc, ClockHard, ClockNodes, ClockShare, ClockChange, ClockStable, ClockDrop,
	ClockFall, ClockRise int
}

// parameterRow is a row of the table of parameters.
type parameterRow struct {
	Tunable
	value *int
}

// rows returns the table: name, default, minimum, maximum, and the final step of a fit
// by OpenBench ("train tune" uses a share of the range instead). With the build tag
// tabula_tune each row is a UCI option.
func (p *Params) rows() []parameterRow {
	return []parameterRow{
		{Tunable{"AspirationDelta", 12, 5, 40, 2, "half width of the first window"}, &p.AspirationDelta},
		{Tunable{"AspirationDepth", 4, 2, 10, 1, "… from this iteration on"}, &p.AspirationDepth},
		{Tunable{"Decided", 800, 300, 3000, 150, "alpha this far above zero is not razored; beta this far below has no reverse futility or null move"}, &p.Decided},
		{Tunable{"DecidedReduction", 1024, 0, 3000, 150, "… its moves are reduced this much less there, 1024ths of a ply, checks twice as much"}, &p.DecidedReduction},

		{Tunable{"RazorBase", 210, 50, 400, 18, "razoring: margin below alpha at depth 0 …"}, &p.RazorBase},
		{Tunable{"RazorSlope", 146, 50, 400, 18, "… and per squared ply"}, &p.RazorSlope},
		{Tunable{"RazorDepth", 3, 0, 12, 1, "… in nodes of at most this depth"}, &p.RazorDepth},

		{Tunable{"ReverseMargin", 42, 30, 150, 6, "reverse futility: margin over beta per ply"}, &p.ReverseMargin},
		{Tunable{"ReverseImproves", 48, 0, 150, 8, "… less when improving"}, &p.ReverseImproves},
		{Tunable{"ReverseWorsens", 6, 0, 60, 3, "… less when the opponent's last move made things worse for it"}, &p.ReverseWorsens},

		{Tunable{"ReverseTrust", 28, 0, 64, 3, "… share of the evaluation beyond beta that is in the score, 64ths"}, &p.ReverseTrust},
		{Tunable{"ReverseDepth", 9, 2, 18, 1, "… in nodes of at most this depth"}, &p.ReverseDepth},

		{Tunable{"NullBase", 4513, 2048, 7168, 256, "null move: reduction at depth 0, 1024ths …"}, &p.NullBase},
		{Tunable{"NullDepth", 306, 128, 512, 19, "… per ply, 1024ths"}, &p.NullDepth},
		{Tunable{"NullMargin", 147, 30, 400, 16, "… over beta for a ply more"}, &p.NullMargin},
		{Tunable{"NullMost", 3, 0, 9, 1, "… plies more at most"}, &p.NullMost},
		{Tunable{"NullStatic", 108, 0, 400, 20, "how far the static evaluation may be below beta at depth 0 …"}, &p.NullStatic},
		{Tunable{"NullSlope", 18, 0, 50, 2, "… and how much less per ply"}, &p.NullSlope},
		{Tunable{"NullVerify", 14, 6, 40, 2, "… and from which depth on the result is verified"}, &p.NullVerify},
		{Tunable{"ProbCut", 141, 60, 350, 14, "ProbCut: margin over beta"}, &p.ProbCut},
		{Tunable{"ProbImprove", 44, 0, 120, 6, "… less when improving"}, &p.ProbImprove},
		{Tunable{"ProbCutDepth", 5, 3, 10, 1, "… from this depth on"}, &p.ProbCutDepth},
		{Tunable{"ProbCutReduction", 4, 2, 6, 1, "… and how many plies shallower it searches"}, &p.ProbCutReduction},

		{Tunable{"TableCut", 330, 100, 900, 40, "margin over beta at which a lower bound of the table is taken at its word"}, &p.TableCut},

		{Tunable{"Hindsight", 35, 20, 500, 24, "a reduced move is reduced a ply more where both evaluations together are this much worse for its mover"}, &p.Hindsight},
		{Tunable{"IIRDepth", 4, 2, 12, 1, "internal reduction of nodes without a table move: from this depth on …"}, &p.IIRDepth},
		{Tunable{"IIRGap", 4, 2, 12, 1, "… in the principal variation also where the table's depth is this much less"}, &p.IIRGap},

		{Tunable{"SingularMargin", 67, 24, 192, 8, "singular extension: margin below the table's score per ply, 64ths"}, &p.SingularMargin},
		{Tunable{"SingularDepth", 7, 3, 12, 1, "… from this depth on"}, &p.SingularDepth},
		{Tunable{"SingularGap", 3, 1, 6, 1, "… where the table's depth is at most this much less"}, &p.SingularGap},
		{Tunable{"SingularBeta", 2, 0, 4, 1, "plies less for a table move that is not singular where the table's score is above beta"}, &p.SingularBeta},
		{Tunable{"SingularCut", 1, 0, 4, 1, "… at other cut nodes"}, &p.SingularCut},
		{Tunable{"DoubleMargin", 23, 2, 50, 2, "below the singular bound for two plies of extension"}, &p.DoubleMargin},
		{Tunable{"DoubleLimit", 8, 0, 24, 2, "… on a line at most this often"}, &p.DoubleLimit},
		{Tunable{"TripleMargin", 100, 20, 400, 19, "… and for three, of quiet moves alone"}, &p.TripleMargin},

		{Tunable{"Raised", 1, 0, 3, 1, "plies less for the moves after one that raised alpha"}, &p.Raised},
		{Tunable{"RaisedDepth", 13, 3, 24, 1, "… below this depth"}, &p.RaisedDepth},

		{Tunable{"LateBase", 557, 128, 768, 32, "late-move pruning: moves at depth 0, 64ths …"}, &p.LateBase},
		{Tunable{"LateSlope", 104, 20, 160, 7, "… per squared ply, 64ths"}, &p.LateSlope},
		{Tunable{"LateHalf", 44, 16, 64, 2, "… share of it when not improving, 64ths"}, &p.LateHalf},
		{Tunable{"LatePV", 64, 64, 2048, 64, "… share of it in the principal variation, 64ths"}, &p.LatePV},
		{Tunable{"FutilityBase", 32, 20, 250, 12, "futility of quiet moves: margin below alpha …"}, &p.FutilityBase},
		{Tunable{"FutilitySlope", 51, 30, 200, 8, "… per ply"}, &p.FutilitySlope},
		{Tunable{"FutilityDepth", 9, 2, 20, 1, "… below this depth, reduced"}, &p.FutilityDepth},
		{Tunable{"FutilityHistory", 203, 50, 800, 38, "history value worth a centipawn"}, &p.FutilityHistory},
		{Tunable{"HistoryPrune", -4799, -8000, -1000, 350, "quiet moves of less history than this per ply are pruned"}, &p.HistoryPrune},
		{Tunable{"HistoryPruneDepth", 5, 1, 16, 1, "… below this depth, reduced"}, &p.HistoryPruneDepth},
		{Tunable{"QuietExchange", 28, 8, 60, 3, "loss by exchange at which quiet moves are pruned, per squared ply"}, &p.QuietExchange},
		{Tunable{"CaptureExchange", 96, 30, 200, 8, "loss by exchange at which captures are pruned, per ply"}, &p.CaptureExchange},
		{Tunable{"ExchangeDepth", 12, 2, 24, 1, "… in nodes of at most this depth"}, &p.ExchangeDepth},
		{Tunable{"CaptureExchangeHistory", 48, 10, 160, 8, "… and history worth a centipawn of it"}, &p.CaptureExchangeHistory},
		{Tunable{"CaptureBase", 289, 60, 500, 22, "futility of captures: margin below alpha …"}, &p.CaptureBase},
		{Tunable{"CaptureSlope", 193, 60, 400, 17, "… per ply"}, &p.CaptureSlope},
		{Tunable{"CaptureDepth", 7, 1, 16, 1, "… below this depth, reduced"}, &p.CaptureDepth},
		{Tunable{"CaptureHistory", 36, 10, 120, 6, "history value worth a centipawn"}, &p.CaptureHistory},

		{Tunable{"LMRBase", 928, 0, 1500, 75, "late-move reductions, in 1024ths of a ply: at the least"}, &p.LMRBase},
		{Tunable{"LMRScale", 3483, 1500, 4000, 125, "… log depth · log move number / scale, all in 1024ths"}, &p.LMRScale},
		{Tunable{"LMRDepth", 2, 1, 6, 1, "… from this depth on"}, &p.LMRDepth},
		{Tunable{"LMRCut", 1404, 0, 3000, 150, "… more at cut nodes"}, &p.LMRCut},
		{Tunable{"LMRNotImproving", 1000, 0, 2000, 100, "… more when not improving"}, &p.LMRNotImproving},
		{Tunable{"LMRTablePV", 530, 0, 2500, 125, "… less where the table knows the node from the principal variation"}, &p.LMRTablePV},
		{Tunable{"LMRPV", 328, 0, 2500, 125, "… less in the principal variation"}, &p.LMRPV},
		{Tunable{"LMRTableCapture", 632, 0, 2000, 100, "… more for quiet moves beside a table move that captures"}, &p.LMRTableCapture},
		{Tunable{"LMRKiller", 740, 0, 2000, 100, "… less for killers"}, &p.LMRKiller},
		{Tunable{"LMRCheck", 1042, 0, 2000, 100, "… less for checks"}, &p.LMRCheck},
		{Tunable{"LMRCutoffs", 279, 0, 2500, 125, "… more where the children fail high"}, &p.LMRCutoffs},
		{Tunable{"LMRCutoffsFrom", 3, 1, 8, 1, "… where more than this many do"}, &p.LMRCutoffsFrom},
		{Tunable{"LMRCapture", -726, -1500, 1500, 150, "… more for captures"}, &p.LMRCapture},
		{Tunable{"LMRCorrection", 8, 0, 40, 2, "less per centipawn of the correction of the static evaluation"}, &p.LMRCorrection},
		{Tunable{"LMRHistory", 17434, 3000, 25000, 1100, "history value worth one ply"}, &p.LMRHistory},
		{Tunable{"Deeper", 39, 5, 150, 7, "a reduced search this far above the best goes one ply deeper …"}, &p.Deeper},
		{Tunable{"Shallower", 2, 0, 30, 2, "… one so near it a ply less"}, &p.Shallower},

		{Tunable{"SwingSlope", 11, 0, 40, 2, "history bonus per centipawn of a change for the better"}, &p.SwingSlope},
		{Tunable{"SwingOffset", 154, -200, 300, 25, "… at no change"}, &p.SwingOffset},
		{Tunable{"SwingMax", 1011, 400, 3000, 130, "… at most"}, &p.SwingMax},

		{Tunable{"Delta", 143, 50, 400, 18, "quiescence: what a capture may win beyond the victim"}, &p.Delta},
		{Tunable{"QuiesceMoves", 3, 1, 12, 1, "… and how many captures are looked at besides recaptures"}, &p.QuiesceMoves},

		{Tunable{"ValuePawn", 100, 20, 200, 8, "what a captured piece adds to the evaluation: a pawn"}, &p.Value[chess.Pawn]},
		{Tunable{"ValueKnight", 269, 100, 500, 20, "… a knight"}, &p.Value[chess.Knight]},
		{Tunable{"ValueBishop", 330, 100, 500, 20, "… a bishop"}, &p.Value[chess.Bishop]},
		{Tunable{"ValueRook", 527, 150, 800, 32, "… a rook"}, &p.Value[chess.Rook]},
		{Tunable{"ValueQueen", 950, 250, 1500, 60, "… a queen"}, &p.Value[chess.Queen]},

		{Tunable{"KillerFirst", 12871, 0, 30000, 1500, "order of quiet moves: bonus of the first killer"}, &p.KillerFirst},
		{Tunable{"KillerSecond", 7494, 0, 30000, 1500, "… of the second"}, &p.KillerSecond},
		{Tunable{"CounterMove", 6480, 0, 20000, 1000, "… of the answer that refuted the last move"}, &p.CounterMove},
		{Tunable{"QuietCheck", 5464, 0, 20000, 1000, "… of a check"}, &p.QuietCheck},
		{Tunable{"Escape", 60, 0, 128, 6, "leaving the attack of a lesser piece, 64ths of escapeBonus"}, &p.Escape},
		{Tunable{"CaptureOrder", 54, 8, 128, 6, "order of captures: score worth a centipawn of loss by exchange"}, &p.CaptureOrder},

		{Tunable{"HistoryMain", 51, 16, 128, 6, "weight of the history of a quiet move by its squares, 64ths"}, &p.HistoryMain},
		{Tunable{"HistoryOne", 68, 16, 128, 6, "… of the answers to the last move"}, &p.HistoryOne},
		{Tunable{"HistoryTwo", 65, 16, 128, 6, "… of the moves after our last"}, &p.HistoryTwo},
		{Tunable{"HistoryFour", 50, 0, 128, 6, "… after the one before, in the order of moves alone"}, &p.HistoryFour},
		{Tunable{"HistoryPawn", 60, 16, 128, 6, "… by the pawns on the board"}, &p.HistoryPawn},

		{Tunable{"BonusSlope", 196, 50, 400, 18, "bonus of history: per ply"}, &p.BonusSlope},
		{Tunable{"BonusOffset", 11, -100, 400, 25, "… less at depth 0"}, &p.BonusOffset},
		{Tunable{"BonusMax", 1637, 600, 3500, 145, "… at most"}, &p.BonusMax},
		{Tunable{"MalusSlope", 208, 50, 500, 22, "malus of history: per ply"}, &p.MalusSlope},
		{Tunable{"MalusOffset", 73, -100, 400, 25, "… less at depth 0"}, &p.MalusOffset},
		{Tunable{"MalusMax", 1030, 500, 3500, 150, "… at most"}, &p.MalusMax},

		{Tunable{"PriorBonus", 26, 0, 128, 6, "of the bonus to a quiet move that all answers fail low against, 64ths"}, &p.PriorBonus},
		{Tunable{"PriorMalus", 55, 0, 128, 6, "of the malus to an early quiet move that is refuted"}, &p.PriorMalus},
		{Tunable{"PriorMoves", 2, 1, 8, 1, "… how many of a node's moves count as early"}, &p.PriorMoves},

		{Tunable{"FailHigh", 7, 0, 192, 10, "how far a result above beta is drawn to it, 64ths of a ply's weight"}, &p.FailHigh},
		{Tunable{"StandPat", 13, 0, 64, 3, "… in quiescence, 64ths"}, &p.StandPat},
		{Tunable{"DampingSpan", 220, 120, 600, 24, "half-moves without progress after which an evaluation would count for nothing"}, &p.DampingSpan},
		{Tunable{"TableClock", 90, 50, 99, 3, "from this half-move clock on the table settles no node"}, &p.TableClock},
		{Tunable{"TableBonus", 49, 0, 128, 6, "share of the bonus for a quiet table move that the table says fails high, 64ths"}, &p.TableBonus},

		{Tunable{"CorrectRate", 6, 1, 32, 1, "corrections learn the difference times the depth, divided by this"}, &p.CorrectRate},
		{Tunable{"CorrectPawn", 10, 0, 30, 2, "weight of the correction by pawns, 512ths"}, &p.CorrectPawn},
		{Tunable{"CorrectPieces", 19, 0, 30, 2, "… by the pieces of either side"}, &p.CorrectPieces},
		{Tunable{"CorrectMove", 7, 0, 30, 2, "… by the last two moves"}, &p.CorrectMove},

		{Tunable{"ClockMoves", 672, 128, 1024, 45, "clock: moves among which what is left is divided, 16ths"}, &p.ClockMoves},
		{Tunable{"ClockInc", 64, 0, 96, 5, "… and how much of the increment a move gets besides, 64ths"}, &p.ClockInc},
		{Tunable{"ClockHard", 320, 96, 768, 34, "after how much of the time planned the search is cut off, 64ths"}, &p.ClockHard},
		{Tunable{"ClockNodes", 122, 64, 224, 8, "how much of that time to take where no nodes went into the best move, 64ths …"}, &p.ClockNodes},
		{Tunable{"ClockShare", 90, 0, 160, 8, "… less where all did"}, &p.ClockShare},
		{Tunable{"ClockChange", 80, 64, 192, 6, "… share of it where the best move is new, 64ths"}, &p.ClockChange},
		{Tunable{"ClockStable", 15, 0, 32, 2, "… less for each iteration since, 256ths"}, &p.ClockStable},
		{Tunable{"ClockDrop", 80, 20, 200, 9, "… centipawns of a falling score that add a part"}, &p.ClockDrop},
		{Tunable{"ClockFall", 96, 64, 256, 9, "… share of it at most, 64ths"}, &p.ClockFall},
		{Tunable{"ClockRise", 54, 24, 64, 3, "… and at least, where it rises"}, &p.ClockRise},
	}
}

// DefaultParams returns the parameters an engine starts with.
func DefaultParams() (p Params) {
	for _, r := range p.rows() {
		*r.value = r.Default
	}
	return p
}

// Tunable is a row of the table of parameters.
type Tunable struct {
	Name     string
	Default  int
	Min, Max int // inclusive
	Step     int // final step of a fit by OpenBench, see SPSA
	Doc      string
}

// SPSA returns the row in OpenBench's format: name, type, default, minimum, maximum,
// final step and learning rate.
func (t Tunable) SPSA() string {
	return fmt.Sprintf("%s, int, %d, %d, %d, %d, 0.002", t.Name, t.Default, t.Min, t.Max, t.Step)
}

// Tunables returns the rows of Params in their order.
func Tunables() (all []Tunable) {
	for _, r := range new(Params).rows() {
		all = append(all, r.Tunable)
	}
	return all
}

// SetParam sets the parameter called name. An error names it and changes nothing.
func (e *Engine) SetParam(name string, value int) error {
	p := e.params
	for _, r := range p.rows() {
		if r.Name == name {
			*r.value = value
			return e.SetParams(p)
		}
	}
	return fmt.Errorf("search parameter %.40q does not exist", name)
}

// SetParamsByName sets several parameters. Errors: those of [Engine.SetParam].
func (e *Engine) SetParamsByName(values map[string]int) error {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if err := e.SetParam(name, values[name]); err != nil {
			return err
		}
	}
	return nil
}

// Values returns the values of p in the order of Tunables.
func (p *Params) Values() (all []int) {
	for _, r := range p.rows() {
		all = append(all, *r.value)
	}
	return all
}

// SetValues sets p from values in the order of Tunables. An error names the first value
// out of range and leaves p unchanged.
func (p *Params) SetValues(values []int) error {
	rows := p.rows()
	if len(values) != len(rows) {
		return fmt.Errorf("%d values given, want %d", len(values), len(rows))
	}
	for i, r := range rows {
		if values[i] < r.Min || values[i] > r.Max {
			return fmt.Errorf("%s %d: want %d to %d", r.Name, values[i], r.Min, r.Max)
		}
	}
	for i, r := range rows {
		*r.value = values[i]
	}
	return nil
}

// SetParams sets all parameters. An error names the first one out of range and changes
// nothing.
func (e *Engine) SetParams(p Params) error {
	if err := new(Params).SetValues(p.Values()); err != nil {
		return fmt.Errorf("search parameter %w", err)
	}
	e.params = p
	for _, w := range e.workers {
		w.setParams(p)
	}
	return nil
}
