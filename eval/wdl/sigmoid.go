package wdl

import "math"

// Sigmoid returns 1/(1+e^-x), the same bits on every processor.
func Sigmoid(x float64) float64 { return 1 / (1 + exp(-x)) }

// exp returns e^x to about 15 digits, ±700 at the most. It is here because
// math.Exp is assembly on some processors and does not give the same bits
// everywhere. x is split into k·ln 2 + r with |r| ≤ ln 2/2, e^r is its Taylor
// sum; the conversions keep products from being fused with sums.
func exp(x float64) float64 {
	x = max(-700, min(700, x))
	k := math.Floor(float64(x*math.Log2E) + 0.5)
	r := x - float64(k*math.Ln2)
	sum := taylor[0]
	for _, c := range taylor[1:] {
		sum = c + float64(sum*r)
	}
	return math.Ldexp(sum, int(k))
}

// taylor is the coefficients of e^x, 1/n!, from the last to the first.
var taylor = [...]float64{
	1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
	1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1, 1,
}
