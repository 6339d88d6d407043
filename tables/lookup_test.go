package tables

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/geom"
)

// magicPieces pairs each look-up with the slow walk.
var magicPieces = []struct {
	name string
	fast func(sq uint8, occ uint64) uint64
	slow func(sq int, occ uint64) uint64
	mask func(sq int) uint64
}{
	{"bishop", BishopAttacks, geom.Bishop, func(sq int) uint64 { return geom.Relevant(true, sq) }},
	{"rook", RookAttacks, geom.Rook, func(sq int) uint64 { return geom.Relevant(false, sq) }},
}

// TestMagicEverySubset tries every relevant occupancy of every square, with
// random pieces on the squares that do not matter.
func TestMagicEverySubset(t *testing.T) {
	noise := geom.NewRandom(1)
	for _, piece := range magicPieces {
		for sq := range 64 {
			mask := piece.mask(sq)
			for sub := range geom.Subsets(mask) {
				occ := sub | noise.Next()&^mask
				if got, want := piece.fast(uint8(sq), occ), piece.slow(sq, occ); got != want {
					t.Fatalf("%s on %d, occupancy %#016x: %#016x, want %#016x", piece.name, sq, occ, got, want)
				}
			}
		}
	}
}

func FuzzMagic(f *testing.F) {
	f.Add(uint8(0), uint64(0))
	f.Add(uint8(27), uint64(0xffff00000000ffff))
	f.Add(uint8(255), ^uint64(0))
	f.Fuzz(func(t *testing.T, sq uint8, occ uint64) {
		s := int(sq & 63) // only the low six bits count
		for _, piece := range magicPieces {
			if got, want := piece.fast(sq, occ), piece.slow(s, occ); got != want {
				t.Errorf("%s on %d, occupancy %#016x: %#016x, want %#016x", piece.name, sq, occ, got, want)
			}
		}
	})
}

// TestMagicInlined asks the compiler whether the look-ups are inlined and free
// of bounds checks; a call for each would cost more than the look-up.
func TestMagicInlined(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command: ", err)
	}
	out, err := exec.Command("go", "build", "-gcflags=-m -d=ssa/check_bce", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, name := range []string{"BishopAttacks", "RookAttacks"} {
		if !strings.Contains(string(out), "can inline "+name+"\n") {
			t.Errorf("%s cannot be inlined", name)
		}
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "sliders.go") && strings.Contains(line, "InBounds") {
			t.Errorf("bounds check: %s", line)
		}
	}
}

// The benchmarks look up random squares on boards that are about a quarter
// full; the results feed a sink, so that nothing is left out.

var sink uint64

// problems returns squares and occupancies for the benchmarks.
func problems() (squares [1024]uint8, occupied [1024]uint64) {
	random := geom.NewRandom(3)
	for i := range squares {
		squares[i] = uint8(random.Next() & 63)
		a, b := random.Next(), random.Next()
		occupied[i] = a & b
	}
	return squares, occupied
}

func BenchmarkMagicBishop(b *testing.B) {
	squares, occupied := problems()
	var x uint64
	for i := range b.N {
		x ^= BishopAttacks(squares[i&1023], occupied[i&1023])
	}
	sink = x
}

func BenchmarkMagicRook(b *testing.B) {
	squares, occupied := problems()
	var x uint64
	for i := range b.N {
		x ^= RookAttacks(squares[i&1023], occupied[i&1023])
	}
	sink = x
}
