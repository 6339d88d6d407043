package protocol

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/uci/client"
)

// judge follows a session line by line and notes what breaks a rule.
type judge struct {
	owner *Rule // of the script; nil for a random one

	mu       sync.Mutex
	state    state
	findings []Finding
	latest   []string // lines of the engine
	options  int      // lines that declare one
	begun    bool     // uciok has come
	asked    int      // isready without readyok
	unlawful bool     // a line of ours is one that no GUI may send, as happens where sessions are reduced
	pending  []*searched
	done     []*searched
	claims   []claim
	timings  map[string]Timing // of the report
	slept    time.Duration     // most by which a sleep of ours was late
}

// state is what the engine was told before a search.
type state struct {
	board            *chess.Position // nil where it was given none that is valid
	placed, newGame  bool            // a position since ucinewgame; no search since then
	chess960, ponder bool            // the options
	multiPV          int
	plain            bool // no option is set that may change how well the engine plays
}

// searched is a search: what was asked and what the engine has said.
type searched struct {
	state
	command           string
	from              time.Time // its time counts from then
	limits            map[string]int
	moves             []chess.Move // to choose from
	only              bool         // they are those of searchmoves
	endless, stopped  bool
	pondering, scored bool
	deepest, nodes    int
	last              map[int]client.InfoLine // of each line
	exact             client.InfoLine         // the last exact one of the best line
	best              string                  // the line with bestmove
}

// when notes a finding where a condition is met, one of each kind: format tells the kind. Its text is for people.
func (j *judge) when(met bool, rule, line, format string, args ...any) {
	if j.owner != nil && j.owner.all {
		rule = j.owner.Name
	}
	f := Finding{Rule: rule, kind: format, Text: fmt.Sprintf(format, args...), Line: line}
	if met && !slices.ContainsFunc(j.findings, f.alike) {
		j.findings = append(j.findings, f)
	}
}

// late is when for what depends on time.
func (j *judge) late(met bool, rule, line, format string, args ...any) {
	n := len(j.findings)
	j.when(met, rule, line, format, args...)
	for i := range j.findings[n:] {
		j.findings[n+i].Timed = true
	}
}

// printable shortens a line of an engine and shows its bytes that are no text.
func printable(line string) string {
	line = line[:min(len(line), 400)]
	return strings.ReplaceAll(strings.Trim(strconv.QuoteToGraphic(line), `"`), `\"`, `"`)
}

// log takes a line of the session, in the order of the pipes.
func (j *judge) log(sent bool, line string) {
	now := time.Now()
	j.mu.Lock()
	defer j.mu.Unlock()
	if sent {
		j.send(line, now)
		return
	}
	shown := printable(line)
	binary := strings.ContainsFunc(line, func(r rune) bool {
		return unicode.IsControl(r) && r != '\t' || r == unicode.ReplacementChar
	})
	j.latest = append(j.latest[max(0, len(j.latest)-5):], shown)
	j.when(binary, "output", shown, "the line has bytes that are no text")
	switch word, _, _ := strings.Cut(line, " "); word {
	case "uciok":
		j.begun = true
	case "readyok":
		j.when(j.asked == 0, "isready", line, "no isready asks for this")
		j.asked = max(0, j.asked-1)
	case "info":
		j.info(line)
	case "bestmove":
		j.bestmove(line, now)
	case "option":
		j.options++
	case "id", "copyprotection", "registration":
	default:
		j.when(!j.begun && j.options > 0, "output", shown, "the line before uciok is neither id nor option")
	}
}

// commandOf returns the words of a line from the command on, and one empty word for none.
func commandOf(line string) []string {
	words := strings.Fields(line)
	for i, w := range words {
		switch w {
		case "uci", "isready", "ucinewgame", "position", "go", "stop", "ponderhit", "setoption", "quit":
			return words[i:]
		}
	}
	return []string{""}
}

// send takes a line of ours.
func (j *judge) send(line string, now time.Time) {
	is := &j.state
	switch words := commandOf(line); words[0] {
	case "isready":
		j.asked++
	case "ucinewgame":
		is.board, is.placed, is.newGame = nil, false, true
	case "position":
		p, err := client.ParsePosition(line[strings.Index(line, "position"):])
		is.board, is.placed = p, true
		j.unlawful = j.unlawful || err == nil && p.Chess960() && !is.chess960
	case "setoption":
		switch name, value := settingOf(line); strings.ToLower(name) {
		case "multipv":
			is.multiPV, _ = strconv.Atoi(value)
		case "uci_chess960":
			is.chess960 = value == "true"
		case "ponder":
			is.ponder = value == "true"
		case "hash", "threads":
		default:
			is.plain = false
		}
	case "go":
		j.pending = append(j.pending, j.begin(line, words[1:], now))
		is.newGame = false
	case "stop", "ponderhit", "quit":
		for _, s := range j.pending {
			if hit := words[0] == "ponderhit"; hit && s.pondering || !hit && !s.stopped {
				s.stopped, s.pondering, s.from = !hit, false, now
			}
		}
	}
}

