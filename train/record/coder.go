package record

import (
	"encoding/binary"
	"math/bits"
)

// odds is the probability that a bit is 1, learnt from the bits before: the mean of
// an estimate that learns fast and of one that slows down as it has seen more.
type odds struct {
	fast, slow uint16 // of 65536
	seen       uint16 // bits, up to the last of rates
	_          uint16 // eight bytes are found sooner than six
}

const (
	fastRate = 5   // at which the first guess learns, as a shift
	slowest  = 200 // bits after which the second learns no slower
)

// rates are the learning rates of the second estimate, in 65536ths, by the bits it has
// seen: it is about their mean.
type rates [slowest]uint32

func newRates() (r rates) {
	for i := range r {
		r[i] = uint32(1 << 17 / (2*i + 3))
	}
	return r
}

// coder writes bits to buf, or reads them from it, each in as much space as its
// probability asks for. It is a binary arithmetic coder whose interval, low to high,
// loses its first byte as soon as both agree on it. Source: M. Mahoney,
// "Adaptive Weighing of Context Models for Lossless Data Compression", 2005.
// Writing and reading share the code, so they cannot differ.
type coder struct {
	buf       []byte
	at        int    // reading: the next byte
	low, high uint32 // the interval
	code      uint32 // reading: where in it the bits lie
	reading   bool
	rates     rates
}

// write makes c append to buf.
func (c *coder) write(buf []byte) {
	c.buf, c.at, c.low, c.high, c.reading = buf, 0, 0, 1<<32-1, false
}

// read makes c read buf.
func (c *coder) read(buf []byte) {
	c.buf, c.at, c.low, c.high, c.reading = buf, 0, 0, 1<<32-1, true
	c.code = c.ahead()
	c.at = 4
}

// spent reports whether bits were read that nobody wrote.
func (c *coder) spent() bool { return c.at > len(c.buf)+4 }

// end returns buf with the bytes that identify the last interval.
func (c *coder) end() []byte {
	return append(c.buf, byte(c.high>>24), byte(c.high>>16), byte(c.high>>8), byte(c.high))
}

// bit codes one bit: it writes bit, or reads it, and returns it. The bit is
// unpredictable, so no branch depends on it.
func (c *coder) bit(bit int, by *odds) int {
	p := min(max((uint32(by.fast)+uint32(by.slow))>>1, 32), 1<<16-32)
	middle := c.low + uint32(uint64(c.high-c.low)*uint64(p)>>16)
	if c.reading {
		bit = int((uint64(c.code) - uint64(middle) - 1) >> 63) // 1 up to middle
	}
	one := -uint32(bit) // all bits, or none
	by.learn(&c.rates, one)
	c.low += (middle + 1 - c.low) &^ one
	c.high -= (c.high - middle) & one
	if same := uint(bits.LeadingZeros32(c.low^c.high)) &^ 7; same != 0 {
		c.shift(same)
	}
	return bit
}

// learn moves the probability towards a bit: 1 where one is all ones, else 0. A 0
// counts like a 1 of the opposite probability.
func (by *odds) learn(r *rates, one uint32) {
	seen := min(uint(by.seen), slowest-1)
	by.seen = uint16(min(seen+1, slowest-1))
	other := one & (1<<16 - 1)
	fast, slow := uint32(by.fast)^other, uint32(by.slow)^other
	fast -= fast >> min(seen+1, fastRate)
	slow -= slow * r[seen] >> 16
	by.fast, by.slow = uint16(fast^other), uint16(slow^other)
}

// shift removes the first n bits of the interval, whole bytes in which its ends
// agree.
func (c *coder) shift(n uint) {
	if c.reading {
		c.code = uint32(uint64(c.code)<<n | uint64(c.ahead())>>(32-n))
		c.at += int(n / 8)
	} else {
		high := c.high
		for i := uint(0); i < n; i += 8 {
			c.buf = append(c.buf, byte(high>>24))
			high <<= 8
		}
	}
	c.low, c.high = uint32(uint64(c.low)<<n), uint32(uint64(c.high)<<n|(1<<n-1))
}

// ahead returns the next four bytes without taking them, 0 past the end.
func (c *coder) ahead() uint32 {
	if c.at <= len(c.buf)-4 {
		return binary.BigEndian.Uint32(c.buf[c.at:])
	}
	v := uint32(0)
	for i := range 4 {
		v <<= 8
		if c.at+i < len(c.buf) {
			v |= uint32(c.buf[c.at+i])
		}
	}
	return v
}

// tree codes a number of n bits, the highest first, each by those before it. by
// has 1<<n elements.
func (c *coder) tree(v, n int, by []odds) int {
	by = by[:1<<n]
	node := 1
	for i := n - 1; i >= 0; i-- {
		node = node<<1 | c.bit(v>>i&1, &by[node&(len(by)-1)])
	}
	return node - 1<<n
}

// raw codes a number of n bits that nothing predicts.
func (c *coder) raw(v uint64, n int) (got uint64) {
	for i := n - 1; i >= 0; i-- {
		even := even
		got = got<<1 | uint64(c.bit(int(v>>i&1), &even))
	}
	return got
}

// even is the probability of a bit that nothing predicts.
var even = odds{fast: 1 << 15, slow: 1 << 15}

// numbers predicts the upper three bits of numbers after their first, by their length.
type numbers [32][8]odds

// rest codes what a number of n bits has after its first.
func (m *numbers) rest(c *coder, v, n int) int {
	if n < 2 {
		return n
	}
	by := &m[n&31]
	got := 1
	for i := n - 2; i >= 0; i-- {
		if got < len(by) {
			got = got<<1 | c.bit(v>>i&1, &by[got])
		} else {
			return got<<(i+1) | int(c.raw(uint64(v)&(1<<(i+1)-1), i+1))
		}
	}
	return got
}

// counts predicts numbers from 0 to 1<<31-1.
type counts struct {
	lengths [32]odds
	numbers numbers
}

// code codes one.
func (m *counts) code(c *coder, v int) int {
	return m.numbers.rest(c, v, c.tree(bits.Len32(uint32(v)), 5, m.lengths[:]))
}

// forget makes every probability even.
func forget(chances []odds) {
	for i := range chances {
		chances[i] = even
	}
}

func (m *numbers) forget() {
	for i := range m {
		forget(m[i][:])
	}
}

func (m *counts) forget() {
	forget(m.lengths[:])
	m.numbers.forget()
}
