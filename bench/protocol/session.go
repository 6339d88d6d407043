package protocol

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/machine"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/uci/client"
)

// sessionLimit bounds a session, and waits in it have bounds of their own, far above what engines need.
const sessionLimit = time.Minute

// session is an engine that runs a script.
type session struct {
	judge
	ctx    context.Context
	limit  time.Duration // of waits for an answer
	engine *client.Engine
	err    error    // why the engine is gone
	ended  bool     // it was told to end
	slow   bool     // the session took too long
	shell  []string // the lines of a shell script that repeats the session
	memory []int    // MiB, as the script has noted them
}

// play runs a script. The engine has ended when it returns.
func (c *Checker) play(ctx context.Context, owner *Rule, script []string) *session {
	ctx, cancel := context.WithTimeout(ctx, sessionLimit)
	defer cancel()
	s := &session{ctx: ctx, limit: c.patience, shell: []string{"echo uci"},
		judge: judge{owner: owner, state: state{plain: true, multiPV: 1}, timings: c.report.Timings}}
	go s.measure()
	config := client.Launch{Path: c.program, Args: c.args, Timeout: 3*c.patience + time.Second, Log: s.log}
	s.engine, s.err = client.Start(ctx, config)
	if s.err == nil {
		s.introduced()
		for _, line := range append(slices.Clone(script), "= answered", "isready", "sleep 20", "quit") {
			if !s.step(line) {
				break
			}
		}
	}
	if s.slow = ctx.Err() != nil; s.err != nil && !s.ended && !s.slow {
		s.died()
	}
	if cancel(); s.engine != nil { // which kills an engine that does not end
		s.engine.Close()
	}
	s.verify()
	return s
}

// measure notes how late sleeps are.
func (s *session) measure() {
	const nap = 2 * time.Millisecond
	for s.ctx.Err() == nil {
		began := time.Now()
		time.Sleep(nap)
		s.mu.Lock()
		s.slept = max(s.slept, time.Since(began)-nap)
		s.mu.Unlock()
	}
}

// introduced judges what the engine says of itself.
func (s *session) introduced() {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, seen := s.engine, map[string]bool{}
	s.when(e.Name() == "" || e.Author() == "", "handshake", "", "id name is %q, id author is %q", e.Name(), e.Author())
	s.when(s.options > len(e.Options()), "options", "", "%d options lack a name or a type", s.options-len(e.Options()))
	for _, o := range e.Options() {
		fault, name := o.Fault(), strings.ToLower(o.Name)
		s.when(fault != "", "options", "", "option %s: "+fault, o.Name)
		s.when(seen[name], "options", "", "option %s is declared twice", o.Name)
		seen[name] = true
	}
}

// died notes why an engine cannot go on.
func (s *session) died() {
	s.mu.Lock()
	defer s.mu.Unlock()
	rule, protocol, timeout := "alive", (*client.ProtocolError)(nil), (*client.TimeoutError)(nil)
	switch {
	case errors.As(s.err, &protocol):
		rule = "output"
	case s.engine == nil:
		rule = "handshake"
	case s.owner != nil && s.owner.own:
		rule = s.owner.Name
	}
	text, note := strings.TrimPrefix(s.err.Error(), "uci client: "), s.when
	if exit := (*client.ExitError)(nil); errors.As(s.err, &exit) && strings.Contains(exit.Stderr, "panic:") {
		_, said, _ := strings.Cut(exit.Stderr, "panic:") // of a program in Go, whose last line says little
		text, _, _ = strings.Cut(fmt.Sprintf("the engine ended (%s): panic:%s", exit.State, said), "\n")
	} else if errors.As(s.err, &timeout) {
		note = s.late
	}
	note(true, rule, strings.Join(s.latest, "\n"), "%s", printable(text))
}

// wait listens until a condition of the judge is met and reports whether that was within the limit.
func (s *session) wait(limit time.Duration, met func() bool) bool {
	began := time.Now()
	for s.err == nil && !s.locked(met) && time.Since(began) < limit {
		s.err = s.engine.Command(s.ctx, "", limit-time.Since(began), func(string) bool { return s.locked(met) })
	}
	if took := time.Since(began); took > 10*time.Millisecond { // another day it may take longer
		if n := len(s.shell) - 1; s.shell[n] == leastSleep {
			s.shell = s.shell[:n]
		}
		s.shell = append(s.shell, fmt.Sprintf("sleep %.1f", took.Seconds()*1.5+0.1))
	}
	return s.locked(met)
}

const leastSleep = "sleep 0.1" // for an answer, in a shell

func never() bool { return false }

