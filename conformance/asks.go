package main

// section is a group of rows.
type section struct {
	name string
	asks []string // what users ask for, a row each
}

// sections are what people ask for who run chess engines, write GUIs and game
// runners for them or import chess libraries: the requests and complaints that
// come up again and again in the public issue trackers of such projects, put
// into a sentence each. Rows are numbered from 1 through all of them, and tests
// name the rows they keep; a new request goes to the end of the last section.
func sections() []section {
	return []section{
		{"UCI", []string{
			"bestmove does not come before stop or ponderhit, even where a mate is found",
			"isready is answered during a search",
			"commands from a pipe are carried out, and the end of the input ends the program",
			"stop to an idle engine does no harm",
			"ucinewgame, setoption or go right after a search break nothing",
			"the smallest limits still give a legal move",
			"a mated or stalemated root is answered",
			"the conformance check of a game runner passes",
			"principal variations are legal and end where the game does",
			"a mate score comes with the line that mates",
			"bestmove is the first move of the last line reported",
			"a short search reports a score that is not only a bound",
			"searchmoves is obeyed, with MultiPV too, and survives illegal entries",
			"MultiPV beyond the number of legal moves is harmless",
			"go nodes stops there, repeats itself and does not stick to the next go",
			"go mate N finds a mate and stops",
			"pondering follows the protocol, and a miss costs no time",
		}},
		{"Time", []string{
			"no game is lost on time",
			"the option is called Move Overhead",
			"moves in a time, with and without increment, are paced",
			"a fixed time for a move is not overstepped",
		}},
		{"Options and resources", []string{
			"a hash table too large for the machine does not end the engine",
			"large pages are used, and it is said where they are not",
			"option lines are exact, and bad values are answered",
			"chances to win, draw and lose are reported where that is asked for",
			"the engine can play weaker, in Elo",
			"endgame tables are read",
			"the network is found from any folder, and a bad one is refused",
		}},
		{"Rules, FEN, history", []string{
			"a broken FEN is refused with a reason",
			"a FEN without its counters is read",
			"an en-passant square counts only where the capture is legal",
			"a null move leaves keys and pins right",
			"Chess960 castles by its own rules",
			"X-FEN and Shredder-FEN are read and written",
			"repetitions are found in the history of the game",
			"an illegal move or stray spaces in position are harmless",
			"the library knows when a game is over, and whether there is a legal move",
		}},
		{"Library and move generation", []string{
			"generating and making moves does not allocate",
			"perft is there and right",
			"perft speeds say whether the last ply was counted or made",
			"the fastest way to look up attacks is chosen by the processor",
			"PGN and SAN as others write them are read",
		}},
		{"Builds", []string{
			"the program runs on old processors",
			"there are builds for ARM, Android, Apple and Windows",
			"there is a build for the browser",
			"builds are reproducible",
			"vector code needs no cgo and agrees with plain code",
		}},
		{"Testing and integration", []string{
			"bench gives the same nodes each time, where a script can read them",
			"data can be made with the engine, in formats of others",
			"the numbers of the search can be tuned, each by its own name",
			"a copied lichess-bot configuration works",
			"any number of threads keeps the rules",
		}},
	}
}

// rowCount returns the number of the last row.
func rowCount() int {
	n := 0
	for _, s := range sections() {
		n += len(s.asks)
	}
	return n
}
