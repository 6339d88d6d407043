// Package datagen lets the engine play itself and records every position with
// its score, for fitting.
//
// A game depends on the settings and on two numbers alone: the run and its
// number in the run, which seed its opening and are recorded with it. A run
// draws its number at random, so no two runs on any machines play the same
// games; a run whose number was given can be played again, with any number of
// threads. The engine has one thread and forgets everything between games.
package datagen
