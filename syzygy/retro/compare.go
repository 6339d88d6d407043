package retro

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// Comparison says how positions of an ending compare with what tables say.
type Comparison struct {
	Positions   int // looked up
	EnPassant   int // of them with an en-passant capture that is legal
	Differences int
	First       string // the first difference, with its FEN
}

// chunk is the number of positions that are compared in one go.
const chunk = 1 << 14

// Compare looks every step-th position of e up in tables, if it is legal, both
// sides to move, and once more for each en-passant square that a pawn may have
// left. Outcomes must be the same. Distances must be the same but for the ply
// by which the format rounds them down. It uses all processors. Errors are
// those of [syzygy.Tables.DTZ], or ctx ended.
func (s *Solver) Compare(ctx context.Context, e *Ending, tables *syzygy.Tables, step int) (all Comparison, err error) {
	type part struct {
		Comparison
		err error
	}
	chunks := func(yield func(int) bool) {
		for from := 0; from < e.Positions() && yield(from); from += chunk {
		}
	}
	err = parallel.InOrder(ctx, runtime.GOMAXPROCS(0), chunks, func(from int) (p part) {
		p.err = s.compareChunk(e, tables, &p.Comparison, from, step)
		return p
	}, func(p part) error {
		all.Positions += p.Positions
		all.EnPassant += p.EnPassant
		all.Differences += p.Differences
		all.First = cmp.Or(all.First, p.First)
		return p.err
	})
	return all, err
}

// compareChunk compares the positions of e from a number on, counted through
// all slices.
func (s *Solver) compareChunk(e *Ending, tables *syzygy.Tables, c *Comparison, from, step int) error {
	var board chess.Position
	for at := from; at < min(from+chunk, e.Positions()); at++ {
		slice, number := at/(2*e.size), at%(2*e.size)
		v := e.slices[slice][number]
		if v == Illegal || at%step != 0 {
			continue
		}
		p, _ := e.position(slice, number)
		setup := p.setup(chess.NoSquare)
		if err := setup.Into(&board); err != nil {
			return err
		}
		if err := c.look(tables, &board, v.WDL(), v.DTZ()); err != nil {
			return err
		}
		for _, square := range p.passantSquares() {
			setup := p.setup(square)
			if len(p.passantMoves(square)) == 0 || setup.Into(&board) != nil {
				continue // nobody can take, or the pawn cannot have moved so
			}
			c.EnPassant++
			wdl, dtz := s.passantValue(&p, v, square)
			if err := c.look(tables, &board, wdl, dtz); err != nil {
				return err
			}
		}
	}
	return nil
}

// look compares one position.
func (c *Comparison) look(tables *syzygy.Tables, p *chess.Position, wdl, dtz int) error {
	gotWDL, err := tables.WDL(p)
	gotDTZ := 0
	if err == nil {
		gotDTZ, err = tables.DTZ(p)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.FEN(), err)
	}
	c.Positions++
	rounded := dtz - gotDTZ
	if dtz < 0 {
		rounded = -rounded
	}
	if gotWDL == wdl && (rounded == 0 || rounded == 1 && dtz != 0 && (dtz > 0) == (gotDTZ > 0)) {
		return nil
	}
	if c.Differences++; c.Differences == 1 {
		c.First = fmt.Sprintf("%s: outcome %d, distance %d; the tables say %d, %d", p.FEN(), wdl, dtz, gotWDL, gotDTZ)
	}
	return nil
}

// passantValue returns outcome and distance of p with en passant on a square.
func (s *Solver) passantValue(p *position, v Value, passant chess.Square) (wdl, dtz int) {
	wdl, only := s.withPassant(p, v, passant)
	zeroing := [5]int{-1, -rule50 - 1, 0, rule50 + 1, 1}[wdl+2]
	switch {
	case only || wdl == 0:
		return wdl, zeroing
	case wdl > 0:
		// A capture en passant that wins as well comes before any other way.
		for _, q := range p.passantMoves(passant) {
			if -s.value(&q).WDL() == wdl {
				return wdl, zeroing
			}
		}
	}
	return wdl, v.DTZ()
}

// passantSquares returns the squares behind pawns that may just have moved two
// squares.
func (p *position) passantSquares() []chess.Square {
	var all []chess.Square
	occ := p.of[0] | p.of[1]
	rank, back := chess.Square(3), ^chess.Square(7)
	if p.turn == chess.White {
		rank, back = 4, 8
	}
	for i := range p.n {
		s := p.square[i]
		if p.code[i] == layout.MakeCode(p.turn.Other(), chess.Pawn) && s>>3 == rank &&
			!occ.Has(s+back) && !occ.Has(s+2*back) {
			all = append(all, s+back)
		}
	}
	return all
}

// setup returns the position as one of package chess, with an en-passant square or NoSquare.
func (p *position) setup(passant chess.Square) chess.Setup {
	s := chess.Setup{Side: p.turn}
	for i := range p.n {
		s.Put(chess.MakePiece(p.code[i].Color(), p.code[i].Type()), p.square[i])
	}
	if passant != chess.NoSquare {
		s.EnPassant = passant.Bitboard()
	}
	return s
}
