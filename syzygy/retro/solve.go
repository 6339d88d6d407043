package retro

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// Solver makes endings and keeps them: an ending needs those that captures and
// promotions lead to.
type Solver struct {
	solved map[layout.Material]*Ending
}

// NewSolver returns a solver that knows nothing.
func NewSolver() *Solver { return &Solver{solved: map[layout.Material]*Ending{}} }

// Names returns the names of all endings with the given number of pieces, kings
// included, those first that others need.
func Names(men int) []string {
	all := layout.Endings(men)
	slices.SortStableFunc(all, func(a, b layout.Material) int { return cmp.Compare(a.Pawns(), b.Pawns()) })
	var names []string
	for _, m := range all {
		names = append(names, m.String())
	}
	return names
}

// Needs returns the names of the endings that captures and promotions lead to from an ending, those first that others
// need. Errors: a name that is none.
func Needs(name string) ([]string, error) {
	m, err := layout.ParseMaterial(name)
	if err != nil {
		return nil, err
	}
	var names []string
	var add func(layout.Material)
	add = func(m layout.Material) {
		for _, next := range leadsTo(m) {
			if next, _ = next.Canonical(); next != 0 && !slices.Contains(names, next.String()) {
				add(next)
				names = append(names, next.String())
			}
		}
	}
	add(m)
	return names, nil
}

// Solve returns the ending of that name, such as "KRPvKR", and solves what it
// needs on the way. Memory: two bytes for each position of every ending solved,
// some 10 MB to 34 MB for an ending of four pieces and 64 times as much for five.
// Errors: a name that is none, or ctx ended.
func (s *Solver) Solve(ctx context.Context, name string) (*Ending, error) {
	m, err := layout.ParseMaterial(name)
	if err != nil {
		return nil, err
	}
	if c, _ := m.Canonical(); c != m {
		return nil, fmt.Errorf("ending %q is called %s", name, c)
	}
	if m == 0 {
		return nil, fmt.Errorf("ending %q: kings alone are drawn and need no table", name)
	}
	return s.solve(ctx, m)
}

