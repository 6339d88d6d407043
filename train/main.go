// Command train makes data from games of the engine against itself, looks
// after it, and fits networks to it:
//
//	go run ./train datagen --out games.tbg      play and record games
//	go run ./train inspect games.tbg            what is in it, and is it whole
//	go run ./train shuffle --out mixed.tbg games.tbg
//	go run ./train fit --data mixed.tbg         fit a network
//	go run ./train network tabula.nn            what a network is and where it came from
//	go run ./train judgeset --out judges.epd games.tbg   positions to judge networks by
//	go run ./train judge judges.epd --network a.nn --network b.nn
//	go run ./train match a.nn b.nn              let two networks play each other
//	go run ./train tune --out numbers.json      fit the numbers of the search
//	go run ./train wdl --data games.tbg         fit the chances that scores stand for
//	go run ./train ladder                       measure UCI_Elo by games
//	go run ./train tables --men 4 --out DIR     make endgame tables
//
// Every command explains itself with --help. Exit codes are those of every
// program here (see internal/exit); damaged data is a failure, 1.
package main

import (
	"io"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/tool"
)

func main() { tool.Main(newCommand) }

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "train",
		Usage:     "make training data, look after it and fit networks to it",
		Writer:    out,
		ErrWriter: errOut,
		Commands:  append(dataCommands(), fitCommand(), networkCommand(), rescaleCommand(), judgesetCommand(), judgeCommand(), matchCommand(), tablesCommand(), tuneCommand(), paramsCommand(), wdlCommand(), ladderCommand()),
	}
}
