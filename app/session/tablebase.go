//go:build !tabula_rules

package session

import (
	"cmp"
	"errors"
	"slices"

	"github.com/tabula-chess/tabula/syzygy"
)

// tablebase answers tablebase.
func (s *Session) tablebase(f *placeFields) (any, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong != nil {
		return nil, wrong
	}
	tables := s.service.tables
	wdl, err := tables.WDL(p)
	if errors.Is(err, syzygy.ErrMissing) || errors.Is(err, syzygy.ErrCastling) {
		return &Tablebase{}, nil
	} else if err != nil {
		return nil, fault("", "%v", err)
	}
	out := &Tablebase{Known: true, WDL: &wdl}
	if dtz, err := tables.DTZ(p); err == nil {
		out.DTZ = &dtz
	}
	moves, exact, err := tables.Root(p.Clone(), syzygy.Ranking{Fastest: true})
	if err != nil { // what a move leads to has no table
		return out, nil
	}
	slices.SortFunc(moves, func(a, b syzygy.RootMove) int { // the best first
		return cmp.Or(cmp.Compare(b.Rank, a.Rank), cmp.Compare(a.Move, b.Move))
	})
	for _, m := range moves {
		move := TableMove{Move: describe(p, m.Move), WDL: m.WDL}
		if exact {
			move.DTZ = &m.DTZ
		}
		out.Moves = append(out.Moves, move)
	}
	return out, nil
}
