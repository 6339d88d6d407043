// Package eval scores chess positions by hand-written terms: material and
// piece-square values, mobility, pawn structure, passed pawns, threats, king
// safety and a scale for drawish endgames. Everything is integer, and
// mirroring the board with the colours gives the same score. The weights in
// fitted.go are fitted to games of the engine itself by "go run ./train
// tune". It imports chess and nothing above.
package eval