// locked asks the judge.
func (s *session) locked(question func() bool) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return question()
}

// missing notes an answer that did not come.
func (s *session) missing(rule, format string, args ...any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owner != nil && s.owner.own && rule != "quit" {
		rule = s.owner.Name
	}
	s.late(s.err == nil, rule, strings.Join(s.latest, "\n"), format, args...)
	return false
}

// step runs a line of a script. It returns false where the session cannot go on.
func (s *session) step(line string) bool {
	line, async := strings.CutSuffix(line, " &")
	word := commandOf(line)[0]
	if what, ok := strings.CutPrefix(line, "= "); ok {
		return s.expect(what)
	} else if n, ok := strings.CutPrefix(line, "sleep "); ok {
		ms, _ := strconv.Atoi(n)
		s.wait(time.Duration(ms)*time.Millisecond, never)
		return s.err == nil
	}
	switch word {
	case "setoption":
		name, value := settingOf(line)
		if o, ok := s.engine.Option(name); !ok || o.Check(value) != nil {
			return name != "UCI_Chess960" // without which the positions that follow are none
		}
		fallthrough
	case "position", "go", "ucinewgame":
		if !async && !s.settle() {
			return false
		}
	}
	began := time.Now()
	if s.ended = word == "quit" || line == "eof"; line == "eof" {
		s.log(true, "quit") // which allows the same
		_ = s.engine.CloseInput()
	} else {
		s.send(line)
	}
	switch {
	case s.ended:
		if s.wait(s.limit, never); s.err == nil {
			return s.missing("quit", "the engine still runs %v after %q", s.limit, line)
		}
		s.timed("quit", began)
	case word == "isready":
		if !s.wait(s.limit, func() bool { return s.asked == 0 }) {
			return s.missing("isready", "no readyok within %v after %q", s.limit, strings.TrimSpace(line))
		}
		s.timed("isready", began)
	case !async && slices.Contains([]string{"go", "stop", "ponderhit"}, word):
		return s.answered()
	}
	return s.err == nil
}

// timed notes how late an answer to another command than go came, to isready only where a search runs.
func (s *session) timed(command string, began time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if command != "isready" || len(s.pending) > 0 {
		s.time(command, time.Since(began))
	}
}

// send sends a line.
func (s *session) send(line string) {
	echo := "echo '" + line + "'"
	if strings.ContainsAny(line, "\t\r") {
		echo = "printf '" + strings.NewReplacer("\t", `\t`, "\r", `\r`).Replace(line) + `\n'`
	}
	s.shell = append(s.shell, echo)
	if s.err == nil {
		s.err = s.engine.Command(s.ctx, line, 0, nil)
	}
}

// settle ends the search that runs.
func (s *session) settle() bool {
	if s.locked(func() bool { return len(s.pending) > 0 }) && s.err == nil {
		s.send("stop")
	}
	return s.answered()
}

// answered waits for the answers that are due. A search that no time bounds is stopped where it takes long.
func (s *session) answered() bool {
	due := func(p *searched) bool { return !p.pondering && (p.stopped || !p.endless) }
	s.mu.Lock()
	limit, bounded, command, rule := s.limit, false, "", "answer"
	for _, p := range s.pending {
		if p.board != nil && !p.board.HasLegalMove() {
			rule = "game-over"
		}
		ms := max(0, p.limits["movetime"], p.limits["wtime"], p.limits["btime"])
		limit, command = limit+time.Duration(ms)*time.Millisecond, p.command
		bounded = p.stopped || strings.Contains(command, "time") || p.limits["depth"] == 1 || p.limits["nodes"] == 1
	}
	s.mu.Unlock()
	if !bounded {
		limit = 2 * s.limit
	}
	if command != "" {
		s.shell = append(s.shell, leastSleep)
	}
	if s.wait(limit, func() bool { return !slices.ContainsFunc(s.pending, due) }) || s.err != nil {
		return s.err == nil
	}
	if bounded || strings.Contains(command, "mate") || strings.Contains(command, "nodes") {
		s.missing(rule, "no bestmove within %v after %q", limit, command)
	}
	if !bounded {
		s.send("stop")
		return s.answered()
	}
	return false
}

