package record

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// specification is the example of the README of cosmobobak/viriformat: 1. e4
// e5 2. Qh5 Ke7 3. Qxe5#. The README prints the high nibble of the pieces
// first; its own code and every other reader have the low one first, as here.
const specification = "ffff00000000ffff 1642256100000000 888888889ecaade9 40 00 0100 0000 02 00" +
	"0c070a00 34091400 c309e2ff 3c0dff7f 2709ff7f 00000000"

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	kit.Succeed(t, err)
	return b
}

func TestSpecificationExample(t *testing.T) {
	data := bytesOf(t, specification)
	p := chess.NewPosition()
	g := ScoredGame{Start: Pack(p, WhiteWins)}
	for _, m := range []struct {
		uci   string
		score int16
	}{{"e2e4", 10}, {"e7e5", 20}, {"d1h5", -30}, {"e8e7", 32767}, {"h5e5", 32767}} {
		move := kit.Move(t, p, m.uci)
		g.Plies = append(g.Plies, Ply{move, m.score})
		p.Make(move)
	}
	if got := g.Append(nil); !cmp.Equal(got, data) {
		t.Errorf("written\n%x, want\n%x", got, data)
	}
	kit.Succeed(t, g.Verify(new(chess.Position), nil))
}

func TestPackedPositions(t *testing.T) {
	for _, tt := range []struct{ name, fen string }{
		{"start", chess.StartFEN},
		{"en passant", "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 3"},
		{"some rights", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 4 17"},
		{"chess960", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"},
		{"double chess960", "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/BRKBQNRN w GBca - 0 1"},
		{"inner rook", "1r2k3/8/8/8/8/8/8/RR2K3 w B - 0 1"},
		{"king beside rook", "8/8/8/4k3/8/8/8/6KR w H - 31 80"},
		{"bare kings", "8/8/8/4k3/8/8/8/6K1 b - - 99 150"},
	} {
		p := kit.Position(t, tt.fen)
		k := Pack(p, Draw)
		if q, err := k.Position(); err != nil || !p.Equal(q) || p.Key() != q.Key() {
			t.Errorf("%s: %s came back as %v, %v", tt.name, tt.fen, q, err)
		}
		if k.Result() != Draw || k.Side() != p.SideToMove() || k.Fullmove() != p.FullmoveNumber() {
			t.Errorf("%s: %s: result %s, side %s, move %d", tt.name, tt.fen, k.Result(), k.Side(), k.Fullmove())
		}
	}
}

// randomGame plays random legal moves from a random start.
func randomGame(r *rand.Rand) *ScoredGame {
	p, err := chess.NewDoubleChess960(r.IntN(chess.Chess960Starts), r.IntN(chess.Chess960Starts))
	if err != nil || r.IntN(2) == 0 {
		p = chess.NewPosition()
	}
	movegen.RandomWalk(p, r, r.IntN(30))
	return random(r, p, r.IntN(300), true, func() int16 { return int16(r.IntN(1 << 16)) })
}

// random returns a game of random moves from p, each with the next score. Where
// rare moves are asked for, it castles and takes en passant whenever it may.
func random(r *rand.Rand, p *chess.Position, plies int, rare bool, score func() int16) *ScoredGame {
	g := &ScoredGame{Start: Pack(p, HalfPoints(r.IntN(3)))}
	for range plies {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		m := moves[r.IntN(len(moves))]
		for _, other := range moves {
			if k := other.Kind(); rare && (k == chess.Castling || k == chess.EnPassant) {
				m = other
			}
		}
		g.Plies = append(g.Plies, Ply{m, score()})
		p.Make(m)
	}
	return g
}

// TestPacked has the positions of games come back from their packed form.
func TestPacked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkPacked(t, randomGame(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))))
	})
}

func checkPacked(t *rapid.T, g *ScoredGame) {
	err := g.Verify(new(chess.Position), func(p *chess.Position, ply Ply) {
		k := Pack(p, g.Result())
		if q, err := k.Position(); err != nil || !p.Equal(q) || p.Key() != q.Key() {
			t.Fatalf("%s came back as %v, %v", p, q, err)
		}
	})
	kit.Succeed(t, err)
}

func TestMoveBits(t *testing.T) {
	for m, want := range map[chess.Move]uint16{
		chess.NewMove(chess.E2, chess.E4, chess.Normal):      12 | 28<<6,
		chess.NewMove(chess.E5, chess.D6, chess.EnPassant):   36 | 43<<6 | 1<<14,
		chess.NewMove(chess.E1, chess.H1, chess.Castling):    4 | 7<<6 | 2<<14,
		chess.NewPromotion(chess.A7, chess.A8, chess.Knight): 48 | 56<<6 | 3<<14,
		chess.NewPromotion(chess.A7, chess.A8, chess.Queen):  48 | 56<<6 | 3<<12 | 3<<14,
	} {
		if got := MoveBits(m); got != want {
			t.Errorf("%v: %016b, want %016b", m, got, want)
		}
	}
}

// TestVerifyIllegal: an illegal move is named.
func TestVerifyIllegal(t *testing.T) {
	e4, e5 := chess.NewMove(chess.E2, chess.E4, chess.Normal), chess.NewMove(chess.E7, chess.E5, chess.Normal)
	for _, m := range []chess.Move{chess.NoMove, e4, chess.NewMove(chess.E7, chess.E5, chess.EnPassant), e5 | 1<<12} {
		g := ScoredGame{Start: Pack(chess.NewPosition(), Draw), Plies: []Ply{{Move: e4}, {Move: m}}}
		if err := g.Verify(new(chess.Position), nil); err == nil || !strings.HasPrefix(err.Error(), "ply 1, ") {
			t.Errorf("%v: error %v, want one of ply 1", m, err)
		}
	}
}

func TestBadStartPositions(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Packed)
		want   string
	}{
		{"result", func(k *Packed) { k[atResult] = 3 }, "result 3"},
		{"piece code", func(k *Packed) { k[atNibbles] |= 7 }, "unknown piece code 7 on a1"},
		{"no king", func(k *Packed) { k[atNibbles+2] &^= 7 }, "kings"},
		{"en passant", func(k *Packed) { k[atSide] = 65 }, "en-passant square 65"},
		{"pieces", func(k *Packed) { k[5] = 1 }, "33 pieces"},
		{"en passant without a pawn", func(k *Packed) { k[atSide] = 44 }, "en passant"},
	} {
		k := Pack(chess.NewPosition(), Draw)
		tt.change(&k)
		if _, err := k.Position(); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
	}
}
