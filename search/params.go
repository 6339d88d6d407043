package search

import (
	"fmt"
	"reflect"
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

	historyMax    = 16384
	correctionMax = 1024
)

// Params are the numbers of the search that are fitted by games. Margins are
// centipawns, reductions 1024ths of a ply, history values lie within ±16384.
// The tag is the range that makes sense.
type Params struct {
	AspirationDelta int `range:"5 40"` // half width of the first window

	RazorBase  int `range:"50 400"` // margin below alpha: base + slope·depth²
	RazorSlope int `range:"50 400"`

	ReverseMargin   int `range:"30 150"` // reverse futility: per ply
	ReverseImproves int `range:"0 150"`  // less when improving
	ReverseWorsens  int `range:"0 60"`   // less when the opponent's last move made things worse for it

	NullBase    int `range:"2048 7168"` // reduction in 1024ths: base + depth·slope + margin over beta
	NullDepth   int `range:"128 512"`
	NullMargin  int `range:"80 400"` // over beta for a ply more
	NullStatic  int `range:"0 400"`  // the static evaluation may be so much below beta at depth 0 …
	NullSlope   int `range:"0 50"`   // … and less by so much per ply
	ProbCut     int `range:"60 350"` // margin over beta
	ProbImprove int `range:"0 120"`  // less when improving

	TableCut int `range:"100 900"` // margin over beta at which a lower bound of the table is taken at its word

	Hindsight int `range:"20 500"` // a reduced move after which both sides together see so much worse for its mover is reduced a ply more

	SingularMargin int `range:"24 192"` // per ply, 64ths
	DoubleMargin   int `range:"2 50"`   // below the singular bound for two plies of extension
	TripleMargin   int `range:"20 400"` // … and for three, of quiet moves alone

	Raised int `range:"0 3"` // plies less for the moves after one that raised alpha

	LateBase        int `range:"128 768"` // late-move pruning: base + slope·depth² moves, 64ths and …
	LateSlope       int `range:"20 160"`
	LateHalf        int `range:"16 64"` // … so much of it when not improving, 64ths
	FutilityBase    int `range:"20 250"`
	FutilitySlope   int `range:"30 200"`
	FutilityHistory int `range:"50 800"`      // history value worth a centipawn
	HistoryPrune    int `range:"-8000 -1000"` // per ply
	QuietExchange   int `range:"8 60"`        // per ply squared
	CaptureExchange int `range:"30 200"`      // per ply
	CaptureBase     int `range:"60 500"`      // futility of captures
	CaptureSlope    int `range:"60 400"`
	CaptureHistory  int `range:"10 120"` // history value worth a centipawn

	LMRBase         int `range:"0 1500"`
	LMRScale        int `range:"1500 4000"` // log depth · log move number / scale, all in 1024ths
	LMRCut          int `range:"0 3000"`
	LMRNotImproving int `range:"0 2000"`
	LMRTablePV      int `range:"0 2500"`
	LMRPV           int `range:"0 2500"`
	LMRTableCapture int `range:"0 2000"`
	LMRKiller       int `range:"0 2000"`
	LMRCheck        int `range:"0 2000"`
	LMRCutoffs      int `range:"0 2500"`
	LMRCapture      int `range:"-1500 1500"`
	LMRCorrection   int `range:"0 40"`       // less per centipawn of the correction of the static evaluation
	LMRHistory      int `range:"3000 25000"` // history value worth one ply
	Deeper          int `range:"5 150"`      // a reduced search so far above the best goes one ply deeper …
	Shallower       int `range:"0 30"`       // … one so near it a ply less

	SwingSlope  int `range:"0 40"` // history bonus per centipawn of a change for the better
	SwingOffset int `range:"-200 300"`
	SwingMax    int `range:"400 3000"`

	Delta        int `range:"50 400"` // quiescence: what a capture may win beyond the victim
	QuiesceMoves int `range:"1 12"`   // … and so many captures are looked at besides recaptures

	KillerFirst  int `range:"0 30000"` // in the order of quiet moves
	KillerSecond int `range:"0 30000"`
	CounterMove  int `range:"0 20000"`
	QuietCheck   int `range:"0 20000"`
	Escape       int `range:"0 128"` // leaving the attack of a lesser piece, 64ths of escapeBonus

	HistoryMain int `range:"16 128"` // weights of the histories of a quiet move, 64ths
	HistoryOne  int `range:"16 128"` // of the answers to the last move
	HistoryTwo  int `range:"16 128"` // … and so on
	HistoryFour int `range:"0 128"`  // in the order of moves alone
	HistoryPawn int `range:"16 128"`

	BonusSlope  int `range:"50 400"` // history: per ply
	BonusOffset int `range:"-100 400"`
	BonusMax    int `range:"600 3500"`
	MalusSlope  int `range:"50 500"`
	MalusOffset int `range:"-100 400"`
	MalusMax    int `range:"500 3500"`

	PriorBonus int `range:"0 128"` // of the bonus to a quiet move that all answers fail low against, 64ths
	PriorMalus int `range:"0 128"` // of the malus to an early quiet move that is refuted

	FailHigh int `range:"0 192"` // how far a result above beta is drawn to it, 64ths of a ply's weight
	StandPat int `range:"0 64"`  // … in quiescence, 64ths

	CorrectPawn   int `range:"0 30"` // weights of the corrections, 512ths
	CorrectPieces int `range:"0 30"`
	CorrectMove   int `range:"0 30"`
}

