package record

import "sync"

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

// Round returns a score as a file stores it.
func Round(score int16) int16 {
	s := scoreScale()
	rounded, _ := s.score(s.level(score))
	return rounded
}
