package search

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// weakened returns an engine of n workers held to a strength.
func weakened(t testing.TB, n, elo int, game uint64) *Engine {
	t.Helper()
	e := threaded(t, n)
	kit.Succeed(t, e.SetStrength(Strength{Elo: elo, Game: game}))
	return e
}

// TestStrengthBounds refuses what no engine plays at, and keeps what was.
func TestStrengthBounds(t *testing.T) {
	e := engine(t)
	for _, tt := range []struct {
		elo int
		ok  bool
	}{{LeastElo, true}, {MostElo, true}, {LeastElo - 1, false}, {MostElo + 1, false}, {-5, false}, {2000, true}, {0, true}} {
		before := e.strength
		err := e.SetStrength(Strength{Elo: tt.elo})
		if (err == nil) != tt.ok || err != nil && e.strength != before {
			t.Errorf("Elo %d: %v, now %+v", tt.elo, err, e.strength)
		}
	}
	if _, err := NewPool(1, Config{Strength: Strength{Elo: 7}}); err == nil {
		t.Error("a pool of engines of Elo 7 was made")
	}
	for elo := LeastElo; elo < MostElo; elo++ {
		if a, b := levelOf(elo), levelOf(elo+1); a.depth > b.depth || a.nodes > b.nodes || a.noise < b.noise ||
			a.blindness < b.blindness || a.network > b.network || a.attention > b.attention || a.nodes < 1 || a.depth < 1 {
			t.Errorf("Elo %d: %+v, one more: %+v", elo, a, b)
		}
	}
}

// TestWeakenedLimits: a level lowers the limits that are above its own and leaves others.
func TestWeakenedLimits(t *testing.T) {
	e := engine(t)
	kit.Succeed(t, e.SetStrength(Strength{Elo: 2000}))
	depth, nodes := Depth(e.level.depth), uint64(2*e.level.nodes)
	for _, tt := range []struct{ given, want Limits }{
		{Limits{}, Limits{Depth: depth, Nodes: nodes}},
		{Limits{Depth: -1, Nodes: nodes - 1}, Limits{Depth: depth, Nodes: nodes - 1}},
		{Limits{Depth: depth - 1, Nodes: nodes + 1}, Limits{Depth: depth - 1, Nodes: nodes}},
		{Limits{Depth: depth + 1}, Limits{Depth: depth, Nodes: nodes}},
	} {
		got := tt.given
		if e.weaken(&got, 2); got.Depth != tt.want.Depth || got.Nodes != tt.want.Nodes {
			t.Errorf("depth %d and %d nodes become %d and %d, want %d and %d",
				tt.given.Depth, tt.given.Nodes, got.Depth, got.Nodes, tt.want.Depth, tt.want.Nodes)
		}
	}
}

// TestStrengthIsOfTheGame: the same game has the same mistakes with any number of
// threads; another has others; and without a limit the engine is what it was.
func TestStrengthIsOfTheGame(t *testing.T) {
	play := func(e *Engine, s Strength) (moves [24]Result) {
		kit.Succeed(t, e.SetStrength(s))
		for i := range moves {
			moves[i] = e.Search(kit.Position(t, benchPositions[i]), Limits{Nodes: 20000}, Options{}, nil)
		}
		return moves
	}
	e := engine(t)
	full := play(e, Strength{})
	weak, other := play(e, Strength{Elo: 1500, Game: 1}), play(e, Strength{Elo: 1500, Game: 2})
	different, weaker := 0, 0
	for i := range weak {
		different += btoi(weak[i].Best != other[i].Best)
		weaker += btoi(weak[i].Best != full[i].Best)
	}
	if different < 4 || weaker < 8 {
		t.Errorf("of 24 moves %d are different in another game, %d without the limit", different, weaker)
	}
	if play(e, Strength{}) != full {
		t.Error("without its limit the engine plays in another way than before")
	}
	if play(threaded(t, 4), Strength{Elo: 1500, Game: 1}) != weak {
		t.Error("4 threads play the same game in another way")
	}
}

