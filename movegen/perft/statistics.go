package perft

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// Statistics counts the last moves of a perft by what they are: the columns of the tables
// in CPW "Perft Results". Captures include en passant. A check is discovered where a piece
// that did not move gives it and double where two pieces give it; a double check is not
// counted as discovered. The rook of a castling has moved.
type Statistics struct {
	Nodes      uint64 `json:"nodes"`
	Captures   uint64 `json:"captures"`
	EnPassant  uint64 `json:"en_passant"`
	Castles    uint64 `json:"castles"`
	Promotions uint64 `json:"promotions"`
	Checks     uint64 `json:"checks"`
	Discovered uint64 `json:"discovered_checks"`
	Double     uint64 `json:"double_checks"`
	Mates      uint64 `json:"mates"`
}

// StatisticsColumns names the columns of [Statistics.Values].
var StatisticsColumns = [...]string{
	"nodes", "captures", "en passant", "castles", "promotions", "checks", "discovered", "double", "mates",
}

// Values returns the counts in the order of StatisticsColumns.
func (s *Statistics) Values() [9]uint64 {
	return [...]uint64{s.Nodes, s.Captures, s.EnPassant, s.Castles, s.Promotions, s.Checks, s.Discovered, s.Double, s.Mates}
}

// String returns the counts with their names, separated by commas.
func (s *Statistics) String() string {
	var b strings.Builder
	for i, n := range s.Values() {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %d", StatisticsColumns[i], n)
	}
	return b.String()
}

// CountStatistics returns the statistics of depth 1, 2 and so on to depth, and the leaves by
// root move. It makes every move and is therefore many times slower than [Divide]. It
// uses no table. Errors are those of Divide.
func CountStatistics(ctx context.Context, p *chess.Position, depth int, o Options) ([]Statistics, []Branch, error) {
	if err := checkDepth(depth, 1); err != nil {
		return nil, nil, err
	}
	o.Table = nil
	j, err := newJob(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	defer j.release()
	j.cut(p, depth)
	j.statistics = make([]Statistics, depth)
	w := newWalker(j, depth)
	w.plies[0].frame, _ = FrameOf(p)
	n := w.tally(0, 1) // the moves of the root, and those above the units
	for _, s := range w.plies[0].steps[:n] {
		if depth >= splitDepth {
			w.plies[0].frame.Make(s, &j.geometry[0], &w.plies[1].frame)
			w.tally(1, 1)
		}
	}
	w.merge()
	j.run(depth)
	if err := j.err(ctx); err != nil {
		return nil, nil, err
	}
	return j.statistics, j.branches, nil
}

// merge adds the walker's statistics to the job's.
func (w *walker) merge() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, s := range w.statistics[:len(w.job.statistics)] {
		w.job.statistics[i].add(&s)
		w.statistics[i] = Statistics{}
	}
}

func (s *Statistics) add(o *Statistics) {
	s.Nodes += o.Nodes
	s.Captures += o.Captures
	s.EnPassant += o.EnPassant
	s.Castles += o.Castles
	s.Promotions += o.Promotions
	s.Checks += o.Checks
	s.Discovered += o.Discovered
	s.Double += o.Double
	s.Mates += o.Mates
}

// tally adds the moves of the frame at the ply, and to depth plies those below them, to the
// statistics. It returns the number of leaves.
func (w *walker) tally(ply, depth int) (leaves uint64) {
	p, g := &w.plies[ply], &w.geometry[ply&1]
	n := List(&p.frame, g, &p.steps)
	child, s := &w.plies[ply+1].frame, &w.statistics[ply]
	s.Nodes += uint64(n)
	for _, step := range p.steps[:n] {
		p.frame.Make(step, g, child)
		capture := step.Mask&p.frame.Them() != 0
		checkers, moved := child.Checkers(), flip(step.Mask)
		switch kind := step.Kind; {
		case kind == EnPassantStep:
			s.EnPassant++
			capture = true
		case kind == CastleKing, kind == CastleQueen:
			s.Castles++
			capture, moved = false, checkers // the step holds the squares of king and rook
		case kind >= PromoteKnight:
			s.Promotions++
		}
		if capture {
			s.Captures++
		}
		if checkers != 0 {
			s.Checks++
			switch {
			case checkers&(checkers-1) != 0:
				s.Double++
			case checkers&^moved != 0:
				s.Discovered++
			}
			if w.backend.Count(child, &w.geometry[(ply+1)&1]) == 0 {
				s.Mates++
			}
		}
		if depth > 1 {
			if w.stopped.Load() {
				return 0
			}
			leaves += w.tally(ply+1, depth-1)
		}
	}
	if depth == 1 {
		w.yield(uint64(n) * 16)
		return uint64(n)
	}
	return leaves
}
