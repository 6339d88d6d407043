// Package uci speaks the Universal Chess Interface for an engine: it reads
// commands, keeps the position and the options, starts and stops searches and
// writes their reports as text. [Run] is the whole of it.
//
// Rules that hold throughout:
//   - A reader goroutine owns the input, one loop runs the commands in order,
//     and at most one job (a search, a perft or a bench) runs beside it. So
//     isready is answered at once while a search runs.
//   - Each go is answered by exactly one bestmove, unless it is "go perft", and
//     one without an end of its own only after stop or, if it ponders, ponderhit.
//     A go, setoption or ucinewgame during a search is held until its end, and so
//     is what follows. Stop, ponderhit and, unless a wait is held, isready are never
//     held; stop and ponderhit count for each go that is held, too.
//   - Perft, bench and genfens run to their end before quit takes effect. Only
//     stop and a second quit end them early.
//   - A bad line is answered with an info string that gives the reason, and
//     changes nothing. A position with a bad FEN or an illegal move is refused as
//     a whole: the last good position stays, and the answers to the next go say
//     so. A number out of range is clamped, with an info string.
//   - Only id and option lines stand between uci and uciok.
//   - At the end of the input, a job that ends by itself is finished; a search
//     without an end, one for a mate, or one whose end is too far away, is stopped. The end
//     of the context or of the output stops any job.
//   - Every line is written, so that whoever does not read holds up the session.
//
// Sources: Stefan Meyer-Kahlen's UCI specification of April 2006, and the
// conventions of fastchess, cutechess and OpenBench where it is silent.
package uci
