package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/record"
)

// judgeCommand describes "train judge".
func judgeCommand() *cli.Command {
	return &cli.Command{
		Name:      "judge",
		Usage:     "print the loss of networks on the scores of held-out games, by number of pieces",
		ArgsUsage: "GAMES…",
		Description: "" +
			"The loss is the mean squared difference between the win probabilities of network and score. Each network after\n" +
			"the first also has its difference from the first, ± one standard error. \"all, rescaled\" is the loss with\n" +
			"each network at its best scale, for use with train rescale. --nodes measures the scores of searches like those\n" +
			"of datagen instead of static evaluations. train label writes games with better scores.",
		DisableSliceFlagSeparator: true,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "network", Value: []string{embedded}, Usage: "network `FILE`; may be repeated"},
			&cli.Uint64SliceFlag{
				Name: "nodes", Value: []uint64{0},
				Usage: "measure searches of about `N` nodes, 0 for static evaluations; may be repeated",
			},
			heldFlag(),
		},
		Action: runJudge,
	}
}

// runJudge runs "train judge".
func runJudge(ctx context.Context, cmd *cli.Command) error {
	names, err := fileNames(cmd)
	if err != nil {
		return err
	}
	share, err := chosenHeld(cmd)
	if err != nil {
		return err
	}
	var verdicts []*verdict
	for _, name := range cmd.StringSlice("network") {
		n, err := namedNetwork(name)
		if err != nil {
			return err
		}
		for _, nodes := range cmd.Uint64Slice("nodes") {
			v := &verdict{name: filepath.Base(name), scale: float64(n.Shape().Scale), say: nnue.NewEvaluator(n).Evaluate}
			if nodes > 0 {
				e, err := datagen.NewLabeller(datagenHash, n)
				if err != nil {
					return err
				}
				defer e.Close()
				v.name += fmt.Sprintf(", %d nodes", nodes)
				v.say = func(p *chess.Position) eval.Score {
					e.Clear()
					return e.Search(p, search.Soft(nodes), search.Options{}, nil).Score
				}
			}
			verdicts = append(verdicts, v)
		}
	}
	j, err := judge(ctx, names, share, verdicts)
	if err != nil {
		return err
	}
	if len(j.found) == 0 {
		return fmt.Errorf("no quiet position is in the held-out %v of the games; --held 1 takes all", share)
	}
	return j.write(cmd.Root().Writer)
}

// verdict is what a network, or a search with it, says about the positions.
type verdict struct {
	name  string
	scale float64 // centipawns for an output of 1
	say   func(*chess.Position) eval.Score
	said  []float64 // by position, in units of the scale
}

// judged holds positions and the verdicts on them.
type judged struct {
	games    int
	pieces   []int     // by position
	found    []float64 // by position, chance of the side to move according to the game's score
	verdicts []*verdict
}

// judge collects the verdicts on the positions that a fit would hold out.
func judge(ctx context.Context, names []string, share float64, verdicts []*verdict) (*judged, error) {
	j, p := &judged{verdicts: verdicts}, new(chess.Position)
	return j, record.Blocks(ctx, names, func(b *record.Block) error {
		for _, g := range b.Games() {
			if !fit.Holds(g, share) {
				continue
			}
			j.games++
			err := g.Verify(p, func(p *chess.Position, ply record.Ply) {
				score := eval.Score(ply.Score)
				if ctx.Err() != nil || !fit.Quiet(p, ply.Move) || max(score, -score) > eval.Limit {
					return
				}
				if p.SideToMove() == chess.Black {
					score = -score
				}
				j.pieces = append(j.pieces, p.Occupied().Count())
				j.found = append(j.found, wdl.Sigmoid(float64(score)/fit.Scale))
				for _, v := range verdicts {
					v.said = append(v.said, float64(v.say(p))/v.scale)
				}
			})
			if err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}

// losses returns the squared errors of a verdict by position, with its scores times factor.
func (j *judged) losses(v *verdict, factor float64) (all []float64) {
	for i, said := range v.said {
		off := wdl.Sigmoid(said*factor) - j.found[i]
		all = append(all, off*off)
	}
	return all
}

// best returns the factor with the least loss. The loss has one minimum in it.
func (j *judged) best(v *verdict) float64 {
	low, high := -2.0, 2.0 // powers of two
	for high-low > 0.001 {
		third := (high - low) / 3
		if mean(j.losses(v, math.Exp2(low+third))) < mean(j.losses(v, math.Exp2(high-third))) {
			high -= third
		} else {
			low += third
		}
	}
	return math.Exp2((low + high) / 2)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// write writes the losses as a table.
func (j *judged) write(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%d positions of %d games\npart\tpositions", len(j.found), j.games)
	losses, rescaled, scales := [][]float64{}, [][]float64{}, []string{}
	for _, v := range j.verdicts {
		fmt.Fprint(t, "\t", v.name)
		factor := j.best(v)
		losses, rescaled = append(losses, j.losses(v, 1)), append(rescaled, j.losses(v, factor))
		scales = append(scales, fmt.Sprintf(" at %.0f", factor*fit.Scale))
	}
	fmt.Fprintln(t)
	row := func(name string, losses [][]float64, notes []string, low, high int) {
		var first []float64
		for n := range losses {
			var part, differences, squares []float64
			for i, loss := range losses[n] {
				if j.pieces[i] >= low && j.pieces[i] <= high {
					d := loss - losses[0][i]
					part, differences, squares = append(part, loss), append(differences, d), append(squares, d*d)
				}
			}
			if n == 0 {
				if first = part; len(first) == 0 {
					return
				}
				fmt.Fprintf(t, "%s\t%d", name, len(first))
			}
			fmt.Fprintf(t, "\t%.5f", mean(part))
			if notes != nil {
				fmt.Fprint(t, notes[n])
			}
			if d := mean(differences); n > 0 {
				fmt.Fprintf(t, " (%+.5f ± %.5f)", d, math.Sqrt(math.Max(0, mean(squares)-d*d)/float64(len(part))))
			}
		}
		fmt.Fprintln(t)
	}
	const width = 4 // pieces of a row
	for low := 33 - width; low > 0; low -= width {
		row(fmt.Sprintf("%d-%d pieces", low, low+width-1), losses, nil, low, low+width-1)
	}
	row("all", losses, nil, 0, 32)
	row("all, rescaled", rescaled, scales, 0, 32)
	return t.Flush()
}
