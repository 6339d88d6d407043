package perft

import (
	"context"
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/tables"
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
	l := newLines(&p.frame)
	s.Nodes += uint64(n)
	for _, step := range p.steps[:n] {
		capture := step.Mask&l.them != 0
		made := depth > 1
		if made {
			p.frame.Make(step, g, child)
		}
		direct, discovered := uint64(0), uint64(0) // checkers
		switch step.Kind {
		case EnPassantStep, CastleKing, CastleQueen, PromoteKnight, PromoteBishop, PromoteRook, PromoteQueen:
			if !made {
				p.frame.Make(step, g, child)
				made = true
			}
			switch {
			case step.Kind == EnPassantStep:
				s.EnPassant++
				capture = true
			case step.Kind >= PromoteKnight:
				s.Promotions++
			default:
				s.Castles++
				capture = false // the step holds the squares of king and rook
			}
			checkers := child.Checkers()
			moved := flip(step.Mask)
			if step.Kind == CastleKing || step.Kind == CastleQueen {
				moved = checkers
			}
			direct, discovered = count(checkers&moved), count(checkers&^moved)
		default:
			direct, discovered = l.checks(step)
		}
		if capture {
			s.Captures++
		}
		if direct+discovered > 0 {
			s.Checks++
			switch {
			case direct+discovered > 1:
				s.Double++
			case discovered == 1:
				s.Discovered++
			}
			if !made {
				p.frame.Make(step, g, child)
			}
			if CountMoves(w.path, child, &w.geometry[(ply+1)&1]) == 0 {
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

// lines tells which steps of a frame give check.
type lines struct {
	us, them uint64
	king     uint8                // theirs
	squares  [KingStep + 1]uint64 // from which a piece of the step's kind attacks it
	blockers uint64               // ours, that alone stand between it and a slider of ours
}

func newLines(f *Frame) lines {
	l := lines{us: f.Us(), them: f.Them(), king: square(f.TK)}
	occ := l.us | l.them
	diagonal, straight := tables.BishopAttacks(l.king, occ), tables.RookAttacks(l.king, occ)
	l.squares = [...]uint64{
		PawnStep: pawnSources(f.TK), KnightStep: tables.Knight(l.king), BishopStep: diagonal, RookStep: straight,
		QueenStep: diagonal | straight, KingStep: 0,
	}
	behind := occ &^ (l.us & (diagonal | straight)) // without our pieces that the king sees
	sliders := tables.BishopAttacks(l.king, behind)&f.D | tables.RookAttacks(l.king, behind)&f.H
	for ; sliders != 0; sliders &= sliders - 1 {
		l.blockers |= tables.Between(l.king, square(sliders)) & occ
	}
	return l
}

// checks returns how many pieces give check after a step that is no special one: the piece
// that moves, and those that it uncovers.
func (l *lines) checks(s Step) (direct, discovered uint64) {
	from, to := s.Mask&l.us, s.Mask&^l.us
	kind := s.Kind
	if kind == DoublePush {
		kind = PawnStep
	}
	if l.squares[kind]&to != 0 {
		direct = 1
	}
	if from&l.blockers != 0 && tables.Line(l.king, square(from))&to == 0 {
		discovered = 1
	}
	return direct, discovered
}