func (s *Solver) solve(ctx context.Context, m layout.Material) (*Ending, error) {
	m, _ = m.Canonical()
	if m == 0 || s.solved[m] != nil {
		return s.solved[m], nil
	}
	for _, next := range leadsTo(m) {
		if _, err := s.solve(ctx, next); err != nil {
			return nil, err
		}
	}
	e := newEnding(m)
	s.solved[m] = e // slices need those that are solved before them
	if err := s.solveSlices(ctx, e); err != nil {
		delete(s.solved, m)
		return nil, err
	}
	return e, nil
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

// solveSlices solves the slices of e. Pawns only go forward: placements with
// less way to go come first, and those with the same way to go are independent
// of each other.
func (s *Solver) solveSlices(ctx context.Context, e *Ending) error {
	byWay := map[int][]int{}
	for slice := range e.slices {
		byWay[e.way(slice)] = append(byWay[e.way(slice)], slice)
	}
	for _, way := range slices.Sorted(maps.Keys(byWay)) {
		err := parallel.InOrder(ctx, runtime.GOMAXPROCS(0), slices.Values(byWay[way]), func(slice int) *Ending {
			s.solveSlice(e, slice)
			return e
		}, func(*Ending) error { return nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// way returns the ranks that the pawns of a slice have before them.
func (e *Ending) way(slice int) int {
	p, _ := e.position(slice, 0)
	sum := 0
	for i := range e.pawns {
		if rank := int(p.square[i] >> 3); e.codes[i].Color() == chess.White {
			sum += 7 - rank
		} else {
			sum += rank
		}
	}
	return sum
}

// value returns the value of any position without en passant, whose ending is
// solved.
func (s *Solver) value(p *chess.Position) Value {
	m, swapped := layout.MaterialOf(p).Canonical()
	if m == 0 {
		return 0 // two kings
	}
	e := s.solved[m]
	q := placement{codes: e.codes, turn: p.SideToMove()}
	other, flip := chess.White, chess.Square(0)
	if swapped {
		other, flip, q.turn = chess.Black, 56, q.turn.Other()
	}
	for i := 0; i < len(e.codes); { // like pieces stand together
		for b := p.Pieces(e.codes[i].Color()^other, e.codes[i].Type()); b != 0; i++ {
			q.square[i] = b.Pop() ^ flip
		}
	}
	slice, number := e.number(&q)
	return e.slices[slice][number]
}

// passant returns the best outcome of a capture en passant of p, none where there is none, and whether
// there are other moves.
func (s *Solver) passant(p *chess.Position) (best int, others bool) {
	best = none
	if !p.EnPassantLegal() {
		return best, true
	}
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		if m.Kind() != chess.EnPassant {
			others = true
			continue
		}
		p.Make(m)
		best = max(best, -s.value(p).WDL())
		p.Unmake()
	}
	return best, others
}

// withPassant returns outcome and distance of p, whose value without en passant is v. A capture en passant that
// wins as well comes before any other way.
func (s *Solver) withPassant(p *chess.Position, v Value) (wdl, dtz int) {
	best, others := s.passant(p)
	if wdl = v.WDL(); best > wdl || best == wdl && wdl > 0 || !others {
		return best, [5]int{-1, -rule50 - 1, 0, rule50 + 1, 1}[best+2]
	}
	return wdl, v.DTZ()
}

// none is the outcome of no move at all.
const none = -3

// work is what solving a slice keeps beside its values.
type work struct {
	*Ending
	slice   int
	values  []Value
	zeroing []int8 // best outcome of a capture or pawn move, none where there is none
	fresh   []int  // numbers whose value was found in the last step
	next    []int
}

// solveSlice fills a slice. Step n finds the wins and losses in n plies from
// those in n-1: a position with a move to a loss wins; one with moves to wins
// alone loses. Captures and pawn moves are looked at once, at the beginning;
// they count in the first step, or after the fifty moves where what they reach
// is won or lost only without that rule.
func (s *Solver) solveSlice(e *Ending, slice int) {
	e.slices[slice] = make([]Value, 2*e.size)
	pawns, _ := e.position(slice, 0)
	if pawns.codes = e.codes[:e.pawns]; !pawns.place() { // two of them share a square
		for i := range e.slices[slice] {
			e.slices[slice][i] = Illegal
		}
		return
	}
	w := &work{Ending: e, slice: slice, values: e.slices[slice], zeroing: make([]int8, 2*e.size)}
	board := new(chess.Position)
	for number := range w.values {
		s.begin(w, number, board)
	}
	for n := Value(1); len(w.fresh) > 0 || n <= rule50+1; n++ {
		w.next = w.next[:0]
		switch n {
		case 1:
			w.zeroed(n, 2, -2)
		case rule50 + 1:
			w.zeroed(n, 1, -1)
		}
		for _, number := range w.fresh {
			w.spread(number, n)
		}
		w.fresh, w.next = w.next, w.fresh
	}
}

// begin finds out, on board, whether a position is legal, what its captures and
// pawn moves reach, and whether it is mate.
func (s *Solver) begin(w *work, number int, board *chess.Position) {
	q, ok := w.position(w.slice, number)
	setup := q.setup()
	if !ok || setup.Into(board) != nil {
		w.values[number] = Illegal
		return
	}
	var buf [chess.MaxMoves]chess.Move
	moves := movegen.Legal(board, buf[:0])
	best := none
	for _, m := range moves {
		if best == 2 || board.Piece(m.From()).Type() != chess.Pawn && !board.IsCapture(m) {
			continue
		}
		board.Make(m)
		wdl, _ := s.withPassant(board, s.value(board))
		board.Unmake()
		best = max(best, -wdl)
	}
	w.zeroing[number] = int8(best)
	if len(moves) == 0 && board.InCheck() {
		w.values[number] = -1
		w.fresh = append(w.fresh, number)
	}
}

// zeroed decides the positions that win by a capture or pawn move that reaches
// win, and those that lose because captures and pawn moves reach loss at best
// and all other moves lose.
func (w *work) zeroed(n Value, win, loss int8) {
	for number, v := range w.values {
		if v != 0 {
			continue
		}
		switch w.zeroing[number] {
		case win:
			w.set(number, n)
		case loss:
			if p, _ := w.position(w.slice, number); w.loses(&p, n) {
				w.set(number, -n-1)
			}
		}
	}
}

func (w *work) set(number int, v Value) {
	w.values[number] = v
	w.next = append(w.next, number)
}

// spread looks at the positions from which a quiet move leads to one decided
// in step n-1.
func (w *work) spread(number int, n Value) {
	v := w.values[number]
	p, _ := w.position(w.slice, number)
	mover := p.turn.Other()
	for i := w.pawns; i < len(w.codes); i++ {
		if w.codes[i].Color() != mover {
			continue
		}
		for from := range p.quiets(i).Squares() {
			q := p
			q.square[i], q.turn = from, mover
			_, before := w.number(&q)
			w.decide(before, v, n)
			// The number is that of the position in its usual orientation, of
			// which there are two with the king on the diagonal.
			if q, _ := w.position(w.slice, before); w.pawns == 0 {
				if twin, ok := w.twin(&q); ok {
					w.decide(twin, v, n)
				}
			}
		}
	}
}

// decide decides a position that has a move to a value of step n-1, if that
// suffices.
func (w *work) decide(number int, v, n Value) {
	if w.values[number] != 0 {
		return
	}
	if v < 0 {
		w.set(number, n)
		return
	}
	if z := w.zeroing[number]; z > -1 || z == -1 && n <= rule50 {
		return // it has something better, or its loss comes later
	}
	if p, _ := w.position(w.slice, number); w.loses(&p, n) {
		w.set(number, -n-1)
	}
}

// loses reports whether every quiet move of p leads to a win of the other side
// found before step n.
func (w *work) loses(p *placement, n Value) bool {
	for i := w.pawns; i < len(w.codes); i++ {
		if w.codes[i].Color() != p.turn {
			continue
		}
		for to := range p.quiets(i).Squares() {
			q := *p
			q.square[i], q.turn = to, p.turn.Other()
			_, after := w.number(&q)
			if v := w.values[after]; v != Illegal && (v <= 0 || v >= n) {
				return false
			}
		}
	}
	return true
}

// bestCapture returns the best outcome that a capture of the side to move
// reaches, none where there is no legal one; board is for its use. The endings that
// captures lead to must be solved.
func (s *Solver) bestCapture(p *placement, board *chess.Position) int {
	setup := p.setup()
	if err := setup.Into(board); err != nil {
		panic(err) // each yields legal ones
	}
	best := none
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Captures(board, buf[:0]) {
		if board.IsCapture(m) {
			board.Make(m)
			best = max(best, -s.value(board).WDL())
			board.Unmake()
		}
	}
	return best
}
