package command

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
)

// networkCommand describes "train network".
func networkCommand() *cli.Command {
	return &cli.Command{
		Name:      "network",
		Usage:     "check network files and print their shape and origin",
		ArgsUsage: "FILE…",
		Action: func(_ context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			for _, name := range names {
				n, err := nnue.Load(name)
				if err != nil {
					return err
				}
				if err := printNetwork(cmd, name, n); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// printNetwork describes the network of one file.
func printNetwork(cmd *cli.Command, name string, n *nnue.Network) error {
	out, p := cmd.Root().Writer, n.Provenance()
	_, err := fmt.Fprintf(out, "%s: network %v, %v\ndata %.16s, %d positions, %d seen, held-out loss %.5f\n",
		name, n.Hash(), n.Shape(), p.DataHash, p.Positions, p.Seen, p.Loss)
	for _, c := range p.Commands {
		if err == nil {
			_, err = fmt.Fprintf(out, "  %s\n", c)
		}
	}
	return err
}

// rescaleCommand describes "train rescale".
func rescaleCommand() *cli.Command {
	return &cli.Command{
		Name:      "rescale",
		Usage:     "write a network whose scores are larger or smaller, to suit the margins of the search",
		ArgsUsage: "FILE",
		Flags: []cli.Flag{
			outFlag(replaced),
			&cli.IntSliceFlag{Name: "scale", Required: true, Usage: "`CENTIPAWNS` of an output of 1; or one number for each set of output weights, that of the fewest pieces first, separated by commas"},
		},
		Action: func(_ context.Context, cmd *cli.Command) error {
			names, err := fileNames(cmd)
			if err != nil {
				return err
			}
			if len(names) > 1 {
				return command.WrongUsef("%d files: want one", len(names))
			}
			n, err := nnue.Load(names[0])
			if err != nil {
				return err
			}
			if n, err = rescaled(n, cmd.IntSlice("scale")); err != nil {
				return command.WrongUse(err)
			}
			return n.Save(cmd.String("out"))
		},
	}
}

// rescaled returns n with another scale, or with one for each output bucket.
func rescaled(n *nnue.Network, scales []int) (*nnue.Network, error) {
	shape, w, origin := n.Shape(), n.Weights(), n.Provenance()
	origin.Commands = append(origin.Commands, commandLine(os.Args[1:]))
	switch len(scales) {
	case 1:
		shape.Scale = scales[0]
	case shape.Outputs:
		for bucket, scale := range scales {
			if err := stretch(&w, bucket, float64(scale)/float64(shape.Scale)); err != nil {
				return nil, fmt.Errorf("scale %d of output %d: %w", scale, bucket, err)
			}
		}
	default:
		return nil, fmt.Errorf("scale: %d numbers, want 1 or %d", len(scales), shape.Outputs)
	}
	return nnue.New(shape, w, origin)
}

// stretch multiplies the weights that lead to an output by factor.
func stretch(w *nnue.Weights, bucket int, factor float64) error {
	if factor <= 0 {
		return errors.New("want a positive number")
	}
	s := &w.Stacks[bucket]
	for _, weights := range [][]int16{s.Weights3, s.Skips} {
		for i, v := range weights {
			x := math.Round(float64(v) * factor)
			if math.Abs(x) > math.MaxInt16 {
				return fmt.Errorf("weight %d times %.2f is beyond 16 bits", v, factor)
			}
			weights[i] = int16(x)
		}
	}
	bias := math.Round(float64(w.OutputBiases[bucket]) * factor)
	if math.Abs(bias) > math.MaxInt32 {
		return fmt.Errorf("bias %d times %.2f is beyond 32 bits", w.OutputBiases[bucket], factor)
	}
	w.OutputBiases[bucket] = int32(bias)
	return nil
}
