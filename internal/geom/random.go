package geom

// Random is a sequence of pseudo-random numbers that is the same on every
// machine for the same seed. The zero value is seeded with 0. It is
// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014.
type Random struct{ state uint64 }

// NewRandom returns the sequence of the given seed.
func NewRandom(seed uint64) *Random { return &Random{seed} }

// Next returns the next 64 bits of the sequence.
func (r *Random) Next() uint64 {
	r.state += 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, odd
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
