// Package axis puts round numbers on the axes of charts. It imports nothing of
// this module.
package axis

import (
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// Linear marks a linear axis at multiples of 1, 2 or 5 times a power of ten, 4
// to 10 of them, each written with the decimals that its distance from the next
// one has. It is a [plot.Ticker].
type Linear struct{}

// fewest is the least number of steps of an axis.
const fewest = 4

// Ticks returns the marks from low to high.
func (Linear) Ticks(low, high float64) []plot.Tick {
	if !(low < high) || math.IsInf(high-low, 0) {
		return []plot.Tick{{Value: low, Label: strconv.FormatFloat(low, 'g', 4, 64)}}
	}
	exponent := int(math.Floor(math.Log10((high - low) / fewest)))
	digit := 1.0
	for _, d := range []float64{2, 5} {
		if (high-low)/(d*math.Pow10(exponent)) >= fewest {
			digit = d
		}
	}
	step, decimals := digit*math.Pow10(exponent), max(0, -exponent)
	var marks []plot.Tick
	// A mark that rounding errors put just beyond an end belongs to the axis.
	for i := math.Ceil(low/step - 1e-9); i <= high/step+1e-9; i++ {
		value := i * step
		marks = append(marks, plot.Tick{Value: value, Label: strconv.FormatFloat(value+0, 'f', decimals, 64)})
	}
	return marks
}
