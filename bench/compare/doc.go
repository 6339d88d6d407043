// Package compare measures packages chess, movegen and pgn against two other
// Go libraries, dragontoothmg and corentings/chess. It is a module of its own
// so that nobody who imports Tabula inherits them. There is nothing in it but
// tests and benchmarks; README.md has the command and a table.
package compare
