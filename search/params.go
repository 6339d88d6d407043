package search

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Fixed numbers of the search: where a step applies at all, and the bounds of
// what is learnt.
const (
	aspirationDepth   = 4 // first iteration with a window
	razorDepth        = 3
	reverseDepth      = 9  // deepest node of reverse futility
	nullVerify        = 14 // null moves are verified from this depth on
	probCutDepth      = 5
	iirDepth          = 4 // a node without a table move is searched one ply less
	singularDepth     = 7
	doubleLimit       = 8  // double extensions on a line
	raisedDepth       = 13 // from here on moves after one that raised alpha keep their depth
	futilityDepth     = 9
	captureDepth      = 7  // captures are pruned by futility below this depth …
	exchangeDepth     = 12 // … and by exchange up to this one
	historyPruneDepth = 5
	lmrDepth          = 2

	// A window that begins so far above zero, or ends so far below, asks for
	// nothing but a mate: what the evaluation says of material is no answer.
	decided          = 800
	decidedReduction = 1024 // the winner's moves are reduced so much less, 1024ths of a ply

	historyMax    = 16384
	correctionMax = 1024
)

// Params are the numbers of the search that are fitted by games. Margins are
// centipawns, reductions 1024ths of a ply, history values lie within ±16384.
// Each row tells the default, the range that makes sense, the step that a fit by
// OpenBench has at its end ("train tune" takes a share of the range instead), and
// the meaning. "train tune" rewrites the defaults; a program built with the tag
// tabula_tune has each row as a UCI option.
type Params struct {
	AspirationDelta int `row:"15 in 5 to 40 by 2" doc:"half width of the first window"`

	RazorBase  int `row:"210 in 50 to 400 by 18" doc:"razoring: margin below alpha at depth 0 …"`
	RazorSlope int `row:"146 in 50 to 400 by 18" doc:"… and per squared ply"`

	ReverseMargin   int `row:"70 in 30 to 150 by 6" doc:"reverse futility: margin over beta per ply"`
	ReverseImproves int `row:"48 in 0 to 150 by 8" doc:"… less when improving"`
	ReverseWorsens  int `row:"6 in 0 to 60 by 3" doc:"… less when the opponent's last move made things worse for it"`

	ReverseTrust int `row:"21 in 0 to 64 by 3" doc:"… so much of what the evaluation has beyond beta is in the score, 64ths"`

	NullBase    int `row:"4205 in 2048 to 7168 by 256" doc:"null move: reduction at depth 0, 1024ths …"`
	NullDepth   int `row:"280 in 128 to 512 by 19" doc:"… per ply, 1024ths"`
	NullMargin  int `row:"189 in 80 to 400 by 16" doc:"… over beta for a ply more"`
	NullMost    int `row:"3 in 0 to 6 by 1" doc:"… and so many plies more at the most"`
	NullStatic  int `row:"139 in 0 to 400 by 20" doc:"the static evaluation may be so much below beta at depth 0 …"`
	NullSlope   int `row:"18 in 0 to 50 by 2" doc:"… and less by so much per ply"`
	ProbCut     int `row:"140 in 60 to 350 by 14" doc:"ProbCut: margin over beta"`
	ProbImprove int `row:"40 in 0 to 120 by 6" doc:"… less when improving"`

	TableCut int `row:"330 in 100 to 900 by 40" doc:"margin over beta at which a lower bound of the table is taken at its word"`

	Hindsight int `row:"119 in 20 to 500 by 24" doc:"a reduced move after which both sides together see so much worse for its mover is reduced a ply more"`

	SingularMargin int `row:"62 in 24 to 192 by 8" doc:"singular extension: margin below the table's score per ply, 64ths"`
	DoubleMargin   int `row:"13 in 2 to 50 by 2" doc:"below the singular bound for two plies of extension"`
	TripleMargin   int `row:"100 in 20 to 400 by 19" doc:"… and for three, of quiet moves alone"`

	Raised int `row:"1 in 0 to 3 by 1" doc:"plies less for the moves after one that raised alpha"`

	LateBase               int `row:"377 in 128 to 768 by 32" doc:"late-move pruning: moves at depth 0, 64ths …"`
	LateSlope              int `row:"79 in 20 to 160 by 7" doc:"… per squared ply, 64ths"`
	LateHalf               int `row:"44 in 16 to 64 by 2" doc:"… so much of it when not improving, 64ths"`
	LatePV                 int `row:"64 in 64 to 2048 by 64" doc:"… so much of it in the principal variation, 64ths"`
	FutilityBase           int `row:"54 in 20 to 250 by 12" doc:"futility of quiet moves: margin below alpha …"`
	FutilitySlope          int `row:"67 in 30 to 200 by 8" doc:"… per ply"`
	FutilityHistory        int `row:"203 in 50 to 800 by 38" doc:"history value worth a centipawn"`
	HistoryPrune           int `row:"-4994 in -8000 to -1000 by 350" doc:"quiet moves of less history than this per ply are pruned"`
	QuietExchange          int `row:"29 in 8 to 60 by 3" doc:"loss by exchange at which quiet moves are pruned, per squared ply"`
	CaptureExchange        int `row:"91 in 30 to 200 by 8" doc:"loss by exchange at which captures are pruned, per ply"`
	CaptureExchangeHistory int `row:"40 in 10 to 160 by 8" doc:"… and history worth a centipawn of it"`
	CaptureBase            int `row:"237 in 60 to 500 by 22" doc:"futility of captures: margin below alpha …"`
	CaptureSlope           int `row:"191 in 60 to 400 by 17" doc:"… per ply"`
	CaptureHistory         int `row:"36 in 10 to 120 by 6" doc:"history value worth a centipawn"`

	LMRBase         int `row:"666 in 0 to 1500 by 75" doc:"late-move reductions, in 1024ths of a ply: at the least"`
	LMRScale        int `row:"2362 in 1500 to 4000 by 125" doc:"… log depth · log move number / scale, all in 1024ths"`
	LMRCut          int `row:"1192 in 0 to 3000 by 150" doc:"… more at cut nodes"`
	LMRNotImproving int `row:"954 in 0 to 2000 by 100" doc:"… more when not improving"`
	LMRTablePV      int `row:"483 in 0 to 2500 by 125" doc:"… less where the table knows the node from the principal variation"`
	LMRPV           int `row:"680 in 0 to 2500 by 125" doc:"… less in the principal variation"`
	LMRTableCapture int `row:"632 in 0 to 2000 by 100" doc:"… more for quiet moves beside a table move that captures"`
	LMRKiller       int `row:"740 in 0 to 2000 by 100" doc:"… less for killers"`
	LMRCheck        int `row:"684 in 0 to 2000 by 100" doc:"… less for checks"`
	LMRCutoffs      int `row:"801 in 0 to 2500 by 125" doc:"… more where the children fail high"`
	LMRCutoffsFrom  int `row:"3 in 1 to 8 by 1" doc:"… and more than so many do"`
	LMRCapture      int `row:"-246 in -1500 to 1500 by 150" doc:"… more for captures"`
	LMRCorrection   int `row:"8 in 0 to 40 by 2" doc:"less per centipawn of the correction of the static evaluation"`
	LMRHistory      int `row:"7969 in 3000 to 25000 by 1100" doc:"history value worth one ply"`
	Deeper          int `row:"39 in 5 to 150 by 7" doc:"a reduced search so far above the best goes one ply deeper …"`
	Shallower       int `row:"8 in 0 to 30 by 2" doc:"… one so near it a ply less"`

	SwingSlope  int `row:"9 in 0 to 40 by 2" doc:"history bonus per centipawn of a change for the better"`
	SwingOffset int `row:"94 in -200 to 300 by 25" doc:"… at no change"`
	SwingMax    int `row:"1500 in 400 to 3000 by 130" doc:"… at most"`

	Delta        int `row:"148 in 50 to 400 by 18" doc:"quiescence: what a capture may win beyond the victim"`
	QuiesceMoves int `row:"3 in 1 to 12 by 1" doc:"… and so many captures are looked at besides recaptures"`

	KillerFirst  int `row:"12871 in 0 to 30000 by 1500" doc:"order of quiet moves: bonus of the first killer"`
	KillerSecond int `row:"8000 in 0 to 30000 by 1500" doc:"… of the second"`
	CounterMove  int `row:"6480 in 0 to 20000 by 1000" doc:"… of the answer that refuted the last move"`
	QuietCheck   int `row:"5464 in 0 to 20000 by 1000" doc:"… of a check"`
	Escape       int `row:"60 in 0 to 128 by 6" doc:"leaving the attack of a lesser piece, 64ths of escapeBonus"`
	CaptureOrder int `row:"32 in 8 to 128 by 6" doc:"order of captures: score worth a centipawn of loss by exchange"`

	HistoryMain int `row:"51 in 16 to 128 by 6" doc:"weight of the history of a quiet move by its squares, 64ths"`
	HistoryOne  int `row:"68 in 16 to 128 by 6" doc:"… of the answers to the last move"`
	HistoryTwo  int `row:"65 in 16 to 128 by 6" doc:"… of the moves after our last"`
	HistoryFour int `row:"37 in 0 to 128 by 6" doc:"… after the one before, in the order of moves alone"`
	HistoryPawn int `row:"60 in 16 to 128 by 6" doc:"… by the pawns on the board"`

	BonusSlope  int `row:"189 in 50 to 400 by 18" doc:"bonus of history: per ply"`
	BonusOffset int `row:"59 in -100 to 400 by 25" doc:"… less at depth 0"`
	BonusMax    int `row:"1637 in 600 to 3500 by 145" doc:"… at most"`
	MalusSlope  int `row:"165 in 50 to 500 by 22" doc:"malus of history: per ply"`
	MalusOffset int `row:"109 in -100 to 400 by 25" doc:"… less at depth 0"`
	MalusMax    int `row:"1411 in 500 to 3500 by 150" doc:"… at most"`

	PriorBonus int `row:"26 in 0 to 128 by 6" doc:"of the bonus to a quiet move that all answers fail low against, 64ths"`
	PriorMalus int `row:"38 in 0 to 128 by 6" doc:"of the malus to an early quiet move that is refuted"`
	PriorMoves int `row:"2 in 1 to 8 by 1" doc:"… early are so many of a node's moves"`

	FailHigh    int `row:"26 in 0 to 192 by 10" doc:"how far a result above beta is drawn to it, 64ths of a ply's weight"`
	StandPat    int `row:"13 in 0 to 64 by 3" doc:"… in quiescence, 64ths"`
	DampingSpan int `row:"220 in 120 to 600 by 24" doc:"half-moves without progress after which an evaluation would count for nothing"`
	TableClock  int `row:"90 in 50 to 99 by 3" doc:"from this half-move clock on the table settles no node"`
	TableBonus  int `row:"32 in 0 to 128 by 6" doc:"share of the bonus for a quiet table move that the table says fails high, 64ths"`

	CorrectPawn   int `row:"10 in 0 to 30 by 2" doc:"weight of the correction by pawns, 512ths"`
	CorrectPieces int `row:"11 in 0 to 30 by 2" doc:"… by the pieces of either side"`
	CorrectMove   int `row:"7 in 0 to 30 by 2" doc:"… by the last two moves"`

	ClockMoves  int `row:"672 in 128 to 1024 by 45" doc:"clock: moves among which what is left is divided, 16ths"`
	ClockInc    int `row:"64 in 0 to 96 by 5" doc:"… and how much of the increment a move gets besides, 64ths"`
	ClockHard   int `row:"320 in 96 to 768 by 34" doc:"after how much of the time planned the search is cut off, 64ths"`
	ClockNodes  int `row:"122 in 64 to 224 by 8" doc:"how much of that time to take where no nodes went into the best move, 64ths …"`
	ClockShare  int `row:"90 in 0 to 160 by 8" doc:"… less where all did"`
	ClockChange int `row:"80 in 64 to 192 by 6" doc:"… so much of it where the best move is new, 64ths"`
	ClockStable int `row:"15 in 0 to 32 by 2" doc:"… less for each iteration since, 256ths"`
	ClockDrop   int `row:"80 in 20 to 200 by 9" doc:"… a part more for so many centipawns that the score has fallen by"`
	ClockFall   int `row:"96 in 64 to 256 by 9" doc:"… at most so much of it, 64ths"`
	ClockRise   int `row:"54 in 24 to 64 by 3" doc:"… and at least, where it rises"`
}

