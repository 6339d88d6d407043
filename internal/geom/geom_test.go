package geom

import (
	"math/bits"
	"slices"
	"testing"
)

// board reads a set drawn as eight ranks, the eighth first.
func board(t *testing.T, ranks ...string) uint64 {
	t.Helper()
	if len(ranks) != 8 {
		t.Fatalf("%d ranks drawn", len(ranks))
	}
	var set uint64
	for i, rank := range ranks {
		for file, c := range rank {
			if c == 'x' {
				set |= Bit((7-i)*8 + file)
			}
		}
	}
	return set
}

const a1, d4, h1, a8, h8 = 0, 27, 7, 56, 63

func TestDrawnSets(t *testing.T) {
	occ := Bit(d4+16) | Bit(d4-1) | Bit(d4+9) | Bit(d4-18)
	for _, tt := range []struct {
		name string
		got  uint64
		want uint64
	}{
		{"rook d4, blocked", Rook(d4, occ), board(t,
			"........", "........", "...x....", "...x....", "..x.xxxx", "...x....", "...x....", "...x....")},
		{"bishop d4, blocked", Bishop(d4, occ), board(t,
			"........", "x.......", ".x......", "..x.x...", "........", "..x.x...", ".x...x..", "......x.")},
		{"rook a1, relevant", Relevant(false, a1), board(t,
			"........", "x.......", "x.......", "x.......", "x.......", "x.......", "x.......", ".xxxxxx.")},
		{"bishop d4, relevant", Relevant(true, d4), board(t,
			"........", "......x.", ".x...x..", "..x.x...", "........", "..x.x...", ".x...x..", "........")},
		{"knight d4", Knight(d4), board(t,
			"........", "........", "..x.x...", ".x...x..", "........", ".x...x..", "..x.x...", "........")},
		{"knight h1", Knight(h1), board(t,
			"........", "........", "........", "........", "........", "......x.", ".....x..", "........")},
		{"king a8", King(a8), board(t,
			".x......", "xx......", "........", "........", "........", "........", "........", "........")},
		{"white pawn d4", Pawn(0, d4), Bit(d4+7) | Bit(d4+9)},
		{"black pawn d4", Pawn(1, d4), Bit(d4-7) | Bit(d4-9)},
		{"white pawn h1", Pawn(0, h1), Bit(14)},
		{"black pawn a1", Pawn(1, a1), 0},
		{"between a1 h8", Between(a1, h8), 0x0040201008040200},
		{"between a1 d4 neighbours", Between(d4, d4+1), 0},
		{"between unaligned", Between(a1, d4+1), 0},
		{"between itself", Between(d4, d4), 0},
		{"line d4 e5", Line(d4, d4+9), 0x8040201008040201},
		{"line d4 c4", Line(d4, d4-1), 0xff000000},
		{"line unaligned", Line(a1, d4+1), 0},
		{"line itself", Line(d4, d4), 0},
		{"ray north-west of h1", Ray(NorthWest, h1), 0x0102040810204000},
		{"ray west of a8", Ray(West, a8), 0},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %#016x, want %#016x", tt.name, tt.got, tt.want)
		}
	}
}

// TestCounts compares totals over the board with numbers known independently:
// moves of each piece on an empty board.
func TestCounts(t *testing.T) {
	totals := map[string]int{}
	for sq := range 64 {
		totals["knight"] += bits.OnesCount64(Knight(sq))
		totals["king"] += bits.OnesCount64(King(sq))
		totals["bishop"] += bits.OnesCount64(Bishop(sq, 0))
		totals["rook"] += bits.OnesCount64(Rook(sq, 0))
		totals["white pawn"] += bits.OnesCount64(Pawn(0, sq))
		totals["black pawn"] += bits.OnesCount64(Pawn(1, sq))
		totals["bishop entries"] += 1 << bits.OnesCount64(Relevant(true, sq))
		totals["rook entries"] += 1 << bits.OnesCount64(Relevant(false, sq))
	}
	for name, want := range map[string]int{
		"knight": 336, "king": 420, "bishop": 560, "rook": 896, "white pawn": 98, "black pawn": 98,
		"bishop entries": 5248, "rook entries": 102400,
	} {
		if totals[name] != want {
			t.Errorf("%s: %d, want %d", name, totals[name], want)
		}
	}
}

// TestRelevant shows that a mask holds all that matters and nothing else.
func TestRelevant(t *testing.T) {
	for sq := range 64 {
		for _, bishop := range []bool{true, false} {
			mask := Relevant(bishop, sq)
			if got, want := Slider(bishop, sq, ^mask), Slider(bishop, sq, 0); got != want {
				t.Errorf("square %d, bishop %v: squares outside %#x change the attacks: %#x, want %#x", sq, bishop, mask, got, want)
			}
			for s := range Squares(mask) {
				if Slider(bishop, sq, Bit(s)) == Slider(bishop, sq, 0) {
					t.Errorf("square %d, bishop %v: %d in the mask changes nothing", sq, bishop, s)
				}
			}
		}
	}
}

func TestSubsets(t *testing.T) {
	for _, tt := range []struct {
		mask uint64
		want []uint64
	}{
		{0, []uint64{0}},
		{1 << 63, []uint64{0, 1 << 63}},
		{0b10110, []uint64{0, 0b10, 0b100, 0b110, 0b10000, 0b10010, 0b10100, 0b10110}},
	} {
		if got := slices.Collect(Subsets(tt.mask)); !slices.Equal(got, tt.want) {
			t.Errorf("subsets of %#b: %#b, want %#b", tt.mask, got, tt.want)
		}
	}
	for range Subsets(^uint64(0)) {
		break // an early end must not run on
	}
}
