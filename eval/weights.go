package eval

// Weights holds every number of the evaluation, from the view of the side
// that owns the pieces. All are pairs in centipawns. Square tables are folded
// along the middle of the board: 32 entries, rank by rank from the own first
// rank, files a to d. Ranks count from 0, the own first rank.
type Weights struct {
	Square [6][32]Pair // by piece type, material included

	KnightMobility [9]Pair // by number of safe squares attacked
	BishopMobility [14]Pair
	RookMobility   [15]Pair
	QueenMobility  [28]Pair

	BishopPair   Pair
	BishopPawns  [9]Pair // by own pawns on squares of the bishop's colour
	MinorOutpost [2]Pair // knight, bishop: on a square no enemy pawn can attack, defended by a pawn
	MinorShield  Pair    // a pawn directly in front of a minor piece
	RookOpen     [2]Pair // half-open file, open file
	RookSeventh  Pair
	KingDistance [2][8]Pair // knight, bishop: by distance to the own king

	Isolated  [4]Pair // by folded file
	Doubled   Pair
	Backward  [2]Pair // closed file, half-open file
	Phalanx   [8]Pair // by rank
	Supported [8]Pair // by rank
	Passed    [8]Pair // by rank
	Candidate [8]Pair // by rank

	PassedFree    [8]Pair // nothing on the stop square, by rank
	PassedSafe    [8]Pair // no enemy attack on the way to promotion, by rank
	PassedOurKing [8]Pair // by distance of our king to the stop square
	PassedKing    [8]Pair // by distance of their king to the stop square
	PassedRook    Pair    // own rook behind

	ThreatByPawn  [6]Pair // by victim
	ThreatByMinor [6]Pair
	ThreatByRook  [6]Pair
	ThreatByKing  Pair
	Hanging       Pair
	PushThreat    Pair // a safe pawn push would attack a piece
	Restricted    Pair // per square the enemy attacks and we contest

	Shelter    [4][8]Pair // by folded file and rank of the nearest own pawn, 0 for none
	Storm      [2][8]Pair // free or blocked, by rank of the nearest enemy pawn, 0 for none
	SafeCheck  [6]Pair    // for the side that can give the check, by piece
	KingDanger [48]Pair   // for the attacker, by attack units
	KingFile   [2]Pair    // own king on a half-open, an open file

	Tempo Pair // to the side to move
}

// Fitted returns a copy of the weights that the engine plays with.
func Fitted() Weights { return fitted }

// folded returns the index of s, as its owner sees it, in a square table.
func folded(s uint8) uint8 {
	f := s & 7
	f ^= (f >> 2) * 7
	return s>>3<<2 | f
}
