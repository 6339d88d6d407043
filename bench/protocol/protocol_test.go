package protocol

import (
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/uci/client"
)

// faults are those of the test engine, each with the rule that it breaks.
var faults = []struct{ name, rule string }{ // RULE in OTHER: in the sessions of another rule
	{"mute", "handshake"}, {"floods", "handshake"}, {"has no author", "handshake"}, {"endless line", "output in handshake"},
	{"prints binary", "output in handshake"}, {"banner", "output in handshake"}, {"default out of range", "options"}, {"declares twice", "options"},
	{"no type", "options"}, {"wrong choice", "options"}, {"ends at an option", "values"}, {"is not ready in a search", "isready"},
	{"answers twice", "answer"}, {"answers stop twice", "answer"}, {"answers infinite at a mate", "infinite"},
	{"answers ponder", "ponder"}, {"hangs after ponderhit", "ponder"}, {"plays an illegal move", "bestmove"},
	{"ponders on an illegal move", "bestmove"}, {"promotes to upper case", "bestmove"}, {"shows an illegal move", "pv"},
	{"shows another currmove", "pv"}, {"castles as in standard chess", "castling"}, {"ignores searchmoves", "searchmoves"},
	{"forgets a line", "multipv"}, {"shows a line twice", "multipv"}, {"has lines in any order", "multipv"},
	{"scores from White's side", "side"}, {"claims mates that are none", "mate in pv"}, {"counts mates in plies", "mate-line in mate"}, {"shows one move of a line", "mate-line in mate"},
	{"goes on after a draw", "draw-line"}, {"gives no score", "score"}, {"gives bounds only", "score"},
	{"writes scores in pawns", "numbers in pv"}, {"fills its table beyond the brim", "numbers in pv"}, {"goes on after its answer", "idle in pv"},
	{"plays another move than its line", "same-move in pv"}, {"goes too deep", "depth"}, {"stops too early", "depth"},
	{"steps over nodes", "nodes"}, {"steps over movetime", "movetime"}, {"never ends go mate", "mate-search"},
	{"oversteps its clock", "clock"}, {"thinks for its increment", "clock"}, {"waits for one node", "tiny"},
	{"has no move in no time", "bestmove in tiny"}, {"waits for a clock below zero", "flagged"}, {"is slow to stop", "stop"},
	{"ends at setoption in a search", "in-flight"}, {"has room for 1,024 plies", "long-game"},
	{"is silent at the end", "game-over"}, {"moves where no move is legal", "game-over"},
	{"thinks stalemate is worth a pawn", "game-over"}, {"forgets repetitions", "draws"}, {"forgets fifty moves", "draws"},
	{"ends at a bad FEN", "bad-position"}, {"ends at an illegal move", "bad-position"}, {"splits at blanks", "white-space"},
	{"wants no CR", "white-space"}, {"knows no joho", "unknown"}, {"ends at what it does not know", "unknown"},
	{"does not quit", "quit"}, {"outlives its input", "end-of-input"}, {"ends in a search", "alive in answer"},
	{"keeps the old position", "bestmove"}, {"leaks", "memory"}, {"counts other nodes each time", "repeat"},
	{"counts another bench each time", "bench"},
}

// check checks the test engine with a fault.
func check(t *testing.T, fault string, c *Checker) *CheckReport {
	t.Helper()
	self, err := os.Executable()
	if err != nil || strings.ContainsRune(self, ' ') {
		t.Skip("the test binary's path cannot be an engine command: ", self, err)
	}
	c.Command = self + " " + faultArgument + strings.ReplaceAll(fault, " ", "_")
	r, err := c.Run(t.Context())
	if err != nil {
		t.Error(err)
		return &CheckReport{}
	}
	return r
}

func found(r *CheckReport) (all []string) {
	for _, rule := range r.Rules {
		for _, f := range rule.Findings {
			all = append(all, rule.Name+": "+f.Text+" "+f.Line+" "+strings.Join(f.Shell, ";"))
		}
	}
	return all
}

// TestFaults looks for each fault in the sessions of its rule, eight at a time, as most of the time is spent waiting.
func TestFaults(t *testing.T) {
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for i, f := range faults {
		if testing.Short() && i%16 != 0 {
			continue
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			rule, in, other := strings.Cut(f.rule, " in ")
			if !other {
				in = rule
			}
			r := check(t, f.name, &Checker{Only: []string{in}, patience: time.Second})
			if !slices.ContainsFunc(r.Rules, func(r Verdict) bool { return r.Name == rule && len(r.Findings) > 0 }) {
				t.Errorf("%s: %s is not found", f.name, f.rule)
			}
			t.Logf("%s:\n%s", f.name, strings.Join(found(r), "\n"))
		})
	}
	all.Wait()
}

// TestNoFault plays everything with the engine that has no fault.
func TestNoFault(t *testing.T) {
	c, sessions := Checker{}, 40
	if testing.Short() {
		c.Only, sessions = []string{"answer", "pv", "stop"}, 2
	}
	r := check(t, "none", &c)
	for i := range sessions {
		c.session(t.Context(), nil, c.random(i))
	}
	if all := found(r); len(all) > 0 {
		t.Errorf("found in a sound engine:\n%s", strings.Join(all, "\n"))
	}
	for _, rule := range r.Rules {
		if rule.Status != "ok" && (len(c.Only) == 0 || slices.Contains(c.Only, rule.Name)) {
			t.Errorf("%s: %s", rule.Name, rule.Status)
		}
	}
}

