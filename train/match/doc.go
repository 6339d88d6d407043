// Package match lets two networks play each other in one process: pairs of
// games from one opening with colours exchanged, at fixed nodes or by the
// clock, until a number of pairs is played or a sequential test ends. [Run] is
// the whole of it; a run that was broken off goes on from its file.
//
// It imports train/selfplay for the games, train/sprt for what they say and
// what lies below.
package match
