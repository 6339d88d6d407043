// Package tune fits the parameters of the search by games of the engine against
// itself, all at once: simultaneous perturbation stochastic approximation
// (Spall 1992; CPW "SPSA"). Each pair of games is played between the present
// parameters with a random step added and the same parameters with it taken away,
// from one opening with both colours; all parameters then move towards the winner.
package tune
