package retro

import (
	"cmp"
	"context"
	"fmt"
	"runtime"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/syzygy"
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
		setup := p.setup()
		if err := setup.Into(&board); err != nil {
			return err
		}
		if err := c.look(tables, &board, v.WDL(), v.DTZ()); err != nil {
			return err
		}
		for square := range behindPawns(&board).Squares() {
			setup.EnPassant = square.Bitboard()
			if setup.Into(&board) != nil || !board.EnPassantLegal() {
				continue // the pawn cannot have moved so, or nobody can take
			}
			c.EnPassant++
			wdl, dtz := s.withPassant(&board, v)
			if err := c.look(tables, &board, wdl, dtz); err != nil {
				return err
			}
		}
	}
	return nil
}

// look compares one position.
func (c *Comparison) look(tables *syzygy.Tables, p *chess.Position, wdl, dtz int) error {
	outcome, err := tables.WDL(p)
	distance := syzygy.DTZ(0)
	if err == nil {
		distance, err = tables.DTZ(p)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", p.FEN(), err)
	}
	c.Positions++
	gotWDL, gotDTZ := int(outcome), int(distance)
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

// behindPawns returns the squares behind pawns that may just have moved two
// squares.
func behindPawns(p *chess.Position) chess.Bitboard {
	if p.SideToMove() == chess.White {
		return p.Pieces(chess.Black, chess.Pawn) & chess.Rank5 << 8
	}
	return p.Pieces(chess.White, chess.Pawn) & chess.Rank4 >> 8
}
