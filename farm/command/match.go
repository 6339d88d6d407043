package command

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/tabula-farm/build"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/match"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	trainmatch "github.com/tabula-chess/tabula/train/match"
)

const (
	pairsPerJob = 4
	timeMargin  = 20 * time.Millisecond // by which a move may come after its time
)

// matchKind is "farm match".
func matchKind() kind {
	return kind{
		name: match.Kind, version: match.Version,
		open:  func(m *run.Manifest, s settings) (run.Plan, error) { return match.Open(m, s.cache, s.nps) },
		usage: "let two engines play each other", args: "A B",
		description: "A and B are commits of the repository in the present directory (HEAD, a tag, a hash), which every worker\n" +
			"builds, or exec:PROGRAM ARGUMENTS, which every worker must have; UCI options follow after commas, NAME=VALUE. Pairs of games from one opening with colours\n" +
			"exchanged, at fixed nodes or by the clock; what is printed is A's result. The same command goes on after a break.\n" +
			"Clocks are those of a core that does a million nodes a second in tabula bench; others scale them.",
		flags: []cli.Flag{
			nodesFlag(20000, softNodes),
			clockFlag(),
			pairsFlag(200),
			&cli.StringFlag{Name: "sprt", Usage: "end when a test of the bounds `ELO0,ELO1` has a verdict, alpha and beta 0.05"},
			&cli.StringFlag{Name: "openings", Usage: "`FILE` with a FEN or EPD a line (default: random moves from the start)"},
			chess960Flag(0),
			&cli.IntFlag{Name: "hash", Value: 16, Usage: "`MIB` of each engine's table"},
			&cli.StringFlag{Name: "pgn", Usage: "write all games into `FILE`, in their order; it has to be new or of this run"},
		},
		order: matchOrder,
	}
}

// matchOrder reads what is to be played.
func matchOrder(ctx context.Context, cmd *cli.Command, own settings) (*order, error) {
	if cmd.NArg() != 2 {
		return nil, fmt.Errorf("%d engines: want two", cmd.NArg())
	}
	p, err := matchParams(cmd)
	if err != nil {
		return nil, err
	}
	fens, err := matchOpenings(cmd, p.Pairs)
	if err != nil {
		return nil, err
	}
	o := &order{params: p, out: cmd.String("pgn")}
	o.attach(match.Book(fens)) // the first input
	for i, side := range []*match.Side{&p.A, &p.B} {
		source, err := nameSide(ctx, cmd, side, i, own.cache)
		if err != nil {
			return nil, err
		}
		if source != nil {
			o.attach(source)
		}
	}
	o.title = fmt.Sprintf("%s against %s, %s", p.A.Name, p.B.Name, cmd.String("tc"))
	if p.Nodes > 0 {
		o.title = fmt.Sprintf("%s against %s, %d nodes", p.A.Name, p.B.Name, p.Nodes)
	}
	o.finish = func(out io.Writer, st coordinator.Status) error {
		_, err := fmt.Fprintf(out, "%s against %s: %s\n", p.A.Name, p.B.Name, st.Fold.Text())
		return err
	}
	return o, nil
}

// matchParams reads the flags of a match; the engines have no names yet.
func matchParams(cmd *cli.Command) (*match.Params, error) {
	if n := cmd.Int("pairs"); n < 1 || n > match.MaxPairs {
		return nil, fmt.Errorf("--pairs %d: want 1 to %d", n, match.MaxPairs)
	}
	limits, err := trainmatch.ReadRules(cmd)
	if err != nil {
		return nil, err
	}
	p := &match.Params{Pairs: cmd.Int("pairs"), PerJob: pairsPerJob, Nodes: limits.Nodes, Clock: limits.Clock, Hash: cmd.Int("hash")}
	if p.Nodes == 0 {
		p.Margin = timeMargin
	}
	if bounds := cmd.String("sprt"); bounds != "" {
		if p.Test, err = trainmatch.ParseTest(bounds); err != nil {
			return nil, fmt.Errorf("--sprt %w", err)
		}
	}
	return p, nil
}

// nameSide says in side which engine the argument with a number means. For a
// commit it returns the source, built once here to learn the number of its bench.
func nameSide(ctx context.Context, cmd *cli.Command, side *match.Side, number int, cache *build.Cache) ([]byte, error) {
	text, options, err := trainmatch.ParsePlayer(cmd.Args().Get(number))
	if err != nil {
		return nil, err
	}
	side.Options = options
	if line, ok := strings.CutPrefix(text, "exec:"); ok {
		side.Command = strings.Fields(line)
		if len(side.Command) == 0 {
			return nil, fmt.Errorf("engine %q: want a program after exec", text)
		}
		side.Name = filepath.Base(side.Command[0])
		return nil, nil
	}
	source, commit, err := build.Archive(ctx, ".", text)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(cmd.Root().ErrWriter, "builds %s, commit %.10s, and runs its bench\n", text, commit)
	if _, side.Bench, err = cache.Engine(ctx, source); err != nil {
		return nil, fmt.Errorf("commit %s: %w", text, err)
	}
	side.Source, side.Name = link.Sum(source), fmt.Sprintf("%.10s", commit)
	return source, nil
}

// matchOpenings returns the openings of a match: those of a file in an order that
// the seed decides, or random ones, one for each pair.
func matchOpenings(cmd *cli.Command, pairs int) (fens []string, err error) {
	r := rand.New(rand.NewPCG(cmd.Uint64("seed"), 0))
	if name := cmd.String("openings"); name != "" {
		if fens, err = trainmatch.ReadOpenings(name); err != nil {
			return nil, fmt.Errorf("--openings: %w", err)
		}
		r.Shuffle(len(fens), func(i, j int) { fens[i], fens[j] = fens[j], fens[i] })
		fens = fens[:min(pairs, len(fens))]
		return fens, match.CheckBook(fens)
	}
	share := cmd.Float("chess960")
	if !(share >= 0 && share <= 1) {
		return nil, fmt.Errorf("--chess960 %v: want 0 to 1", share)
	}
	e, err := trainmatch.NewEngine(1, nil)
	if err != nil {
		return nil, err
	}
	for range pairs {
		e.Clear()
		p, err := trainmatch.Opening(r, e.Engine, share)
		if err != nil {
			return nil, err
		}
		fens = append(fens, p.FEN())
	}
	return fens, nil
}
