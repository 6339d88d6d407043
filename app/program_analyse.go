//go:build !js

package app

import (
	"context"
	"fmt"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/app/terminal"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/search"
)

// analyseCommand reads the command line of analyse.
func analyseCommand(p *process) *cli.Command {
	return &cli.Command{
		Name: "analyse", Aliases: []string{"analyze"}, Usage: "analyse a position with a live display",
		ArgsUsage: "[FEN | startpos] [MOVE …] | FILE.pgn | FILE.epd …",
		Description: `Moves such as e4 or e2e4 may follow the position; moves alone begin at the start position. In a PGN file, the
last position of a game is analysed, or the position before --move; in an EPD file, every position. With --depth or
--nodes there is no time limit unless --seconds is given. With TERM=dumb in the environment the output is plain lines.`,
		Flags: []cli.Flag{
			annotate.SecondsFlag(5),
			annotate.DepthFlag(),
			annotate.NodesFlag(0),
			&cli.IntFlag{Name: "multipv", Value: 1, Usage: "number of best `LINES` to show", Validator: command.Between(1, 20)},
			annotate.ThreadsFlag(1, "search threads"),
			annotate.HashFlag(64),
			annotate.NetworkFlag(),
			annotate.TablesFlag(),
			&cli.IntFlag{Name: "game", Value: 1, Usage: "game `NUMBER` of a PGN file", Validator: command.AtLeast(1)},
			&cli.StringFlag{Name: "move", Usage: "analyse the position before move `NUMBER`: 12, or 12... for Black's move"},
			&cli.BoolFlag{Name: "json", Usage: "print only the result, one line of JSON per position"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			limits := analyseLimits(cmd)
			moment := terminal.Moment{Game: cmd.Int("game"), Move: cmd.String("move")}
			targets, err := terminal.Targets(cmd.Args().Slice(), moment)
			if err != nil {
				return err
			}
			engine, err := newEngine(cmd)
			if err != nil {
				return err
			}
			unread := 0
			for i, t := range targets {
				if t.Err != nil {
					unread++
					fmt.Fprintln(p.errOut, t.Err)
					continue
				}
				if t.Warning != nil {
					command.Warn(p.errOut)(t.Warning)
				}
				if i > 0 && !cmd.Bool("json") {
					fmt.Fprintln(p.out)
				}
				engine.Clear()
				err := terminal.Analyse(ctx, p.out, terminal.AnalysisSettings{
					Engine: engine, Position: t.Position, Name: t.Name, Limits: limits, Lines: cmd.Int("multipv"),
					Title: "Tabula " + version.Number + " · " + p.chosen.attacks.String(),
					Color: p.getenv("NO_COLOR") == "", Plain: p.getenv("TERM") == "dumb", JSON: cmd.Bool("json"),
				})
				if err != nil {
					return err
				}
			}
			if unread > 0 {
				return fmt.Errorf("%d of %s could not be read", unread, plural.Of(len(targets), "position"))
			}
			return nil
		},
	}
}

// analyseLimits reads the search limits.
func analyseLimits(cmd *cli.Command) (l search.Limits) {
	l.Depth, l.Nodes = search.Depth(cmd.Int("depth")), cmd.Uint64("nodes")
	if cmd.IsSet("seconds") || l.Depth == 0 && l.Nodes == 0 {
		l.MoveTime = time.Duration(cmd.Float("seconds") * float64(time.Second))
	}
	return l
}
