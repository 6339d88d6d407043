package fit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/train/record"
)

// Set is the positions to train on and, apart from them, those of some games
// that are held out to judge the result. The zero Set is not valid.
type Set struct {
	heldEvery int
	games     int
	train     []record.Sample
	held      []record.Sample
	sum       hash.Hash
}

// NewSet returns an empty set that holds out one game of heldEvery, none for 0.
func NewSet(heldEvery int) *Set {
	return &Set{heldEvery: heldEvery, sum: sha256.New()}
}

// AddGame adds the positions of one game. Whole games are held out, since
// positions of one game resemble each other. A position without two kings must
// not be added.
func (s *Set) AddGame(samples []record.Sample) {
	if len(samples) == 0 {
		return
	}
	s.games++
	var buf []byte
	for i := range samples {
		buf = appendSample(buf, &samples[i])
	}
	s.sum.Write(buf)
	if s.heldEvery > 0 && s.games%s.heldEvery == 0 {
		s.held = append(s.held, samples...)
		return
	}
	s.train = append(s.train, samples...)
}

func appendSample(buf []byte, s *record.Sample) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, uint64(s.Occupied))
	buf = append(buf, s.Pieces[:]...)
	buf = binary.LittleEndian.AppendUint16(buf, uint16(s.Score))
	return append(buf, byte(s.Result), byte(s.Side))
}

// Games returns the number of games added.
func (s *Set) Games() int { return s.games }

// Positions returns the number of positions to train on.
func (s *Set) Positions() int { return len(s.train) }

// Held returns the number of positions held out.
func (s *Set) Held() int { return len(s.held) }

// Hash returns the SHA-256 of all positions with scores and results, in the
// order they were added, in hexadecimal.
func (s *Set) Hash() string { return hex.EncodeToString(s.sum.Sum(nil)) }

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
