package movegen

import (
	"github.com/klauspost/cpuid/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// Names of what kernels point to.
type (
	position   = chess.Position
	row        = index.Row
	attackSets = [index.SliderEntries]uint64
)

// listBy lists the moves of a stage on a ListPath. Kernels leave positions with a legal en-passant capture, which are
// rare, to the plain generator, and composed ones, which may have more than 240 moves: they write up to sixteen words
// beyond the last.
func listBy(path Path, p *chess.Position, stage Stage, list *moveList) int {
	if path == Magic || p.EnPassantLegal() && stage != Quiet || p.Composed() {
		return listByGo(p, stage, list)
	}
	if path == Pext {
		return listPext(p, uint8(stage), list, tables.Rows(), tables.PextSets())
	}
	return listAVX512(p, uint8(stage), list, tables.Rows(), tables.PextSets())
}

// pextIsSlow reports whether this processor has a PEXT that is slower than a magic look-up.
func pextIsSlow() bool { return slowPext(cpuid.CPU.VendorID, cpuid.CPU.Family) }

// slowPext reports whether PEXT is microcoded: on AMD, and Hygon's licence of
// it, before family 0x19. Source: CPW "BMI2".
func slowPext(vendor cpuid.Vendor, family int) bool {
	return vendor == cpuid.AMD && family < 0x19 || vendor == cpuid.Hygon
}
