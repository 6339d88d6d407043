package search

// Tunable numbers of the search. Margins are centipawns, depths are plies,
// reductions are 1024ths of a ply, history values lie within ±historyMax.
const (
	aspirationDelta = 12 // half width of the first window
	aspirationDepth = 4  // first iteration with a window

	razorBase, razorSlope = 180, 160 // margin below alpha: base + slope·depth²
	razorDepth            = 3

	reverseDepth    = 9  // deepest node of reverse futility
	reverseMargin   = 75 // per ply
	reverseImproves = 60 // less when improving

	nullBase, nullDivisor = 4, 4 // reduction: base + depth/divisor + margin over beta/nullMargin
	nullMargin            = 180
	nullStatic            = 150 // the static evaluation may be so much below beta at depth 0 …
	nullSlope             = 18  // … and less by so much per ply
	nullVerify            = 14  // verified from this depth on

	probCutDepth  = 5
	probCutMargin = 160

	iirDepth = 4 // a node without a table move is searched one ply less

	singularDepth     = 7
	singularMargin    = 2  // per ply, halves
	doubleMargin      = 16 // below the singular bound for two plies of extension
	doubleLimit       = 8  // double extensions on a line
	lmpBase           = 3
	futilityDepth     = 9
	futilityBase      = 90
	futilitySlope     = 85
	historyPruneDepth = 5
	historyPrune      = -3800 // per ply
	seeQuietSlope     = 24    // per ply squared
	seeCaptureSlope   = 95    // per ply
	captureFutility   = 220
	captureSlope      = 190

	lmrDepth        = 2
	lmrBase         = 614
	lmrScale        = 2406 // log depth · log move number / scale, all in 1024ths
	lmrCut          = 1500
	lmrNotImproving = 700
	lmrTTPV         = 900
	lmrPV           = 800
	lmrTTCapture    = 700
	lmrKiller       = 700
	lmrCheck        = 700
	lmrCutoffs      = 800
	lmrHistory      = 9000 // history value worth one ply

	deeperMargin = 40 // a reduced search so far above the best goes one ply deeper

	swingSlope, swingOffset, swingMax = 10, 60, 1500 // history bonus per centipawn of a change for the better

	deltaMargin = 160 // quiescence: what a capture may win beyond the victim

	historyMax     = 16384
	correctionMax  = 1024
	bonusSlope     = 170 // per ply
	bonusOffset    = 100
	bonusMax       = 1700
	malusSlope     = 200
	malusOffset    = 100
	malusMax       = 1500
	correctPawn    = 9 // weights of the corrections, 512ths
	correctPieces  = 8
	correctHistory = 7
)
