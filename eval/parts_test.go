package eval

import "testing"

func TestPartsAddUp(t *testing.T) {
	e := New()
	for _, fen := range positions {
		p := parse(t, fen)
		var sum Pair
		for _, part := range e.Parts(p) {
			sum += part.White - part.Black
		}
		if want, _, _ := e.Terms(p); sum != want {
			t.Errorf("%s: the parts add up to %d and %d, Terms to %d and %d", fen, sum.Middle(), sum.End(), want.Middle(), want.End())
		}
	}
}