// TestStrengthHoldsUnderEveryLimit: no limit of a search lifts that of the level.
func TestStrengthHoldsUnderEveryLimit(t *testing.T) {
	for _, elo := range []int{LeastElo, 2000, MostElo} {
		level := levelOf(elo)
		for _, l := range []Limits{{}, {Depth: 90}, {Nodes: 1e6}, {Mate: 3}, {MoveTime: time.Minute}, {Infinite: true}, {Ponder: true, MoveTime: time.Minute}} {
			for _, lines := range []int{1, 3} {
				e := weakened(t, 4, elo, 3)
				p := kit.Position(t, kiwipete)
				r, infos := collect(e, p, l, Options{MultiPV: lines}, func() {
					if l.Infinite || l.Ponder {
						time.AfterFunc(20*time.Millisecond, e.Stop)
					}
				})
				if r.Nodes > uint64(level.nodes*lines)+1 || int(r.Depth) > level.depth || !p.IsLegal(r.Best) {
					t.Errorf("Elo %d, %+v, %d lines: %d nodes, depth %d, best %v", elo, l, lines, r.Nodes, r.Depth, r.Best)
				}
				if last := infos[len(infos)-1]; last.MultiPV > lines {
					t.Errorf("Elo %d: line %d of %d", elo, last.MultiPV, lines)
				}
			}
		}
	}
}

// TestWeakenedEngineTakesItsTime: by the clock it lets some time pass, but not with
// a limit that asks for an answer at once; stop ends the wait.
func TestWeakenedEngineTakesItsTime(t *testing.T) {
	both := [2]bool{true, true}
	minutes := [2]time.Duration{3 * time.Minute, 3 * time.Minute}
	for _, tt := range []struct {
		name   string
		limits Limits
		waits  bool
	}{
		{"clock", Limits{Timed: both, Time: minutes}, true},
		{"depth", Limits{Depth: 3}, false},
		{"clock and nodes", Limits{Timed: both, Time: minutes, Nodes: 1000}, false},
		{"movetime", Limits{MoveTime: time.Hour}, false},
	} {
		e := weakened(t, 1, LeastElo, 1)
		watch := &fakeWatch{now: time.Unix(1e9, 0)}
		e.setWatch(watch)
		done, search := make(chan Result, 1), e.Prepare(kit.Position(t, kiwipete), tt.limits, Options{}, nil)
		go func() { done <- search() }()
		if tt.waits {
			// The first timer is that of the hard limit; the second is set when the
			// search has its answer and waits.
			watch.awaitTimer(2)
			least := watch.timers[1].at.Sub(watch.now)
			if least < 100*time.Millisecond || least > lingerMost || len(done) > 0 {
				t.Errorf("%s: waits for %v", tt.name, least)
			}
			watch.sleep(least)
		}
		select {
		case <-done:
		case <-time.After(patience):
			t.Fatalf("%s: no answer", tt.name)
		}
	}
}

// TestMisjudgementIsSmall holds the errors to what a level says, no more and hardly less,
// alike for both sides, and reproducible.
func TestMisjudgementIsSmall(t *testing.T) {
	j, other := newJudgement(5, &level{noise: 40, network: 100}), newJudgement(6, &level{noise: 40, network: 100})
	same, least, most := 0, 0, 0
	for kind := range j.places {
		for sq := range j.places[kind] {
			v := int(j.places[kind][sq])
			least, most = min(least, v), max(most, v)
			if v == int(other.places[kind][sq]) {
				same++
			}
		}
	}
	if least < -40 || least > -30 || most < 30 || most > 40 {
		t.Errorf("places are misjudged by %d to %d, want about -40 to 40", least, most)
	}
	if same > 40 {
		t.Errorf("%d of 384 places are misjudged alike in two games", same)
	}
	p := kit.Position(t, kiwipete)
	for _, m := range movegen.Legal(p, nil) {
		before := j.misjudge(p, 0)
		p.Make(m)
		after := -j.misjudge(p, 0)
		p.Unmake()
		if d := after - before; d < -40*6 || d > 40*6 { // a capture removes a man, castling moves two
			t.Errorf("%v is misjudged by %d", m, d)
		}
	}
	if j.misjudge(p, eval.Limit) > eval.Limit || newJudgement(5, &level{}) != nil {
		t.Error("out of bounds")
	}
}

