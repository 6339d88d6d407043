package perft

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/tabula-chess/tabula/internal/machine"
)

// Table remembers the counts of subtrees, so that positions reached by several orders of
// moves are counted once. Entries are verified by 64 bits of a key beyond those that find
// them. It is safe for concurrent use, and may be shared by several perfts.
type Table struct {
	buckets []bucket
	keys    *keys
	used    atomic.Uint64   // lines, the most that a count has used
	block   *machine.Memory // nil for memory of the caller's
}

// bucket is a cache line of entries.
type bucket [4]slot

// slot is 16 bytes. Sealed is the second half of the key xor nodes, so that halves written
// by two threads do not pass for an entry. Source: CPW "Shared Hash Table", lock-less by
// Hyatt.
type slot struct {
	sealed, nodes atomic.Uint64
}

// maxTable bounds the size of a table in MiB.
const maxTable = 1 << 20

// NewTable returns an empty table of 1 to 2^20 MiB. The keys of positions follow from the
// seed: counts with two seeds err independently. Errors: a size out of bounds or beyond
// the free memory.
func NewTable(mib int, seed uint64) (*Table, error) {
	if mib < 1 || mib > maxTable {
		return nil, fmt.Errorf("perft table: %d MiB is not between 1 and %d", mib, maxTable)
	}
	size := uint64(mib) << 20
	if free, known := machine.Free(); known && size > free {
		return nil, fmt.Errorf("perft table: %d MiB is more than the %d MiB of free memory", mib, free>>20)
	}
	block, buckets, err := machine.Allocate[bucket](size / uint64(unsafe.Sizeof(bucket{})))
	if err != nil {
		return nil, fmt.Errorf("perft table: %d MiB: %w", mib, err)
	}
	return &Table{buckets: buckets, keys: newKeys(seed), block: block}, nil
}

// TableOf returns a table in memory of the caller's, lines of 64 bytes that are all zero
// and aligned to 8 bytes. There must be one at least.
func TableOf(lines [][8]uint64, seed uint64) *Table {
	return &Table{
		buckets: unsafe.Slice((*bucket)(unsafe.Pointer(unsafe.SliceData(lines))), len(lines)), keys: newKeys(seed),
	}
}

// lines returns the number of buckets.
func (t *Table) lines() uint64 { return uint64(len(t.buckets)) }

// Size returns the size of the table in bytes.
func (t *Table) Size() uint64 { return t.lines() * uint64(unsafe.Sizeof(bucket{})) }

// Used returns how many lines, from the first on, counts may have written to.
func (t *Table) Used() int { return int(t.used.Load()) }

// use notes that a count uses n lines.
func (t *Table) use(n uint64) {
	for old := t.used.Load(); old < n && !t.used.CompareAndSwap(old, n); old = t.used.Load() {
	}
}

// at returns the bucket of a key among the first n.
func (t *Table) at(k key, n uint64) *bucket {
	i, _ := bits.Mul64(k.index, n)
	return &t.buckets[i]
}

// find returns the count that is stored under the key.
func (b *bucket) find(check uint64) (uint64, bool) {
	for i := range b {
		nodes := b[i].nodes.Load()
		if b[i].sealed.Load()^nodes == check {
			return nodes, true
		}
	}
	return 0, false
}

// store replaces the smallest count, which is the least work.
func (b *bucket) store(check, nodes uint64) {
	e, least := &b[0], b[0].nodes.Load()
	for i := 1; i < len(b); i++ {
		if n := b[i].nodes.Load(); n < least {
			e, least = &b[i], n
		}
	}
	e.sealed.Store(check ^ nodes)
	e.nodes.Store(nodes)
}
