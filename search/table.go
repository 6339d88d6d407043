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
	"github.com/tabula-chess/tabula/internal/processor"
)

// MaxHash is the largest size of a transposition table in MiB.
const MaxHash = 1 << 20

// clusterSize is the number of entries that share a cache line.
const clusterSize = 4

// table is the transposition table. Entries are written without locks: the
// key is stored xored with the data, so that a torn entry fails its check.
// Source: CPW "Transposition Table", Hyatt and Mann, "A lock-less
// transposition table implementation for parallel search", 2002.
type table struct {
	clusters   []cluster
	used       []cluster // by the search under way: all of them, or the first where the others are not at hand
	generation uint64    // of the current search, 0 to 31
	written    bool      // a search may have used it since it was empty
	memory     *memory

	// Its pages are touched by goroutines of their own.
	touching  sync.WaitGroup
	left      atomic.Int32 // of those goroutines
	given     atomic.Bool  // the table is given back: they end
	untouched string       // why its pages come as they are used; empty where they are touched
}

type cluster [clusterSize]slot

// slot is one entry. data from the low bits up: move 16, score 16, evaluation
// 16, depth 8, bound 2 (0 for an empty slot), on-pv 1, generation 5.
type slot struct {
	check atomic.Uint64 // key ^ data
	data  atomic.Uint64
}

const generationMask = 31

// entry is a slot taken apart. Scores are relative to the node.
type entry struct {
	hit   bool
	pv    bool
	bound Bound
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
	case e.bound == Exact:
		return true
	case e.bound == Lower:
		return e.score >= beta
	}
	return e.score <= alpha
}

// sharpen returns the score of e where it says more than the static
// evaluation: exact, or a bound beyond it.
func (e *entry) sharpen(static eval.Score) eval.Score {
	if e.hit && !isMate(e.score) && (e.bound == Exact || (e.bound == Lower) == (e.score > static)) {
		return e.score
	}
	return static
}

// obeyFifty takes the mate out of the score of an entry found on ply where the
// fifty-move rule ends the game before: what is left is a won or lost position.
// The entry may come from a position with the same pieces and more time.
func (e *entry) obeyFifty(clock, ply int) {
	switch left := 100 - clock + ply; { // plies from the root
	case e.score >= mateEdge && e.score <= mate && int(mate-e.score) > left:
		e.score = eval.Limit
	case e.score <= -mateEdge && int(mate+e.score) > left:
		e.score = -eval.Limit
	}
}

// newTable allocates a table of mib MiB, whose pages are then touched while it
// may be used already; see ready.
func newTable(mib int) (*table, error) {
	if mib < 1 || mib > MaxHash {
		return nil, fmt.Errorf("hash size %d MiB: want 1 to %d", mib, MaxHash)
	}
	n := uint64(mib) << 20 / (clusterSize * 16)
	memory, clusters, err := allocate(n)
	if err != nil {
		return nil, fmt.Errorf("hash size %d MiB: %w", mib, err)
	}
	t := &table{clusters: clusters, used: clusters, memory: memory}
	t.touch()
	return t, nil
}

// touch begins to write to every page of a new table on all cores. The system
// lends memory page by page when it is first written to, which takes seconds
// for a large table: it is better done before a clock runs. A search that comes
// sooner runs beside it; see prepare. A table larger than the memory that is free
// is left alone, for touching it could end the process.
func (t *table) touch() {
	if free, known := freeMemory(); known && uint64(len(t.clusters))*uint64(unsafe.Sizeof(cluster{})) > free {
		t.untouched = fmt.Sprintf("larger than the %d MiB of memory that are free: its pages come as they are used", free>>20)
		return
	}
	t.touchPart(t.clusters[:t.head()])
	parts := t.parts()
	t.left.Store(int32(len(parts)))
	for _, part := range parts {
		t.touching.Go(func() {
			t.touchPart(part)
			t.left.Add(-1)
		})
	}
}

// touchPart writes to every page of part what stands there, and lets others
// have the processor after each large page.
func (t *table) touchPart(part []cluster) {
	const step = pageSize / uint64(unsafe.Sizeof(cluster{}))
	const turn = largePageSize / uint64(unsafe.Sizeof(cluster{}))
	for i := uint64(0); i < uint64(len(part)) && !t.given.Load(); i += step {
		part[i][0].data.Add(0)
		if i%turn == 0 {
			runtime.Gosched()
		}
	}
	if len(part) > 0 {
		part[len(part)-1][0].data.Add(0)
	}
}

// headSize is how much of a table is touched at once, before newTable returns.
const headSize = 16 << 20

// head returns the number of clusters that are.
func (t *table) head() int { return min(len(t.clusters), headSize/int(unsafe.Sizeof(cluster{}))) }

