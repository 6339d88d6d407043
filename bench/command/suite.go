package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/bench/suite"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/tool"
)

// suiteCommand checks the counts of a file.
func suiteCommand() *cli.Command {
	return &cli.Command{
		Name:      "suite",
		Usage:     "check the counts of a perft suite, lines of FEN ;D1 n ;D2 n …",
		ArgsUsage: "FILE.epd",
		Flags: append([]cli.Flag{
			maxNodesFlag(0, "skip depths with more than `N` expected nodes; 0 skips none"),
			bulkFlag(),
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() != 1 {
				return command.WrongUsef("suite: want one file, got %d arguments", cmd.NArg())
			}
			name := cmd.Args().First()
			file, err := files.Open(name)
			if err != nil {
				return err
			}
			defer file.Close()
			entries, err := suite.Read(file)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			run, err := flaggedRun(cmd)
			if err != nil {
				return err
			}
			s := suite.Checker{Perft: run, MaxNodes: cmd.Uint64("max-nodes"), Bulk: cmd.Bool("bulk"), Out: cmd.Root().Writer}
			return s.Check(ctx, entries, cmd.Root().ErrWriter)
		},
	}
}

// generateSuiteCommand writes a perft suite of random positions.
func generateSuiteCommand() *cli.Command {
	return &cli.Command{
		Name:  "generate-suite",
		Usage: "write a perft suite of random positions, counted by the reference generators or a UCI engine",
		Description: "The positions are those after some random moves from known positions, random set-ups and, with\n" +
			"--chess960, start positions of Chess960. In standard chess all reference generators count them\n" +
			"and must agree; Chess960 needs --engine. The same arguments write the same positions.",
		Flags: []cli.Flag{
			positionsFlag(200, "write `N` positions"),
			seedFlag(),
			chess960Flag(),
			maxNodesFlag(300_000, "count to the depth before the first count above `N`, at most to --depth"),
			depthFlag(6, "count to `PLIES`"),
			engineFlag("", "count with the go perft of"),
			outFlag(),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			s := suite.Writer{
				Positions: int(cmd.Uint64("positions")), Seed: cmd.Uint64("seed"), Chess960: cmd.Bool("chess960"),
				MaxNodes: cmd.Uint64("max-nodes"), Depth: cmd.Int("depth"),
			}
			switch engine := cmd.String("engine"); {
			case s.Positions < 1:
				return command.WrongUsef("positions: %d, want at least 1", s.Positions)
			case s.Depth < 1:
				return command.WrongUsef("depth: %d, want at least 1", s.Depth)
			case engine != "":
				e, err := oracle.Start(ctx, engine)
				if err != nil {
					return err
				}
				defer e.Close()
				s.Engine = e
			case s.Chess960:
				return command.WrongUsef("generate-suite: the reference generators do not play Chess960: give an --engine")
			}
			s.Command = "go run ./bench generate-suite " + strings.Join(givenFlags(cmd), " ")
			return s.WriteTo(ctx, cmd.String("out"), cmd.Root().Writer, cmd.Root().ErrWriter)
		},
	}
}

// givenFlags returns the flags of a command that were set, as one would type
// them.
func givenFlags(cmd *cli.Command) []string {
	var words []string
	for _, flag := range cmd.Flags {
		name := flag.Names()[0]
		switch {
		case !flag.IsSet() || name == "help":
		case flag.Get() == true:
			words = append(words, "--"+name)
		default:
			words = append(words, fmt.Sprintf("--%s %v", name, flag.Get()))
		}
	}
	return words
}