// TestTaste: who does not know the network's evaluation counts pieces and has heard where they belong.
func TestTaste(t *testing.T) {
	for _, tt := range []struct {
		name, better, worse string
		network             int
	}{
		{"a pawn more", "4k3/8/8/8/8/8/PP6/4K3 w - - 0 1", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1", 0},
		{"a rook is more than a knight", "4k3/8/8/8/3R4/8/8/4K3 w - - 0 1", "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", 0},
		{"a knight in the centre", "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", "4k3/8/8/8/N7/8/8/4K3 w - - 0 1", 0},
		{"a king at home", "4k3/8/8/8/8/8/8/6K1 w - - 0 1", "4k3/8/8/8/6K1/8/8/8 w - - 0 1", 0},
		{"a pawn forward", "6k1/8/8/4P3/8/8/8/6K1 w - - 0 1", "6k1/8/8/8/8/4P3/8/6K1 w - - 0 1", 0},
		{"half of it", "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", "4k3/8/8/8/N7/8/8/4K3 w - - 0 1", 50},
	} {
		j := newJudgement(1, &level{blindness: 1, network: tt.network})
		better, worse := j.misjudge(kit.Position(t, tt.better), 0), j.misjudge(kit.Position(t, tt.worse), 0)
		if better <= worse {
			t.Errorf("%s: %d, without it %d", tt.name, better, worse)
		}
	}
	p := kit.Position(t, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1")
	if s := newJudgement(1, &level{blindness: 1, network: 100}).misjudge(p, 37); s != 37 {
		t.Errorf("the network alone says 37, a player without errors %d", s)
	}
}

// TestOverlooked: what a beginner overlooks depends on the game, the piece and its
// squares. It is a capture, a check or a promotion, rather a long or backward one than a
// short or forward one, rather the opponent's than its own or a recapture, and never an
// evasion or all that there is.
func TestOverlooked(t *testing.T) {
	const rooks = "r5k1/8/8/8/r7/8/8/R3K3 w - - 0 1"
	for _, tt := range []struct {
		name, fen   string
		moves       string // the last one is judged
		theirs      bool
		least, most int // games in a hundred that overlook it
	}{
		{"a quiet move", "4k3/8/8/3p4/8/8/8/3RK3 w - - 0 1", "d1d4", true, 0, 0},
		{"a step", "4k3/8/8/8/8/8/3p4/3R1K2 w - - 0 1", "d1d2", true, 5, 25},
		{"a knight's jump", "4k3/8/8/8/8/4p3/8/3NK3 w - - 0 1", "d1e3", true, 10, 32},
		{"an own jump", "4k3/8/8/8/8/4p3/8/3NK3 w - - 0 1", "d1e3", false, 3, 18},
		{"a long move", "3n2k1/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8", true, 60, 90},
		{"an own long move", "3n2k1/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8", false, 25, 50},
		{"a long check", "6k1/8/8/8/8/8/8/3RK3 w - - 0 1", "d1d8", true, 60, 90},
		{"a long move back", "3RK3/8/8/8/8/8/8/3n1k2 w - - 0 1", "d8d1", true, 90, 100},
		{"Black's long move forward", "3r2k1/8/8/8/8/8/8/3NK3 b - - 0 1", "d8d1", true, 60, 90},
		{"of the piece that has moved", "2r3k1/8/8/8/8/8/8/3NK2R b - - 0 1", "c8d8 h1h2 d8d1", true, 25, 50},
		{"a promotion", "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8q", true, 5, 25},
		{"a promotion to a knight", "7k/P7/8/8/8/8/8/K7 w - - 0 1", "a7a8n", false, 100, 100},
		{"an evasion", "4k3/8/8/8/3B4/8/8/r3K3 w - - 0 1", "d4a1", true, 0, 0},
		{"the only move", "4k3/8/pp6/P7/8/6q1/8/7K w - - 0 1", "a5b6", true, 5, 25},
		{"a recapture", rooks, "a1a4 a8a4", true, 5, 20},
	} {
		moves := strings.Fields(tt.moves)
		last := len(moves) - 1
		p := kit.Position(t, tt.fen, moves[:last]...)
		m := kit.Move(t, p, moves[last])
		overlooked, legal := 0, movegen.Legal(p, nil)
		for game := range uint64(100) {
			j := newJudgement(game, &level{blindness: 20})
			if j.overlooks(p, m, tt.theirs) {
				overlooked++
			}
			if len(j.seen(p, legal)) == 0 {
				t.Errorf("%s: game %d sees no move", tt.name, game)
			}
		}
		if overlooked < tt.least || overlooked > tt.most {
			t.Errorf("%s: overlooked in %d games of 100, want %d to %d", tt.name, overlooked, tt.least, tt.most)
		}
	}
}

// TestSeesWhatIsNear: weaker levels take a queen on the next square in most games, and one far away or a mate on the
// other edge of the board in fewer; and all of these the more often, the stronger they are.
func TestSeesWhatIsNear(t *testing.T) {
	if testing.Short() {
		t.Skip("plays hundreds of searches, one after the other")
	}
	const games = 100
	e, before := engine(t), [3]int{}
	for _, tt := range []struct {
		elo  int
		most [3]int // games in a hundred
	}{
		{LeastElo, [3]int{50, 5, 5}}, {200, [3]int{90, 20, 10}}, {400, [3]int{100, 50, 35}},
		{800, [3]int{100, 85, 80}}, {1320, [3]int{games, games, games}},
	} {
		found := [3]int{}
		for i, at := range [3]struct{ fen, best string }{
			{"r1b1kb1r/pppp1ppp/2n2n2/3qp3/4P3/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 5", "exd5"},
			{"r1b1kb1r/pppp1pp1/2n2n1q/4p2p/4P3/2NP4/PPP2PPP/R1BQKBNR w KQkq - 0 5", "Bxh6"},
			{"6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "Rb8#"},
		} {
			p := kit.Position(t, at.fen)
			best := kit.Move(t, p, at.best)
			for game := range uint64(games) {
				kit.Succeed(t, e.SetStrength(Strength{Elo: tt.elo, Game: game}))
				if m := e.Search(p, Limits{}, Options{}, nil).Best; m.To() == best.To() {
					found[i]++
				}
			}
			if found[i] > tt.most[i] || found[i] < before[i] {
				t.Errorf("Elo %d: %s in %d games, a weaker level in %d, want at most %d",
					tt.elo, at.best, found[i], before[i], tt.most[i])
			}
		}
		t.Logf("Elo %d: %v", tt.elo, found)
		if tt.elo < 1000 && found[0] < max(found[1], found[2])+10 {
			t.Errorf("Elo %d takes a near queen in %d games, a far one in %d, and mates in %d",
				tt.elo, found[0], found[1], found[2])
		}
		before = found
	}
	if before != [3]int{games, games, games} {
		t.Errorf("the strongest of these finds them in %v games", before)
	}
}

// TestGivenPieces plays games of weak engines: but for three moves in a hundred, a
// counter-attack or a mate in view, none of Elo 1320 puts a piece where it is simply
// taken, or leaves it there, unless every move loses one. Weaker ones do so the more often.
func TestGivenPieces(t *testing.T) {
	if testing.Short() {
		t.Skip("plays hundreds of searches, one after the other")
	}
	for _, tt := range []struct{ elo, least, most int }{{LeastElo, 25, 50}, {400, 6, 12}, {800, 3, 8}, {1320, 0, 3}} {
		given, moves := givenPieces(t, tt.elo)
		t.Logf("Elo %d: %d of %d moves", tt.elo, given, moves)
		if given*100 < tt.least*moves || given*100 > tt.most*moves {
			t.Errorf("Elo %d: %d of %d moves give a piece away that another keeps; want %d to %d in a hundred",
				tt.elo, given, moves, tt.least, tt.most)
		}
	}
}

// givenPieces plays games and counts the moves and those that give a piece away.
func givenPieces(t *testing.T, elo int) (given, moves int) {
	for game := range uint64(60) {
		e := weakened(t, 1, elo, game)
		r := rand.New(rand.NewPCG(game, 1))
		p := chess.NewPosition()
		movegen.RandomWalk(p, r, 6)
		for range 60 {
			if p.Outcome() != chess.Ongoing {
				break
			}
			best := e.Search(p, Limits{}, Options{}, nil).Best
			moves++
			if givesAway(p, best) {
				given++
			}
			p.Make(best)
		}
	}
	return given, moves
}

// givesAway reports whether an exchange wins a piece after m that none wins after
// another move.
func givesAway(p *chess.Position, m chess.Move) bool {
	loses := func(m chess.Move) bool {
		if p.Piece(m.To()) != chess.NoPiece {
			return false // a capture has its price
		}
		p.Make(m)
		defer p.Unmake()
		for _, reply := range movegen.Legal(p, nil) {
			if p.Piece(reply.To()) != chess.NoPiece && see(p, reply, 300) {
				return true
			}
		}
		return false
	}
	if !loses(m) {
		return false
	}
	for _, other := range movegen.Legal(p, nil) {
		if p.Piece(other.To()) == chess.NoPiece && !loses(other) {
			return true
		}
	}
	return false
}

// TestWorkersMisjudge: a weakened engine searches with the errors of its evaluation, and not without.
func TestWorkersMisjudge(t *testing.T) {
	p := kit.Position(t, kiwipete)
	for _, limit := range []bool{true, false} {
		e := engine(t)
		if limit {
			e = weakened(t, 1, LeastElo, 3)
		}
		e.Search(p, Limits{Depth: 1}, Options{}, nil) // prepares the worker
		w := e.workers[0]
		w.pos.CopyFrom(p)
		raw := w.eval.Evaluate(w.pos)
		if got := w.evaluate(); (got != raw) != limit || limit && got != e.judgement.misjudge(w.pos, raw) {
			t.Errorf("weakened %v: %d, the network says %d", limit, got, raw)
		}
	}
}
