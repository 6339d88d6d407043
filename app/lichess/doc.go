// Package lichess is the command "tabula lichess": it offers an engine on this machine to
// the analysis board of lichess.org, as a provider for its external engines. Source:
// "External engine" in the lichess API, https://lichess.org/api.
//
// Work reaches the engine only as a position, checked by package chess, and as bounded
// numbers: no text from outside becomes a UCI command. Each browser tab, a session of the
// protocol, has an engine of its own, at most four at a time; new work of a session ends
// its work before.
package lichess
