package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
)

// pile is games with their IDs.
type pile struct {
	ids       []ID
	games     []*Game
	positions int
}

func (p *pile) add(id ID, g *Game) {
	p.ids, p.games, p.positions = append(p.ids, id), append(p.games, g), p.positions+len(g.Plies)
}

// randomPile returns games of random moves, a third of them of Chess960, with
// scores of all sizes and from several origins.
func randomPile(seed uint64, games, plies int) *pile {
	r := rand.New(rand.NewPCG(seed, 1))
	var all pile
	for range games {
		p := chess.NewPosition()
		if r.IntN(3) == 0 {
			p, _ = chess.NewDoubleChess960(r.IntN(960), r.IntN(960))
		}
		movegen.RandomWalk(p, r, r.IntN(60))
		g := random(r, p, plies, false, func() int16 { return int16((r.IntN(1<<16-1) - (1<<15 - 1)) >> r.IntN(16)) })
		all.add(ID{uint64(r.IntN(3)) << 40, r.Uint32() >> r.IntN(32), uint32(r.IntN(2) * 250)}, g)
	}
	return &all
}

// rounded returns the games with the scores that a file keeps.
func (p *pile) rounded() (games []*Game) {
	for _, g := range p.games {
		r := &Game{Start: g.Start, Plies: slices.Clone(g.Plies)}
		for i := range r.Plies {
			r.Plies[i].Score = Round(r.Plies[i].Score)
		}
		games = append(games, r)
	}
	return games
}

func TestCodecRoundTrip(t *testing.T) {
	var c codec // one for all: nothing may be left over
	for seed := range uint64(30) {
		p := randomPile(seed, int(seed), 80)
		data, err := c.append([]byte("before"), p.ids, p.games)
		testkit.Succeed(t, err)
		ids, games, err := c.read(data[len("before"):], len(p.games), p.positions)
		if d := cmp.Diff(p.rounded(), games, cmpopts.EquateEmpty()); err != nil || d != "" || !slices.Equal(ids, p.ids) {
			t.Fatalf("seed %d: error %v (-want +got):\n%s", seed, err, d)
		}
		again, err := c.append(nil, p.ids, p.rounded())
		if err != nil || !bytes.Equal(again, data[len("before"):]) {
			t.Fatalf("seed %d: rounding twice is not rounding once, error %v", seed, err)
		}
	}
}

// widePile returns every game of one ply from a position with the most moves that
// any is known to have.
func widePile(t *testing.T) *pile {
	p := testkit.Position(t, "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1")
	var all pile
	for i, m := range movegen.Legal(p, nil) {
		all.add(ID{1, uint32(i), 250}, &Game{Start: Pack(p, Draw), Plies: []Ply{{Move: m}}})
	}
	return &all
}

// TestFormat compares payloads with those written when the format was made: a
// change of the order of moves or of any model makes all files unreadable.
func TestFormat(t *testing.T) {
	for _, tt := range []struct {
		name  string
		games *pile
		want  string
	}{
		{"random", randomPile(99, 40, 100), "0fad396bb37c49d7"},
		{"wide", widePile(t), "d761ba70a2e1a206"},
	} {
		var c codec
		data, err := c.append(nil, tt.games.ids, tt.games.games)
		testkit.Succeed(t, err)
		sum := sha256.Sum256(data)
		if got := hex.EncodeToString(sum[:8]); got != tt.want {
			t.Errorf("%s: %d bytes with SHA-256 %s…, want %s…", tt.name, len(data), got, tt.want)
		}
	}
}

// TestScale says what rounding loses: nothing of a mate, half a 255th of a chance
// at 150 centipawns, and at every other scale up to 400 a 100th.
func TestScale(t *testing.T) {
	s := scoreScale()
	for v := -32767; v <= 32767; v++ {
		got, ok := s.score(s.level(int16(v)))
		if !ok || got != 0 && (got < 0) != (v < 0) {
			t.Fatalf("%d becomes %d, %v", v, got, ok)
		}
		if v >= mateEdge || v <= -mateEdge {
			if int(got) != v {
				t.Fatalf("mate %d becomes %d", v, got)
			}
			continue
		}
		if got >= mateEdge || got <= -mateEdge {
			t.Fatalf("%d becomes a mate, %d", v, got)
		}
		for _, tt := range []struct{ scale, most float64 }{{150, 0.51 / 255}, {250, 0.0062}, {400, 0.01}} {
			off := math.Abs(wdl.Sigmoid(float64(got)/tt.scale) - wdl.Sigmoid(float64(v)/tt.scale))
			if off > tt.most {
				t.Errorf("%d becomes %d: %.5f of a chance at scale %v, want at most %v", v, got, off, tt.scale, tt.most)
			}
		}
	}
	for _, level := range []int{len(s.values), -len(s.values), math.MaxInt32, math.MinInt32} {
		if _, ok := s.score(level); ok {
			t.Errorf("level %d has a score", level)
		}
	}
}

func TestCodecRefuses(t *testing.T) {
	p := chess.NewPosition()
	good := Game{Start: Pack(p, Draw), Plies: []Ply{{Move: chess.NewMove(chess.E2, chess.E4, chess.Normal)}}}
	illegal := good
	illegal.Plies = []Ply{{Move: chess.NewMove(chess.E2, chess.E5, chess.Normal)}}
	noBoard := good
	noBoard.Start[8] |= 7
	trailing := Game{Start: good.Start}
	bare := testkit.Position(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1")
	trailing.Start = Pack(bare, Draw)
	trailing.Start[20] = 1
	for _, tt := range []struct {
		name string
		game Game
		ok   bool
	}{{"good", good, true}, {"illegal move", illegal, false}, {"no position", noBoard, false}, {"bits after the last piece", trailing, false}} {
		var c codec
		if _, err := c.append(nil, []ID{{1, 2, 3}}, []*Game{&tt.game}); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrGame) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
	all := randomPile(4, 10, 50)
	var c codec
	data, err := c.append(nil, all.ids, all.games)
	testkit.Succeed(t, err)
	for _, tt := range []struct {
		name             string
		data             []byte
		games, positions int
	}{
		{"half", data[:len(data)/2], len(all.games), all.positions},
		{"nothing", nil, len(all.games), all.positions},
		{"fewer positions", data, len(all.games), all.positions - 1},
		{"more positions", data, len(all.games), all.positions + 1},
		{"fewer games", data, len(all.games) - 1, all.positions},
		{"more games", data, len(all.games) + 9, all.positions},
	} {
		if _, _, err := c.read(tt.data, tt.games, tt.positions); !errors.Is(err, ErrContent) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}
