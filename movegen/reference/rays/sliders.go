package rays

import (
	"math/bits"

	"github.com/tabula-chess/tabula/tables"
)

// A direction of the compass, clockwise as package tables has them; d ^ 4 is
// the opposite of d; even ones are straight and odd ones diagonal.
type direction uint8

const (
	north direction = iota
	northEast
	east
	southEast
	south
	southWest
	west
	northWest
)

// first returns the lowest square of a set that is not empty.
func first(set uint64) int { return bits.TrailingZeros64(set) & 63 }

// ray returns the squares from s, which is excluded, to the edge.
func ray(d direction, s int) uint64 { return tables.Ray(uint8(d), uint8(s)) }

// forward returns what a slider attacks in a direction that leads to higher
// bits: north-west, north, north-east and east. The extra bit stands for "no
// blocker": h8 has no ray in any of these directions.
func forward(d direction, s int, occupied uint64) uint64 {
	seen := ray(d, s)
	return seen ^ ray(d, first(seen&occupied|1<<63))
}

// backward is forward for the directions to lower bits, with a1 for h8.
func backward(d direction, s int, occupied uint64) uint64 {
	seen := ray(d, s)
	return seen ^ ray(d, 63-bits.LeadingZeros64(seen&occupied|1))
}

// along is forward or backward, as the direction demands.
func along(d direction, s int, occupied uint64) uint64 {
	if d <= east || d == northWest {
		return forward(d, s, occupied)
	}
	return backward(d, s, occupied)
}

// A Sight is how a slider's attacks in one direction come about.
type Sight struct {
	Ray      uint64 // from the square to the edge
	Blockers uint64 // the occupied squares on it
	Nearest  int    // the first or last of them; without any, a corner
	Last     bool   // Nearest is the last set bit, not the first
	Attacks  uint64
}

// Look returns what a slider on s sees in a direction as package tables has them, 0 to 7.
func Look(dir uint8, s int, occupied uint64) Sight {
	d := direction(dir & 7)
	v := Sight{Ray: ray(d, s), Attacks: along(d, s, occupied), Last: d > east && d != northWest}
	v.Blockers = v.Ray & occupied
	if v.Nearest = first(v.Blockers | 1<<63); v.Last {
		v.Nearest = 63 - bits.LeadingZeros64(v.Blockers|1)
	}
	return v
}

func rook(s int, occupied uint64) uint64 {
	return forward(north, s, occupied) | forward(east, s, occupied) |
		backward(south, s, occupied) | backward(west, s, occupied)
}

func bishop(s int, occupied uint64) uint64 {
	return forward(northEast, s, occupied) | forward(northWest, s, occupied) |
		backward(southWest, s, occupied) | backward(southEast, s, occupied)
}

// The sets that depend on squares alone, by package tables in the types of
// this one.

func knight(s int) uint64            { return tables.Knight(uint8(s)) }
func king(s int) uint64              { return tables.King(uint8(s)) }
func pawn(color uint8, s int) uint64 { return tables.Pawn(color, uint8(s)) }
func between(a, b int) uint64        { return tables.Between(uint8(a), uint8(b)) }
func line(a, b int) uint64           { return tables.Line(uint8(a), uint8(b)) }
