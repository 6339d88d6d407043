// Command bench counts, checks and compares Tabula's move generators, and checks other generators and engines.
//
//	go run ./bench perft --depth 6              count one position
//	go run ./bench count --depth 11 --state FILE  count for hours; a killed count goes on
//	go run ./bench divide --engine COMMAND      find the first wrong move in another program's perft
//	go run ./bench suite positions.epd          check a perft suite
//	go run ./bench fuzz --positions 1000000     compare all generators in random games
//	go run ./bench course 2 --go FOLDER         test a generator of your own with a chapter of docs/course
//	go run ./bench speed RESULTS                show the results of make speed
//	go run ./bench mates FILE                   search a suite of mate problems
//	go run ./bench why FILE.pgn                 measure what reviews say about mistakes
//	go run ./bench uci --engine COMMAND         find what is wrong with an engine's UCI
//
// --help describes each command.
package main

import (
	"github.com/tabula-chess/tabula/internal/command"
)

func main() { command.Main(New) }
