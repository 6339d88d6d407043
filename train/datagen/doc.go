// Package datagen plays training games of the engine against itself and records
// every position with its score. [Games] is the kind of work, [Command] its command line.
//
// A game depends only on the settings and on two recorded numbers, the number of
// the run and its own number in the run, which seed its opening. The engine has one
// thread and keeps nothing between games. So a run comes to the same games, whoever
// plays them.
package datagen
