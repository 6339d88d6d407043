package wdl

import (
	"math"
	"testing"
)

func TestSigmoid(t *testing.T) {
	for x := -40.0; x <= 40; x += 0.037 {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-14*want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-1e9, -800, 0, 800, 1e9} {
		if p := Sigmoid(x); !(p >= 0 && p <= 1) || x == 0 && p != 0.5 {
			t.Errorf("Sigmoid(%v) = %v", x, p)
		}
	}
}
