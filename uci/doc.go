// Package uci speaks the Universal Chess Interface for an engine: it reads
// commands, keeps the position and the options, starts and stops searches and
// writes their reports as text. [Run] is the whole of it.
//
// Rules that hold throughout:
//   - A reader goroutine owns the input, one loop obeys the commands in order,
//     and at most one job (a search, a perft or a bench) runs beside it. So
//     isready is answered at once while a search runs.
//   - Each go is answered by exactly one bestmove, unless it is "go perft", and
//     one without an end of its own only after stop or, if it ponders, ponderhit.
//     A go, setoption or ucinewgame during a search waits for its end, and so
//     does what follows. Stop, ponderhit and isready do not wait; stop and
//     ponderhit count for each go that waits, too.
//   - Perft, bench and genfens are asked for their results: they run to their
//     end before quit is obeyed. Only stop and a second quit cut them short.
//   - A line that cannot be obeyed is answered with an info string naming the
//     reason and changes nothing; in particular a position with a bad FEN or an
//     illegal move anywhere in its moves is refused as a whole, and the last
//     good position stays, which the answers to the next go say. A number out of
//     range is clamped and said so.
//   - Only id and option lines stand between uci and uciok.
//   - At the end of the input a job with an end of its own is finished, a search
//     without one, or with one that nobody can wait for, is stopped. The end of
//     the context and of the output stop any job.
//   - A reader that does not read holds up no command; search reports are
//     dropped then, answers and best moves are kept.
//
// Sources: Stefan Meyer-Kahlen's UCI specification of April 2006, and the
// conventions of fastchess, cutechess and OpenBench where it is silent.
// Package uci may import search and everything below it.
package uci
