package search

import (
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/machine"
)

// MaxHash is the largest size of a transposition table in MiB.
const MaxHash = 1 << 20

// clusterSize is the number of entries that share a cache line.
const clusterSize = 4

// table is the transposition table. Entries are written without locks: the key is stored
// xored with the data, so that a torn entry fails its check.
// Source: CPW "Transposition Table", Hyatt and Mann, "A lock-less
// transposition table implementation for parallel search", 2002.
type table struct {
	clusters   []cluster
	used       []cluster // by the current search: all, or only the first if the rest is not available yet
	generation uint64    // of the current search, 0 to 31
	dirty      int       // clusters, from the first on, that searches may have used since it was cleared
	block      *machine.Memory

	// Goroutines touch the pages in the background.
	working   sync.WaitGroup
	left      atomic.Int32 // goroutines still at work
	given     atomic.Bool  // the table is being freed: they end
	untouched string       // why the pages are not touched; empty if they are
}

type cluster [clusterSize]slot

// slot is one entry. The bits of data from the lowest: move 16, score 16, evaluation 16,
// depth 8, bound 2 (0 for an empty slot), on-pv 1, generation 5.
type slot struct {
	check word // key ^ data
	data  word
}

const (
	generationMask = 31
	moveMask       = 1<<16 - 1
)

// entry is a decoded slot. Scores are relative to the node.
type entry struct {
	hit   bool
	pv    bool
	bound eval.Bound
	depth Depth
	move  chess.Move
	score eval.Score
	eval  eval.Score
}

// answers reports whether the score of e decides a search of the window.
func (e *entry) answers(alpha, beta eval.Score) bool {
	switch {
	case !e.hit:
		return false
	case e.bound == eval.Exact:
		return true
	case e.bound == eval.Lower:
		return e.score >= beta
	}
	return e.score <= alpha
}

// sharpen returns the score of e if it is exact or a bound beyond the static evaluation,
// and otherwise the static evaluation.
func (e *entry) sharpen(static eval.Score) eval.Score {
	if e.hit && !isMate(e.score) && (e.bound == eval.Exact || (e.bound == eval.Lower) == (e.score > static)) {
		return e.score
	}
	return static
}

// obeyFifty replaces the score of a mate, or of a win by endgame tables, by a won or lost
// evaluation if the fifty-move rule ends the game before. The entry may come from the same
// position with a lower half-move clock.
func (e *entry) obeyFifty(clock, ply int) {
	if !isMate(e.score) || e.score > mate {
		return
	}
	end, far := mate, max(e.score, -e.score)
	if far < mateEdge {
		end = tableWin
	}
	if int(end-far) > 100-clock+ply { // plies from the root
		e.score = max(-eval.Limit, min(e.score, eval.Limit))
	}
}

// newTable allocates a table of mib MiB, whose pages are best touched before it is used.
func newTable(mib int) (*table, error) {
	if mib < 1 || mib > MaxHash {
		return nil, fmt.Errorf("hash size %d MiB: want 1 to %d", mib, MaxHash)
	}
	n := uint64(mib) << 20 / (clusterSize * 16)
	block, clusters, err := machine.Allocate[cluster](n)
	if err != nil {
		return nil, fmt.Errorf("hash size %d MiB: %w", mib, err)
	}
	return &table{clusters: clusters, used: clusters, block: block}, nil
}

// touch starts to write to every page of a new table on all cores. The system provides
// a page when it is first written to, which is better done before a clock runs: 4 GiB took
// 10 seconds on two cores with other work. A search can run at the same time; see prepare. A
// table larger than the free memory is not touched, because that could end the process.
func (t *table) touch() {
	if free, known := machine.Free(); known && uint64(len(t.clusters))*uint64(unsafe.Sizeof(cluster{})) > free {
		t.untouched = fmt.Sprintf("larger than the %d MiB of free memory: its pages come as they are used", free>>20)
		return
	}
	touchPart(t.clusters[:t.head()])
	// The goroutines yield the processor after a large page and end when the table is being freed.
	parts := partsOf(t.clusters[t.head():])
	t.left.Store(int32(len(parts)))
	for _, part := range parts {
		t.working.Go(func() {
			for len(part) > 0 && !t.given.Load() {
				n := min(len(part), largePageSize/int(unsafe.Sizeof(cluster{})))
				touchPart(part[:n])
				part = part[n:]
				runtime.Gosched()
			}
			t.left.Add(-1)
		})
	}
}

// touchPart writes to every page of part without changing it.
func touchPart(part []cluster) {
	const step = pageSize / int(unsafe.Sizeof(cluster{}))
	for i := 0; i < len(part); i += step {
		part[i][0].data.Add(0)
	}
	if len(part) > 0 {
		part[len(part)-1][0].data.Add(0)
	}
}

// headSize is the part of a table that is touched before newTable returns.
const headSize = 16 << 20

// head returns the number of clusters in that part.
func (t *table) head() int { return min(len(t.clusters), headSize/int(unsafe.Sizeof(cluster{}))) }

// prepare makes the table ready for a search. While pages are still being touched, a timed
// search uses only the head: it would otherwise wait for a page at nearly every node. A search
// without a clock uses the whole table, so that its node count is always the same.
func (t *table) prepare(timed bool) {
	t.used = t.clusters
	if timed && t.left.Load() > 0 {
		t.used = t.clusters[:t.head()]
	}
	t.age()
}

