// Package lichess is the command "tabula lichess": it offers an engine on this machine to
// the analysis board of lichess.org, as a provider for its external engines.
//
// A provider registers its engine under the user's account and then asks the broker for
// work in one long request after another. A piece of work is a position with limits; the
// answer is the engine's info lines, sent as they come until the search ends or the
// browser loses interest, which the broker shows by ending the request. Source: "External
// engine" in the lichess API, https://lichess.org/api.
//
// Work reaches the engine only as a position, checked by package chess, and as numbers
// within the limits of [Settings]: no text from outside becomes a UCI command. Each
// browser tab, a session of the protocol, has an engine of its own, at most four at a
// time; new work of a session ends its work before.
package lichess
