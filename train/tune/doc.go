// Package tune fits the numbers of the search by games of the engine against
// itself, all at once: simultaneous perturbation stochastic approximation
// (Spall 1992; CPW "SPSA"). Each pair of games is played between the present
// numbers with a random step added and the same numbers with it taken away,
// from one opening with both colours; all numbers then move towards the winner.
//
// It imports train/selfplay and below.
package tune
