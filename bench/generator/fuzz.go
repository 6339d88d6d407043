package generator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/internal/plural"
)

// Fuzzer plays random games and compares the results of all generators, notations and make and unmake in each
// position. A rig sets up one position in all generators; moves.go, text.go and engine.go hold the checks. The
// same seed plays the same games on any number of threads.
type Fuzzer struct {
	Games     int // 0: until the positions are reached
	Positions int // ends after the game that reaches them; 0: no limit
	Seed      uint64
	Chess960  bool   // start from positions of Chess960, double ones too
	Threads   int    // 0: one for each core
	Engine    string // command of a UCI engine that checks one position in engineEvery; "" for none

	gens   []*Generator
	engine *External
}

// engineEvery is the number of positions per position sent to the engine, whose answer takes longer than all
// other checks.
const engineEvery = 8

// Bounds of the length of random games in plies. Short games visit more start positions, long ones more endgames.
const minFuzzPlies, maxFuzzPlies = 20, 120

// opening is a start position and moves from it.
type opening struct {
	root  string
	moves []chess.Move
}

// played is a game with the difference that ended it, nil for none.
type played struct {
	number, positions, asked int // asked: positions sent to the engine
	line                     opening
	diff                     *difference
	err                      error // of the engine
}

// errEnough reports that the positions are reached.
var errEnough = errors.New("enough positions")

// Run plays the games and reports to out, and progress to errOut. A difference is reduced to the shortest failing line
// and is an error. Other errors: a field, which is named, those of the engine and of ctx.
func (f *Fuzzer) Run(ctx context.Context, out, errOut io.Writer) (err error) {
	switch {
	case f.Games < 0:
		return exit.WrongUsef("games: %d is negative", f.Games)
	case f.Positions < 0:
		return exit.WrongUsef("positions: %d is negative", f.Positions)
	case f.Threads < 0:
		return exit.WrongUsef("threads: %d is negative", f.Threads)
	case f.Games == 0 && f.Positions == 0:
		return exit.WrongUsef("games: 0 without --positions would never end")
	}
	if f.gens == nil {
		f.gens = Supported()
	}
	if f.Engine != "" {
		if f.engine, err = StartEngine(ctx, f.Engine); err != nil {
			return err
		}
		defer f.engine.Close()
		if f.Chess960 && !f.engine.Chess960 {
			return fmt.Errorf("engine %s has no option UCI_Chess960", f.Engine)
		}
	}
	most, what := f.Games, "games"
	if most == 0 {
		most, what = f.Positions, "positions"
	}
	bar := command.NewBar(errOut, int64(most), what)
	defer bar.Close()
	start := time.Now()
	games, positions, asked := 0, 0, 0
	numbers := func(yield func(int) bool) {
		for n := 1; (f.Games == 0 || n <= f.Games) && yield(n); n++ {
		}
	}
	err = parallel.InOrder(ctx, cmp.Or(f.Threads, runtime.NumCPU()), numbers, f.game, func(g played) error {
		games, positions, asked = games+1, positions+g.positions, asked+g.asked
		if f.Games > 0 {
			bar.Add(1)
		} else {
			bar.Add(g.positions)
		}
		switch {
		case g.err != nil:
			return g.err
		case g.diff != nil:
			bar.Close()
			short, diff := reduceLine(f.gens, f.engine, g.line, g.diff)
			fmt.Fprintf(out, "game %d: %s", g.number, describeFinding(g.line, short, diff))
			return fmt.Errorf("the generators differ in %s", diff.check)
		case f.Positions > 0 && positions >= f.Positions:
			return errEnough
		}
		return nil
	})
	if err != nil && err != errEnough {
		return err
	}
	bar.Close()
	var names []string
	for _, g := range f.gens {
		names = append(names, g.Name)
	}
	fmt.Fprintf(out, "no difference in %s of %s (seed %d, %.1f s) between %s\n",
		plural.Of(positions, "position"), plural.Of(games, "game"), f.Seed, time.Since(start).Seconds(),
		strings.Join(names, ", "))
	if f.engine != nil {
		fmt.Fprintf(out, "no difference from %s in %s, perft 1 and 2\n", f.Engine, plural.Of(asked, "position"))
	}
	return nil
}

// game plays the game with a number and checks each position.
func (f *Fuzzer) game(number int) played {
	random := rand.New(rand.NewPCG(f.Seed, uint64(number)))
	g := played{number: number, line: opening{root: randomStart(random, f.Chess960)}}
	// The checks must not change which moves are played.
	r, err := newRig(f.gens, g.line.root, rand.New(rand.NewPCG(uint64(number), f.Seed)))
	if err != nil {
		g.diff = refusal(g.line, err)
		return g
	}
	for range minFuzzPlies + random.IntN(maxFuzzPlies-minFuzzPlies) {
		r.engine = nil
		if g.positions++; f.engine != nil && (number+g.positions)%engineEvery == 0 {
			g.asked++
			r.engine = f.engine
		}
		if g.diff, g.err = r.check(), r.err; g.diff != nil || g.err != nil || len(r.legal) == 0 ||
			r.p.InsufficientMaterial() {
			return g
		}
		m := r.choose(random)
		g.line.moves = append(g.line.moves, m)
		if err := r.play(m); err != nil {
			g.diff = refusal(g.line, err)
			return g
		}
	}
	return g
}

// refusal is the difference of a generator that refuses a position.
func refusal(l opening, err error) *difference {
	return &difference{
		check: "set-up", fen: l.root, names: [2]string{"generator", "expected"}, answers: [2]string{err.Error(), "no error"},
	}
}

// choose picks a random move and prefers rare kinds.
func (r *rig) choose(random *rand.Rand) chess.Move {
	if random.IntN(10) == 0 {
		return r.legal[random.IntN(len(r.legal))]
	}
	sum := 0
	for i := range r.legal {
		sum += r.weight(i)
	}
	n := random.IntN(sum)
	for i, m := range r.legal {
		if n -= r.weight(i); n < 0 {
			return m
		}
	}
	return r.legal[0] // not reached: the weights add up to sum
}

// weight returns the weight of the i-th legal move, at least 1.
func (r *rig) weight(i int) int {
	m, result := r.legal[i], r.outcomes[i]
	switch {
	case result.replies == 0 && !result.check:
		return 100 // stalemate
	case m.Kind() == chess.Castling:
		return 80
	case m.Kind() == chess.EnPassant, result.double:
		return 100
	case m.Kind() == chess.Promotion:
		return 8
	case result.check:
		return 10
	}
	us, to := r.p.SideToMove(), m.To()
	pc := r.p.Piece(m.From()).Type()
	switch {
	case pc == chess.Pawn && m.From()^to == 16 && chess.PawnAttacks(us, to^8)&r.p.Pieces(us.Other(), chess.Pawn) != 0:
		return 40 // en passant comes next
	case (pc == chess.King || pc == chess.Rook) && r.p.Castling() != chess.NoCastling:
		return 1
	case result.pin:
		return 8
	case r.p.Piece(to) != chess.NoPiece:
		return 5
	case pc == chess.Pawn:
		return 5
	}
	return 3
}