// DefaultParams returns the numbers an engine starts with.
func DefaultParams() Params {
	var p Params
	v := reflect.ValueOf(&p).Elem()
	for i, t := range tunables() {
		v.Field(i).SetInt(int64(t.Default))
	}
	return p
}

// Tunable is a row of [Params].
type Tunable struct {
	Name     string
	Default  int
	Min, Max int // inclusive
	Step     int // of a fit by OpenBench at its end, see SPSA
	Doc      string
}

// SPSA returns the row as OpenBench takes it: name, type, default, least, most,
// step and learning rate at the end.
func (t Tunable) SPSA() string {
	return fmt.Sprintf("%s, int, %d, %d, %d, %d, 0.002", t.Name, t.Default, t.Min, t.Max, t.Step)
}

// Tunables returns the rows of Params in their order. The slice is the
// caller's.
func Tunables() []Tunable { return slices.Clone(tunables()) }

// tunables reads the rows once.
var tunables = sync.OnceValue(func() []Tunable {
	t := reflect.TypeFor[Params]()
	all := make([]Tunable, t.NumField())
	for i := range all {
		f, row := t.Field(i), &all[i]
		row.Name, row.Doc = f.Name, f.Tag.Get("doc")
		if _, err := fmt.Sscanf(f.Tag.Get("row"), "%d in %d to %d by %d", &row.Default, &row.Min, &row.Max, &row.Step); err != nil {
			panic(fmt.Sprintf("search: row of Params.%s: %v", f.Name, err)) // a mistake in this file
		}
	}
	return all
})

