// Package play is the command "tabula play": a game against the engine on a terminal,
// or through a pipe. Lines go in, moves or words as help lists them; the board comes out
// as package analyse draws it. Nothing of the screen is drawn over, so that any terminal
// will do.
package play
