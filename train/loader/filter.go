package loader

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/tabula-chess/tabula/internal/chance"
	"github.com/tabula-chess/tabula/train/games"
)

// Filter says which positions of a game to keep. The zero Filter keeps all.
type Filter struct {
	MinPly    int  // half-moves of the game that come before the first position kept
	MinPieces int  // a position with fewer pieces, kings included, is dropped
	Quiet     bool // drop positions in check and positions whose best move captures or promotes
}

// DefaultFilter keeps quiet positions, the only ones that a search evaluates. Source:
// the default filter of cosmobobak/viriformat, which also leaves out mate scores.
func DefaultFilter() Filter {
	return Filter{MinPly: 16, MinPieces: 3, Quiet: true}
}

// Keep reports whether the position on b, in which ply was played, is kept.
func (f *Filter) Keep(b *games.Board, ply games.Ply) bool {
	switch {
	case b.Ply() < f.MinPly:
	case f.Quiet && (ply.Move.IsPromotion() || b.IsCapture(ply.Move)):
	case f.MinPieces > 0 && b.Occupied().Count() < f.MinPieces:
	case f.Quiet && b.InCheck():
	default:
		return true
	}
	return false
}

// Part is a share of the games, so that a fit can be judged by games it has
// not seen. A game's part depends on its start position and its moves alone: it is
// the same in every file, form and order, and a game that is there twice is not
// in both parts.
type Part uint8

// The parts.
const (
	All Part = iota
	Training
	HeldOut
)

// has reports whether a game belongs to the part, held being the share of the
// games held out.
func (p Part) has(g games.View, held float64) bool {
	if p == All {
		return true
	}
	start := g.Start()
	buf := append(make([]byte, 0, 1024), start[:]...)
	for i := range g.Plies() {
		buf = binary.LittleEndian.AppendUint16(buf, uint16(g.Ply(i).Move))
	}
	out := float64(crc32.ChecksumIEEE(buf)) < held*(math.MaxUint32+1)
	return out == (p == HeldOut)
}

// selection chooses the samples of a block.
type selection struct {
	options *Options
	result  float64   // weight of the game's result besides, 0 to 1
	chances []float64 // of White, by ply of the game in hand
	endings endings
}

// append appends the samples of a part of a block's games to dst. Errors name
// the game.
func (s *selection) append(dst []games.Sample, b *games.Block, part Part) ([]games.Sample, error) {
	var board games.Board
	number := -1
	for _, g := range b.Games() {
		number++
		if !part.has(g, s.options.Held) {
			continue
		}
		if err := board.Start(g.Start()); err != nil {
			return dst, fmt.Errorf("game %d of the block: %w", number, err)
		}
		s.look(g)
		s.endings.begin()
		for i := range g.Plies() {
			ply := g.Ply(i)
			if s.options.Filter.Keep(&board, ply) {
				dst = append(dst, games.Sample{})
				sample := &dst[len(dst)-1]
				board.Sample(sample, ply.Score, games.Target(s.chances[i]*games.TargetWin+0.5))
				if err := s.endings.know(g, i, sample); err != nil {
					return dst, fmt.Errorf("game %d of the block: %w", number, err)
				}
			}
			if !board.Apply(ply.Move) {
				wrong := &games.PlyError{Ply: i, Move: ply.Move.Chess().String(), Reason: "illegal move"}
				return dst, fmt.Errorf("game %d of the block: %w", number, wrong)
			}
		}
	}
	return dst, nil
}

// look sets chances to the target of every position of a game: a mean of the
// scores from there on and the result, in which each ply weighs Lambda times
// the one before. A game of a single move, which comes from relabel
// and has no result, has the target of its score.
// Source: Sutton, "Learning to Predict by the Methods of Temporal
// Differences", 1988, TD(λ).
func (s *selection) look(g games.View) {
	n, lambda := g.Plies(), s.options.Lambda
	s.chances = slices.Grow(s.chances[:0], n)[:n]
	target := float64(g.Result()) / 2
	for i := n - 1; i >= 0; i-- {
		if lambda < 1 || n == 1 {
			score := chance.Sigmoid(float64(g.Ply(i).Score) / s.options.ScoreScale)
			if n == 1 {
				target = score
			}
			target = float64(lambda*target) + float64((1-lambda)*score)
		}
		s.chances[i] = target
		if n > 1 {
			s.chances[i] += s.result * (float64(g.Result())/2 - target)
		}
	}
}
