// Package play is the command "tabula play": a game against the engine on a terminal or through a
// pipe. The user types moves or commands, one per line; package analyse draws the board. Nothing
// on the screen is overwritten, so that any terminal works.
package play
