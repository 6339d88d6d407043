package record

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
)

// randomGames returns a packer with games of random moves, a third of them of Chess960, with scores of all sizes.
func randomGames(seed uint64, games, plies int) *Packer {
	r := rand.New(rand.NewPCG(seed, 1))
	var all Packer
	for range games {
		p := chess.NewPosition()
		if r.IntN(3) == 0 {
			p, _ = chess.NewDoubleChess960(r.IntN(960), r.IntN(960))
		}
		movegen.RandomWalk(p, r, r.IntN(60))
		g := random(r, p, plies, false, func() int16 { return int16((r.IntN(1<<16-1) - (1<<15 - 1)) >> r.IntN(16)) })
		all.Add(ID{r.Uint64(), r.Uint32() >> r.IntN(32), r.Uint32()}, g.Append(nil))
	}
	return &all
}

// TestRoundTrip writes games and reads them: all but scores, which are rounded, come back, and rounding twice is
// rounding once.
func TestRoundTrip(t *testing.T) {
	var b Block // one for all: nothing may be left over
	for seed := range uint64(30) {
		p := randomGames(seed, int(seed), 80)
		data, err := p.Append([]byte("before"))
		testkit.Succeed(t, err)
		f, err := NewFile(bytes.NewReader(data[6:]), int64(len(data)-6))
		testkit.Succeed(t, err)
		testkit.Succeed(t, f.Read(0, &b))
		var want []byte
		for rest := p.games; len(rest) > 0; {
			view, more, _ := Next(rest)
			g := view.Game()
			for i := range g.Plies {
				g.Plies[i].Score = Round(g.Plies[i].Score)
			}
			want, rest = g.Append(want), more
		}
		if !bytes.Equal(b.games, want) || !bytes.Equal(b.ids, p.ids) || b.Counts != p.Counts {
			t.Fatalf("seed %d: %d bytes came back of %d", seed, len(b.games), len(want))
		}
		again := Packer{Counts: p.Counts, ids: p.ids, games: want}
		if twice, err := again.Append(nil); err != nil || !bytes.Equal(twice, data[6:]) {
			t.Fatalf("seed %d: rounding twice is not rounding once, error %v", seed, err)
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

// TestIllegalGames: no game with an illegal position or move is written.
func TestIllegalGames(t *testing.T) {
	good := Game{Start: Pack(chess.NewPosition(), Draw), Plies: []Ply{{Move: MoveOf(chess.NewMove(chess.E2, chess.E4, chess.Normal))}}}
	illegal := good
	illegal.Plies = []Ply{{Move: MoveOf(chess.NewMove(chess.E2, chess.E5, chess.Normal))}}
	noBoard := good
	noBoard.Start[8] |= 7
	for _, tt := range []struct {
		name string
		game Game
		ok   bool
	}{{"good", good, true}, {"illegal move", illegal, false}, {"no position", noBoard, false}} {
		var p Packer
		p.Add(ID{}, tt.game.Append(nil))
		if _, err := p.Append(nil); (err == nil) != tt.ok || err != nil && !errors.Is(err, ErrGame) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
}

// TestDamagedColumns gives columns that no writer writes.
func TestDamagedColumns(t *testing.T) {
	p := randomGames(4, 10, 50)
	columns, err := p.columns()
	testkit.Succeed(t, err)
	h := header{Counts: p.Counts}
	if _, err := restore(nil, columns, &h); err != nil {
		t.Fatal(err)
	}
	lengths := 10 * (idSize + PackedSize)
	for name, change := range map[string]func(c []byte) []byte{
		"cut":           func(c []byte) []byte { return c[:len(c)-1] },
		"longer":        func(c []byte) []byte { return append(c, 0) },
		"a long game":   func(c []byte) []byte { c[lengths+2] = 1; return c },
		"no such score": func(c []byte) []byte { c[len(c)-p.Positions] = 0x40; return c },
	} {
		if _, err := restore(nil, change(bytes.Clone(columns)), &h); !errors.Is(err, ErrContent) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
