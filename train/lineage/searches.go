package lineage

// searches holds the searches of rows, by their numbers, that differ from the present one in parameters alone: those
// that had other values then. So any later program can play their games; [Stage.Search] checks that nothing else
// has changed.
var searches = map[uint64]map[string]int{
	319294: untuned, // up to r18
	271403: untuned, // of the miniature chain in testdata
}

// untuned are the parameters before they were tuned on r17.
var untuned = map[string]int{
	"AspirationDelta": 9, "ReverseMargin": 70, "NullDepth": 280, "NullMargin": 189, "SingularMargin": 62, "LateBase": 377,
	"FutilityBase": 54, "FutilitySlope": 67, "HistoryPrune": -4994, "LMRBase": 666, "LMRScale": 2362, "LMRHistory": 7969,
	"Delta": 148, "FailHigh": 26,
}
