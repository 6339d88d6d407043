package nnue

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// remembered is the number of plies whose accumulators are kept, a power of
// two. A ply uses the slot of its number modulo this.
const remembered = 128

// reach is how many plies an update may look back for accumulators. Further
// back a refresh from the cache is cheaper.
const reach = 6

// Evaluator evaluates positions with a network. It stores accumulators by ply and
// checks by Zobrist key whether they still match the position. It therefore needs no
// notice of moves and is correct for any sequence of positions; the order of a search
// is only faster. It is not safe for concurrent use; each search thread has its own.
type Evaluator struct {
	net    *Network
	kernel *kernel
	slots  [remembered]slot
	fresh  [2][]refreshed // by colour, king bucket and View.mirrored; see refresh.go

	adds, subs [32]uint32 // working space of refresh; on its stack they would escape
	products   []uint8    // working space of the small layers
}

// slot holds the accumulators of one ply.
type slot struct {
	key   [2]chess.Key // of the position that acc belongs to
	known [2]bool
	acc   [2][]int16 // by colour of the perspective
}

// NewEvaluator returns an evaluator with the default path.
func NewEvaluator(net *Network) *Evaluator {
	return newEvaluator(net, kernels[Default()])
}

func newEvaluator(net *Network, k *kernel) *Evaluator {
	width := net.shape.Width
	e := &Evaluator{net: net, kernel: k, products: alignedBytes[uint8](width)}
	places := 2 * net.shape.Rows() / Inputs
	memory := aligned((2*remembered + 2*places) * width)
	next := func() []int16 {
		acc := memory[:width:width]
		memory = memory[width:]
		return acc
	}
	for i := range e.slots {
		e.slots[i].acc = [2][]int16{next(), next()}
	}
	for c := range e.fresh {
		e.fresh[c] = make([]refreshed, places)
		for i := range places {
			r := &e.fresh[c][i]
			r.acc = next()
			copy(r.acc, net.weights.Biases)
		}
	}
	return e
}

// Evaluate returns the score of p in centipawns from the view of the side to
// move, within ±[eval.Limit]. It does not allocate.
func (e *Evaluator) Evaluate(p *chess.Position) eval.Score {
	us, plies, key := p.SideToMove(), p.Plies(), p.Key()
	s := &e.slots[plies%remembered]
	for c := range s.acc {
		if !s.known[c] || s.key[c] != key {
			e.bring(p, chess.Color(c))
		}
	}
	bucket := int(e.net.bucket[min(p.Occupied().Count(), maxPieces)])
	v := e.net.centipawns(e.net.output(e.kernel, bucket, s.acc[us], s.acc[us^1], e.products))
	return eval.Score(max(-int64(eval.Limit), min(int64(eval.Limit), v)))
}

// bring makes the accumulator of the present ply from the perspective of c
// that of p.
func (e *Evaluator) bring(p *chess.Position, c chess.Color) {
	plies := p.Plies()
	view := e.net.views[c][p.King(c)]
	king := chess.MakePiece(c, chess.King)
	step := p.Step(0)
	for back := 1; back <= min(reach, plies); back++ {
		if step.Moved == king && step.Move != chess.NoMove && e.net.views[c][step.Move.From()] != view {
			break // the king came from the other half or another bucket
		}
		before := p.Step(back)
		from := &e.slots[(plies-back)%remembered]
		if from.key[c] == before.Key && from.known[c] {
			if back == 1 {
				e.update(&e.slots[plies%remembered], from, view, &step)
			} else {
				e.forward(p, view, back)
			}
			return
		}
		step = before
	}
	s := &e.slots[plies%remembered]
	e.refresh(p, view, s.acc[c])
	s.key[c], s.known[c] = p.Key(), true
}

// forward computes the accumulators of the last back plies, oldest first, from
// those of the ply before them.
func (e *Evaluator) forward(p *chess.Position, view View, back int) {
	from := &e.slots[(p.Plies()-back)%remembered]
	for ; back > 0; back-- {
		to := &e.slots[(p.Plies()-back+1)%remembered]
		step := p.Step(back - 1)
		e.update(to, from, view, &step)
		from = to
	}
}

// update makes after the slot of the position that the step leads to from the
// one of before.
func (e *Evaluator) update(after, before *slot, view View, step *chess.Step) {
	dst, src := after.acc[view.color], before.acc[view.color]
	after.key[view.color], after.known[view.color] = step.Key, true
	e.kernel.step(dst, src, e.net.weights.Features, view, step)
}

// step sets dst to the accumulator behind a step, src being the one before it and
// table the weights of the first layer.
func (k *kernel) step(dst, src []int16, table []int8, view View, step *chess.Step) {
	m := step.Move
	if m == chess.NoMove {
		copy(dst, src)
		return
	}
	row := func(pc chess.Piece, sq chess.Square) []int8 {
		width := len(dst)
		at := view.Feature(pc, sq) * width
		return table[at : at+width]
	}
	from, to := m.From(), m.To()
	c := step.Moved.Color()
	if m.Kind() == chess.Castling {
		wing := chess.QueenSide
		if to > from {
			wing = chess.KingSide
		}
		kingTo, rookTo := chess.CastlingTargets(c, wing)
		rook := chess.MakePiece(c, chess.Rook)
		k.addAddSubSub(dst, src, row(step.Moved, kingTo), row(rook, rookTo), row(step.Moved, from), row(rook, to))
		return
	}
	placed := step.Moved
	if m.Kind() == chess.Promotion {
		placed = chess.MakePiece(c, m.PromotionType())
	}
	if step.Captured == chess.NoPiece {
		k.addSub(dst, src, row(placed, to), row(step.Moved, from))
		return
	}
	victim := to
	if m.Kind() == chess.EnPassant {
		victim ^= 8
	}
	k.addSubSub(dst, src, row(placed, to), row(step.Moved, from), row(step.Captured, victim))
}
