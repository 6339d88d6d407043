// Command train makes training games and networks:
//
//	go run ./train datagen --out games.tbg      play and record games
//	go run ./train inspect games.tbg            describe a file and report damage
//	go run ./train merge --out all.tbg *.tbg    pack files into one
//	go run ./train fit --data games.tbg         fit a network
//	go run ./train match a.nn b.nn              let two networks play each other
//	go run ./train tune --param LMRBase         fit parameters of the search by games
//	go run ./train rebuild --dir lineage        make all networks again from nothing
//
// These are the steps from nothing to a network; --help lists all commands and describes each.
package main

import (
	"github.com/tabula-chess/tabula/internal/command"
)

func main() { command.Main(New) }
