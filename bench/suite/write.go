package suite

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/bench/starts"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/movegen"
)

// Writer writes a suite.
type Writer struct {
	Positions int            // written
	Seed      uint64         // of the random positions
	Chess960  bool           // positions with castling rights that only Chess960 knows
	MaxNodes  uint64         // a position's depths end before the first count above it
	Depth     int            // at most
	Engine    *oracle.Engine // counts; nil: the reference generators do, which must agree
	Command   string         // that makes the suite, for its head
}

// WriteTo writes the suite to a file, or to out where no file is named.
func (s *Writer) WriteTo(ctx context.Context, name string, out, errOut io.Writer) error {
	if name == "" {
		return s.write(ctx, out, errOut)
	}
	return files.WriteWith(name, func(w io.Writer) error { return s.write(ctx, w, errOut) })
}

// write writes the suite with what made it in comment lines.
func (s *Writer) write(ctx context.Context, out, errOut io.Writer) error {
	kind, counter := "standard chess", "the generators mailbox, x88 and rays, which agree"
	if s.Chess960 {
		kind = "Chess960"
	}
	if s.Engine != nil {
		counter = s.Engine.Name
	}
	if _, err := fmt.Fprintf(out, "# %d random positions of %s, counted by %s. Made by\n# %s\n", s.Positions, kind, counter, s.Command); err != nil {
		return err
	}
	bar := command.NewBar(errOut, int64(s.Positions), "positions")
	defer bar.Close()
	seen := map[string]bool{}
	for game := uint64(1); len(seen) < s.Positions; game++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p := s.position(rand.New(rand.NewPCG(s.Seed, game)))
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
func (s *Writer) position(random *rand.Rand) *chess.Position {
	p, err := chess.ParseFEN(starts.Random(random, s.Chess960))
	if err != nil {
		return nil
	}
	plies := 30
	if s.Chess960 {
		plies = 12
	}
	movegen.RandomWalk(p, random, random.IntN(plies))
	if !p.HasLegalMove() || p.Chess960() != s.Chess960 {
		return nil
	}
	return p
}

// counts returns the perft of depths 1, 2, … while it does not exceed the
// limit; the first is always there.
func (s *Writer) counts(p *chess.Position) ([]uint64, error) {
	var counts []uint64
	for depth := 1; depth <= s.Depth; depth++ {
		n, err := s.count(p, depth)
		if err != nil {
			return nil, err
		}
		if depth > 1 && n > s.MaxNodes {
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
func (s *Writer) count(p *chess.Position, depth int) (uint64, error) {
	if s.Engine != nil {
		divided, err := s.Engine.Divide(p, depth)
		var sum uint64
		for _, n := range divided {
			sum += n
		}
		return sum, err
	}
	var first uint64
	for i, name := range []string{"mailbox", "x88", "rays"} {
		g, err := generator.Find(name)
		if err != nil {
			return 0, err
		}
		n, err := g.Perft(p.FEN(), depth)
		if err != nil {
			return 0, err
		}
		if i > 0 && n != first {
			return 0, fmt.Errorf("%s: perft %d is %d by mailbox and %d by %s", p, depth, first, n, name)
		}
		first = n
	}
	return first, nil
}
