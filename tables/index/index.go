// Package index holds what generated code and the code around it must agree on, one copy of each:
//
//   - the formulas by which the generated tables are laid out and read, called by the generator that fills a table and
//     by the code that looks things up in it: [Magic], [Pext], [Cuckoo];
//   - the layout of the memory that kernels read and write: [Row] for lists of moves, [CountingNode] for counts;
//   - the offsets of the fields of chess.Position, for kernels that read them.
//
// The package holds no data, so that the generator builds when the tables are broken.
package index

// SliderEntries is the number of entries of a table with one attack set for
// each bishop and rook square and each relevant occupancy: 5,248 for bishops
// and 102,400 for rooks.
const SliderEntries = 5248 + 102400

// Magic finds the attack set of a slider on one square in a table of
// [SliderEntries] sets. Source: CPW "Magic Bitboards", fancy layout.
type Magic struct {
	Mask   uint64 // the relevant occupancy, see geom.Relevant
	Factor uint64 // the magic number
	Offset uint32 // where the square's entries start
	Shift  uint32 // 64 minus the number of squares in Mask
}

// Index returns the position in the table for a board occupied by occ:
// Offset plus the top bits of the masked occupancy times the magic number.
func (m Magic) Index(occ uint64) uint32 {
	return m.Offset + uint32(occ&m.Mask*m.Factor>>(m.Shift&63))
}

// Pext finds the attack set of a slider on one square in a table laid out by
// parallel bit extract. Source: CPW "BMI2", "PEXT Bitboards".
type Pext struct {
	Mask   uint64 // the relevant occupancy, see geom.Relevant
	Rays   uint64 // all squares the slider reaches on an empty board
	Offset uint32 // where the square's entries start
}

// Index returns the position in the table for a board occupied by occ. It
// extracts in software; a processor with BMI2 does it in one instruction.
func (p Pext) Index(occ uint64) uint32 {
	return p.Offset + uint32(Extract(occ, p.Mask))
}

// Extract gathers the bits of x selected by mask into the low bits of the
// result, as the instruction PEXT does.
func Extract(x, mask uint64) uint64 {
	var out uint64
	for n := 0; mask != 0; mask &= mask - 1 {
		if x&mask&-mask != 0 {
			out |= 1 << n
		}
		n++
	}
	return out
}

// CuckooSlots is the number of slots of the table that finds a move by the
// difference of two keys: a power of two, less than half of it used.
const CuckooSlots = 8192

// Cuckoo returns the two slots that may hold a key. Source: Marcel van
// Kervinck, "The design and implementation of the Rookie 2.0 chess playing
// program", 2002.
func Cuckoo(key uint64) (first, second int) {
	return int(key % CuckooSlots), int(key >> 16 % CuckooSlots)
}
