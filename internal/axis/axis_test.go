package axis

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTicks(t *testing.T) {
	for _, tt := range []struct {
		low, high float64
		want      string
	}{
		{0.82, 1.17, "0.85 0.90 0.95 1.00 1.05 1.10 1.15"},
		{0, 0.7, "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7"},
		{0, 0.141, "0.00 0.02 0.04 0.06 0.08 0.10 0.12 0.14"},
		{0, 4338, "0 1000 2000 3000 4000"},
		{-2000, 2000, "-2000 -1000 0 1000 2000"},
		{3, 3, "3"},
	} {
		var got []string
		for _, m := range (Linear{}).Ticks(tt.low, tt.high) {
			got = append(got, m.Label)
		}
		if s := strings.Join(got, " "); s != tt.want {
			t.Errorf("%v to %v: %s, want %s", tt.low, tt.high, s, tt.want)
		}
	}
}

// TestTicksAreEven checks that marks are as far apart as their labels say.
func TestTicksAreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(-1e6, 1e6).Draw(t, "low")
		size := rapid.Float64Range(1e-3, 1e7).Draw(t, "size")
		marks := (Linear{}).Ticks(low, low+size)
		if len(marks) < 3 || len(marks) > 11 {
			t.Fatalf("%d marks", len(marks))
		}
		for i, m := range marks {
			told, err := strconv.ParseFloat(m.Label, 64)
			if err != nil || math.Abs(told-m.Value) > 1e-6*size || m.Value < low-1e-6*size || m.Value > low+size*(1+1e-6) {
				t.Fatalf("mark %d at %v is called %s", i, m.Value, m.Label)
			}
		}
	})
}
