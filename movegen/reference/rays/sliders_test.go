package rays

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// compass holds the file and rank step of each direction.
var compass = [8][2]int{
	north: {0, 1}, northEast: {1, 1}, east: {1, 0}, southEast: {1, -1},
	south: {0, -1}, southWest: {-1, -1}, west: {-1, 0}, northWest: {-1, 1},
}

// hop returns the square so many files and ranks away and whether it is on
// the board.
func hop(s, files, ranks int) (int, bool) {
	file, rank := s&7+files, s>>3+ranks
	return rank<<3 | file, file >= 0 && file < 8 && rank >= 0 && rank < 8
}

// walk is the slow way: square by square until something stands there.
func walk(s int, occupied uint64, steps ...[2]int) uint64 {
	set := uint64(0)
	for _, step := range steps {
		for at, ok := hop(s, step[0], step[1]); ok; at, ok = hop(at, step[0], step[1]) {
			set |= 1 << at
			if occupied>>at&1 != 0 {
				break
			}
		}
	}
	return set
}

func TestSliders(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2000 {
		occupied := random.Uint64()
		switch i % 4 {
		case 0:
			occupied &= random.Uint64() & random.Uint64()
		case 1:
			occupied |= random.Uint64()
		}
		if i < 2 {
			occupied = uint64(i) * ^uint64(0) // empty and full boards
		}
		for s := range 64 {
			for _, tc := range []struct {
				name      string
				got, want uint64
			}{
				{"rook", rook(s, occupied), walk(s, occupied, compass[north], compass[east], compass[south], compass[west])},
				{"bishop", bishop(s, occupied), walk(s, occupied, compass[northEast], compass[northWest], compass[southEast], compass[southWest])},
			} {
				if tc.got != tc.want {
					t.Fatalf("%s on %v, occupied\n%vattacks\n%vwant\n%v", tc.name, chess.Square(s),
						chess.Bitboard(occupied), chess.Bitboard(tc.got), chess.Bitboard(tc.want))
				}
			}
			for d := range northWest + 1 {
				if got, want := along(d, s, occupied), walk(s, occupied, compass[d]); got != want {
					t.Fatalf("direction %d from %v, occupied\n%vattacks\n%vwant\n%v", d, chess.Square(s),
						chess.Bitboard(occupied), chess.Bitboard(got), chess.Bitboard(want))
				}
			}
		}
	}
}

func TestPins(t *testing.T) {
	for _, tc := range []struct {
		name, fen string
		want      chess.Bitboard
	}{
		{"all eight directions", "r2q3k/6b1/1b1N4/2N1N3/rN1K1R1q/2P1Q3/1q1P1b2/3r4 w - - 0 1",
			setOf("d6 e5 c5 b4 f4 c3 e3 d2")},
		{"two between", "3r3k/3P4/3P4/8/3K4/8/8/8 w - - 0 1", 0},
		{"enemy between", "3r3k/3n4/8/8/3K4/8/8/8 w - - 0 1", 0},
		{"two sliders behind", "3r3k/3q4/3R4/8/3K4/8/8/8 w - - 0 1", setOf("d6")},
		{"wrong slider", "3b3k/3P4/8/8/3K4/8/8/8 w - - 0 1", 0},
		{"check pins nothing", "3r3k/8/8/8/3K4/8/8/8 w - - 0 1", 0},
		{"Black to move", "3k4/3n4/8/8/3R4/8/8/3K4 b - - 0 1", setOf("d7")},
	} {
		p, err := chess.ParseFEN(tc.fen)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		b, err := New(p)
		if err != nil {
			t.Errorf("%s: New(%s): %v", tc.name, tc.fen, err)
			continue
		}
		if got := chess.Bitboard(b.survey().pinned); got != tc.want {
			t.Errorf("%s: %s: pinned\n%vwant\n%v", tc.name, tc.fen, got, tc.want)
		}
	}
}

// setOf reads square names with one space between.
func setOf(squares string) (set chess.Bitboard) {
	for i := 0; i < len(squares); i += 3 {
		set |= chess.MakeSquare(int(squares[i]-'a'), int(squares[i+1]-'1')).Bitboard()
	}
	return set
}
