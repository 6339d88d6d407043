package fit

import (
	"context"
	"iter"
	"math"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/train/record"
)

// Factors multiply the scores of games, by [eighth] of the pieces, so that they say how the games end. A young network
// is far too modest in endings: it gives a pawn ahead as a few centipawns, although that wins most games. Unchanged,
// its scores would teach the next network the same.
type Factors [8]float64

// eighth returns the index in [Factors] for a number of pieces, kings included. A network with eight output buckets
// divides positions in the same way.
func eighth(pieces int) int { return eighths.OutputBucket(pieces) }

var eighths = nnue.Shape{Outputs: len(Factors{})}

const (
	decided         = 2000   // centipawns; such a score is not multiplied, and says nothing about the factor
	calibrateBlocks = 64     // blocks of all files together that are looked at, but at least one of each file
	fewPositions    = 10_000 // with less in an eighth its factor is 1
	leastFactor     = 1.0 / 8
	mostFactor      = 32.0
)

// multiply returns a score in a position with the given number of pieces as the results mean it.
func (f *Factors) multiply(score int16, pieces int) int16 {
	if score <= -decided || score >= decided {
		return score
	}
	const most = math.MaxInt16 / 2
	return int16(max(-most, min(most, math.Round(float64(score)*f[eighth(pieces)]))))
}

// tally counts the positions and the half points of White by score.
type tally [2*decided + 1]struct{ positions, halves int64 }

// calibrate returns the factors with which the scores in the files predict the results best: for each eighth the one
// that makes the results most likely. It passes over what it cannot read; [Load] reports that.
func calibrate(ctx context.Context, names []string, scale float64) (all Factors, err error) {
	var tallies [len(all)]tally
	var p chess.Position
	for _, name := range names {
		for g := range firstGames(name, max(1, calibrateBlocks/len(names))) {
			if err := ctx.Err(); err != nil {
				return all, err
			}
			if len(g.Plies) == 1 {
				continue // it has no result
			}
			_ = g.Verify(&p, func(p *chess.Position, ply record.Ply) {
				if ply.Score > -decided && ply.Score < decided {
					at := &tallies[eighth(p.Occupied().Count())][int(ply.Score)+decided]
					at.positions++
					at.halves += int64(g.Result())
				}
			})
		}
	}
	for i := range all {
		all[i] = tallies[i].factor(scale)
	}
	return all, nil
}

// firstGames yields the games of the first blocks of a file, without the blocks that cannot be read.
func firstGames(name string, blocks int) iter.Seq[*record.ScoredGame] {
	return func(yield func(*record.ScoredGame) bool) {
		f, err := record.Open(name)
		if err != nil {
			return
		}
		defer f.Close()
		var b record.Block
		for i := range min(blocks, len(f.Entries)) {
			if f.Read(i, &b) != nil {
				continue
			}
			for _, g := range b.Games() {
				if !yield(g) {
					return
				}
			}
		}
	}
}

// factor returns the factor for scores, in 64ths so that it does not depend on the last bits of sums.
func (t *tally) factor(scale float64) float64 {
	positions := int64(0)
	for i := range t {
		positions += t[i].positions
	}
	if positions < fewPositions {
		return 1
	}
	low, high := leastFactor, mostFactor
	for range 24 {
		middle := (low + high) / 2
		if t.slope(middle, scale) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Round(low*64) / 64
}

// slope returns the derivative of the logarithm of the likelihood by the factor; it falls as the factor rises.
func (t *tally) slope(factor, scale float64) (sum float64) {
	for i := range t {
		if n := t[i].positions; n > 0 {
			x := float64(i-decided) / scale
			sum += float64(x * (float64(t[i].halves)/2 - float64(float64(n)*wdl.Sigmoid(factor*x))))
		}
	}
	return sum
}
