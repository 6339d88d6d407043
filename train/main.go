// Command train makes data from games of the engine against itself, looks
// after it, and fits networks to it:
//
//	go run ./train datagen --out games.tbg      play and record games
//	go run ./train inspect games.tbg            what is in it, and is it whole
//	go run ./train shuffle --out mixed.tbg games.tbg
//	go run ./train fit --data mixed.tbg         fit a network
//	go run ./train network tabula.nn            what a network is and where it came from
//	go run ./train match a.nn b.nn              let two networks play each other
//	go run ./train tune --out numbers.json      fit the numbers of the search
//
// Every command explains itself with --help. Exit codes: 0 where everything is
// as expected, 1 where data is damaged, 2 where a command cannot be carried out
// (a bad argument, a file that cannot be read).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v3"
)

// Exit codes.
const (
	exitDamage = 1 // data is damaged
	exitCannot = 2 // the command could not be carried out
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends a command that does not heed the first
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// run carries out a command line and returns the exit code.
func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	err := newCommand(out, errOut).Run(ctx, args)
	if err == nil {
		return 0
	}
	fmt.Fprintln(errOut, "train:", err)
	var damage *damageError
	if errors.As(err, &damage) {
		return exitDamage
	}
	return exitCannot
}

// newCommand returns the command line.
func newCommand(out, errOut io.Writer) *cli.Command {
	return &cli.Command{
		Name:      "train",
		Usage:     "make training data, look after it and fit networks to it",
		Writer:    out,
		ErrWriter: errOut,
		Commands:  append(dataCommands(), fitCommand(), networkCommand(), rescaleCommand(), matchCommand(), tuneCommand()),
		// Errors come back to run, which knows the exit codes.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		OnUsageError: func(_ context.Context, _ *cli.Command, err error, _ bool) error {
			return err
		},
	}
}
