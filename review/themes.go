package review

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// worth are the usual values of pieces, the king above all. They tell which attacks are
// threats.
func worth(t chess.PieceType) int {
	switch t {
	case chess.Pawn:
		return 1
	case chess.Knight, chess.Bishop:
		return 3
	case chess.Rook:
		return 5
	case chess.Queen:
		return 9
	case chess.King:
		return 100
	}
	return 0
}

// themes returns what a puzzle is about: its motifs, how long it is, what it wins and when
// in a game it comes up. The words are those of lichess.org/training/themes. moves are the
// solution from p on, which is left as it was, and score, White's, is what it leads to.
func themes(p *chess.Position, moves []chess.Move, score Score) []string {
	p = p.Clone()
	t := themeFinder{p: p, us: p.SideToMove(), found: map[string]bool{}}
	t.note(phase(p), true)
	t.length((len(moves) + 1) / 2)
	t.gain(score)
	balance, lowest := t.material(), 0
	for i, m := range moves {
		if i%2 == 0 {
			t.move(m, i == 0)
			continue
		}
		p.Make(m)
		lowest = min(lowest, t.material()-balance)
	}
	t.note("sacrifice", lowest <= -2)
	t.mate()
	return t.list
}

// themeFinder collects the themes of a puzzle in the order in which they are found.
type themeFinder struct {
	p     *chess.Position
	us    chess.Color // who solves it
	list  []string
	found map[string]bool
}

// note adds a theme if it is there, once.
func (t *themeFinder) note(name string, there bool) {
	if there && !t.found[name] {
		t.found[name] = true
		t.list = append(t.list, name)
	}
}

// phase returns whether a position is one of the opening, middlegame or endgame.
func phase(p *chess.Position) string {
	switch pieces := (p.Occupied() &^ p.ByType(chess.Pawn)).Count(); {
	case pieces <= 8: // with the kings
		return "endgame"
	case p.FullmoveNumber() <= 10:
		return "opening"
	}
	return "middlegame"
}

// motifs names the themes of a single move that say what is lost, the clearest first.
var motifs = []struct{ theme, words string }{
	{"hangingPiece", "a hanging piece"}, {"fork", "a fork"}, {"doubleCheck", "a double check"},
	{"discoveredAttack", "a discovered attack"}, {"skewer", "a skewer"}, {"pin", "a pin"}, {"promotion", "a promotion"},
}

// motif says what went wrong with a judged move, made by node in p: the mate or tactic that the answer has,
// else the one that the better line begins with, else whether material is lost.
func (m *Move) motif(p *chess.Position, node *pgn.Node) string {
	switch {
	case m.AllowsMate > 0:
		return "allows mate"
	case m.MissedMate > 0:
		return "misses mate"
	}
	after := p.Clone()
	node.Play(after)
	captures := ""
	for _, from := range []struct {
		verb string
		p    *chess.Position
		line *Line
	}{{"allows", after, m.Refutation}, {"misses", p, m.Best}} {
		if from.line == nil {
			continue
		}
		first, _ := from.p.ReadMove(from.line.UCI[0]) // of a search, so it is legal
		found := themes(from.p, []chess.Move{first}, from.line.Score)
		for _, t := range motifs {
			if slices.Contains(found, t.theme) {
				return strings.Replace(from.verb+" "+t.words, "allows a hanging", "hangs a", 1)
			}
		}
		if captures == "" && from.p.IsCapture(first) {
			captures = from.verb + " a capture"
		}
	}
	return cmp.Or(captures, "positional")
}

func (t *themeFinder) length(moves int) {
	names := []string{"oneMove", "short", "long", "veryLong"}
	t.note(names[min(moves, len(names))-1], true)
}

// gain tells what the solution wins: the game, an advantage or the balance.
func (t *themeFinder) gain(score Score) {
	if n, ok := score.Mate(); ok {
		t.note("mate", true)
		t.note(fmt.Sprintf("mateIn%d", max(n, -n)), n != 0 && max(n, -n) <= 5)
		return
	}
	if t.us == chess.Black {
		score = -score
	}
	switch {
	case score >= 600:
		t.note("crushing", true)
	case score >= 200:
		t.note("advantage", true)
	default:
		t.note("equality", score > -200 && score < 200)
	}
}

