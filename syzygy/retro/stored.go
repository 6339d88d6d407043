package retro

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// Needs returns the names of the endings that captures and promotions lead to from the
// ending of that name, two kings alone left out. The error is that of a name that is none.
func Needs(name string) ([]string, error) {
	m, err := layout.ParseMaterial(name)
	if err != nil {
		return nil, err
	}
	var needs []string
	for _, next := range leadsTo(m) {
		if c, _ := next.Canonical(); c != 0 && !slices.Contains(needs, c.String()) {
			needs = append(needs, c.String())
		}
	}
	return needs, nil
}

// leadsTo returns what captures, promotions, and captures that promote leave of some material.
func leadsTo(m layout.Material) (all []layout.Material) {
	for c := chess.White; c <= chess.Black; c++ {
		for t := chess.Pawn; t < chess.King; t++ {
			if m.Count(c, t) == 0 {
				continue
			}
			all = append(all, m-layout.Unit(c, t))
			for to := chess.Knight; t == chess.Pawn && to <= chess.Queen; to++ {
				promoted := m - layout.Unit(c, t) + layout.Unit(c, to)
				all = append(all, promoted)
				for taken := chess.Knight; taken < chess.King; taken++ { // a pawn takes no pawn there
					if m.Count(c.Other(), taken) > 0 {
						all = append(all, promoted-layout.Unit(c.Other(), taken))
					}
				}
			}
		}
	}
	return all
}

// WriteTo writes the values of the ending, two bytes each, as [Solver.Read] reads them.
func (e *Ending) WriteTo(w io.Writer) (n int64, err error) {
	b := bufio.NewWriterSize(w, 1<<16)
	for _, slice := range e.slices {
		// Placements of pawns that share a square have no positions.
		if err := binary.Write(b, binary.LittleEndian, int32(len(slice))); err != nil {
			return n, err
		}
		if err := binary.Write(b, binary.LittleEndian, slice); err != nil {
			return n, err
		}
		n += int64(4 + 2*len(slice))
	}
	return n, b.Flush()
}

// Read reads the values of the ending of that name, which [Ending.WriteTo] wrote: endings
// that lead to it can then be solved without solving it again. Errors: a name that is none,
// values of another ending, and those of r.
func (s *Solver) Read(name string, r io.Reader) (*Ending, error) {
	m, err := layout.ParseMaterial(name)
	if err != nil {
		return nil, err
	}
	e, b := newEnding(m), bufio.NewReaderSize(r, 1<<16)
	for i := range e.slices {
		var size int32
		if err := binary.Read(b, binary.LittleEndian, &size); err != nil {
			return nil, fmt.Errorf("ending %s: %w", name, err)
		}
		if size == 0 {
			continue
		}
		if int(size) != 2*e.size {
			return nil, fmt.Errorf("ending %s: a slice of %d values, want %d", name, size, 2*e.size)
		}
		e.slices[i] = make([]Value, size)
		if err := binary.Read(b, binary.LittleEndian, e.slices[i]); err != nil {
			return nil, fmt.Errorf("ending %s: %w", name, err)
		}
	}
	if _, err := b.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("ending %s: more values than it has", name)
	}
	s.solved[m] = e
	return e, nil
}
