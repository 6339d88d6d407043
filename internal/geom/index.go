package geom

// SliderEntries is the number of entries of a table with one attack set for
// each bishop and rook square and each relevant occupancy: 5,248 for bishops
// and 102,400 for rooks.
const SliderEntries = 5248 + 102400

// Magic finds the attack set of a slider on one square in a table of
// [SliderEntries] sets. 24 bytes: Mask at 0, Factor at 8, Offset at 16, Shift
// at 20. Source: CPW "Magic Bitboards", fancy layout.
type Magic struct {
	Mask   uint64 // the relevant occupancy, see Relevant
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
// parallel bit extract. 24 bytes, for assembly: Mask at 0, Rays at 8, Offset
// at 16. Source: CPW "BMI2", "PEXT Bitboards".
type Pext struct {
	Mask   uint64 // the relevant occupancy, see Relevant
	Rays   uint64 // all squares the slider reaches on an empty board
	Offset uint32 // where the square's entries start
}

// Index returns the position in the table for a board occupied by occ. It
// extracts in software; a processor with BMI2 does it in one instruction.
func (p Pext) Index(occ uint64) uint32 {
	return p.Offset + uint32(Extract(occ, p.Mask))
}

// Compress returns an attack set as one bit for each square of Rays, lowest
// square first. A bishop has at most 13 rays' squares and a rook 14, so that
// 16 bits hold any set.
func (p Pext) Compress(attacks uint64) uint16 {
	return uint16(Extract(attacks, p.Rays))
}

// Expand is the inverse of Compress (PDEP with the mask Rays).
func (p Pext) Expand(compressed uint16) uint64 {
	return Deposit(uint64(compressed), p.Rays)
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

// Deposit spreads the low bits of x over the places selected by mask, as the
// instruction PDEP does.
func Deposit(x, mask uint64) uint64 {
	var out uint64
	for ; mask != 0; mask &= mask - 1 {
		if x&1 != 0 {
			out |= mask & -mask
		}
		x >>= 1
	}
	return out
}
