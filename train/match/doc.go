// Package match plays games between two players: the engine in this process, with
// any network, search parameters or strength, or a program that speaks UCI.
//
// [Play] plays one game, [PlayPair] two from one opening with colours exchanged, and
// [Run] a whole match: at fixed nodes or by the clock, until a number of pairs is
// played or a sequential test ends. A match goes on from its file after a break.
// [Pairs] and [Test] say what the results are worth.
package match
