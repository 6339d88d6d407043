package test

// threaded returns the scripts that an engine of any number of threads must pass:
// those on searches, but for what one thread alone promises, the same nodes each
// time, and for times to the millisecond.
func threaded() []string {
	return []string{
		"badfen", "bounds", "castling960", "clock", "enpassant", "eof", "games960", "hash", "idle", "illegalmove", "infinite",
		"isready", "lichessbot", "lines", "mate", "mates", "movestogo", "movetime", "multipv", "noroot", "overhead",
		"ponder", "repetition", "searchmoves", "serial", "shortfen", "stop", "tables", "tiny", "wait",
	}
}

// threadCounts returns the numbers of threads that they are played with besides one.
func threadCounts() []int { return []int{2, 8} }
