// Package datagen plays training games of the engine against itself and records
// every position with its score.
//
// A game depends only on the settings and on two recorded numbers, the number of
// the run and its own number in the run, which seed its opening. The number of a
// run is random, so that no two runs play the same games. A run with a given
// number can be repeated with any number of threads. The engine has one thread
// and keeps nothing between games.
package datagen
