// Command tabula is a chess engine.
package main

//go:generate go run ./gen

func main() {}