// settingOf returns what a line with setoption sets.
func settingOf(line string) (name, value string) {
	_, rest, _ := strings.Cut(line, "name ")
	name, value, _ = strings.Cut(rest, " value ")
	return name, value
}

// begin reads what follows the word go.
func (j *judge) begin(line string, words []string, now time.Time) *searched {
	s := &searched{state: j.state, command: line, from: now, limits: map[string]int{}, last: map[int]client.InfoLine{}}
	if s.board != nil {
		s.board = s.board.Clone()
		s.moves = movegen.Legal(s.board, nil)
	}
	for i, word := range words {
		switch n, err := strconv.Atoi(word); {
		case err == nil && i > 0:
			s.limits[words[i-1]] = n
		case word == "searchmoves":
			s.only, s.moves = true, nil
		case s.only && s.board != nil:
			m, err := s.board.ParseUCI(word)
			s.moves, j.unlawful = append(s.moves, m), j.unlawful || err != nil
		}
	}
	s.pondering = slices.Contains(words, "ponder")
	s.endless = slices.Contains(words, "infinite") || len(s.limits) == 0
	mate := s.limits["mate"]
	j.unlawful = j.unlawful || !s.placed || s.pondering && !s.ponder ||
		mate > 0 && (s.board == nil || !(&proof{left: 100_000}).mates(s.board, mate))
	return s
}

// text writes a move of p as the search has to.
func (s *state) text(p *chess.Position, m chess.Move) string {
	if s.chess960 {
		return m.String()
	}
	return p.UCI(m)
}

// info judges a line of information.
func (j *judge) info(line string) {
	words := strings.Fields(line)
	words = words[:slices.Index(append(words, "string"), "string")]
	pv, current := slices.Index(words, "pv")+1, slices.Index(words, "currmove")+1
	if len(j.pending) == 0 {
		j.when(pv > 0 || slices.Contains(words, "score"), "idle", line, "no search runs")
		return
	}
	s := j.pending[0]
	if s.board == nil {
		return
	}
	in := client.ParseInfo(s.board, line)
	for _, w := range in.Unread {
		_, err := strconv.ParseFloat(w, 64)
		j.when(err == nil && w != "0000", "numbers", line, "%s is no whole number, or follows no word that has one", w)
	}
	j.when(in.HashFull > 1000, "numbers", line, "hashfull %d is more than 1000", in.HashFull)
	j.when(current > 0 && in.Move == chess.NoMove, "pv", line, "the move after currmove is illegal in %s", s.board)
	j.when(in.MultiPV > s.multiPV && s.plain, "multipv", line, "line %d, where MultiPV is %d", in.MultiPV, s.multiPV)
	if pv > 0 {
		j.line(s, in, words[pv:], line)
	}
	if in.Nodes > 0 {
		s.nodes = int(in.Nodes)
	}
	if in.Score.Kind == client.NoScore {
		return
	}
	s.scored = true
	if in.Score.Bound == eval.Exact {
		s.deepest = max(s.deepest, in.Depth)
		if in.MultiPV <= 1 {
			s.exact = in
		}
		if in.Score.Kind == client.Mate && s.plain {
			j.claims = append(j.claims, claim{s, in, line})
		}
	}
	if len(in.PV) > 0 {
		s.last[max(1, in.MultiPV)] = in
	}
}

// line judges the words of a pv.
func (j *judge) line(s *searched, in client.InfoLine, words []string, line string) {
	p, over := s.board.Clone(), ""
	for i, m := range in.PV {
		j.form(s, p, m, words[i], "pv", line)
		j.when(over != "", "draw-line", line, "the line goes on with %s after a draw by %s", words[i], over)
		if p.Make(m); over == "" && p.Outcome().Claimable() {
			over = p.Outcome().String()
		}
	}
	if n := len(in.PV); n < len(words) {
		j.when(strings.ContainsAny(words[n], "0123456789"), "pv", line, "%s is illegal after %d moves of the line, in %s",
			words[n], n, p)
	}
	j.when(s.only && len(in.PV) > 0 && !slices.Contains(s.moves, in.PV[0]), "searchmoves", line,
		"a line begins with another move than those of searchmoves")
}

// form judges how a legal move is written.
func (j *judge) form(s *searched, p *chess.Position, m chess.Move, word, rule, line string) {
	if m.Kind() == chess.Castling {
		rule = "castling"
	}
	want := s.text(p, m)
	j.when(want != word, rule, line, "%s has to be written %s, in %s", word, want, p)
}

