package syzygy

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// world is the endings of a reference.
type world map[layout.Material]*raw

// newWorld writes the files of endings and opens them.
func newWorld(t *testing.T, endings ...*raw) (world, *Tables) {
	t.Helper()
	dir, w := t.TempDir(), world{}
	for _, e := range endings {
		w[e.m] = e
		for kind, suffix := range suffixes {
			testkit.Write(t, filepath.Join(dir, e.name+suffix), e.file(kind))
		}
	}
	tables := openTables(t, dir)
	return w, tables
}

// value returns the byte that a file holds for a position. stored is false
// where the file is of the other side to move.
func (w world) value(p *chess.Position, kind int) (e *raw, v byte, stored bool) {
	m := layout.Material(0)
	for s := range p.Occupied().Squares() {
		m += layout.Unit(p.Piece(s).Color(), p.Piece(s).Type())
	}
	side, flip := int(p.SideToMove()), chess.Square(0)
	if w[m] == nil || m == m.Swap() && side == 1 {
		m, side, flip = m.Swap(), side^1, 56
	}
	e = w[m]
	if stored = kind == kindWDL || m == m.Swap() || side == int(e.flags&flagBlack); !stored {
		return e, 0, false
	}
	if kind == kindDTZ {
		side = 0
	}
	var squares [layout.MaxMen]uint8
	n, file := 0, 0
	for _, code := range e.layout[kind][side][0].Pieces[:m.Men()] {
		color := code.Color()
		if flip != 0 {
			color = color.Other()
		}
		if n > 0 && e.layout[kind][side][0].Pieces[n-1] == code {
			n++
			continue // its square is there already
		}
		at := n
		for s := range p.Pieces(color, code.Type()).Squares() {
			squares[at] = uint8(s ^ flip)
			at++
		}
		n++
	}
	if pawns := e.layout[kind][side][0].Pawns[0]; pawns > 0 {
		file = layout.Lead(&squares, pawns)
	}
	return e, e.values[kind][side][file][e.layout[kind][side][file].Index(&squares)], true
}

// legal returns the legal moves, found by trying all.
func legal(p *chess.Position) []chess.Move {
	var moves []chess.Move
	for from := range p.ByColor(p.SideToMove()).Squares() {
		pawn := p.Piece(from).Type() == chess.Pawn
		for to := range chess.NoSquare {
			tries := []chess.Move{chess.NewMove(from, to, chess.Normal)}
			switch {
			case pawn && (to>>3 == 0 || to>>3 == 7):
				tries = tries[:0]
				for t := chess.Knight; t < chess.King; t++ {
					tries = append(tries, chess.NewPromotion(from, to, t))
				}
			case pawn && to == p.EnPassant() && from&7 != to&7:
				tries[0] = chess.NewMove(from, to, chess.EnPassant)
			}
			for _, m := range tries {
				if p.IsLegal(m) {
					moves = append(moves, m)
				}
			}
		}
	}
	return moves
}

// after returns what of says of p after a move.
func after(p *chess.Position, m chess.Move, of func(*chess.Position) int) int {
	p.Make(m)
	v := of(p)
	p.Unmake()
	return v
}

// wdl returns the outcome of p by the rules of the format: the best of the
// captures and the table, and where en passant is the only move what it leads
// to.
func (w world) wdl(p *chess.Position) int {
	if p.Occupied().Count() == 2 {
		return Draw
	}
	_, v, _ := w.value(p, kindWDL)
	best, moves := int(v)-2, legal(p)
	for _, m := range moves {
		if p.IsCapture(m) {
			best = max(best, -after(p, m, w.wdl))
		}
	}
	return best
}

// errDisagree is the reference's error of a win that no move keeps.
var errDisagree = errors.New("no move keeps the win")

// dtz returns the distance of p by the rules of the format.
func (w world) dtz(p *chess.Position) (int, error) {
	outcome := w.wdl(p)
	if outcome == Draw {
		return 0, nil
	}
	atOnce := map[int]int{Win: 1, CursedWin: 101, BlessedLoss: -101, Loss: -1}[outcome]
	passant, captured, moves := Loss-1, Loss-1, legal(p)
	for _, m := range moves {
		pawn := p.Piece(m.From()).Type() == chess.Pawn
		switch v := -after(p, m, w.wdl); {
		case outcome > 0 && (pawn || p.IsCapture(m)) && v == outcome:
			return atOnce, nil
		case m.Kind() == chess.EnPassant:
			passant = max(passant, v)
		case p.IsCapture(m):
			captured = max(captured, v)
		}
	}
	if _, v, _ := w.value(p, kindWDL); passant > max(captured, int(v)-2) {
		return atOnce, nil // nothing but en passant avoids worse
	}
	if e, v, stored := w.value(p, kindDTZ); stored {
		plies := int(v)
		if e.flags&flagMapped != 0 {
			plies = int(e.maps[map[int]int{Win: 0, Loss: 1, CursedWin: 2, BlessedLoss: 3}[outcome]][v])
			if e.flags&flagWide != 0 {
				plies += 256
			}
		}
		counted := map[int]byte{Win: flagWinPlies, Loss: flagLossPlies}[outcome]
		if e.flags&counted == 0 {
			plies *= 2
		}
		return atOnce + sign(outcome)*plies, nil
	}
	best := 1 << 20
	if outcome < 0 {
		best = atOnce
	}
	for _, m := range moves {
		if p.Piece(m.From()).Type() == chess.Pawn || p.IsCapture(m) {
			continue
		}
		p.Make(m)
		v, err := w.dtz(p)
		mate := p.InCheck() && !p.HasLegalMove()
		p.Unmake()
		switch {
		case err != nil:
			return 0, err
		case outcome < 0:
			best = min(best, -v-1)
		case v == -1 && mate:
			best = 1
		case v < 0:
			best = min(best, -v+1)
		}
	}
	if best == 1<<20 {
		return 0, errDisagree
	}
	return best, nil
}

// place returns a random legal position with the men of a name, the colours
// exchanged half the time, and an en-passant square where there can be one.
func place(r *rand.Rand, name string) (*chess.Position, bool) {
	squares, color := r.Perm(64), chess.Color(r.IntN(2))
	var s chess.Setup
	for _, letter := range name {
		if letter == 'v' {
			color = color.Other()
			continue
		}
		pc, err := chess.ParsePiece(string(letter))
		if err != nil {
			return nil, false
		}
		s.Put(chess.MakePiece(color, pc.Type()), chess.Square(squares[0]))
		squares = squares[1:]
	}
	s.Side = chess.Color(r.IntN(2))
	behind := s.Pieces[chess.White][chess.Pawn] & chess.Rank4 >> 8
	if s.Side == chess.White {
		behind = s.Pieces[chess.Black][chess.Pawn] & chess.Rank5 << 8
	}
	for sq := range behind.Squares() {
		s.EnPassant = sq.Bitboard()
		if p, err := s.Position(); err == nil && len(legal(p)) > 0 {
			return p, true
		}
	}
	s.EnPassant = 0
	p, err := s.Position()
	return p, err == nil
}
