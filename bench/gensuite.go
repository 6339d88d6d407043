package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// generateSuiteCommand writes a perft suite of random positions.
func generateSuiteCommand() *cli.Command {
	return &cli.Command{
		Name:  "generate-suite",
		Usage: "write a perft suite of random positions, counted by the reference generators or a UCI engine",
		Description: "The positions are those after some random moves from known positions, random set-ups and, with\n" +
			"--chess960, start positions of Chess960. In standard chess all reference generators count them\n" +
			"and must agree; Chess960 needs --engine. The same arguments write the same positions.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "positions", Value: 200, Usage: "write `N` positions"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the random positions"},
			&cli.BoolFlag{Name: "chess960", Usage: "positions with castling rights that only Chess960 knows"},
			&cli.Uint64Flag{Name: "max-nodes", Value: 300_000, Usage: "count to the depth before the first count above `N`, at most to --depth"},
			&cli.IntFlag{Name: "depth", Value: 6, Usage: "count to `DEPTH`"},
			&cli.StringFlag{Name: "engine", Usage: "count with the go perft of a UCI engine, run by `COMMAND`"},
			&cli.StringFlag{Name: "out", Usage: "write to `FILE` (default: the terminal)"},
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			s := suiteWriter{
				positions: cmd.Int("positions"), seed: cmd.Uint64("seed"), chess960: cmd.Bool("chess960"),
				maxNodes: cmd.Uint64("max-nodes"), depth: cmd.Int("depth"),
			}
			switch command := cmd.String("engine"); {
			case cmd.NArg() > 0:
				return fmt.Errorf("generate-suite: unexpected argument %q", cmd.Args().First())
			case s.positions < 1:
				return fmt.Errorf("positions: %d, want at least 1", s.positions)
			case s.depth < 1:
				return fmt.Errorf("depth: %d, want at least 1", s.depth)
			case command != "":
				e, err := startEngine(ctx, command)
				if err != nil {
					return err
				}
				defer e.Close()
				s.engine = e
			case s.chess960:
				return fmt.Errorf("generate-suite: the reference generators do not play Chess960: give an --engine")
			}
			s.command = "go run ./bench generate-suite " + strings.Join(givenFlags(cmd), " ")
			return s.writeTo(ctx, cmd.String("out"), cmd.Root().Writer, cmd.Root().ErrWriter)
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
		case name == "chess960":
			words = append(words, "--"+name)
		default:
			words = append(words, fmt.Sprintf("--%s %v", name, flag.Get()))
		}
	}
	return words
}

// suiteWriter writes a suite.
type suiteWriter struct {
	positions int
	seed      uint64
	chess960  bool
	maxNodes  uint64
	depth     int
	engine    *engine
	command   string
}

// writeTo writes the suite to a file, or to out where no file is named.
func (s *suiteWriter) writeTo(ctx context.Context, name string, out, errOut io.Writer) error {
	if name == "" {
		return s.write(ctx, out, errOut)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := s.write(ctx, file, errOut); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// write writes the suite with what made it in comment lines.
func (s *suiteWriter) write(ctx context.Context, out, errOut io.Writer) error {
	kind, counter := "standard chess", "the generators mailbox, x88 and rays, which agree"
	if s.chess960 {
		kind = "Chess960"
	}
	if s.engine != nil {
		counter = s.engine.name
	}
	if _, err := fmt.Fprintf(out, "# %d random positions of %s, counted by %s. Made by\n# %s\n", s.positions, kind, counter, s.command); err != nil {
		return err
	}
	bar := newProgress(errOut, int64(s.positions), "positions")
	defer bar.Close()
	seen := map[string]bool{}
	for game := uint64(1); len(seen) < s.positions; game++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p := s.position(rand.New(rand.NewPCG(s.seed, game)))
		if p == nil || seen[p.FEN()] {
			continue
		}
		seen[p.FEN()] = true
		counts, err := s.counts(p)
		if err != nil {
			return err
		}
		fmt.Fprint(out, p.FEN())
		for i, n := range counts {
			fmt.Fprintf(out, " ;D%d %d", i+1, n)
		}
		if _, err := fmt.Fprintln(out); err != nil {
			return err
		}
		bar.Add(1)
	}
	return nil
}

// position returns a position some random moves into a game, nil where the
// game is over before or has lost the castling rights that are asked for.
func (s *suiteWriter) position(random *rand.Rand) *chess.Position {
	p, err := chess.ParseFEN(randomStart(random, s.chess960))
	if err != nil {
		return nil
	}
	plies := 30
	if s.chess960 {
		plies = 12
	}
	for range random.IntN(plies) {
		legal := movegen.Legal(p, nil)
		if len(legal) == 0 {
			return nil
		}
		slices.Sort(legal) // so that the generator's order does not matter
		p.Make(legal[random.IntN(len(legal))])
	}
	if !p.HasLegalMove() || p.Chess960() != s.chess960 {
		return nil
	}
	return p
}

// counts returns the perft of depths 1, 2, … while it does not exceed the
// limit; the first is always there.
func (s *suiteWriter) counts(p *chess.Position) ([]uint64, error) {
	var counts []uint64
	for depth := 1; depth <= s.depth; depth++ {
		n, err := s.count(p, depth)
		if err != nil {
			return nil, err
		}
		if depth > 1 && n > s.maxNodes {
			break
		}
		counts = append(counts, n)
		if n == 0 {
			break
		}
	}
	return counts, nil
}

// count asks the engine, or all reference generators.
func (s *suiteWriter) count(p *chess.Position, depth int) (uint64, error) {
	if s.engine != nil {
		divided, err := s.engine.divide(p, depth)
		var sum uint64
		for _, n := range divided {
			sum += n
		}
		return sum, err
	}
	var first uint64
	for i, name := range []string{"mailbox", "x88", "rays"} {
		g, err := findGenerator(name)
		if err != nil {
			return 0, err
		}
		n, err := g.Perft(p.FEN(), depth)
		if err != nil {
			return 0, err
		}
		if i > 0 && n != first {
			return 0, &wrongError{fmt.Sprintf("%s: perft %d is %d by mailbox and %d by %s", p, depth, first, n, name)}
		}
		first = n
	}
	return first, nil
}
