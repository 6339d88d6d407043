// Package selfplay plays games of engines in one process against each other:
// random openings that are about even, and an end where the game is decided.
//
// It imports search and below, and train/record to keep a game.
package selfplay
