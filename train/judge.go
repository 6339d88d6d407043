package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/match"
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
			"the first also has its difference from the first, ± one standard error, in which a game counts as one sample.\n" +
			"\"all, rescaled\" is the loss with each network at its best scale, for use with train rescale. \"all, each part\n" +
			"rescaled\" has a scale for each part, fewest pieces first: compare networks by this row. --nodes measures the\n" +
			"scores of searches like those of datagen instead of static evaluations. train label writes games with better\n" +
			"scores.",
		DisableSliceFlagSeparator: true,
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "network", Value: []string{match.Embedded}, Usage: "network `FILE`; may be repeated"},
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
				e, err := datagen.NewLabeller(n)
				if err != nil {
					return err
				}
				defer e.Close()
				v.name += ", " + plural.Of(nodes, "node")
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
	game     []int     // by position, number of its game
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
				j.pieces, j.game = append(j.pieces, p.Occupied().Count()), append(j.game, j.games)
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

// pieceRange is a range of the number of pieces on the board.
type pieceRange struct{ low, high int }

// parts returns the parts for which a fitted network has an output each, most pieces first.
func parts() (all []pieceRange) {
	shape := fit.Default(nnue.WidthStep).Shape
	for pieces := 32; pieces >= 2; pieces-- {
		if n := len(all); n > 0 && shape.OutputBucket(pieces) == shape.OutputBucket(all[n-1].high) {
			all[n-1].low = pieces
		} else {
			all = append(all, pieceRange{pieces, pieces})
		}
	}
	return all
}

func (p pieceRange) has(pieces int) bool { return p.low <= pieces && pieces <= p.high }

// loss is the squared error of a verdict on a position.
type loss struct {
	game int
	off  float64
}

// losses returns the losses of a verdict on the positions of p, with its scores times factor.
func (j *judged) losses(v *verdict, p pieceRange, factor float64) (all []loss) {
	for i, said := range v.said {
		if p.has(j.pieces[i]) {
			off := wdl.Sigmoid(said*factor) - j.found[i]
			all = append(all, loss{j.game[i], off * off})
		}
	}
	return all
}

// best returns the losses on the positions of p at the factor where they are least, and the scale that this is, "-" if
// there are no positions. The loss has one minimum in the factor.
func (j *judged) best(v *verdict, p pieceRange) (losses []loss, scale string) {
	if len(j.losses(v, p, 1)) == 0 {
		return nil, "-"
	}
	low, high := -2.0, 2.0 // powers of two
	for high-low > 0.001 {
		third := (high - low) / 3
		if mean(j.losses(v, p, math.Exp2(low+third))) < mean(j.losses(v, p, math.Exp2(high-third))) {
			high -= third
		} else {
			low += third
		}
	}
	factor := math.Exp2((low + high) / 2)
	return j.losses(v, p, factor), fmt.Sprintf("%.0f", factor*fit.Scale)
}

func mean(losses []loss) float64 {
	sum := 0.0
	for _, l := range losses {
		sum += l.off
	}
	return sum / float64(len(losses))
}

// compare returns a mean loss less another on the same positions, and the standard error of the difference: positions
// of a game are alike, so that the games are the samples.
func compare(a, b []loss) (difference, deviation float64) {
	difference = mean(a) - mean(b)
	games := map[int]float64{} // sums of the deviations from the difference
	for i := range a {
		games[a[i].game] += a[i].off - b[i].off - difference
	}
	squares := 0.0
	for _, game := range slices.Sorted(maps.Keys(games)) {
		squares += games[game] * games[game]
	}
	return difference, math.Sqrt(squares) / float64(len(a))
}

// write writes the losses as a table.
func (j *judged) write(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s of %s\npart\tpositions", plural.Of(len(j.found), "position"), plural.Of(j.games, "game"))
	for _, v := range j.verdicts {
		fmt.Fprint(t, "\t", v.name)
	}
	fmt.Fprintln(t)
	row := func(name string, measure func(*verdict) (losses []loss, note string)) {
		first, _ := measure(j.verdicts[0])
		if len(first) == 0 {
			return
		}
		fmt.Fprintf(t, "%s\t%d", name, len(first))
		for n, v := range j.verdicts {
			losses, note := measure(v)
			fmt.Fprintf(t, "\t%.5f%s", mean(losses), note)
			if n > 0 {
				d, e := compare(losses, first)
				fmt.Fprintf(t, " (%+.5f ± %.5f)", d, e)
			}
		}
		fmt.Fprintln(t)
	}
	all := pieceRange{0, 32}
	for _, p := range parts() {
		row(fmt.Sprintf("%d-%d pieces", p.low, p.high), func(v *verdict) ([]loss, string) { return j.losses(v, p, 1), "" })
	}
	row("all", func(v *verdict) ([]loss, string) { return j.losses(v, all, 1), "" })
	row("all, rescaled", func(v *verdict) ([]loss, string) {
		losses, scale := j.best(v, all)
		return losses, " at " + scale
	})
	row("all, each part rescaled", func(v *verdict) (losses []loss, note string) {
		var scales []string
		for _, p := range slices.Backward(parts()) {
			of, scale := j.best(v, p)
			losses, scales = append(losses, of...), append(scales, scale)
		}
		return losses, " at " + strings.Join(scales, ",")
	})
	return t.Flush()
}
