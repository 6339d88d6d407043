package inspect

import (
	"math"
	"testing"
)

// TestScoreScale makes results by a known scale and finds it again.
func TestScoreScale(t *testing.T) {
	for _, want := range []int{60, 130, 400} {
		scores, halves := make([]int, scoreBars), make([]int, scoreBars)
		for i := 1; i < scoreBars-1; i++ {
			score := float64((i-1)*ScoreStep - ScoreEdge + ScoreStep/2)
			scores[i] = 100000
			halves[i] = int(math.Round(200000 / (1 + math.Exp(-score/float64(want)))))
		}
		if got := scoreScale(scores, halves); got < want-1 || got > want+1 {
			t.Errorf("scale %d, want %d", got, want)
		}
	}
	if got := scoreScale(make([]int, scoreBars), make([]int, scoreBars)); got != 0 {
		t.Errorf("scale %d without positions, want 0", got)
	}
}