// DefaultParams returns the numbers an engine starts with.
func DefaultParams() Params {
	return Params{
		AspirationDelta: 15,
		RazorBase:       210, RazorSlope: 146,
		ReverseMargin: 70, ReverseImproves: 48, ReverseWorsens: 6,
		NullBase: 4205, NullDepth: 280, NullMargin: 189, NullStatic: 139, NullSlope: 18,
		ProbCut: 140, ProbImprove: 40, TableCut: 330, Hindsight: 119,
		SingularMargin: 62, DoubleMargin: 13, TripleMargin: 100, Raised: 1,
		LateBase: 377, LateSlope: 79, LateHalf: 44,
		FutilityBase: 54, FutilitySlope: 67, FutilityHistory: 203,
		HistoryPrune: -4994, QuietExchange: 29, CaptureExchange: 91,
		CaptureBase: 237, CaptureSlope: 191, CaptureHistory: 36,
		LMRBase: 666, LMRScale: 2362, LMRCut: 1192, LMRNotImproving: 954, LMRTablePV: 483, LMRPV: 680,
		LMRTableCapture: 632, LMRKiller: 740, LMRCheck: 684, LMRCutoffs: 801, LMRCapture: -246, LMRCorrection: 8, LMRHistory: 7969,
		Deeper: 39, Shallower: 8,
		SwingSlope: 9, SwingOffset: 94, SwingMax: 1500,
		Delta: 148, QuiesceMoves: 3,
		KillerFirst: 12871, KillerSecond: 8000, CounterMove: 6480, QuietCheck: 5464, Escape: 60,
		HistoryMain: 51, HistoryOne: 68, HistoryTwo: 65, HistoryFour: 37, HistoryPawn: 60,
		BonusSlope: 189, BonusOffset: 59, BonusMax: 1637,
		MalusSlope: 165, MalusOffset: 109, MalusMax: 1411,
		PriorBonus: 26, PriorMalus: 38, FailHigh: 26, StandPat: 13,
		CorrectPawn: 10, CorrectPieces: 11, CorrectMove: 7,
	}
}

// Tunable is one of the Params by name.
type Tunable struct {
	Name     string
	Min, Max int
}

// Tunables returns the fields of Params in their order.
func Tunables() []Tunable {
	t := reflect.TypeFor[Params]()
	all := make([]Tunable, t.NumField())
	for i := range all {
		f := t.Field(i)
		all[i].Name = f.Name
		if _, err := fmt.Sscan(f.Tag.Get("range"), &all[i].Min, &all[i].Max); err != nil {
			panic(fmt.Sprintf("search: range of Params.%s: %v", f.Name, err)) // a mistake in this file
		}
	}
	return all
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
	tunables := Tunables()
	if len(values) != len(tunables) {
		return fmt.Errorf("%d values: want %d", len(values), len(tunables))
	}
	for i, t := range tunables {
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
