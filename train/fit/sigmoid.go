package fit

import "math"

// sigmoid returns 1/(1+e^-x).
func sigmoid(x float64) float64 { return 1 / (1 + exp(-x)) }

// exp returns e^x to about 15 digits, ±700 at the most. It is here because
// math.Exp is assembly on some processors and does not give the same bits
// everywhere. x is split into k·ln 2 + r with |r| ≤ ln 2/2, e^r is its Taylor
// sum; the conversions keep products from being fused with sums.
func exp(x float64) float64 {
	x = max(-700, min(700, x))
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*math.Ln2)
	sum := 1.0
	for n := 13.0; n > 0; n-- {
		sum = 1 + float64(sum*r)/n
	}
	return math.Ldexp(sum, int(k))
}
