// Package client drives chess engines that speak the universal chess
// interface, each a process of its own.
//
// [Start] runs a program and returns when it has introduced itself. Its
// [Option] values say what can be set; [Engine.Search] asks for the best move of
// a position within [Limits], tells each [Info] line on the way as a value and
// returns a [Result]. [Engine.Go] is the same in two steps, for pondering and for
// stopping from elsewhere; [Engine.Command] sends what the protocol does not
// know, such as "go perft".
//
// # Positions
//
// The engine is sent the whole history of a Position, so that it knows of
// repetitions: the position after the last null move, then the moves. Chess960
// is turned on where a position needs it and off where it does not.
//
// # What engines do wrong
//
// Whatever the engine does, a call returns: an engine that ends gives an
// [*ExitError] with the last it wrote to standard error, one that does not answer
// a [*TimeoutError], one that answers what it must not, such as an illegal move, a
// [*ProtocolError]. An engine that has timed out or broken off is killed, with
// the processes it has started where the system can do that, and every later
// call returns the same error. Lines that mean nothing are passed over; a line
// of more than [MaxLine] bytes breaks off.
//
// # Contexts
//
// The context of Start bounds the life of the engine. That of a search bounds
// the search: when it ends the engine is told to stop, and what it then answers
// is returned with the context's error. Where the context of any other exchange
// ends before the answer the engine is killed, as a late answer could not be
// told from that to the next question.
//
// Every process is waited for and every goroutine ends, at the latest when
// [Engine.Close] returns. An Engine may be used by several goroutines; it does
// one thing at a time and answers [ErrBusy] to a second.
//
// Source: "Description of the universal chess interface (UCI)", Stefan-Meyer Kahlen,
// April 2004; Stockfish's additions, such as the scores "wdl".
//
// What an engine is sent is UCI and stays.
package client
