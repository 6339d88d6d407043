package movegen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

var stages = []struct {
	name  string
	stage movegen.Stage
}{{"all", movegen.All}, {"tactical", movegen.Tactical}, {"quiet", movegen.Quiet}}

// kernelPaths returns the paths that this machine can run, magic, the
// specification, left out.
func kernelPaths() []movegen.Path {
	var list []movegen.Path
	for path := movegen.Magic + 1; path <= movegen.NEON; path++ {
		if path.Supported() == nil {
			list = append(list, path)
		}
	}
	return list
}

// checkLists holds every path's lists of p against the specification, the
// plain generator: the same moves in the same order, and nothing written far
// beyond them.
func checkLists(t *testing.T, p *chess.Position) {
	t.Helper()
	const room, untouched = 16, chess.Move(0xaaaa)
	var spec, buf [chess.MaxMoves + room]chess.Move
	for _, s := range stages {
		want := movegen.GenerateOn(movegen.Magic, p, s.stage, spec[:0])
		for _, path := range kernelPaths() {
			for i := range buf {
				buf[i] = untouched
			}
			got := movegen.GenerateOn(path, p, s.stage, buf[:0:chess.MaxMoves])
			if !slices.Equal(got, want) {
				t.Fatalf("%s, %s moves on %v:\n got %v\nwant %v", p.FEN(), s.name, path, got, want)
			}
			for i := min(len(got)+room, chess.MaxMoves); i < len(buf); i++ {
				if buf[i] != untouched {
					t.Fatalf("%s, %s moves on %v: word %d is written, of %d moves", p.FEN(), s.name, path, i, len(got))
				}
			}
		}
	}
}

// checkBothLists is checkLists for p and for p with the colours exchanged.
func checkBothLists(t *testing.T, p *chess.Position) {
	t.Helper()
	checkLists(t, p)
	checkLists(t, p.Mirror())
}

// TestListersAgree compares the lists on random games and makes sure that
// these have what is hard about listing.
func TestListersAgree(t *testing.T) {
	seen := map[string]int{}
	visit(t, games(1000), func(p *chess.Position, legal []chess.Move, _ *rand.Rand) {
		checkLists(t, p)
		us := p.SideToMove()
		pinned := p.Blockers(us) & p.ByColor(us)
		for what, is := range map[string]bool{
			"check": p.InCheck(), "double check": p.Checkers().MoreThanOne(), "en passant": p.EnPassantLegal(),
			"pinned pawn":   pinned&p.ByType(chess.Pawn) != 0,
			"pinned knight": pinned&p.ByType(chess.Knight) != 0,
			"pinned slider": pinned&(p.ByType(chess.Bishop)|p.ByType(chess.Rook)|p.ByType(chess.Queen)) != 0,
			"castling":      slices.ContainsFunc(legal, func(m chess.Move) bool { return m.Kind() == chess.Castling }),
			"promotion":     slices.ContainsFunc(legal, func(m chess.Move) bool { return m.Kind() == chess.Promotion }),
			"Chess960":      p.Chess960(),
		} {
			if is {
				seen[what]++
			}
		}
	})
	for _, what := range []string{"check", "double check", "en passant", "pinned pawn", "pinned knight", "pinned slider",
		"castling", "promotion", "Chess960"} {
		if seen[what] == 0 {
			t.Errorf("no position with %s", what)
		}
	}
}

// TestListersOnStarts compares the lists of all start positions of Chess960,
// those with an empty back rank between king and rooks included.
func TestListersOnStarts(t *testing.T) {
	for n := range 960 {
		p, err := chess.NewChess960(n)
		kit.Succeed(t, err)
		checkBothLists(t, p)
		s := p.Setup()
		for c := range s.Pieces {
			for _, k := range []chess.PieceType{chess.Pawn, chess.Knight, chess.Bishop, chess.Queen} {
				s.Pieces[c][k] = 0
			}
		}
		if p, err = s.Position(); err != nil {
			continue // the rooks give check
		}
		checkBothLists(t, p)
	}
}

// TestMostMoves: of composed positions with more moves than games have, up to the most that are known, lists hold all,
// and nothing is written beyond a buffer of chess.MaxMoves.
func TestMostMoves(t *testing.T) {
	for placement, want := range map[string]int{
		"2QQ1Q2/Q6Q/4Q3/1Q4QK/3Q4/Q4Q2/7k/1QQ1QQ2":   225,
		"Q4Qbk/3Q2nq/1Q4QQ/4Q3/2Q4Q/Q4Q1Q/3Q4/1Q4QK": 241,
	} {
		p := kit.Composed(t, placement, chess.White)
		checkBothLists(t, p)
		if got := len(movegen.Legal(p, nil)); got != want {
			t.Errorf("%s: %d moves, want %d", p.FEN(), got, want)
		}
	}
}

// TestListersOnRandomPositions compares the lists on boards that no game would
// lead to, up to the most pieces there can be.
func TestListersOnRandomPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	positions := 0
	for range games(400000) {
		data := make([]byte, 3+r.IntN(60))
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		s := kit.Setup(data)
		s.Composed = true // whatever sixteen men may be
		if p, err := s.Position(); err == nil {
			positions++
			checkLists(t, p)
		}
	}
	if positions < games(40000) {
		t.Errorf("%d positions, want more", positions)
	}
}

// FuzzLists reads bytes as a position and compares its lists.
func FuzzLists(f *testing.F) {
	f.Add([]byte("\x04\x3c\x00\x00\x03\x07\x03\x40\x04\x60\x02"))
	f.Add([]byte("\x44\x3c\x00\x00\x03\x07\x03\x1b\x01\x33\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) < 3 {
			return
		}
		s := kit.Setup(data)
		s.Composed = true // whatever sixteen men may be
		if p, err := s.Position(); err == nil {
			checkBothLists(t, p)
		}
	})
}

func TestListPath(t *testing.T) {
	best, err := movegen.SelectPath("")
	kit.Succeed(t, err)
	avx2 := movegen.Magic // without PEXT, or with a slow one
	if best == movegen.AVX512 || best == movegen.Pext {
		avx2 = movegen.Pext
	} else if best == movegen.AVX2 {
		avx2 = movegen.ListPath(best)
	}
	for path, want := range map[movegen.Path]movegen.Path{
		movegen.Magic: movegen.Magic, movegen.Pext: movegen.Pext, movegen.AVX2: avx2, movegen.AVX512: movegen.AVX512, movegen.NEON: movegen.Magic,
	} {
		if got := movegen.ListPath(path); got != want {
			t.Errorf("ListPath(%v) = %v, want %v", path, got, want)
		}
	}
}
