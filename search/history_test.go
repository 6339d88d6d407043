package search

import (
	"math/rand/v2"
	"testing"
)

// TestHistoryEntriesBoundThemselves adds whatever comes: an entry moves towards
// its bonus and never leaves its range.
func TestHistoryEntriesBoundThemselves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	var h rating
	var c correction
	for i := range 100000 {
		bonus := r.IntN(200001) - 100000
		if i%2 == 0 {
			bonus /= 50
		}
		before, was := int(h), int(c)
		h.add(bonus)
		c.add(bonus)
		if h > historyMax || h < -historyMax || c > correctionMax || c < -correctionMax {
			t.Fatalf("bonus %d: %d became %d, %d became %d", bonus, before, h, was, c)
		}
		if bonus > 0 && (int(h) < before || int(c) < was) || bonus < 0 && (int(h) > before || int(c) > was) {
			t.Fatalf("bonus %d: %d became %d, %d became %d", bonus, before, h, was, c)
		}
	}
	h = 0
	h.add(100)
	if h != 100 {
		t.Errorf("0 and a bonus of 100: %d, want all of it", h)
	}
}
