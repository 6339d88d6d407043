// Package judge makes positions to judge networks by, and judges networks by
// them.
//
// A [Set] is made once, by [Make], and then stays as it is: half of its positions
// come from plies of games, half from inside searches, where the network is asked
// most, and each has the score of a search that is far longer than those that
// networks are fitted to. Positions in check, and those whose best move captures
// or promotes, are left out, as they are of a fit.
//
// The loss of a network is the mean square of the difference between the chance
// of winning that it gives a position and the one that the search gives it. A
// lower loss does not make a stronger network: games decide that. A
// higher one tells where a network became worse, by [Phases].
//
// The package imports chess, eval, eval/nnue, movegen, search, train/block,
// train/loader, train/record, train/statefile and rooms of internal.
package judge
