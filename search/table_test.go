package search

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/machine"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestTableReturnsWhatWasStored(t *testing.T) {
	table, err := newTable(1)
	kit.Succeed(t, err)
	table.age()
	r := rand.New(rand.NewPCG(1, 1))
	for _, score := range []eval.Score{0, 1, -1, 300, -29000, mate - 5, mated(8)} {
		for _, bound := range []eval.Bound{eval.Exact, eval.Lower, eval.Upper} {
			key := chess.Key(r.Uint64())
			ply := r.IntN(5)
			want := entry{
				hit: true, pv: r.IntN(2) == 0, bound: bound, depth: Depth(r.IntN(MaxPly)),
				move: chess.Move(1 + r.IntN(65535)), score: score, eval: eval.Score(r.IntN(2000) - 1000),
			}
			table.store(key, ply, want)
			if diff := cmp.Diff(want, table.probe(key, ply), cmp.AllowUnexported(entry{})); diff != "" {
				t.Errorf("key %x ply %d: stored, then read:\n%s", key, ply, diff)
			}
			if got := table.probe(key^1, ply); got.hit {
				t.Errorf("key %x: found under another key", key)
			}
		}
	}
	table.store(7, 4, entry{bound: eval.Exact, depth: 3, score: mate - 9}) // mate five plies from the node
	if got, want := table.probe(7, 2).score, mate-7; got != want {
		t.Errorf("mate five plies on, read on ply 2: %d, want %d", got, want)
	}
	table.clear()
	if table.probe(7, 0).hit || table.full() != 0 {
		t.Error("the table is not empty after clear")
	}
}

// lent skips the test where the table was left alone, as other programs have the
// memory: there must be little of it now.
func lent(t *testing.T, e *Engine) {
	t.Helper()
	why, mib := e.table.untouched, len(e.table.clusters)>>14
	if why == "" {
		return
	}
	if free, known := machine.Free(); !known || free>>20 > 16*uint64(mib) {
		t.Fatalf("a table of %d MiB is %s", mib, why)
	}
	t.Skipf("a table of %d MiB is %s", mib, why)
}

// TestSearchBesideTouching searches while pages are still being touched: the
// search does not wait for them, and Ready does.
func TestSearchBesideTouching(t *testing.T) {
	e := engine(t)
	kit.Succeed(t, e.SetHash(40))
	lent(t, e)
	e.Ready()
	e.table.working.Add(1)
	e.table.left.Add(1)
	if m := e.Memory(); m.MiB != 40 || m.Pages == "" || m.State != "its pages are being touched" {
		t.Errorf("memory %+v", m)
	}
	whole, head := len(e.table.clusters), headSize/int(unsafe.Sizeof(cluster{}))
	for _, tt := range []struct {
		limits Limits
		used   int
	}{{Limits{Nodes: 3000}, whole}, {Limits{Nodes: 3000, MoveTime: time.Minute}, head}} {
		if r := e.Search(kit.Position(t, benchPositions[3]), tt.limits, Options{}, nil); r.Best == chess.NoMove || len(e.table.used) != tt.used {
			t.Errorf("%+v: best move %v, %d clusters used, want %d", tt.limits, r.Best, len(e.table.used), tt.used)
		}
	}
	done := make(chan struct{})
	go func() { e.Ready(); close(done) }()
	select {
	case <-done:
		t.Error("ready before the pages are")
	case <-time.After(20 * time.Millisecond):
	}
	e.table.left.Add(-1)
	e.table.working.Done()
	<-done
	if m := e.Memory(); m.State != "every page touched" {
		t.Errorf("memory %+v", m)
	}
	e.Search(kit.Position(t, benchPositions[3]), Limits{Nodes: 30, MoveTime: time.Minute}, Options{}, nil)
	if len(e.table.used) != whole {
		t.Errorf("%d of %d clusters used once all are there", len(e.table.used), whole)
	}
}

func TestTouchingKeepsEntries(t *testing.T) {
	table, err := newTable(1)
	kit.Succeed(t, err)
	const keys = 2000
	key := func(i int) chess.Key { return chess.Key(i) * 0x9e3779b97f4a7c15 }
	for i := range keys {
		table.store(key(i), 0, entry{bound: eval.Exact, depth: 5, move: chess.Move(i)})
	}
	touchPart(table.clusters)
	for i := range keys {
		if e := table.probe(key(i), 0); !e.hit || e.move != chess.Move(i) {
			t.Fatalf("entry %d of %d: %+v", i, keys, e)
		}
	}
}

// TestTableAges fills a cluster with deep entries of the last search and
// shallow ones of this: a deep one is worth more than a shallow one although it
// is a little older, and among equals the older gives way, however often the
// counter of searches has come round.
func TestTableAges(t *testing.T) {
	for searches := range 70 {
		table, err := newTable(1)
		kit.Succeed(t, err)
		for range searches {
			table.age()
		}
		table.store(1, 0, entry{bound: eval.Exact, depth: 20})
		table.store(2, 0, entry{bound: eval.Exact, depth: 5})
		table.age()
		for key := chess.Key(3); key < 5; key++ {
			table.store(key, 0, entry{bound: eval.Exact, depth: 5})
		}
		table.store(5, 0, entry{bound: eval.Exact, depth: 5})
		table.store(6, 0, entry{bound: eval.Exact, depth: 5})
		for key, want := range map[chess.Key]bool{1: true, 2: false, 6: true} {
			if got := table.probe(key, 0).hit; got != want {
				t.Errorf("after %d searches: entry %d is there: %v, want %v", searches, key, got, want)
			}
		}
	}
}

