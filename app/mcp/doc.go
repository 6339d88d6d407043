// Package mcp is the command "tabula mcp": a server of the Model Context Protocol on
// standard input and output, so that a language model can look at chess positions
// through the engine and the rules instead of its memory.
//
// Positions live in the server. A model makes one from a FEN or moves, gets its name, and
// names it in every later call; it cannot pass a position of its own making beside the
// rules. Every answer about a position holds its FEN and a board. Source:
// https://modelcontextprotocol.io.
package mcp
