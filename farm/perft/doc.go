// Package perft counts the leaves of trees too large for one machine: a kind of
// job of the farm.
//
// The positions some plies below the root are brought together with the number
// of ways that lead to them. Every worker makes that list for itself, in the same
// order; a job is a thousand of them, and its value the sum of ways times
// leaves, in 128 bits. Every job is done twice, with different keys of the hash
// table.
//
// It imports farm/run, chess, movegen and movegen/perft.
package perft
