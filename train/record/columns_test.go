package record

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/movegen"
)

// pile is games with their IDs.
type pile struct {
	ids       []ID
	games     []*ScoredGame
	positions int
}

func (p *pile) add(id ID, g *ScoredGame) {
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
func (p *pile) rounded() (games []*ScoredGame) {
	for _, g := range p.games {
		r := &ScoredGame{Start: g.Start, Plies: slices.Clone(g.Plies)}
		for i := range r.Plies {
			r.Plies[i].Score = Round(r.Plies[i].Score)
		}
		games = append(games, r)
	}
	return games
}

// packPile returns the payload of games, with their counts.
func packPile(p *pile) (payload []byte, c Counts) {
	for _, g := range p.games {
		c.Add(g)
	}
	return c.pack(p.ids, p.games), c
}

func TestPayloadRoundTrip(t *testing.T) {
	for seed := range uint64(30) {
		p := randomPile(seed, int(seed), 80)
		payload, c := packPile(p)
		ids, games, err := c.unpack(payload)
		if d := cmp.Diff(p.rounded(), games, cmpopts.EquateEmpty()); err != nil || d != "" || !slices.Equal(ids, p.ids) {
			t.Fatalf("seed %d: error %v (-want +got):\n%s", seed, err, d)
		}
		again, _ := packPile(&pile{ids, games, p.positions})
		if _, twice, err := c.unpack(again); err != nil || !cmp.Equal(games, twice, cmpopts.EquateEmpty()) {
			t.Fatalf("seed %d: rounding twice is not rounding once, error %v", seed, err)
		}
	}
}

// TestOldPayload reads what was written when the format was made: the example of the README of viriformat, with
// promotions, castling and en passant of either side in a second game.
func TestOldPayload(t *testing.T) {
	old := &pile{
		ids: []ID{{7, 1, 200}, {1 << 63, math.MaxUint32, 0}},
		games: []*ScoredGame{
			played(t, chess.StartFEN, WhiteWins, "e2e4", "e7e5", "d1h5", "e8e7", "h5e5"),
			played(t, "r3k2r/1P6/8/3pP3/5p1p/8/1p4P1/R3K2R w KQkq d6 0 20", Draw,
				"e5d6", "h4h3", "g2g4", "f4g3", "b7a8n", "b2a1q", "e1e2", "e8g8"),
		},
	}
	payload := bytesOf(t, ""+
		"28b52ffd0000b500000282040af05100d802151007f93e5f25ffcfe11f010028b52ffd0000c5010002040d18b031286f56b7"+
		"750d3771b1edb88a6bced140bccc48b6def3d185c6ff00d094055929d1546b3a7a049c873133fba450c3dddf050028b52ffd"+
		"0000410000050000000800000028b52ffd00006900000c34033c27241f0e1d31c9043c28b52ffd000069000010102408034f"+
		"08104bc9c9088328b52ffd00006900000096850e550096850e558099ae28b52ffd0000690000000001020200000102020202"+
		"02")
	_, c := packPile(old)
	ids, games, err := c.unpack(payload)
	if d := cmp.Diff(old.rounded(), games); err != nil || d != "" || !slices.Equal(ids, old.ids) {
		t.Fatalf("error %v (-want +got):\n%s", err, d)
	}
}

func TestPayloadRefuses(t *testing.T) {
	p := randomPile(4, 10, 50)
	payload, good := packPile(p)
	long := slices.Clone(p.games)
	long[3] = &ScoredGame{Start: long[3].Start, Plies: append(slices.Clone(long[3].Plies), Ply{})}
	other, _ := packPile(&pile{ids: p.ids, games: long})
	for _, tt := range []struct {
		name             string
		payload          []byte
		games, positions int
	}{
		{"half", payload[:len(payload)/2], 0, 0},
		{"nothing", nil, 0, 0},
		{"fewer positions", payload, 0, -1},
		{"more positions", payload, 0, 1},
		{"fewer games", payload, -1, 0},
		{"more games", payload, 9, 0},
		{"plies that do not add up", payload, -1, (idSize + PackedSize + countSize) / 4},
		{"a bomb", encoder().EncodeAll(make([]byte, 20*maxPayload), nil), 0, 0},
		{"another payload", other, 0, 0},
	} {
		c := good
		c.Games, c.Positions = c.Games+tt.games, c.Positions+tt.positions
		if _, _, err := c.unpack(tt.payload); !errors.Is(err, ErrContent) {
			t.Errorf("%s: error %v", tt.name, err)
		}
	}
	// A level that no score has.
	raw := make([]byte, (&Counts{Games: 1, Positions: 1}).size())
	one := Counts{Games: 1, Positions: 1}
	column := one.split(raw)
	column.counts[0], column.change[1] = 1, 0xff
	if _, _, err := one.unpack(encoder().EncodeAll(raw, nil)); !errors.Is(err, errScore) {
		t.Errorf("a level that no score has: error %v", err)
	}
}

func TestZigzag(t *testing.T) {
	for v := math.MinInt16; v <= math.MaxInt16; v++ {
		if got := zagzig(zigzag(int16(v))); int(got) != v {
			t.Fatalf("%d becomes %d", v, got)
		}
	}
	for i, v := range []int16{0, -1, 1, -2, 2} {
		if got := zigzag(v); int(got) != i {
			t.Errorf("%d is number %d, want %d", v, got, i)
		}
	}
}

func TestMovesFromBits(t *testing.T) {
	for _, m := range []chess.Move{
		chess.NewMove(chess.E2, chess.E4, chess.Normal), chess.NewMove(chess.E5, chess.D6, chess.EnPassant),
		chess.NewMove(chess.E1, chess.H1, chess.Castling), chess.NewPromotion(chess.A7, chess.A8, chess.Knight),
		chess.NewPromotion(chess.H2, chess.G1, chess.Queen), chess.NoMove,
	} {
		if got := parseMove(MoveBits(m)); got != m {
			t.Errorf("%v becomes %v", m, got)
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
