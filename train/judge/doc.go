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
// A search compares moves, so that the order that a network gives them tells more
// of its strength than how far off it is: a set may hold families besides, what one
// position comes to by each of its moves, and [Verdict] tells the share of their
// pairs that the network orders otherwise than the search.
//
// The searches may be those of another engine, which does not share the opinions of
// the networks judged.
//
// The package imports chess, eval, eval/nnue, movegen, search, train/block,
// train/loader, train/record, train/selfplay, train/statefile, uciclient and rooms of internal.
package judge
