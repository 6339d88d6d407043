// Package serve is the command "tabula serve": the page, where the program was
// built with it, and the messages of package board over HTTP and WebSocket.
//
// What comes over the network is held to bounds before it reaches the board: who
// may ask ([guard]), how many connections stand open and for how long, how many
// sessions there are, how large a message is. docs/web.md says what each bound is
// for.
//
// The package imports board, web, uci, syzygy and internal. Programs for
// WebAssembly do not link it.
package serve
