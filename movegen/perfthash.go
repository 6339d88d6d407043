package movegen

import (
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/tabula-chess/tabula/movegen/count"
)

// PerftHash remembers the counts of subtrees, so that positions reached by
// several orders of moves are walked once. A count found in it is trusted on a
// hash: the place in the table and 64 bits more. It may be shared by threads
// and by several perfts.
type PerftHash struct {
	entries []perftEntry // a power of two
}

// perftEntry is 16 bytes. Sealed is the second half of the key xor nodes, so
// that halves written by two threads do not pass for an entry. Source: CPW
// "Shared Hash Table", lock-less by Hyatt.
type perftEntry struct {
	sealed, nodes atomic.Uint64
}

// maxPerftHash bounds the table's size in MiB.
const maxPerftHash = 1 << 20

// NewPerftHash returns an empty table of the largest power of two of entries
// that fits in the given MiB, 1 to 2^20.
func NewPerftHash(mib int) (*PerftHash, error) {
	if mib < 1 || mib > maxPerftHash {
		return nil, fmt.Errorf("perft hash: %d MiB is not between 1 and %d", mib, maxPerftHash)
	}
	n := uint(mib) << 20 / 16
	return &PerftHash{entries: make([]perftEntry, 1<<(bits.Len(n)-1))}, nil
}

// perftKey is 128 bits that stand for a frame and a depth: the first word
// finds the entry, the second tells it from others.
type perftKey struct{ index, check uint64 }

// Odd constants for hashFrame: the fractional parts of square roots of primes,
// of which nothing is known to be wrong.
const (
	mixA = 0x6a09e667f3bcc909
	mixB = 0xbb67ae8584caa73b
	mixC = 0x3c6ef372fe94f82b
)

// hashFrame hashes the words of the frame and the depth by multiplying and
// folding. A frame stands for two positions with colours swapped, which have
// equal counts: the squares of kings and castling rooks, which the frame holds,
// decide how each right that is left is used. Two frames that meet under one key
// meet under another only by a chance as small as the first.
func hashFrame(f *count.Frame, depth int, key uint64) perftKey {
	a, b := fold(uint64(depth), mixA)
	a, b = a^key, b^bits.RotateLeft64(key, 32)
	for _, pair := range [...][2]uint64{
		{f.P, f.TP}, {f.N, f.TN}, {f.D, f.TD}, {f.H, f.TH}, {f.K, f.TK}, {f.Castle, f.EnPassant},
	} {
		h1, l1 := bits.Mul64(a^pair[0]^mixB, b^pair[1]^mixC)
		h2, l2 := bits.Mul64(bits.RotateLeft64(pair[0], 29)^b^mixA, bits.RotateLeft64(pair[1], 41)+a^mixB)
		a, b = h1+l2^a, l1^h2+b
	}
	return perftKey{a ^ a>>32, b ^ b>>29}
}

func fold(x, y uint64) (uint64, uint64) { return bits.Mul64(x^mixC, y) }

func (h *PerftHash) probe(k perftKey) (uint64, bool) {
	e := &h.entries[k.index&uint64(len(h.entries)-1)]
	nodes := e.nodes.Load()
	return nodes, e.sealed.Load()^nodes == k.check
}

func (h *PerftHash) store(k perftKey, nodes uint64) {
	e := &h.entries[k.index&uint64(len(h.entries)-1)]
	e.sealed.Store(k.check ^ nodes)
	e.nodes.Store(nodes)
}