// material returns the value of the solver's pieces less the other side's.
func (t *themeFinder) material() (sum int) {
	for sq := range t.p.Occupied().Squares() {
		pc := t.p.Piece(sq)
		switch {
		case pc.Type() == chess.King:
		case pc.Color() == t.us:
			sum += worth(pc.Type())
		default:
			sum -= worth(pc.Type())
		}
	}
	return sum
}

// move makes a move of the solver and notes what it does.
func (t *themeFinder) move(m chess.Move, first bool) {
	p, them := t.p, t.us.Other()
	target := p.Piece(m.To())
	taken := first && m.Kind() != chess.Castling && target != chess.NoPiece
	guards := p.AttackersTo(m.To(), p.Occupied()&^m.From().Bitboard()) & p.ByColor(them)
	t.note("hangingPiece", taken && target.Type() != chess.Pawn && guards == 0)
	t.note("promotion", m.Kind() == chess.Promotion && m.PromotionType() == chess.Queen)
	t.note("underPromotion", m.Kind() == chess.Promotion && m.PromotionType() != chess.Queen)
	t.note("enPassant", m.Kind() == chess.EnPassant)
	t.note("castling", m.Kind() == chess.Castling)
	pinned := p.Blockers(them) & p.ByColor(them)
	p.Make(m)
	if m.Kind() == chess.Castling {
		return
	}
	t.note("doubleCheck", p.Checkers().MoreThanOne())
	t.note("discoveredAttack", p.InCheck() && !p.Checkers().Has(m.To()))
	t.note("fork", !t.capturable(m.To()) && len(t.targets(m.To())) >= 2)
	t.note("pin", p.Blockers(them)&p.ByColor(them)&^pinned != 0)
	t.note("skewer", t.skewers(m.To()))
}

// capturable reports whether the other side can take the piece on a square.
func (t *themeFinder) capturable(sq chess.Square) bool {
	near := t.p.AttackersTo(sq, t.p.Occupied())
	takers := near & t.p.ByColor(t.us.Other())
	if near&t.p.ByColor(t.us) != 0 {
		takers &^= t.p.ByType(chess.King) // it is guarded
	}
	return takers != 0
}

// targets returns the other side's pieces that the piece on a square threatens to win:
// worth more than it is, or unguarded. Pawns do not count.
func (t *themeFinder) targets(from chess.Square) (out []chess.Square) {
	p, them := t.p, t.p.ByColor(t.us.Other())
	mine := worth(p.Piece(from).Type())
	for sq := range (them &^ p.ByType(chess.Pawn)).Squares() {
		near := p.AttackersTo(sq, p.Occupied())
		if near.Has(from) && (worth(p.Piece(sq).Type()) > mine || near&them == 0) {
			out = append(out, sq)
		}
	}
	return out
}

// skewers reports whether the piece on a square attacks one that must move away from
// before another, of less worth.
func (t *themeFinder) skewers(from chess.Square) bool {
	p, them := t.p, t.p.ByColor(t.us.Other())
	for _, front := range t.targets(from) {
		open := p.Occupied() &^ front.Bitboard()
		for behind := range (them & chess.Line(from, front) &^ front.Bitboard() &^ p.ByType(chess.Pawn)).Squares() {
			if chess.Between(from, behind).Has(front) && p.AttackersTo(behind, open).Has(from) &&
				worth(p.Piece(front).Type()) > worth(p.Piece(behind).Type()) {
				return true
			}
		}
	}
	return false
}

// mate names the picture of the mate that stands on the board, if one does.
func (t *themeFinder) mate() {
	p, them := t.p, t.us.Other()
	if p.Outcome() != chess.Checkmate || p.Checkers().MoreThanOne() {
		return
	}
	king, checker := p.King(them), p.Checkers().First()
	blocked, around := 0, 0 // squares about the king: with pieces of its own, and all
	ahead := false          // one of them stands before it
	for sq := range (^chess.Bitboard(0)).Squares() {
		if !p.AttackersTo(sq, p.Occupied()).Has(king) {
			continue
		}
		around++
		if p.Piece(sq) != chess.NoPiece && p.Piece(sq).Color() == them {
			blocked++
			ahead = ahead || sq.Rank() != king.Rank()
		}
	}
	kind := p.Piece(checker).Type()
	t.note("smotheredMate", kind == chess.Knight && blocked == around)
	t.note("backRankMate", (kind == chess.Rook || kind == chess.Queen) && checker.Rank() == king.Rank() &&
		king.Relative(them).Rank() == 0 && ahead)
}
