package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/tabula-farm/annotate"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// nodesOfJob is how many nodes the games of a job take about: a minute of a core.
const nodesOfJob = 60_000_000

// perJob returns how many games of eighty positions a job has, given the nodes of a
// position and the most games.
func perJob(nodes uint64, most int) int {
	return int(max(1, min(uint64(most), nodesOfJob/80/max(1, nodes))))
}

// annotateKind is "farm annotate".
func annotateKind() kind {
	return kind{
		name: annotate.Kind, version: annotate.Version,
		open:  func(m *run.Manifest, _ settings) (run.Plan, error) { return annotate.Open(m) },
		usage: "review the games of a PGN file", args: "FILE.pgn",
		description: "Writes what tabula annotate writes with the same nodes, on many machines; one job in fifty is done by two of them.\n" +
			"A game that cannot be read is copied as it is; the exit code is 1 then. The same command goes on after a break.",
		flags: []cli.Flag{nodesFlag(review.DefaultNodes, "search each position for `N` nodes"), outFlag("`FILE` to write, which has to be new or of this run")},
		order: annotateOrder,
	}
}

// annotateOrder reads which games are to be reviewed.
func annotateOrder(_ context.Context, cmd *cli.Command, _ settings) (*order, error) {
	if cmd.NArg() != 1 {
		return nil, fmt.Errorf("%d arguments: want one PGN file", cmd.NArg())
	}
	name := cmd.Args().First()
	if err := files.Check(name); err != nil {
		return nil, err
	}
	p := &annotate.Params{Nodes: cmd.Uint64("nodes")}
	o := &order{params: p, network: nnue.Embedded(), title: fmt.Sprintf("%s, %d nodes", filepath.Base(name), p.Nodes), out: cmd.String("out")}
	err := split(name, p.Nodes, func(text []byte, games int) error {
		p.Games, o.inputs = append(p.Games, games), append(o.inputs, link.Sum(text))
		return nil
	})
	o.send = func(put func([]byte) error) error { // the games are read again, those of a job at a time
		return split(name, p.Nodes, func(text []byte, _ int) error { return put(text) })
	}
	o.finish = func(out io.Writer, st coordinator.Status) error {
		if f := st.Fold.(*annotate.Fold); f.Bad > 0 {
			return fmt.Errorf("%d of %d games could not be read", f.Bad, f.Games)
		}
		return printText(out, st)
	}
	return o, err
}

// mostTexts bounds the jobs of a run about, whose manifest names the text of each.
const mostTexts = 10_000

// split hands out the games of a file, those of a job at a time.
func split(name string, nodes uint64, do func(text []byte, games int) error) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return annotate.Split(f, perJob(nodes, 1000), info.Size()/mostTexts, do)
}
