package lineage

import "maps"

// searches holds the searches of rows, by their numbers, that differ from the present one in parameters alone: those
// that had other values then. So any later program can play their games; [Stage.Search] checks that nothing else
// has changed.
var searches = map[uint64]map[string]int{
	319294: untuned, // up to r18
	271403: untuned, // of the miniature chain in testdata
	211743: tuned17, // r19
}

// tuned18 are the parameters after the first tuning on r18, where the second changed them.
var tuned18 = map[string]int{
	"ReverseTrust": 21, "ProbImprove": 40, "Hindsight": 119, "HistoryPrune": -5044, "CaptureExchangeHistory": 40,
	"LMRCheck": 684, "LMRCapture": -246, "Shallower": 8, "SwingSlope": 9, "SwingOffset": 94, "SwingMax": 1500,
	"ValueKnight": 320, "ValueRook": 500, "KillerSecond": 8000, "HistoryFour": 37, "BonusOffset": 59, "MalusSlope": 165,
	"MalusOffset": 109, "MalusMax": 1411, "PriorMalus": 38, "TableBonus": 32, "CaptureOrder": 32, "CorrectRate": 8,
}

// tuned17 are the parameters of the search that was tuned on r17, where they differ from those of today.
var tuned17 = with(tuned18, map[string]int{
	"ReverseMargin": 50, "NullBase": 4205, "NullMargin": 153, "NullStatic": 139, "ProbCut": 140, "SingularMargin": 31,
	"DoubleMargin": 13, "LateBase": 520, "LateSlope": 79, "FutilitySlope": 97, "QuietExchange": 29, "CaptureExchange": 91,
	"CaptureBase": 237, "CaptureSlope": 191, "LMRScale": 3122, "LMRCut": 1192, "LMRNotImproving": 954, "LMRTablePV": 483,
	"LMRPV": 680, "LMRCutoffs": 801, "LMRHistory": 16822, "Delta": 163, "BonusSlope": 189, "CorrectPieces": 11,
})

// untuned are the parameters before they were tuned on r17.
var untuned = with(tuned17, map[string]int{
	"AspirationDelta": 9, "ReverseMargin": 70, "NullDepth": 280, "NullMargin": 189, "SingularMargin": 62, "LateBase": 377,
	"FutilityBase": 54, "FutilitySlope": 67, "HistoryPrune": -4994, "LMRBase": 666, "LMRScale": 2362, "LMRHistory": 7969,
	"Delta": 148, "FailHigh": 26,
})

// with returns params with some of them changed.
func with(params, changed map[string]int) map[string]int {
	params = maps.Clone(params)
	maps.Copy(params, changed)
	return params
}
