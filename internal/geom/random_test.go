package geom

import "testing"

// TestRandom compares with the published outputs of SplitMix64 for this seed.
func TestRandom(t *testing.T) {
	r := NewRandom(1234567)
	for i, want := range []uint64{
		6457827717110365317, 3203168211198807973, 9817491932198370423,
		4593380528125082431, 16408922859458223821,
	} {
		if got := r.Next(); got != want {
			t.Errorf("number %d: %d, want %d", i, got, want)
		}
	}
}
