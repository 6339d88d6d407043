package record

import (
	"math/bits"
	"sync"
)

// mateEdge is the least absolute score that stands for a mate.
const mateEdge = 31744

// scale is the scores that a file keeps, by level: level 0 is a score of 0, the
// others are numbered outwards, negative ones for Black.
type scale struct {
	values []int16 // by level from 0 up
	levels []int16 // by absolute score
}

// scoreScale returns the one scale. Neighbours are 2 centipawns and the 26,000th
// part of the square of the score apart, but never more than an eighth of it. That
// is a 255th of a chance of winning, or less, where 150 centipawns are odds of e to
// one. All mate scores are kept. The scale is part of the format.
var scoreScale = sync.OnceValue(func() *scale {
	s := &scale{levels: make([]int16, 1<<15)}
	for v := 0; v < mateEdge; v += 2 + min(v*v/26000, v/8) {
		s.values = append(s.values, int16(v))
	}
	edge := len(s.values)
	for v := mateEdge; v < len(s.levels); v++ {
		s.values = append(s.values, int16(v))
	}
	level := 0
	for v := range s.levels {
		switch {
		case v >= mateEdge:
			level = edge + v - mateEdge
		case level+1 < edge && 2*v > int(s.values[level])+int(s.values[level+1]):
			level++
		}
		s.levels[v] = int16(level)
	}
	return s
})

// level returns the level of a score.
func (s *scale) level(score int16) int {
	if score < 0 {
		return -int(s.levels[min(-int(score), len(s.levels)-1)])
	}
	return int(s.levels[score])
}

// score returns the score of a level, false where there is none.
func (s *scale) score(level int) (score int16, ok bool) {
	size := max(level, -level)
	switch {
	case size >= len(s.values):
		return 0, false
	case level < 0:
		return -s.values[size], true
	}
	return s.values[size], true
}

// The kinds of the move that led to a position.
const (
	kindQuiet = iota
	kindCapture
	kindEvasion // from check
	kinds
)

// scoreModel predicts scores from the last one and its change.
type scoreModel struct {
	scale     *scale
	changes   [9][9][kinds][64]odds // length and sign, by swing, size of the last and kind
	digits    numbers
	last, old int // levels of the two plies before, White's view
}

// forget begins a block.
func (m *scoreModel) forget() {
	m.scale = scoreScale()
	for i := range m.changes {
		for j := range m.changes[i] {
			for k := range m.changes[i][j] {
				forget(m.changes[i][j][k][:])
			}
		}
	}
	m.digits.forget()
}

// begin begins a game.
func (m *scoreModel) begin() { m.last, m.old = 0, 0 }

// code codes a score of White's view and returns it with its change for the side
// to move, in levels; ok is false for what no writer writes.
func (m *scoreModel) code(c *coder, score int16, black bool, kind int) (got int16, change int, ok bool) {
	swing := m.last - m.old
	if !c.reading {
		change = m.scale.level(score) - m.last
	}
	if black {
		swing, change = -swing, -change
	}
	size := max(change, -change)
	symbol := bits.Len32(uint32(size)) << 1
	if change < 0 {
		symbol |= 1
	}
	symbol = c.tree(symbol, 6, m.changes[zone(swing)][magnitude(m.last)][kind][:])
	change = m.digits.rest(c, size, symbol>>1)
	if symbol&1 != 0 {
		change = -change
	}
	level := m.last + change
	if black {
		level = m.last - change
	}
	m.old, m.last = m.last, level
	got, ok = m.scale.score(level)
	return got, change, ok
}

// zone returns a number from 0 to 8 for a swing of the score.
func zone(v int) int {
	n := min(bits.Len32(uint32(max(v, -v)+1)>>1), 4)
	if v < 0 {
		return 4 - n
	}
	return 4 + n
}

// magnitude returns a number from 0 to 8 for a level.
func magnitude(v int) int { return min(bits.Len32(uint32(max(v, -v))), 8) }

// Round returns a score as a file stores it.
func Round(score int16) int16 {
	s := scoreScale()
	rounded, _ := s.score(s.level(score))
	return rounded
}
