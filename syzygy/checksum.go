package syzygy

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/bits"
	"runtime/debug"
	"sync"
)

// A file ends with 16 bytes that are a hash of the rest: CityHashCrc256 of
// every 16 MiB, and CityHashCrc128 of those hashes in a row. Sources: Pike and
// Alakuijala, CityHash 1.0; checksum.c of syzygy1/tb for how it is put together.

// verifyAtOnce is the size of files whose checksum is compared as soon as they
// are opened: all tables up to four pieces and most of five. Larger ones wait for
// [Tables.Verify], which would hold up the first probe otherwise.
const verifyAtOnce = 4 << 20

const checksumChunk = 16 << 20

// verify compares the checksum at the end of a file.
func verify(path string, data []byte) (err error) {
	f := file{path: path, data: data}
	defer f.guard(debug.SetPanicOnFault(true), &err)
	n := len(data) - 16
	have := [2]uint64{binary.LittleEndian.Uint64(data[n:]), binary.LittleEndian.Uint64(data[n+8:])}
	if want := Checksum(data[:n]); have != want {
		return &FileError{path, int64(n), fmt.Sprintf("the checksum is %x, that of the bytes before it is %x", have, want)}
	}
	return nil
}

// Checksum returns the checksum of the contents of a file without their last
// 16 bytes, which hold it as two little-endian numbers.
func Checksum(data []byte) [2]uint64 {
	var sums []byte
	for len(data) > 0 {
		n := min(len(data), checksumChunk)
		for _, v := range cityCRC256(data[:n]) {
			sums = binary.LittleEndian.AppendUint64(sums, v)
		}
		data = data[n:]
	}
	if len(sums) <= 900 {
		return city128(sums)
	}
	r := cityCRC256(sums)
	return [2]uint64{r[2], r[3]}
}

// The primes of CityHash.
const (
	prime0 uint64 = 0xc3a5c85c97cb3127
	prime1 uint64 = 0xb492b66fbe98f273
	prime3 uint64 = 0xc949d7c7509e6557
)

func fetch(s []byte, at int) uint64 { return binary.LittleEndian.Uint64(s[at:]) }

func rotate(v uint64, by int) uint64 { return bits.RotateLeft64(v, -by) }

func shiftMix(v uint64) uint64 { return v ^ v>>47 }

// mix16 hashes two words into one.
func mix16(u, v uint64) uint64 {
	const mul = 0x9ddfea08eb382d69
	a := (u ^ v) * mul
	a ^= a >> 47
	b := (v ^ a) * mul
	b ^= b >> 47
	return b * mul
}

// crcTables returns tables of CRC-32C by the place of a byte in a word.
var crcTables = sync.OnceValue(func() *[8][256]uint32 {
	t := new([8][256]uint32)
	t[0] = *crc32.MakeTable(crc32.Castagnoli)
	for i := range 256 {
		for k := 1; k < 8; k++ {
			t[k][i] = t[0][byte(t[k-1][i])] ^ t[k-1][i]>>8
		}
	}
	return t
})

// crcWord is the instruction CRC32 of x86 on a word.
func crcWord(t *[8][256]uint32, crc, v uint64) uint64 {
	x := v ^ crc&0xffffffff
	return uint64(t[7][byte(x)] ^ t[6][byte(x>>8)] ^ t[5][byte(x>>16)] ^ t[4][byte(x>>24)] ^
		t[3][byte(x>>32)] ^ t[2][byte(x>>40)] ^ t[1][byte(x>>48)] ^ t[0][byte(x>>56)])
}

// cityCRC256 is CityHashCrc256.
func cityCRC256(s []byte) [4]uint64 {
	seed := uint64(0)
	if len(s) < 240 {
		seed = uint64(^uint32(len(s)))
		s = append(append(make([]byte, 0, 240), s...), make([]byte, 240-len(s))...)
	}
	t := crcTables()
	n := uint64(len(s))
	var r [4]uint64
	var sums [5]uint64 // f to j of the source
	w := [6]uint64{fetch(s, 56) + prime0, fetch(s, 96) + prime0, 0, 0, fetch(s, 184) + seed, 0}
	r[0] = mix16(w[1], n)
	r[1] = fetch(s, 120)*prime0 + n
	w[2], w[3] = r[0], r[1]
	w[5] = w[2] + w[3]
	sums[0] = seed
	round := func(s []byte, mul uint64, z int) {
		a := w[0]
		w[0] = rotate(w[1], 41^z)*mul + fetch(s, 0)
		w[1] = rotate(w[2], 27^z)*mul + fetch(s, 8)
		w[2] = rotate(w[3], 41^z)*mul + fetch(s, 16)
		w[3] = rotate(w[4], 33^z)*mul + fetch(s, 24)
		w[4] = rotate(w[5], 25^z)*mul + fetch(s, 32)
		w[5] = a
		for i := range sums {
			sums[i] = crcWord(t, sums[i], w[i])
		}
	}
	at := 0
	for ; len(s)-at >= 240; at += 240 {
		for i := 0; i < 240; i += 80 {
			round(s[at+i:], 1, 1)
			round(s[at+i+40:], prime0, 0)
		}
	}
	for ; len(s)-at >= 40; at += 40 {
		round(s[at:], prime0, 0)
	}
	if len(s) > at {
		round(s[len(s)-40:], prime0, 0)
	}
	return cityEnd(w, sums, r)
}

// cityEnd mixes the state of cityCRC256 into its result.
func cityEnd(w [6]uint64, sums [5]uint64, r [4]uint64) [4]uint64 {
	a, b, c, d, e, t := w[0], w[1], w[2], w[3], w[4], w[5]
	f, g, h, i, j := sums[0], sums[1], sums[2], sums[3], sums[4]
	j += i << 32
	a = mix16(a, j)
	h += g << 32
	b += h
	c = mix16(c, f) + i
	d = mix16(d, e+r[0])
	j += e
	i += mix16(h, t)
	e = mix16(a, d) + j
	f = mix16(b, c) + a
	g = mix16(j, i) + c
	r[0] = e + f + g + h
	a = shiftMix((a+g)*prime0)*prime0 + b
	r[1] += a + r[0]
	a = shiftMix(a*prime0)*prime0 + c
	r[2] = a + r[1]
	a = shiftMix((a+e)*prime0) * prime0
	r[3] = a + r[2]
	return r
}
