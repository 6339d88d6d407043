// Package mcp is the command "tabula mcp": a server of the Model Context Protocol on
// standard input and output, so that a language model can look at chess positions
// through the engine and the rules instead of its memory.
//
// The server stores the positions. A model creates one from a FEN or moves and refers to it by name
// in later calls, so that it cannot invent a position. Every answer about a position holds its FEN
// and a board. Source: https://modelcontextprotocol.io.
package mcp