// bestmove judges an answer.
func (j *judge) bestmove(line string, now time.Time) {
	if len(j.pending) == 0 {
		j.when(true, "answer", line, "no go asks for this bestmove")
		return
	}
	s := j.pending[0]
	j.pending, j.done = j.pending[1:], append(j.done, s)
	s.best = line
	j.when(s.pondering, "ponder", line, "the answer to %q comes before ponderhit and stop", s.command)
	j.when(s.endless && !s.pondering && !s.stopped, "infinite", line, "the answer to %q comes before stop", s.command)
	if s.board == nil {
		return
	}
	words := append(strings.Fields(line), "", "", "")
	m, err := s.board.ParseUCI(words[1])
	score, none := s.exact.Score, []string{"(none)", "0000", "", "none", "null", "NULL"}
	switch {
	case err == nil:
		j.answer(s, m, words, now)
	case s.board.HasLegalMove():
		j.when(true, "bestmove", line, "%q is illegal in %s", words[1], s.board)
	default:
		j.when(!slices.Contains(none, words[1]), "game-over", line, "no move is legal in %s", s.board)
		j.when(score.Value != 0 || score.Kind == client.Mate && !s.board.InCheck(), "game-over", line,
			"the score is %s in %s", score, s.board)
	}
}

// answer judges a legal best move and the search that it ends.
func (j *judge) answer(s *searched, m chess.Move, words []string, now time.Time) {
	p, line := s.board.Clone(), s.best
	j.form(s, p, m, words[1], "bestmove", line)
	j.when(s.only && !slices.Contains(s.moves, m), "searchmoves", line, "%s is the answer to %q", words[1], s.command)
	p.Make(m)
	if reply, err := p.ParseUCI(words[3]); words[2] == "ponder" && err == nil {
		j.form(s, p, reply, words[3], "bestmove", line)
	} else {
		j.when(words[2] == "ponder" && words[3] != "(none)" && words[3] != "0000", "bestmove", line, "%s is illegal in %s",
			words[3], p)
	}
	j.onTime(s, now)
	if s.stopped || !s.plain {
		return
	}
	tiny := false // no time for a score
	for name, n := range s.limits {
		tiny = tiny || n < 100 && strings.HasSuffix(name, "time") || n < 1000 && name == "nodes"
	}
	exact, first := s.exact.Score, s.exact.PV
	j.when(!tiny && !s.scored, "score", line, "no score came before the answer to %q", s.command)
	j.when(!tiny && s.scored && exact.Kind == client.NoScore, "score", line, "no exact score came before the answer to %q",
		s.command)
	best := s.last[1].PV // which may be a bound
	j.when(!tiny && len(first) > 0 && first[0] != m && best[0] != m, "same-move", line,
		"the last line begins with another move")
	long := plies(exact.Value)
	j.when(exact.Kind == client.Mate && len(first) > 0 && len(first) != long, "mate-line", line,
		"the last score is mate %d and its line has %d plies, not %d", exact.Value, len(first), long)
	depth, nodes, mate := s.limits["depth"], s.limits["nodes"], s.limits["mate"]
	choice := len(s.limits) == 1 && len(s.moves) > 1
	j.when(depth > 0 && s.deepest > depth, "depth", line, "a score of depth %d for %q", s.deepest, s.command)
	j.when(choice && s.deepest < depth && exact.Kind == client.Centipawns && p.Occupied().Count() > 5, "depth", line,
		"the last exact score is of depth %d for %q", s.deepest, s.command)
	j.when(nodes > 0 && s.nodes > 2*nodes+10_000, "nodes", line, "%d nodes for %q", s.nodes, s.command)
	j.when(mate > 0 && (exact.Kind != client.Mate || exact.Value > mate), "mate-search", line, "the score is %s for %q",
		exact, s.command)
	if depth > 0 && len(s.limits) == 1 && s.multiPV > 1 && s.scored {
		j.lines(s)
	}
}

// lines judges the last line of each number.
func (j *judge) lines(s *searched) {
	first := map[chess.Move]bool{}
	for i := 1; i <= min(s.multiPV, len(s.moves)); i++ {
		in, ok := s.last[i]
		if !ok {
			j.when(true, "multipv", s.best, "line %d is missing for %q", i, s.command)
			return
		}
		j.when(first[in.PV[0]], "multipv", s.best, "two lines begin with %s for %q", in.PV[0], s.command)
		first[in.PV[0]] = true
		before, ok := s.last[i-1]
		exact := before.Score.Bound == eval.Exact && in.Score.Bound == eval.Exact && before.Depth == in.Depth
		j.when(ok && exact && order(before.Score) < order(in.Score), "multipv", s.best,
			"line %d has the score %s and line %d has %s, for %q", i-1, before.Score, i, in.Score, s.command)
	}
}

// plies returns the length of the line of a mate.
func plies(mate int) int { return max(2*mate-1, -2*mate) }

// order returns a number that grows with a score.
func order(s client.EngineScore) int {
	switch {
	case s.Kind == client.Mate && s.Value > 0:
		return 1_000_000 - s.Value
	case s.Kind == client.Mate:
		return -1_000_000 - s.Value
	}
	return s.Value
}
