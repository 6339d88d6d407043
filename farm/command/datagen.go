package command

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/farm/datagen"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/output"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/search"
)

// datagenCommand describes "farm datagen".
func datagenCommand() *cli.Command {
	return &cli.Command{
		Name:  "datagen",
		Usage: "let the engine play itself and record every position with its score",
		Description: "As train datagen, on many machines. A job's games are checked move by move before they are added to the\n" +
			"file; one job in a hundred is played again by another worker, byte for byte. A worker whose engine has\n" +
			"another bench takes no part. The same command goes on after a break.",
		Flags: runFlags(
			nodesFlag(5000, softNodes), chess960Flag(0.1),
			&cli.StringFlag{Name: "network", Usage: "play with the network of `FILE` (default: the embedded one)"},
			outFlag("`FILE` to add the games to"),
			&cli.IntFlag{Name: "games", Value: 10000, Usage: "play `N` games"},
		),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := tool.NoArguments(cmd); err != nil {
				return err
			}
			if err := runDatagen(ctx, cmd); err != nil {
				return fmt.Errorf("datagen: %w", err)
			}
			return nil
		},
	}
}

// chosenNetwork returns the network of --network and its text, nil for the
// embedded one.
func chosenNetwork(cmd *cli.Command) (n *nnue.Network, text []byte, err error) {
	name := cmd.String("network")
	if name == "" {
		return nil, nil, nil
	}
	if n, err = nnue.Load(name); err != nil {
		return nil, nil, err
	}
	text, err = os.ReadFile(name)
	return n, text, err
}

// datagenHash is the MiB of each engine's table: more gains nothing in short searches.
const datagenHash = 2

// ownBench returns the number of nodes of this program's bench.
func ownBench() (uint64, error) {
	nodes, _, err := search.Bench(nnue.Embedded(), search.DefaultBench(), nil)
	return nodes, err
}

// usualGames returns the games that a core plays in about a minute: 60 million
// nodes, 80 plies a game.
func usualGames(nodes uint64) int { return int(max(1, min(8000, 60_000_000/80/max(1, nodes)))) }

// runDatagen carries "farm datagen" out.
func runDatagen(ctx context.Context, cmd *cli.Command) (err error) {
	p := &datagen.Params{
		Nodes: cmd.Uint64("nodes"), Hash: datagenHash, Chess960: cmd.Float("chess960"), Games: cmd.Int("games"),
	}
	if p.PerJob == 0 {
		p.PerJob = usualGames(p.Nodes)
	}
	if err := p.Check(); err != nil {
		return command.WrongUse(err)
	}
	n, text, err := chosenNetwork(cmd)
	if err != nil {
		return command.WrongUsef("--network: %w", err)
	}
	conn, err := ownerOf(ctx, cmd)
	if err != nil {
		return err
	}
	if conn != nil {
		defer conn.Close()
	}
	bench, err := ownBench()
	if err != nil {
		return err
	}
	input := ""
	var inputs [][]byte
	if text != nil {
		input, inputs = link.Sum(text), [][]byte{text}
	}
	m, err := datagen.NewManifest(p, n, input, bench, cmd.Uint64("seed"))
	if err != nil {
		return command.WrongUse(err)
	}
	plan, err := datagen.Open(m)
	if err != nil {
		return err
	}
	name := cmd.String("out")
	if err := datagen.CheckFile(name); err != nil {
		return command.WrongUsef("--out: %w", err)
	}
	file, err := output.Open(name, m.ID())
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	st, err := carryOut(ctx, cmd, conn, order{manifest: m, keep: file.Keep(plan.CheckGames), inputs: inputs})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.Root().Writer, "run %d: %s, by %d workers\n", plan.Number(), st.Fold.Text(), len(st.Workers))
	return err
}