func TestMateIn(t *testing.T) {
	for _, tt := range []struct {
		score eval.Score
		moves int
		ok    bool
	}{
		{mate - 1, 1, true}, {mate - 3, 2, true}, {mated(0), 0, true}, {mated(2), -1, true}, {mated(4), -2, true},
		{0, 0, false}, {eval.Limit, 0, false}, {-eval.Limit, 0, false},
	} {
		if moves, ok := tt.score.MateIn(); moves != tt.moves || ok != tt.ok {
			t.Errorf("MateIn(%d) = %d %v, want %d %v", tt.score, moves, ok, tt.moves, tt.ok)
		}
	}
}

func TestTableAnswers(t *testing.T) {
	for _, tt := range []struct {
		e    entry
		want bool
	}{
		{entry{}, false}, {entry{hit: true, bound: eval.Exact, score: 40}, true},
		{entry{hit: true, bound: eval.Lower, score: 51}, true}, {entry{hit: true, bound: eval.Lower, score: 49}, false},
		{entry{hit: true, bound: eval.Upper, score: 49}, true}, {entry{hit: true, bound: eval.Upper, score: 51}, false},
	} {
		if got := tt.e.answers(50, 51); got != tt.want {
			t.Errorf("%+v answers 50 to 51: %v", tt.e, got)
		}
	}
	for _, tt := range []struct {
		e    entry
		want eval.Score
	}{
		{entry{}, 30}, {entry{hit: true, bound: eval.Exact, score: 10}, 10}, {entry{hit: true, bound: eval.Lower, score: 50}, 50},
		{entry{hit: true, bound: eval.Lower, score: 10}, 30}, {entry{hit: true, bound: eval.Upper, score: 10}, 10},
		{entry{hit: true, bound: eval.Upper, score: 50}, 30}, {entry{hit: true, bound: eval.Lower, score: mate - 5}, 30},
	} {
		if got := tt.e.sharpen(30); got != tt.want {
			t.Errorf("%+v makes %d of 30, want %d", tt.e, got, tt.want)
		}
	}
}

// TestTableCutNearFiftyMoves takes a deep entry at its word far from the limit
// of fifty moves and never near it, where the way here matters.
func TestTableCutNearFiftyMoves(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		fen  string
		want bool
	}{{"8/8/4k3/8/2KQ4/8/8/7r w - - 10 60", true}, {"8/8/4k3/8/2KQ4/8/8/7r w - - 92 120", false}} {
		w := laid(t, e, tt.fen)
		e.table.store(w.pos.Key(), 1, entry{bound: eval.Lower, depth: 20, score: 777, eval: w.evaluate()})
		if got := w.search(1, 4, 99, 100, true); (got == 777) != tt.want {
			t.Errorf("%s: the table's 777 comes back as %d", tt.fen, got)
		}
	}
	w := laid(t, e, "8/8/4k3/8/2KQ4/8/8/7r w - - 10 60")
	for _, tt := range []struct {
		name  string
		depth Depth
		pv    bool
	}{{"too shallow", 3, false}, {"in an open window", 20, true}} {
		e.table.clear()
		e.table.age()
		e.table.store(w.pos.Key(), 1, entry{bound: eval.Lower, depth: tt.depth, score: 777, eval: w.evaluate()})
		n := ask(w, 4, 100)
		if n.pv = tt.pv; w.cutByTable(n) {
			t.Errorf("an entry %s settles the node", tt.name)
		}
	}
}

// TestQuiescenceKeepsTheMark: that a position was once in an open window stays known
// when quiescence stores it again.
func TestQuiescenceKeepsTheMark(t *testing.T) {
	e := engine(t)
	for _, marked := range []bool{true, false} {
		w := laid(t, e, quietMiddlegame)
		e.table.store(w.pos.Key(), 1, entry{pv: marked, bound: eval.Upper, score: 2000, eval: 0})
		w.search(1, 0, 700, 701, true)
		if got := e.table.probe(w.pos.Key(), 1); !got.hit || got.score == 2000 || got.pv != marked {
			t.Errorf("marked %v: stored again as %+v", marked, got)
		}
	}
}

func TestTableKeepsTheDeeperOfAPosition(t *testing.T) {
	table, err := newTable(1)
	kit.Succeed(t, err)
	const key = chess.Key(0x9e3779b97f4a7c15)
	table.store(key, 1, entry{bound: eval.Lower, depth: 20, score: 50, move: 77})
	for _, tt := range []struct {
		name  string
		e     entry
		depth Depth
		move  chess.Move
		score eval.Score
	}{
		{"a shallow bound", entry{bound: eval.Upper, depth: 3, score: 1}, 20, 77, 50},
		{"a shallow bound with a move", entry{bound: eval.Lower, depth: 3, score: 2, move: 78}, 20, 78, 50},
		{"one nearly as deep, without a move", entry{bound: eval.Upper, depth: 17, score: 3}, 17, 78, 3},
		{"a shallow exact score", entry{bound: eval.Exact, depth: 2, score: 4}, 2, 78, 4},
	} {
		table.store(key, 1, tt.e)
		if got := table.probe(key, 1); got.depth != tt.depth || got.move != tt.move || got.score != tt.score {
			t.Errorf("after %s: %+v, want depth %d, move %v, score %d", tt.name, got, tt.depth, tt.move, tt.score)
		}
	}
}
