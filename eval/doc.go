// Package eval defines what an evaluation is measured in. The evaluation
// itself is the network of package nnue below it.
//
// Scores stay in centipawns of the side to move.
package eval
