package starts

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
)

// Pair is a start position: the numbers of White's and Black's rank.
type Pair struct{ white, black int }

// String returns the numbers as a reader knows them.
func (s Pair) String() string {
	if s.white == s.black {
		return fmt.Sprintf("start %d", s.white)
	}
	return fmt.Sprintf("start %d against %d", s.white, s.black)
}

// Draw returns n different start positions in order, all where n is 0.
func Draw(n int, double bool, seed uint64) ([]Pair, error) {
	all := chess.Chess960Starts
	switch {
	case double:
		all *= chess.Chess960Starts
		if n == 0 {
			return nil, command.WrongUsef("double: there are %d pairs of start positions: give a --sample", all)
		}
	case n == 0:
		n = all
	}
	if n < 0 || n > all {
		return nil, command.WrongUsef("sample: %d is not between 0 and %d", n, all)
	}
	var pairs []Pair
	for _, i := range rand.New(rand.NewPCG(seed, 0)).Perm(all)[:n] {
		if double {
			pairs = append(pairs, Pair{i / chess.Chess960Starts, i % chess.Chess960Starts})
		} else {
			pairs = append(pairs, Pair{i, i})
		}
	}
	slices.SortFunc(pairs, func(a, b Pair) int {
		return (a.white-b.white)*chess.Chess960Starts + a.black - b.black
	})
	return pairs, nil
}

// Comparison is a comparison of start positions.
type Comparison struct {
	Generators []*generator.Generator // all of which play Chess960
	Engine     *oracle.Engine         // with UCI_Chess960
	Depth      int                    // in plies
	Double     bool                   // the sides have different starts; only said in the report
	Out        io.Writer              // for differences and the total
}

// Compare counts every start position, prints what differs and the total.
func (s *Comparison) Compare(ctx context.Context, pairs []Pair, errOut io.Writer) error {
	bar := command.NewBar(errOut, int64(len(pairs)), "positions")
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
		return fmt.Errorf("%d of %d start positions are counted otherwise by %s", wrong, len(pairs), s.Engine.Name)
	}
	var names []string
	for _, g := range s.Generators {
		names = append(names, g.Name)
	}
	kind := "Chess960"
	if s.Double {
		kind = "double Chess960"
	}
	_, err := fmt.Fprintf(s.Out, "no difference in %d start positions of %s at depth %d, %d nodes, between %s and %s\n",
		len(pairs), kind, s.Depth, nodes, s.Engine.Name, strings.Join(names, ", "))
	return err
}

// start compares one start position. It returns the engine's count and whether
// all generators have the same.
func (s *Comparison) start(pair Pair) (nodes uint64, same bool, err error) {
	p, err := chess.NewDoubleChess960(pair.white, pair.black)
	if err != nil {
		return 0, false, err
	}
	theirs, err := s.Engine.Divide(p, s.Depth)
	if err != nil {
		return 0, false, err
	}
	for _, n := range theirs {
		nodes += n
	}
	same = true
	for _, g := range s.Generators {
		b, err := g.Open(p)
		if err != nil {
			return 0, false, err
		}
		ours := divideBoard(b, s.Depth)
		if maps.Equal(ours, theirs) {
			continue
		}
		same = false
		fmt.Fprintf(s.Out, "%v: %s\n%s", pair, p.FEN(), describeDivides(g.Name, ours, s.Engine.Name, theirs))
	}
	return nodes, same, nil
}

// divideBoard counts by root move, as text with castling as king takes rook.
func divideBoard(b generator.Board, depth int) map[string]uint64 {
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
