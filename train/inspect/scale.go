package inspect

import "math"

// Bounds of the scales that scoreScale looks at.
const leastScale, mostScale = 20, 1000

// scoreScale returns the k for which 1/(1+exp(-score/k)) comes closest to the
// results, by squares, from positions and White's half points by bar of score;
// 0 where there are too few to tell. It is what "fit --score-scale" asks for.
func scoreScale(scores, halves []int) int {
	best, bestError, games := 0, math.Inf(1), 0
	for k := leastScale; k <= mostScale; k++ {
		sum := 0.0
		games = 0
		for i := 1; i < len(scores)-1; i++ {
			score := float64((i-1)*ScoreStep - ScoreEdge + ScoreStep/2)
			chance := 1 / (1 + math.Exp(-score/float64(k)))
			// The sum of (chance - result)², without the results' squares,
			// which do not depend on k.
			sum += float64(scores[i])*chance*chance - chance*float64(halves[i])
			games += scores[i]
		}
		if sum < bestError {
			best, bestError = k, sum
		}
	}
	if games < 1000 || best == leastScale || best == mostScale {
		return 0
	}
	return best
}
