package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// startsCommand compares the start positions of Chess960 with an engine.
func startsCommand() *cli.Command {
	return &cli.Command{
		Name:  "starts",
		Usage: "count the start positions of Chess960 and compare with a UCI engine, move by move",
		Description: "Every generator that plays Chess960 counts each of the 960 start positions, or each of a random\n" +
			"sample, and is held against the go perft of the engine. With --double the sides have different\n" +
			"start positions (DFRC), drawn at random. Differences are printed and the exit code is then 1.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "engine", Value: "stockfish", Usage: "compare with the go perft of a UCI engine, run by `COMMAND`"},
			&cli.IntFlag{Name: "depth", Value: 4, Usage: "depth in `PLIES`"},
			&cli.IntFlag{Name: "sample", Usage: "take `N` start positions at random; 0 means all"},
			&cli.BoolFlag{Name: "double", Usage: "draw the start positions of White and Black apart; needs --sample"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the sample"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 0 {
				return fmt.Errorf("starts: unexpected argument %q", cmd.Args().First())
			}
			s := startsRun{depth: cmd.Int("depth"), double: cmd.Bool("double"), out: cmd.Root().Writer}
			if s.depth < 1 || s.depth > movegen.MaxPerftDepth {
				return fmt.Errorf("depth: %d is not between 1 and %d", s.depth, movegen.MaxPerftDepth)
			}
			pairs, err := drawStarts(cmd.Int("sample"), s.double, cmd.Uint64("seed"))
			if err != nil {
				return err
			}
			if s.engine, err = startEngine(ctx, cmd.String("engine")); err != nil {
				return err
			}
			defer s.engine.Close()
			if !s.engine.chess960 {
				return fmt.Errorf("engine %s: it has no option UCI_Chess960", s.engine.command)
			}
			for _, g := range supportedGenerators() {
				if g.chess960 {
					s.gens = append(s.gens, g)
				}
			}
			return s.compare(ctx, pairs, cmd.Root().ErrWriter)
		},
	}
}

// startPair is a start position: the numbers of White's and Black's rank.
type startPair struct{ white, black int }

func (s startPair) String() string {
	if s.white == s.black {
		return fmt.Sprintf("start %d", s.white)
	}
	return fmt.Sprintf("start %d against %d", s.white, s.black)
}

// drawStarts returns n different start positions in order, all where n is 0.
func drawStarts(n int, double bool, seed uint64) ([]startPair, error) {
	all := chess.Chess960Starts
	switch {
	case double:
		all *= chess.Chess960Starts
		if n == 0 {
			return nil, fmt.Errorf("double: there are %d pairs of start positions: give a --sample", all)
		}
	case n == 0:
		n = all
	}
	if n < 0 || n > all {
		return nil, fmt.Errorf("sample: %d is not between 0 and %d", n, all)
	}
	var pairs []startPair
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(all)[:n] {
		if double {
			pairs = append(pairs, startPair{i / chess.Chess960Starts, i % chess.Chess960Starts})
		} else {
			pairs = append(pairs, startPair{i, i})
		}
	}
	slices.SortFunc(pairs, func(a, b startPair) int {
		return (a.white-b.white)*chess.Chess960Starts + a.black - b.black
	})
	return pairs, nil
}

// startsRun is a comparison of start positions.
type startsRun struct {
	gens   []*generator
	engine *engine
	depth  int
	double bool
	out    io.Writer
}

// compare counts every start position, prints what differs and the total.
func (s *startsRun) compare(ctx context.Context, pairs []startPair, errOut io.Writer) error {
	bar := newProgress(errOut, int64(len(pairs)), "positions")
	defer bar.Close()
	nodes, wrong := uint64(0), 0
	for _, pair := range pairs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n, same, err := s.start(pair)
		if err != nil {
			return fmt.Errorf("%v: %w", pair, err)
		}
		nodes += n
		if !same {
			wrong++
		}
		bar.Add(1)
	}
	if wrong > 0 {
		return &wrongError{fmt.Sprintf("%d of %d start positions are counted otherwise by %s", wrong, len(pairs), s.engine.name)}
	}
	var names []string
	for _, g := range s.gens {
		names = append(names, g.name)
	}
	kind := "Chess960"
	if s.double {
		kind = "double Chess960"
	}
	_, err := fmt.Fprintf(s.out, "no difference in %d start positions of %s at depth %d, %d nodes, between %s and %s\n",
		len(pairs), kind, s.depth, nodes, s.engine.name, strings.Join(names, ", "))
	return err
}

// start compares one start position. It returns the engine's count and whether
// all generators have the same.
func (s *startsRun) start(pair startPair) (nodes uint64, same bool, err error) {
	p, err := chess.NewDoubleChess960(pair.white, pair.black)
	if err != nil {
		return 0, false, err
	}
	theirs, err := s.engine.divide(p, s.depth)
	if err != nil {
		return 0, false, err
	}
	for _, n := range theirs {
		nodes += n
	}
	same = true
	for _, g := range s.gens {
		b, err := g.Open(p.FEN())
		if err != nil {
			return 0, false, err
		}
		ours := divideBoard(b, s.depth)
		if maps.Equal(ours, theirs) {
			continue
		}
		same = false
		fmt.Fprintf(s.out, "%v: %s\n%s", pair, p.FEN(), describeDivides(g.name, ours, s.engine.name, theirs))
	}
	return nodes, same, nil
}

// divideBoard counts by root move, as text with castling as king takes rook.
func divideBoard(b board, depth int) map[string]uint64 {
	counts := map[string]uint64{}
	for _, m := range b.Legal(nil) {
		b.Make(m)
		counts[m.String()] = b.Perft(depth - 1)
		b.Unmake()
	}
	return counts
}

// describeDivides lists the moves whose counts differ, a line each.
func describeDivides(a string, ours map[string]uint64, b string, theirs map[string]uint64) string {
	text := func(counts map[string]uint64, m string) string {
		n, ok := counts[m]
		if !ok {
			return "no such move"
		}
		return fmt.Sprint(n)
	}
	moves := maps.Clone(ours)
	maps.Copy(moves, theirs)
	var sb strings.Builder
	for _, m := range slices.Sorted(maps.Keys(moves)) {
		if x, y := text(ours, m), text(theirs, m); x != y {
			fmt.Fprintf(&sb, "  %s: %s %s, %s %s\n", m, a, x, b, y)
		}
	}
	return sb.String()
}
