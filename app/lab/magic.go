package lab

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/internal/geom"
)

// Trial is the result of one factor for all occupancies of a square.
type Trial struct {
	Factor     string     `json:"factor"`     // 16 hexadecimal digits
	Tries      int        `json:"tries"`      // factors drawn until this one; 0 for one that was given
	Bits       int        `json:"bits"`       // of the index
	Sets       int        `json:"sets"`       // occupancies
	Used       int        `json:"used"`       // entries that some of them lead to
	Collisions int        `json:"collisions"` // occupancies that meet another set of attacks at their entry
	First      *Collision `json:"first,omitempty"`
}

// Collision is two occupancies with different attacks at one index.
type Collision struct {
	Index int    `json:"index"`
	A     string `json:"a"` // set of blockers
	B     string `json:"b"`
}

// TryMagic tries a factor for a bishop or a rook, or searches for one if factor is empty.
// Errors: a [*Fault].
func TryMagic(piece, square, factor string) (*Trial, error) {
	sq, err := readSquare(square)
	if err == nil && piece != "bishop" && piece != "rook" {
		err = &Fault{Field: "piece", Reason: "want bishop or rook"}
	}
	if err != nil {
		return nil, err
	}
	bishop := piece == "bishop"
	m, _, _ := magicOf(bishop, sq)
	tries := 0
	if factor == "" {
		found := magic.Search(bishop, int(sq), rand.Uint64())
		m.Factor, tries = found.Magic.Factor, found.Tries
	} else if m.Factor, err = readWord("factor", factor); err != nil {
		return nil, err
	}
	out := &Trial{Factor: word(m.Factor), Tries: tries, Bits: int(64 - m.Shift)}
	first := map[uint32]uint64{} // the first occupancy of each entry
	for occ := range geom.Subsets(m.Mask) {
		out.Sets++
		at := m.Index(occ) - m.Offset
		other, taken := first[at]
		switch {
		case !taken:
			first[at] = occ
		case geom.Slider(bishop, int(sq), occ) != geom.Slider(bishop, int(sq), other):
			out.Collisions++
			if out.First == nil {
				out.First = &Collision{int(at), word(other), word(occ)}
			}
		}
	}
	out.Used = len(first)
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
