package command

import (
	"context"
	"encoding/json"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/bench/race"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
)

// raceCommand races the counting back ends against an engine's perft.
func raceCommand() *cli.Command {
	return &cli.Command{
		Name:  "race",
		Usage: "race the attack paths against an engine's go perft",
		Description: "Prints for each attack path its speed, its ratio to the engine's in the same\n" +
			"rounds, and whether the ratio that Tabula aims at is held. The engine is one\n" +
			"process for all rounds; its time runs from the line \"go perft N\" to the line\n" +
			"\"Nodes searched\". All counts are checked.",
		Flags: append([]cli.Flag{
			engineFlag("stockfish", "race against"),
			hashFlag(64, "table of the hash row in `MiB`; 0 leaves the row out"),
			&cli.IntFlag{Name: "shallower", Usage: "count `N` plies less than the table's depths, for a quick look"},
			jsonFlag(),
		}, measuringFlags(7)...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			for _, name := range []string{"hash", "shallower"} {
				if cmd.Int(name) < 0 {
					return command.WrongUsef("%s: %d is negative", name, cmd.Int(name))
				}
			}
			if cmd.Int("rounds") < 1 {
				return command.WrongUsef("rounds: %d is less than 1", cmd.Int("rounds"))
			}
			engine, err := oracle.Start(ctx, cmd.String("engine"))
			if err != nil {
				return err
			}
			defer engine.Close()
			race, err := race.New(engine, cmd.Int("hash"), cmd.Int("shallower"))
			if err != nil {
				return err
			}
			race.Rounds, race.Limit = cmd.Int("rounds"), cmd.Duration("time")
			if err := race.Run(ctx, cmd.Root().ErrWriter); err != nil {
				return err
			}
			if cmd.Bool("json") {
				return json.NewEncoder(cmd.Root().Writer).Encode(race.Report())
			}
			return race.Report().Print(cmd.Root().Writer)
		},
	}
}