// prepare makes the table ready for a search. Where pages are still being
// touched a search by the clock makes do with those that were touched first:
// it would otherwise wait for a page at nearly every node. One without a clock
// uses all of them, so that its nodes are the same every time.
func (t *table) prepare(timed bool) {
	t.age()
	t.used = t.clusters
	if timed && t.left.Load() > 0 {
		t.used = t.clusters[:t.head()]
	}
}

// ready waits until the pages of the table are at hand.
func (t *table) ready() { t.touching.Wait() }

// release gives the memory of the table back.
func (t *table) release() {
	t.given.Store(true)
	t.touching.Wait()
	t.memory.release()
}

// state tells people whether the pages of the table are at hand.
func (t *table) state() string {
	switch {
	case t.untouched != "":
		return t.untouched
	case t.left.Load() > 0:
		return "its pages are being touched"
	}
	return "every page touched"
}

// pageSize is the least size of a page of memory on any system.
const pageSize = 4096

// largePageSize is that of most systems.
const largePageSize = 2 << 20

// parts returns the table in as many parts as there are cores.
func (t *table) parts() [][]cluster {
	parts, n := make([][]cluster, processor.Cores()), len(t.clusters)
	for i := range parts {
		parts[i] = t.clusters[n*i/len(parts) : n*(i+1)/len(parts)]
	}
	return parts
}

// clear empties the table on all cores. One that no search has used is empty.
func (t *table) clear() {
	if t.written {
		t.ready()
		var wg sync.WaitGroup
		for _, part := range t.parts() {
			wg.Go(func() { clear(part) })
		}
		wg.Wait()
	}
	t.generation, t.written = 0, false
}

// age marks what is in the table as older than what comes.
func (t *table) age() {
	t.generation = (t.generation + 1) & generationMask
	t.written = true
}

// cluster returns where key belongs.
func (t *table) cluster(key chess.Key) *cluster {
	i, _ := bits.Mul64(uint64(key), uint64(len(t.used)))
	return &t.used[i]
}

// prefetch asks for the place of key before it is needed. Source: CPW
// "Transposition Table", prefetching.
func (t *table) prefetch(key chess.Key) { prefetch(uintptr(unsafe.Pointer(t.cluster(key)))) }

// probe returns what the table has of key. ply turns mate distances from the
// node into distances from the root.
func (t *table) probe(key chess.Key, ply int) (e entry) {
	t.read(&e, key, ply)
	return e
}

// read is probe into an empty entry where it stands, for nodes: an entry has
// too many fields for registers, and copying one that was just written field by
// field waits for its stores.
func (t *table) read(e *entry, key chess.Key, ply int) {
	c := t.cluster(key)
	for i := range c {
		data := c[i].data.Load()
		if c[i].check.Load()^data == uint64(key) && data>>56&3 != 0 {
			e.hit = true
			e.move = chess.Move(data)
			e.score = fromTable(eval.Score(int16(data>>16)), ply)
			e.eval = eval.Score(int16(data >> 32))
			e.depth = Depth(data >> 48 & 0xff)
			e.bound = Bound(data>>56&3 - 1)
			e.pv = data>>58&1 != 0
			return
		}
	}
}

// store writes a result. The slot of the same position is taken, else the one
// of least depth, where age counts against depth. A shallow inexact result
// leaves a deep one of the same position and search alone.
func (t *table) store(key chess.Key, ply int, e entry) {
	c := t.cluster(key)
	slot, least := &c[0], 1<<30
	for i := range c {
		data := c[i].data.Load()
		occupied := data>>56&3 != 0
		if occupied && c[i].check.Load()^data == uint64(key) {
			old := Depth(data >> 48 & 0xff)
			if e.bound != Exact && data>>59 == t.generation && e.depth+4 < old {
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
	data := uint64(e.move) | uint64(uint16(toTable(e.score, ply)))<<16 | uint64(uint16(e.eval))<<32 |
		uint64(max(0, e.depth))<<48 | uint64(e.bound+1)<<56 | t.generation<<59
	if e.pv {
		data |= 1 << 58
	}
	slot.check.Store(uint64(key) ^ data)
	slot.data.Store(data)
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

// toTable turns a score of a mate or of endgame tables from the root into one from the node.
func toTable(s eval.Score, ply int) eval.Score {
	switch {
	case s >= tableEdge && s <= mate:
		return s + eval.Score(ply)
	case s <= -tableEdge:
		return s - eval.Score(ply)
	}
	return s
}

// fromTable is the reverse of toTable.
func fromTable(s eval.Score, ply int) eval.Score {
	switch {
	case s >= tableEdge && s <= mate:
		return s - eval.Score(ply)
	case s <= -tableEdge:
		return s + eval.Score(ply)
	}
	return s
}
