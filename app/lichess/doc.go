// Package lichess is the command "tabula lichess": it provides an engine on this machine to the
// analysis board of lichess.org as an external engine. Source: "External engine" in the lichess
// API, https://lichess.org/api.
//
// The engine receives only positions, checked by package chess, and bounded numbers: no text from
// outside becomes a UCI command. Each browser tab, a session of the protocol, has its own engine,
// at most four at a time. A new request of a session ends its previous one.
package lichess
