// Package match plays games between two players: the engine in this process with any network, search parameters or
// strength, the engine of a commit, or a program that speaks UCI.
//
// [Play] plays one game, [PlayPair] two games from one opening with colours swapped. [Match] is the kind of work of a
// whole match, at fixed nodes or by the clock, until a number of pairs or the end of a sequential test. [Command] has
// its flags. [Pairs] and [Test] evaluate the results.
package match
