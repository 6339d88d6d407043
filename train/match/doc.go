// Package match plays games between two players: the engine in this process, with
// any network, search parameters or strength, or a program that speaks UCI.
//
// [Play] plays one game, [PlayPair] two games from one opening with colours swapped, and
// [Run] a whole match, at fixed nodes or by the clock, until a number of pairs or the
// end of a sequential test. A match continues from its file after an interruption.
// [Pairs] and [Test] evaluate the results.
package match
