package fit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/train/record"
)

// Set is the positions to train on and, apart from them, those held out to
// judge the result. They are kept in memory, 32 bytes each. The zero Set is
// empty.
type Set struct {
	train, held []record.Sample
	sums        [2]hash.Hash // of train and held; nil while empty
}

// Add adds positions to train on. Each must have two kings.
func (s *Set) Add(samples []record.Sample) { s.add(0, &s.train, samples) }

// Hold adds positions to judge by. They should come from other games than the
// positions to train on, since those of one game resemble each other.
func (s *Set) Hold(samples []record.Sample) { s.add(1, &s.held, samples) }

func (s *Set) add(part int, to *[]record.Sample, samples []record.Sample) {
	if len(samples) == 0 {
		return
	}
	if s.sums[part] == nil {
		s.sums[part] = sha256.New()
	}
	buf := make([]byte, 0, 32*len(samples))
	for i := range samples {
		buf = appendSample(buf, &samples[i])
	}
	s.sums[part].Write(buf)
	*to = append(*to, samples...)
}

func appendSample(buf []byte, s *record.Sample) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, uint64(s.Occupied))
	buf = append(buf, s.Pieces[:]...)
	buf = binary.LittleEndian.AppendUint16(buf, uint16(s.Score))
	return append(buf, byte(s.Outlook), byte(s.Side)) // ply and clock are no input
}

// Positions returns the number of positions to train on.
func (s *Set) Positions() int { return len(s.train) }

// Held returns the number of positions held out.
func (s *Set) Held() int { return len(s.held) }

// Hash returns the SHA-256 of all positions with scores and outlooks, in the
// order they were added, first those to train on, in hexadecimal.
func (s *Set) Hash() string {
	all := sha256.New()
	for _, sum := range s.sums {
		if sum != nil {
			all.Write(sum.Sum(nil))
		} else {
			all.Write(make([]byte, sha256.Size))
		}
	}
	return hex.EncodeToString(all.Sum(nil))
}

// order is the order of the training: an endless sequence in which every
// position comes once in each epoch. Nothing is stored but a few constants, so
// that the sequence can be taken up anywhere.
type order struct {
	seed  uint64
	n     uint64 // positions in an epoch
	mask  uint64 // the least 2^b-1 that holds n
	shift uint

	epoch uint64 // that the constants belong to
	odd   [3]uint64
	add   [3]uint64
}

func newOrder(seed uint64, n int) *order {
	o := &order{seed: seed, n: uint64(n), mask: 1, shift: 1}
	bits := uint(1)
	for o.mask < o.n {
		o.mask = o.mask<<1 | 1
		bits++
	}
	o.shift = (bits + 1) / 2
	o.start(0)
	return o
}

// start draws the constants of an epoch.
func (o *order) start(epoch uint64) {
	o.epoch = epoch
	r := rand.New(rand.NewPCG(o.seed, epoch))
	for i := range o.odd {
		o.odd[i], o.add[i] = r.Uint64()|1, r.Uint64()
	}
}

// at returns the index of the k-th position of the sequence. Multiplying by an
// odd number, adding, and folding the upper half onto the lower each permute
// the numbers of b bits; what falls outside the epoch is permuted on.
func (o *order) at(k uint64) uint64 {
	epoch, i := k/o.n, k%o.n
	if epoch != o.epoch {
		o.start(epoch)
	}
	for {
		for r := range o.odd {
			i = (i*o.odd[r] + o.add[r]) & o.mask
			i ^= i >> o.shift
		}
		if i < o.n {
			return i
		}
	}
}
