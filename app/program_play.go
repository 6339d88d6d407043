//go:build !js

package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/app/terminal"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// playCommand reads the command line of play.
func playCommand(p *process) *cli.Command {
	return &cli.Command{
		Name: "play", Usage: "play a game against the engine in the terminal", ArgsUsage: "[FEN | startpos] [MOVE …]",
		Description: `Type moves such as e4, Nf3, O-O or g1f3. Other commands are undo, hint, draw and resign; help lists them all.
When the game ends, also with Ctrl-C, it is appended to the file of --pgn or printed as PGN, if a move was made.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "color", Value: "white", Usage: "your `SIDE`: white, black or random"},
			&cli.IntFlag{Name: "elo", Usage: fmt.Sprintf("playing strength of the engine, %d to %d (default: full strength)",
				search.LeastElo, search.MostElo), Validator: command.Between(search.LeastElo, search.MostElo)},
			&cli.StringFlag{Name: "tc",
				Usage: "play with clocks: `MINUTES+SECONDS` per move, for example 5+3 (default: no clocks)"},
			annotate.SecondsFlag(1),
			annotate.NodesFlag(0),
			&cli.IntFlag{Name: "chess960", Value: -1, HideDefault: true,
				Usage:     "play Chess960 from start position `NUMBER`, 0 to 959",
				Validator: command.Between(0, 959)},
			&cli.StringFlag{Name: "pgn", Usage: "append the game to `FILE` (default: print it)"},
			annotate.ThreadsFlag(1, "search threads"),
			annotate.HashFlag(64),
			annotate.TablesFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s := terminal.GameSettings{
				Name: "Tabula " + version.Number, PGN: cmd.String("pgn"), Nodes: cmd.Uint64("nodes"),
				In: p.in, Out: p.out,
				Color: command.Terminal(p.out) && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb",
			}
			for _, fill := range []func(*cli.Command, *terminal.GameSettings) error{playStart, playSide, playTime} {
				if err := fill(cmd, &s); err != nil {
					return exit.WrongUse(err)
				}
			}
			if err := playEngine(cmd, &s); err != nil {
				return err
			}
			return terminal.Play(ctx, s)
		},
	}
}

// playStart reads the start position.
func playStart(cmd *cli.Command, s *terminal.GameSettings) (err error) {
	words := strings.Fields(strings.Join(cmd.Args().Slice(), " "))
	switch {
	case cmd.IsSet("chess960") && len(words) > 0:
		return fmt.Errorf("want --chess960 or a position, not both")
	case cmd.IsSet("chess960"):
		s.Start, err = chess.NewChess960(cmd.Int("chess960"))
	default:
		var p *chess.Position
		var warning error
		if p, warning, err = terminal.Setup(words); err != nil {
			return err
		}
		if warning != nil {
			command.Warn(cmd.Root().ErrWriter)(warning)
		}
		for back := p.Plies() - 1; back >= 0; back-- {
			s.Moves = append(s.Moves, p.Step(back).Move)
		}
		for s.Start = p; p.Plies() > 0; {
			p.Unmake()
		}
	}
	return err
}

// playSide reads the user's side.
func playSide(cmd *cli.Command, s *terminal.GameSettings) (err error) {
	if name := cmd.String("color"); name == "random" {
		s.Player = chess.Color(rand.N(2))
	} else if s.Player, err = chess.ParseColor(name); err != nil {
		return fmt.Errorf("--color %q, want white, black or random%s", name,
			exit.DidYouMean(name, []string{"white", "black", "random"}, ""))
	}
	return nil
}

// playTime reads the time limits.
func playTime(cmd *cli.Command, s *terminal.GameSettings) error {
	if cmd.IsSet("seconds") || !cmd.IsSet("nodes") {
		s.MoveTime = time.Duration(cmd.Float("seconds") * float64(time.Second))
	}
	text := cmd.String("tc")
	if text == "" {
		return nil
	}
	if cmd.IsSet("seconds") || cmd.IsSet("nodes") {
		return fmt.Errorf("--tc cannot be used with --seconds or --nodes")
	}
	minutes, inc, more := strings.Cut(text, "+")
	base, err := strconv.ParseFloat(minutes, 64)
	add := 0.0
	if err == nil && more {
		add, err = strconv.ParseFloat(inc, 64)
	}
	if err != nil || !(base > 0 && base <= 6000 && add >= 0 && add <= 3600) {
		return fmt.Errorf("--tc %q, want minutes and the seconds added per move, for example 5+3", text)
	}
	s.Base, s.Inc = time.Duration(base*float64(time.Minute)), time.Duration(add*float64(time.Second))
	return nil
}

// playEngine makes the engine and limits its strength if --elo is given.
func playEngine(cmd *cli.Command, s *terminal.GameSettings) error {
	e, err := newEngine(cmd)
	if err != nil || !cmd.IsSet("elo") {
		s.Engine = e
		return err
	}
	elo := cmd.Int("elo")
	if err := e.SetStrength(search.Strength{Elo: elo, Game: rand.Uint64()}); err != nil {
		return exit.WrongUsef("--elo: %w", err)
	}
	s.Name = fmt.Sprintf("%s (%d)", s.Name, elo)
	s.Engine = e
	s.Hints, err = newEngine(cmd) // hints come at full strength
	return err
}

// newEngine returns an engine set up from the flags threads, hash, syzygy and, if the command has
// it, eval-file.
func newEngine(cmd *cli.Command) (*search.Engine, error) {
	e, err := search.NewEngine(cmd.Int("hash"))
	if err == nil {
		err = e.SetThreads(cmd.Int("threads"))
	}
	if err != nil {
		return nil, exit.WrongUse(err)
	}
	tables, err := openTables(cmd)
	if err != nil {
		return nil, err
	}
	e.SetTables(tables)
	name := cmd.String("eval-file")
	if name == "" {
		return e, nil
	}
	network, err := uci.FindNetwork(name)
	if err != nil {
		return nil, err
	}
	e.SetNetwork(network)
	return e, nil
}

// openTables opens the built-in tables and those in the directories of --syzygy. They stay open
// until the program ends. Damaged ones are reported on standard error.
func openTables(cmd *cli.Command) (*syzygy.Tables, error) {
	tables, err := syzygy.Open(syzygy.SplitPath(cmd.String("syzygy"))...)
	if err != nil {
		return nil, exit.WrongUsef("--syzygy: %w", errors.Join(err, tables.Close()))
	}
	tables.Watch(command.Warn(cmd.Root().ErrWriter))
	return tables, nil
}
