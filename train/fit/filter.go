package fit

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/record"
)

// Quiet reports whether p, in which m was played, is worth fitting to: after the opening, not in check, and with a
// best move that neither captures nor promotes, because a search evaluates no other positions. Source: the default
// filter of cosmobobak/viriformat, which also drops mate scores.
func Quiet(p *chess.Position, m chess.Move) bool {
	const minPly, minPieces = 16, 3
	return 2*(p.FullmoveNumber()-1)+int(p.SideToMove()) >= minPly && p.Occupied().Count() >= minPieces &&
		!p.InCheck() && !p.IsTactical(m)
}

// parts are the samples of a block.
type parts struct {
	training, held []Sample
}

// selection chooses the samples of blocks, for one goroutine.
type selection struct {
	options  *LoadOptions
	factors  *Factors
	position chess.Position
	scores   []int16   // multiplied by the factors, by ply of the game in hand
	targets  []float64 // of White, by ply
	waiting  []waiting // samples of the game that have no target yet
}

// waiting is the place of a sample and the ply whose target it gets.
type waiting struct{ sample, ply int }

// block returns the samples of a block.
func (s *selection) block(b *record.Block) (to parts, err error) {
	for _, g := range b.Games() {
		dst := &to.training
		if Holds(g, s.options.Held) {
			dst = &to.held
		}
		s.scores, s.waiting = s.scores[:0], s.waiting[:0]
		err := g.Verify(&s.position, func(p *chess.Position, ply record.Ply) {
			score := s.factors.multiply(ply.Score, p.Occupied().Count())
			if s.options.All || Quiet(p, ply.Move) {
				sample := newSample(p, score, 0)
				if !s.settle(p, &sample) {
					s.waiting = append(s.waiting, waiting{len(*dst), len(s.scores)})
				}
				*dst = append(*dst, sample)
			}
			s.scores = append(s.scores, score)
		})
		if err != nil {
			return to, err
		}
		s.look(g)
		for _, w := range s.waiting {
			(*dst)[w.sample].Target = uint8(s.targets[w.ply]*targetWin + 0.5)
		}
	}
	return to, nil
}

// Holds reports whether a game is among the share of games that are held out, so that a fit is judged by games
// it has not seen. That depends on start position and moves alone: it is the same in every file and order, and a game
// that is there twice is not in both parts. A larger share has the games of a smaller one too.
func Holds(g *record.ScoredGame, share float64) bool {
	buf := append(make([]byte, 0, 1024), g.Start[:]...)
	for _, ply := range g.Plies {
		buf = binary.LittleEndian.AppendUint16(buf, record.MoveBits(ply.Move))
	}
	return float64(crc32.ChecksumIEEE(buf)) < share*(math.MaxUint32+1)
}

// look sets targets to the target of every position of a game: a mean of the
// scores from there on and the result, in which each ply weighs Lambda times
// the one before. A game of a single move, which has no result, has the target of its score.
// Source: Sutton, "Learning to Predict by the Methods of Temporal
// Differences", 1988, TD(λ).
func (s *selection) look(g *record.ScoredGame) {
	n, lambda := len(s.scores), s.options.Lambda
	s.targets = slices.Grow(s.targets[:0], n)[:n]
	target := float64(g.Result()) / 2
	for i := n - 1; i >= 0; i-- {
		score := wdl.Sigmoid(float64(s.scores[i]) / s.options.ScoreScale)
		if n == 1 {
			target = score
		}
		target = float64(lambda*target) + float64((1-lambda)*score)
		s.targets[i] = target
	}
}

// certain is the score of a position that is known to be won.
const certain = math.MaxInt16

// settle sets score and target of a position that the tables know, and reports whether they do. A win that the
// fifty-move rule takes away is a draw.
func (s *selection) settle(p *chess.Position, to *Sample) bool {
	t := s.options.Tables
	if t == nil || p.Occupied().Count() > t.Pieces() {
		return false
	}
	wdl, err := t.WDL(p)
	if err != nil {
		return false // there is no table, or a right to castle
	}
	to.Score, to.Target = 0, resultTarget(record.Draw)
	if wdl == syzygy.Win || wdl == syzygy.Loss {
		to.Score, to.Target = certain, resultTarget(record.WhiteWins)
		if (wdl == syzygy.Win) != (p.SideToMove() == chess.White) {
			to.Score, to.Target = -certain, resultTarget(record.BlackWins)
		}
	}
	return true
}
