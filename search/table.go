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
	generation uint64 // of the current search, 0 to 31
	written    bool   // a search may have used it since it was empty
	memory     *memory
	touched    string // whether the memory is at hand, for people
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

// newTable allocates a table of mib MiB.
func newTable(mib int) (*table, error) {
	if mib < 1 || mib > MaxHash {
		return nil, fmt.Errorf("hash size %d MiB: want 1 to %d", mib, MaxHash)
	}
	n := uint64(mib) << 20 / (clusterSize * 16)
	memory, clusters, err := allocate(n)
	if err != nil {
		return nil, fmt.Errorf("hash size %d MiB: %w", mib, err)
	}
	t := &table{clusters: clusters, memory: memory}
	t.touch()
	return t, nil
}

// touch writes to every page of a new table on all cores. The system lends
// memory page by page when it is first written to, which takes seconds for a
// large table: no clock may run meanwhile. A table larger than the memory that
// is free is left alone, for touching it could end the process.
func (t *table) touch() {
	if free, known := freeMemory(); known && uint64(len(t.clusters))*uint64(unsafe.Sizeof(cluster{})) > free {
		t.touched = fmt.Sprintf("larger than the %d MiB of memory that are free: its pages come as they are used", free>>20)
		return
	}
	const step = pageSize / uint64(unsafe.Sizeof(cluster{}))
	t.inParts(func(part []cluster) {
		for i := uint64(0); i < uint64(len(part)); i += step {
			part[i][0].data.Store(0)
		}
		if len(part) > 0 {
			part[len(part)-1][0].data.Store(0)
		}
	})
	t.touched = "every page touched"
}

// pageSize is the least size of a page of memory on any system.
const pageSize = 4096

// inParts calls do for each part of the table on all cores.
func (t *table) inParts(do func([]cluster)) {
	var wg sync.WaitGroup
	n, parts := len(t.clusters), runtime.GOMAXPROCS(0)
	for i := range parts {
		wg.Go(func() { do(t.clusters[n*i/parts : n*(i+1)/parts]) })
	}
	wg.Wait()
}

// clear empties the table on all cores. One that no search has used is empty.
func (t *table) clear() {
	if t.written {
		t.inParts(func(part []cluster) { clear(part) })
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
	i, _ := bits.Mul64(uint64(key), uint64(len(t.clusters)))
	return &t.clusters[i]
}

// prefetch asks for the place of key before it is needed. Source: CPW
// "Transposition Table", prefetching.
func (t *table) prefetch(key chess.Key) { prefetch(uintptr(unsafe.Pointer(t.cluster(key)))) }

// probe looks key up. ply turns mate distances from the node into distances
// from the root.
func (t *table) probe(key chess.Key, ply int) entry {
	c := t.cluster(key)
	for i := range c {
		data := c[i].data.Load()
		if c[i].check.Load()^data == uint64(key) && data>>56&3 != 0 {
			return entry{
				hit:   true,
				move:  chess.Move(data),
				score: fromTable(eval.Score(int16(data>>16)), ply),
				eval:  eval.Score(int16(data >> 32)),
				depth: Depth(data >> 48 & 0xff),
				bound: Bound(data>>56&3 - 1),
				pv:    data>>58&1 != 0,
			}
		}
	}
	return entry{}
}

// store writes a result. The slot of the same position is taken, else the one
// of least depth, where age counts against depth. A shallow inexact result
// leaves a deep one of the same position alone.
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
	n := min(250, len(t.clusters))
	used := 0
	for i := range t.clusters[:n] {
		for j := range t.clusters[i] {
			data := t.clusters[i][j].data.Load()
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