// TestLate: an answer is late beyond what the machine overslept, and more.
func TestLate(t *testing.T) {
	for _, tt := range []struct {
		command    string
		stopped    bool
		took, nap  time.Duration
		want, late string
	}{
		{"go movetime 300", false, 340 * time.Millisecond, 0, "", "movetime"},
		{"go movetime 300", false, 360 * time.Millisecond, 0, "movetime", "movetime"},
		{"go movetime 300", false, 360 * time.Millisecond, 3 * time.Millisecond, "", "movetime"},
		{"go movetime 30", false, 360 * time.Millisecond, 0, "", ""},
		{"go wtime 400 btime 100", false, 440 * time.Millisecond, 0, "", "clock"},
		{"go wtime 400 btime 100", false, 460 * time.Millisecond, 0, "clock", "clock"},
		{"go btime 400", false, time.Minute, 0, "", ""},
		{"go infinite", true, 190 * time.Millisecond, 0, "", "stop"},
		{"go movetime 5000", true, 290 * time.Millisecond, 10 * time.Millisecond, "stop", "stop"},
	} {
		j := judge{state: state{board: chess.NewPosition(), placed: true}, timings: map[string]Timing{}, slept: tt.nap}
		began := time.Now()
		j.send(tt.command, began)
		if tt.stopped {
			j.send("stop", began)
		}
		j.onTime(j.pending[0], began.Add(tt.took))
		got := ""
		if len(j.findings) > 0 && j.findings[0].Timed {
			got = j.findings[0].Rule
		}
		if _, noted := j.timings[tt.late]; got != tt.want || noted != (tt.late != "") {
			t.Errorf("%+v: %q, %v", tt, got, j.timings)
		}
	}
}

// TestReduced: a fault that needs two positions of a long session and their moves is shown by little more than them.
func TestReduced(t *testing.T) {
	c := Checker{Only: []string{"handshake"}, patience: 20 * time.Second}
	check(t, "shows an illegal move", &c)
	script := []string{"ucinewgame", "isready", "position startpos moves e2e4 e7e5 g1f3 b8c6", "go depth 2", "isready",
		"position startpos moves d2d4 d7d5", "go movetime 20", "go infinite", "sleep 10", "stop"}
	c.session(t.Context(), nil, script)
	f := &c.result("pv").Findings[0]
	c.reduce(t.Context(), f)
	if len(f.script) != 2 || !strings.HasPrefix(f.script[0], "position fen ") || strings.Contains(f.script[0], "moves") ||
		!strings.HasPrefix(f.script[1], "go ") || f.Before != len(script) {
		t.Errorf("reduced to %q from %d lines", f.script, f.Before)
	}
	p, err := client.ParsePosition(f.script[0])
	if err != nil || p.Occupied().Count() > 3 {
		t.Errorf("%v, %v", p, err)
	}
}

// TestProof compares claims of mate with known ones.
func TestProof(t *testing.T) {
	for _, tt := range []struct {
		fen  string
		n    int
		want bool
	}{
		{mateIn1, 1, true}, {mateIn1, 2, true}, {mateIn2, 1, false}, {mateIn2, 2, true}, {mateIn3, 2, false}, {mateIn3, 3, true},
		{"kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, true}, {mated, 0, true}, {stalemate, 0, false},
		{"8/8/8/8/8/1k1r4/8/K7 w - - 0 1", -1, true}, {trapped, -1, false}, {"8/8/8/8/4k3/8/8/4K2R w K - 0 1", 3, false},
	} {
		s := &searched{state: state{board: kit.Position(t, tt.fen)}}
		r := proof{left: 10_000_000}
		if got := r.holds(claim{search: s, info: client.InfoLine{Score: client.EngineScore{Kind: client.Mate, Value: tt.n}}}); got != tt.want || r.left < 0 {
			t.Errorf("%s: mate %d: %v, want %v", tt.fen, tt.n, got, tt.want)
		}
	}
	mates := proof{left: 10}
	if p := kit.Position(t, mateIn3); mates.mates(p, 3) || mates.left >= 0 {
		t.Error("a proof that has given up proves something")
	}
}

// TestWrongUse: what is no engine and no rule is an error, and what is an engine only by name a finding.
func TestWrongUse(t *testing.T) {
	for _, c := range []Checker{{}, {Command: "no-such-engine"}, {Command: "./no-such-engine"}, {Command: "."}, {Command: os.Args[0], Only: []string{"nonsense"}}} {
		if _, err := c.Run(t.Context()); exit.Code(err) != exit.Usage {
			t.Errorf("%q %q: %v", c.Command, c.Only, err)
		}
	}
	for _, program := range []string{"/bin/false", "/bin/cat"} {
		if _, err := os.Stat(program); err != nil {
			continue
		}
		c := Checker{Command: program, patience: 200 * time.Millisecond}
		if r, err := c.Run(t.Context()); err != nil || len(found(r)) != 1 || r.Rules[0].Status != "fault" || r.Rules[1].Status != "skipped" {
			t.Errorf("%s: %v %v", program, found(r), err)
		}
	}
}
