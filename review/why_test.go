package review

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// mistakes have a position and a move each: what is said of it, and what is not said of the same move where a little
// differs. A want that is empty demands that the tactic is not claimed.
var mistakes = []struct {
	name, fen, move string
	tactic          Tactic
	want            string
}{
	{"mate allowed", "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2", "g4", Mates, "Allows 2... Qh4#: mate in 1."},
	{"a flight square", "rnbqkbnr/pppp1ppp/8/4p3/8/3P1P2/PPP1P1PP/RNBQKBNR w KQkq - 0 2", "g4", Mates, ""},
	{"mate missed", "6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "h3", Mates, "Passes by 1. Rb8#: mate in 1."},
	{"a flight square of the other", "6k1/5pp1/7p/8/8/8/r4PPP/1R4K1 w - - 0 1", "h3", Mates, ""},
	{"queen en prise", "r1bqkbnr/pppp1ppp/2n5/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 2 3", "Qxh7", Hangs, "Allows 3... Rxh7: nothing defends the queen on h7."},
	{"no rook there", "r1bqkbn1/pppp1ppp/2n5/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR w KQq - 2 3", "Qxh7", Hangs, ""},
	{"only defender", "4r1k1/5ppp/8/4N3/8/6B1/5PPP/6K1 w - - 0 1", "Bh4", Unguarded, "Allows 1... Rxe5: the knight on e5 has lost its only defender, the bishop that was on g3."},
	{"another defender", "4r1k1/5ppp/8/4N3/3P4/6B1/5PPP/6K1 w - - 0 1", "Bh4", Unguarded, ""},
	{"fork allowed", "3rkb2/pp3ppp/8/1N6/8/8/PP2KPPP/7R b - - 0 1", "Ra8", Forks, "Allows 2. Nc7+: the knight attacks the rook on a8 and the king on e8."},
	{"guarded square", "2rk1b2/pp3ppp/8/1N6/8/8/PP2KPPP/7R b - - 0 1", "Ra8", Forks, ""},
	{"fork missed", "r3kb2/pp3ppp/8/1N6/8/8/PP3PPP/4K2R w - - 0 1", "h3", Forks, "Passes by 1. Nc7+: the knight attacks the rook on a8 and the king on e8."},
	{"promotion", "6r1/P7/4k3/8/8/8/1K6/8 b - - 0 1", "Rg4", Promotes, "Allows 2. a8=Q: a pawn becomes a queen."},
	{"a pawn that is not so far", "6r1/8/P3k3/8/8/8/1K6/8 b - - 0 1", "Rg4", Promotes, ""},
	{"discovered attack", "3q4/6k1/8/8/3N4/8/4K3/3R4 b - - 0 1", "Kh6", Uncovers, "Allows 2. Nf5+: it opens the line of the rook on d1 to the queen on d8."},
	{"no queen on the line", "2q5/6k1/8/8/3N4/8/4K3/3R4 b - - 0 1", "Kh6", Uncovers, ""},
	{"passed pawn", "8/4k3/8/1P6/8/8/5K2/8 b - - 0 1", "Kf7", Advances, "Allows 2. b6: the passed pawn reaches b6."},
	{"a pawn that is held", "8/4k3/1p6/1P6/8/8/5K2/8 b - - 0 1", "Kf7", Advances, ""},
	{"fork not there", "r2k1b2/pp3ppp/8/1N6/8/8/PP3PPP/4K2R w - - 0 1", "h3", Forks, ""},
}

// TestWhy says what is true of a mistake, and not where a little of the position differs.
func TestWhy(t *testing.T) {
	for _, tt := range mistakes {
		t.Run(tt.name, func(t *testing.T) {
			m := one(t, tt.fen, tt.move)
			switch {
			case tt.want == "" && m.Why != nil && m.Why.Tactic == tt.tactic:
				t.Errorf("said: %s", m.Why.Text)
			case tt.want == "":
			case m.Why == nil:
				t.Errorf("nothing is said of %s (%s), better %v, answered by %v", m.SAN, m.Judgment, m.Best, m.Refutation)
			case m.Why.Text != tt.want || m.Why.Tactic != tt.tactic:
				t.Errorf("%s (%s), want %s (%s)", m.Why.Text, m.Why.Tactic, tt.want, tt.tactic)
			default:
				proves(t, tt.fen, m)
			}
		})
	}
}

// one reviews one move.
func one(t *testing.T, fen, move string) *Move {
	t.Helper()
	p := kit.Position(t, fen)
	number := "1. "
	if p.SideToMove() == chess.Black {
		number = "1... "
	}
	return &review(t, read(t, `[FEN "`+fen+`"]`+"\n\n"+number+move+" *")).Moves[0]
}

// proves checks the proof of a move's claim.
func proves(t *testing.T, before string, m *Move) {
	t.Helper()
	w, proof := m.Why, &m.Why.Proof
	if proof.Loss != m.Loss || proof.Left > proofShare*proof.Loss {
		t.Errorf("%v of a loss of %v (%v) are left", proof.Left, proof.Loss, m.Loss)
	}
	if want := map[bool]string{true: before, false: m.FEN}[w.Missed]; proof.FEN != want || proof.Line.UCI[0] != w.UCI {
		t.Errorf("the key move of %s is %s, want %s in %s", w.Text, proof.Line.UCI[0], w.UCI, want)
	}
	changed := kit.Position(t, proof.Changed)
	_, err := movesOf(changed, proof.Instead.UCI...)
	kit.Succeed(t, err)
	instead := " " + proof.Instead.UCI[0] + " "
	if proof.Changed == proof.FEN && strings.Contains(" "+strings.Join(proof.Without, " ")+" ", instead) ||
		len(proof.Only) > 0 && !strings.Contains(" "+strings.Join(proof.Only, " ")+" ", instead) {
		t.Errorf("%s was searched without %v, by %v", instead, proof.Without, proof.Only)
	}
}

// TestWhyChangesNothing: explanations change no judgment, and are the same in each run.
func TestWhyChangesNothing(t *testing.T) {
	e, err := search.NewEngine(16)
	kit.Succeed(t, err)
	var texts [3][]byte
	said := 0
	for i := range texts {
		r, err := Game(t.Context(), e, read(t, slips), Options{Limits: Limits{Nodes: 5000}, Why: i < 2}, nil)
		kit.Succeed(t, err)
		if i < 2 {
			texts[i], err = json.Marshal(r)
			kit.Succeed(t, err)
		}
		for k := range r.Moves {
			if r.Moves[k].Why != nil {
				said++
				r.Moves[k].Why = nil
			}
		}
		bare, err := json.Marshal(r)
		kit.Succeed(t, err)
		if i > 0 && !bytes.Equal(bare, texts[2]) {
			t.Errorf("run %d: other judgments:\n%s\n%s", i, bare, texts[2])
		}
		texts[2] = bare
	}
	if !bytes.Equal(texts[0], texts[1]) || said == 0 {
		t.Errorf("two runs, %d claims:\n%s\n%s", said, texts[0], texts[1])
	}
}

// TestSpot finds tactics, or none, in lines.
func TestSpot(t *testing.T) {
	for _, tt := range []struct {
		name, fen, line string
		lost            int
		want            string
	}{
		{"checks that draw", "6k1/8/8/8/8/4q3/7P/7K b - - 0 1", "Qf3+ Kg1 Qg4+ Kf2 Qf4+ Kg2", 0, "checks that draw"},
		{"checks that win", "6k1/8/8/8/8/4q3/7P/7K b - - 0 1", "Qf3+ Kg1 Qg4+ Kf2 Qf4+ Kg2", 0, ""},
		{"a draw without checks", "6k1/8/8/8/8/4q3/7P/7K b - - 0 1", "Qf3+ Kg1 Kf7 h3 Ke7", 0, ""},
		{"promotion", "8/P3k3/8/8/8/8/4K3/8 w - - 0 1", "a8=Q Kd6", 0, "a pawn becomes a queen"},
		{"attacked twice", "4k3/8/3p4/4n3/8/5N2/8/4R1K1 w - - 0 1", "Nxe5 dxe5 Rxe5+", 0, "the knight on e5 is attacked twice and defended once"},
		{"attacked and defended twice", "4k3/6b1/3p4/4n3/8/5N2/8/4R1K1 w - - 0 1", "Nxe5 dxe5", 0, ""},
		{"a cheaper piece takes", "4k3/3p4/4n3/3P4/8/8/8/4K3 w - - 0 1", "dxe6 dxe6", 0, "a pawn takes the knight on e6"},
		{"undefended", "4k3/8/8/4n3/8/5N2/8/4K3 w - - 0 1", "Nxe5", 0, "nothing defends the knight on e5"},
		{"takes back", "4k3/8/8/4n3/8/5N2/8/4K3 w - - 0 1", "Nxe5", 3, ""},
		{"the defender is pinned", "3k4/8/3p4/4n3/8/5N2/8/3RK3 w - - 0 1", "Nxe5", 0, ""},
		{"the king cannot take", "8/8/4k3/4n3/8/5N2/8/4RK2 w - - 0 1", "Nxe5 Kd5", 0, "nothing defends the knight on e5"},
		{"fork", "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "Nc7+ Kd7 Nxa8", 0, "the knight attacks the rook on a8 and the king on e8"},
		{"fork of three", "r3k3/8/4q3/1N6/8/8/8/7K w - - 0 1", "Nc7+ Kd7 Nxe6", 0, "the knight attacks the queen on e6, the rook on a8 and the king on e8"},
		{"fork that takes nothing", "r3k3/8/8/1N6/8/8/8/4K3 w - - 0 1", "Nc7+ Kd7 Nd5", 0, ""},
		{"fork by a piece that is taken", "r2k4/8/8/1N6/8/8/8/4K3 w - - 0 1", "Nc7 Kxc7", 0, ""},
		{"discovered attack", "3q1k2/8/8/8/3N4/8/8/3RK3 w - - 0 1", "Nc6 Qxd1+ Kxd1", 0, ""},
		{"discovered attack on the queen", "3q4/6k1/8/8/3N4/8/8/3RK3 w - - 0 1", "Nf5+ Kf6 Rxd8", 0, "it opens the line of the rook on d1 to the queen on d8"},
		{"captured defender", "4k3/8/3b4/2n5/8/5B2/4N3/2R1K1N1 w - - 0 1", "Nc3 Kd7", 0, ""},
		{"exchange", "4k3/8/8/8/8/1n6/8/R1B1K3 b - - 0 1", "Nxa1", 0, "nothing defends the rook on a1"},
		{"passed pawn", "4k3/8/8/P7/8/8/8/4K3 w - - 0 1", "a6 Kd7", 0, "the passed pawn reaches a6"},
		{"pawn that is not passed", "4k3/1p6/8/P7/8/8/8/4K3 w - - 0 1", "a6 Kd7", 0, ""},
	} {
		p := kit.Position(t, tt.fen)
		var moves []chess.Move
		for _, san := range strings.Fields(tt.line) {
			m, err := p.ParseSAN(san)
			kit.Succeed(t, err)
			moves = append(moves, m)
			p.Make(m)
		}
		score := eval.Score(100)
		if strings.Contains(tt.name, "draw") {
			score = 0
		}
		w, got := spot(kit.Position(t, tt.fen), moves, score, tt.lost), ""
		if w != nil {
			got = w.fact()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRecheck: a claim survives searches of more nodes, and a wrong one does not.
func TestRecheck(t *testing.T) {
	e, err := search.NewEngine(16)
	kit.Succeed(t, err)
	fen, o := mistakes[8].fen, Options{Limits: Limits{Nodes: 4 * testNodes}}
	m := one(t, fen, mistakes[8].move)
	check := func(m *Move) bool {
		ok, nodes, err := m.Recheck(t.Context(), e, kit.Position(t, fen), o)
		kit.Succeed(t, err)
		if nodes < testNodes {
			t.Errorf("%d nodes", nodes)
		}
		return ok
	}
	text, err := json.Marshal(m)
	kit.Succeed(t, err)
	m = new(Move)
	kit.Succeed(t, json.Unmarshal(text, m))
	if !check(m) {
		t.Errorf("%s does not survive", m.Why.Text)
	}
	wrong := *m.Why
	wrong.Proof.Without = []string{"b5c3"}
	m.Why = &wrong
	if check(m) {
		t.Error("a claim about another move survives")
	}
	m.Why = &Why{Tactic: Mates, Proof: Proof{Without: []string{"b5c7"}}}
	if check(m) {
		t.Error("a mate that is none survives")
	}
	m.Why = &Why{Proof: Proof{Without: []string{"b5b7"}}}
	if _, _, err := m.Recheck(t.Context(), e, kit.Position(t, fen), o); err == nil {
		t.Error("an illegal move was forbidden")
	}
	m.Why = nil
	if _, _, err := m.Recheck(t.Context(), e, kit.Position(t, fen), o); err == nil {
		t.Error("a move without a claim was checked")
	}
}

// TestTimes: more work by each kind of limit.
func TestTimes(t *testing.T) {
	for _, tt := range []struct{ l, want Limits }{
		{Limits{Nodes: 7}, Limits{Nodes: 28}}, {Limits{MoveTime: 5}, Limits{MoveTime: 20}}, {Limits{Depth: 10}, Limits{Depth: 13}},
		{Limits{Depth: search.MaxPly - 1}, Limits{Depth: search.MaxPly - 1}},
	} {
		if got := tt.l.times(4); got != tt.want || got.Check() != nil {
			t.Errorf("%+v: %+v, want %+v", tt.l, got, tt.want)
		}
	}
}