// SetParam searches with the parameter called name at value from now on. An
// error names it and changes nothing.
func (e *Engine) SetParam(name string, value int) error {
	p := e.params
	v := reflect.ValueOf(&p).Elem().FieldByName(name)
	if !v.IsValid() {
		return fmt.Errorf("search parameter %.40q does not exist", name)
	}
	v.SetInt(int64(value))
	return e.SetParams(p)
}

// Values returns the values of p in the order of Tunables.
func (p *Params) Values() []int {
	v := reflect.ValueOf(p).Elem()
	all := make([]int, v.NumField())
	for i := range all {
		all[i] = int(v.Field(i).Int())
	}
	return all
}

// SetValues sets p from values in the order of Tunables. An error names the
// first one out of range and leaves p as it was.
func (p *Params) SetValues(values []int) error {
	rows := tunables()
	if len(values) != len(rows) {
		return fmt.Errorf("%d values: want %d", len(values), len(rows))
	}
	for i, t := range rows {
		if values[i] < t.Min || values[i] > t.Max {
			return fmt.Errorf("%s %d: want %d to %d", t.Name, values[i], t.Min, t.Max)
		}
	}
	v := reflect.ValueOf(p).Elem()
	for i, x := range values {
		v.Field(i).SetInt(int64(x))
	}
	return nil
}

// SetParams searches with p from now on. An error names the first field out of
// range and changes nothing.
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
