package search

import (
	"math"
	"testing"
)

func TestLogarithm(t *testing.T) {
	for n := 1; n < 4096; n++ {
		if got, want := logarithm(n), 1024*math.Log(float64(n)); math.Abs(float64(got)-want) > 1.5 {
			t.Errorf("logarithm(%d) = %d, want %.2f", n, got, want)
		}
	}
}