// ready waits until all pages are touched.
func (t *table) ready() { t.working.Wait() }

// release frees the table.
func (t *table) release() {
	t.given.Store(true)
	t.ready()
	t.block.Release()
}

// state describes whether the pages of the table are available.
func (t *table) state() string {
	switch {
	case t.untouched != "":
		return t.untouched
	case t.left.Load() > 0:
		return "its pages are being touched"
	}
	return "every page touched"
}

// pageSize is the smallest page size of any system.
const pageSize = 4096

// largePageSize is the size of large pages on most systems.
const largePageSize = 2 << 20

// partsOf divides clusters into one part for each core.
func partsOf(clusters []cluster) [][]cluster {
	parts, n := make([][]cluster, machine.Cores()), len(clusters)
	for i := range parts {
		parts[i] = clusters[n*i/len(parts) : n*(i+1)/len(parts)]
	}
	return parts
}

// zero empties clusters on all cores.
func zero(clusters []cluster) {
	var wg sync.WaitGroup
	for _, part := range partsOf(clusters) {
		wg.Go(func() { clear(part) })
	}
	wg.Wait()
}

// clear empties the table where searches have used it: 4 GiB in 0.16 seconds on two cores.
func (t *table) clear() {
	if used := t.clusters[:t.dirty]; len(used) > t.head() {
		t.ready() // the rest may still be being touched
		zero(used)
	} else {
		clear(used)
	}
	t.generation, t.dirty = 0, 0
}

// age starts a new generation of entries.
func (t *table) age() {
	t.generation = (t.generation + 1) & generationMask
	t.dirty = max(t.dirty, len(t.used))
}

// cluster returns where key belongs.
func (t *table) cluster(key chess.Key) *cluster {
	i, _ := bits.Mul64(uint64(key), uint64(len(t.used)))
	return &t.used[i]
}

// prefetch prefetches the cluster of key. Source: CPW "Transposition Table", prefetching.
func (t *table) prefetch(key chess.Key) { prefetch(uintptr(unsafe.Pointer(t.cluster(key)))) }

// probe returns the entry of key. ply converts mate distances from the node into
// distances from the root.
func (t *table) probe(key chess.Key, ply int) (e entry) {
	t.read(&e, key, ply)
	return e
}

// read is probe into an empty entry. Nodes use it to avoid a copy: copying an entry that
// was just written field by field would wait for its stores.
func (t *table) read(e *entry, key chess.Key, ply int) {
	c := t.cluster(key)
	for i := range c {
		data := c[i].data.Load()
		if c[i].check.Load()^data == uint64(key) && data>>56&3 != 0 {
			e.hit = true
			e.move = chess.Move(data)
			e.score = shifted(eval.Score(int16(data>>16)), -ply)
			e.eval = eval.Score(int16(data >> 32))
			e.depth = Depth(data >> 48 & 0xff)
			e.bound = eval.Bound(data>>56&3 - 1)
			e.pv = data>>58&1 != 0
			return
		}
	}
}

// store writes a result. It uses the slot of the same position, or else the slot of least
// worth, which depends on depth and age. A shallow bound does not replace a deep result
// of the same position and search, but its move is the newer one.
func (t *table) store(key chess.Key, ply int, e entry) {
	c := t.cluster(key)
	slot, least := &c[0], 1<<30
	for i := range c {
		data := c[i].data.Load()
		occupied := data>>56&3 != 0
		if occupied && c[i].check.Load()^data == uint64(key) {
			old := Depth(data >> 48 & 0xff)
			if e.bound != eval.Exact && data>>59 == t.generation && e.depth+4 < old {
				if e.move != chess.NoMove {
					c[i].set(key, data&^moveMask|uint64(e.move))
				}
				return
			}
			if e.move == chess.NoMove {
				e.move = chess.Move(data)
			}
			slot = &c[i]
			break
		}
		worth := -1
		if occupied {
			worth = int(data>>48&0xff) + 256 - 8*int((t.generation-data>>59)&generationMask)
		}
		if worth < least {
			slot, least = &c[i], worth
		}
	}
	data := uint64(e.move) | uint64(uint16(shifted(e.score, ply)))<<16 | uint64(uint16(e.eval))<<32 |
		uint64(max(0, e.depth))<<48 | uint64(e.bound+1)<<56 | t.generation<<59
	if e.pv {
		data |= 1 << 58
	}
	slot.set(key, data)
}

// set writes data under key.
func (s *slot) set(key chess.Key, data uint64) {
	s.check.Store(uint64(key) ^ data)
	s.data.Store(data)
}

// full returns how much of the table the current search has filled, per mille,
// from a sample.
func (t *table) full() int {
	n := min(250, len(t.used))
	used := 0
	for i := range t.used[:n] {
		for j := range t.used[i] {
			data := t.used[i][j].data.Load()
			if data>>56&3 != 0 && data>>59 == t.generation {
				used++
			}
		}
	}
	return used * 1000 / (n * clusterSize)
}

// shifted moves a score of a mate or of endgame tables away from zero by ply plies: from
// the root to the node, or back with a negative ply.
func shifted(s eval.Score, ply int) eval.Score {
	switch {
	case s >= tableEdge && s <= mate:
		return s + eval.Score(ply)
	case s <= -tableEdge:
		return s - eval.Score(ply)
	}
	return s
}
