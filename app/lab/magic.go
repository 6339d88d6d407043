package lab

import (
	"context"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// Trial is the result of an index for all occupancies of a square.
type Trial struct {
	Mask       string     `json:"mask"`       // set of the squares that the index is made from
	Relevant   string     `json:"relevant"`   // set of the squares where a piece makes a difference
	Factor     string     `json:"factor"`     // 16 hexadecimal digits; "" for PEXT
	Tries      int        `json:"tries"`      // factors drawn until this one; 0 for one that was given
	Bits       int        `json:"bits"`       // of the index
	Sets       int        `json:"sets"`       // occupancies of the squares in either set
	Used       int        `json:"used"`       // entries that some of them lead to
	Collisions int        `json:"collisions"` // occupancies that meet another set of attacks at their entry
	First      *Collision `json:"first,omitempty"`
}

// Collision is two occupancies with different attacks at one index.
type Collision struct {
	Index int       `json:"index"`
	A     Occupancy `json:"a"`
	B     Occupancy `json:"b"`
}

// Occupancy is a set of blockers with the attacks behind it.
type Occupancy struct {
	Blockers string `json:"blockers"`
	Attacks  string `json:"attacks"`
}

// maxTried is the largest number of squares whose occupancies are tried: four more than a rook's mask may have.
const maxTried = 16

// TryMagic tries an index of a bishop or a rook: by a factor, by one that it searches for if factor is empty, or by
// PEXT. The mask of the tables stands in for an empty one; a search takes no other. Errors: a [*Fault].
func TryMagic(piece, square, factor, mask string, pext bool) (*Trial, error) {
	sq, err := readSquare(square)
	if err == nil && piece != "bishop" && piece != "rook" {
		err = &Fault{Field: "piece", Reason: "want bishop or rook"}
	}
	if err != nil {
		return nil, err
	}
	bishop := piece == "bishop"
	m, _, _ := magicOf(bishop, sq)
	relevant := m.Mask
	if mask != "" {
		m.Mask, err = readWord("mask", mask)
	}
	all := m.Mask | relevant
	if n := bits.OnesCount64(all); n > maxTried {
		err = &Fault{Field: "mask", Reason: fmt.Sprintf("%d squares with those of the right mask: want at most %d", n, maxTried)}
	}
	out := &Trial{Mask: word(m.Mask), Relevant: word(relevant), Bits: bits.OnesCount64(m.Mask)}
	switch {
	case err != nil || pext:
	case factor != "":
		m.Factor, err = readWord("factor", factor)
	case m.Mask != relevant:
		err = &Fault{Field: "mask", Reason: "a search is for the right mask"}
	default:
		found := magic.Search(bishop, int(sq), rand.Uint64())
		m.Factor, out.Tries = found.Magic.Factor, found.Tries
	}
	if err != nil {
		return nil, err
	}
	if !pext {
		out.Factor = word(m.Factor)
	}
	m.Offset, m.Shift = 0, uint32(64-out.Bits)
	entries := make([]struct{ occ, attacks uint64 }, 1<<out.Bits) // the first occupancy of each
	for occ := range geom.Subsets(all) {
		out.Sets++
		at := m.Index(occ)
		if pext {
			at = uint32(index.Extract(occ, m.Mask))
		}
		first, attacks := &entries[at], geom.Slider(bishop, int(sq), occ)
		if first.attacks == 0 { // no slider is without attacks
			first.occ, first.attacks = occ, attacks
			out.Used++
		} else if first.attacks != attacks {
			out.Collisions++
			if out.First == nil {
				out.First = &Collision{int(at), Occupancy{word(first.occ), word(first.attacks)}, Occupancy{word(occ), word(attacks)}}
			}
		}
	}
	return out, nil
}

// nativeMagics is the CPU time of magic.SearchAll on AMD EPYC (Zen 4), without
// WebAssembly: go test ./gen/magic -run "^$" -bench SearchAll -benchtime 30x.
const nativeMagics = 16 * time.Millisecond

// Magics is the result of the search for all magics, made as the table generator does it.
type Magics struct {
	Bishop []int `json:"bishop"` // factors drawn for each square, from a1
	Rook   []int `json:"rook"`
	Micros int64 `json:"micros"` // so far
	Native int64 `json:"native"` // that all take a program for the processor itself, in microseconds
}

// AllMagics finds the magics of all squares. Errors: the error of ctx.
func AllMagics(ctx context.Context, progress func(Magics)) (*Magics, error) {
	out := Magics{Bishop: []int{}, Rook: []int{}, Native: nativeMagics.Microseconds()}
	pace := pacer{ctx: ctx}
	began := time.Now()
	for found := range magic.All() {
		list := &out.Rook
		if found.Bishop {
			list = &out.Bishop
		}
		*list = append(*list, found.Tries)
		out.Micros = (time.Since(began) - pace.idle).Microseconds()
		if err := pace.pause(); err != nil {
			return nil, err
		}
		now := out
		now.Bishop, now.Rook = slices.Clone(out.Bishop), slices.Clone(out.Rook)
		progress(now)
	}
	return &out, nil
}