// expect judges what a script expects.
func (s *session) expect(what string) bool {
	if what == "answered" {
		return s.settle()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	none := &searched{}
	all := append([]*searched{none, none}, s.done...)
	a, b := all[len(all)-2], all[len(all)-1]
	switch score := b.exact.Score; what {
	case "memory":
		used, _ := machine.Resident(s.engine.PID())
		s.memory = append(s.memory, int(used>>20))
		m := append(slices.Clone(s.memory), 0, 0, 0)
		s.when(m[0] > 0 && m[1]-m[0] > 16 && m[2]-m[1] > 16 && 2*(m[2]-m[1]) > m[1]-m[0], "memory", "",
			"%d MiB after 100 games, %d after 300, %d after 500", m[0], m[1], m[2])
	case "draw":
		s.when(max(score.Value, -score.Value) > 50 || score.Value != 0 && score.Kind == client.Mate, "draws", b.best,
			"the score is %s in a drawn game", score)
	case "behind":
		s.when(score.Kind != client.NoScore && score.Value >= 0, "side", b.best, "the score is %s for a king against two queens",
			score)
	case "same":
		alike := a.newGame && b.newGame && a.board != nil && b.board != nil && a.board.Equal(b.board)
		s.when(alike && (a.nodes != b.nodes || a.best != b.best), "repeat", b.best, "%d nodes and %q, then %d nodes and %q",
			a.nodes, a.best, b.nodes, b.best)
	}
	return true
}

// Timing is how late an answer was, beside how late sleeps of ours were in that session.
type Timing struct {
	Late    time.Duration `json:"late_ns"`
	Machine time.Duration `json:"machine_ns"`
}

// time notes how late an answer was.
func (j *judge) time(name string, late time.Duration) {
	if before, ok := j.timings[name]; !ok || before.Late < late {
		j.timings[name] = Timing{late, j.slept}
	}
}

// onTime judges when an answer came. The engine is let off what the machine has overslept, and more.
func (j *judge) onTime(s *searched, now time.Time) {
	rule, limit, allowed := "movetime", s.limits["movetime"], 50*time.Millisecond
	if limit == 0 {
		rule, limit = "clock", s.limits[[...]string{"wtime", "btime"}[s.board.SideToMove()]]
	}
	if s.stopped {
		rule, limit, allowed = "stop", 0, 200*time.Millisecond
	} else if limit < 100 || s.endless {
		return
	}
	took := now.Sub(s.from)
	late := took - time.Duration(limit)*time.Millisecond
	j.time(rule, late)
	j.late(late > allowed+4*j.slept, rule, s.best, "the answer to %q took %v; this machine overslept by %v at most",
		s.command, took.Round(time.Millisecond), j.slept.Round(time.Millisecond))
}

// claim is an exact score of mate.
type claim struct {
	search *searched
	info   client.InfoLine
	line   string
}

// proof looks for forced mates among all moves. It knows no draws, which makes more mates possible, never fewer.
type proof struct{ left int } // positions that it may still visit; below 0 it has given up

// mates reports whether the side to move can mate in n moves.
func (r *proof) mates(p *chess.Position, n int) bool {
	for _, m := range movegen.Legal(p, nil) {
		if n == 1 && !p.GivesCheck(m) {
			continue
		}
		p.Make(m)
		found := r.mated(p, n-1)
		if p.Unmake(); found {
			return true
		}
	}
	return false
}

// mated reports whether the side to move is mated in n moves, whatever it plays.
func (r *proof) mated(p *chess.Position, n int) bool {
	moves := movegen.Legal(p, nil)
	if r.left--; r.left < 0 || n <= 0 && len(moves) > 0 || len(moves) == 0 && !p.InCheck() {
		return false
	}
	for _, m := range moves {
		p.Make(m)
		found := r.mates(p, n)
		if p.Unmake(); !found {
			return false
		}
	}
	return true
}

// holds reports whether a claim is true: that of the best line for any move, that of another for its first.
func (r *proof) holds(c claim) bool {
	p, n, line := c.search.board.Clone(), c.info.Score.Value, c.info.PV
	best := len(line) == 0 || n == 0 || c.info.MultiPV <= 1 && !c.search.only
	switch {
	case best && n > 0:
		return r.mates(p, n)
	case best:
		return r.mated(p, -n)
	}
	if p.Make(line[0]); n > 0 {
		return r.mated(p, n-1)
	}
	return r.mates(p, -n)
}

// verify judges the claims of a session of up to four moves, each first move and number of moves once.
func (s *session) verify() {
	seen := map[string]bool{}
	for _, k := range s.claims {
		n, all := k.info.Score.Value, proof{left: 300_000}
		key := fmt.Sprint(k.search.board.FEN(), n, k.info.PV[:min(1, len(k.info.PV))])
		if !seen[key] && len(seen) < 40 && max(n, -n) <= 4 {
			seen[key] = true
			s.when(!all.holds(k) && all.left >= 0, "mate", k.line, "there is no forced mate in %d in %s", n, k.search.board)
		}
	}
}
