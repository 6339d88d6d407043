// Package terminal shows analyses and games to a person. [Analyse] shows a search: on a terminal as a
// live display of board, score, win bar and best lines, elsewhere as one plain line per depth; scores
// are always White's. [Play] is a game against the engine, on a terminal or through a pipe: the user
// types moves or commands, one per line, and nothing on the screen is overwritten.
package terminal
