package tune

import (
	"context"
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/work"
	"github.com/tabula-chess/tabula/work/launch"
)

// lag returns the lag of a run: a hundredth of its pairs, but enough for all cores of a machine, and no more than those
// of a farm.
func lag(pairs int) int { return max(16, min(256, pairs/100)) }

// Command returns the fit of parameters as a command line starts it.
func Command() launch.Kind {
	return launch.Kind{
		Name:  "tune",
		Usage: "fit the parameters of the search by games of the engine against itself",
		Description: "" +
			"Simultaneous perturbation (SPSA): each pair of games is played between the parameters with a random step\n" +
			"added and taken away, and all move towards the winner. What is printed is the mean over the second half of\n" +
			"the pairs, with the effect of a step up in standard errors: below 1 it may well be chance. Copy values into\n" +
			"search/params.go once a match shows that they gain.",
		Flags: []cli.Flag{
			match.NodesFlag(20000),
			&cli.IntFlag{Name: "pairs", Value: 25000, Usage: "play `N` pairs of games; the steps get smaller towards the last"},
			match.Chess960Flag(0),
			match.NetworkFlag("to play with"),
			&cli.StringSliceFlag{Name: "param", Usage: "fit `NAME`; may be repeated (default: all)"},
			&cli.FloatFlag{Name: "step", Value: 0.05, Usage: "perturbation at the end, as a `SHARE` of the parameter's range"},
			&cli.FloatFlag{Name: "rate", Value: 0.004, Usage: "learning rate at the end, as a `SHARE` of the perturbation"},
			match.SeedFlag("openings and steps"),
		},
		Threads: "run `N` games at a time; the result is the same for any number",
		Type:    Type(),
		Task:    task,
	}
}

// task makes a run of the flags of a command.
func task(_ context.Context, cmd *cli.Command, _ work.Env) (*launch.Task, error) {
	if err := command.NoArguments(cmd); err != nil {
		return nil, err
	}
	t := &Tune{
		Names: cmd.StringSlice("param"), Pairs: cmd.Int("pairs"), Nodes: cmd.Uint64("nodes"), Seed: cmd.Uint64("seed"),
		Chess960: cmd.Float("chess960"), Step: cmd.Float("step"), Rate: cmd.Float("rate"), Lag: lag(cmd.Int("pairs")),
	}
	all := &launch.Task{Kind: t, Search: match.Signature, Jobs: t.Pairs,
		Done: func() int { return t.folded }, Print: t.Print}
	var err error
	t.Network, err = match.AddNetwork(&all.Files, cmd.String("network"))
	return all, err
}

// Print prints the fitted parameters beside the present ones, and the effects of their steps, once all pairs are done.
func (t *Tune) Print(w io.Writer) error {
	if t.folded < t.Pairs {
		return nil
	}
	present := search.DefaultParams()
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "parameter\tnow\tfitted\teffect\trange")
	for i, now := range present.Values() {
		row := t.all[i]
		effect := "-"
		if t.chosen[i] {
			effect = fmt.Sprintf("%+.1f", t.effect(i))
		}
		fmt.Fprintf(out, "%s\t%d\t%.0f\t%s\t%d to %d\n", row.Name, now, math.Round(t.mean[i]), effect, row.Min, row.Max)
	}
	return out.Flush()
}
