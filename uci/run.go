package uci

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/machine"
	"github.com/tabula-chess/tabula/openings/polyglot"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// maxHeld bounds the lines that wait for the end of a job. With as many, nothing more is read, stop and isready
// neither, until there is room. A search without an end of its own must be stopped: beside it reading goes on,
// and lines without room are refused.
const maxHeld = 1024

// Run runs the commands read from in until quit, the end of the input or the
// end of ctx and writes the answers to out, line by line. The engine that open
// returns must have a hash table of [DefaultHash] MiB and is in no search when Run
// returns. Errors: that of open; the
// first failed write, if any; or, once ctx is done, exit.ErrInterrupted.
//
// A long job notices that the reader of out is gone, where out is a pipe or a socket on a
// system that tells. Where nobody reads out, Run waits. It leaves a goroutine behind that is blocked
// in in.Read when quit comes before the input ends.
func Run(ctx context.Context, in io.Reader, out io.Writer, open func() (Searcher, error), cfg SessionConfig) error {
	s := newSession(ctx, out, cfg)
	defer s.close()
	if err := s.provide(open); err != nil {
		return err
	}
	lines, done := make(chan line, 16), make(chan struct{})
	defer close(done)
	go readLines(in, lines, done)
	s.serve(lines)
	s.halt()
	return s.end()
}

// Do runs commands, each given by its words: each waits for the search before it, but for stop and
// ponderhit. The first command that is refused or fails is the last, and its error that of Do: nothing
// is searched that was not asked for. Other errors: as [Run].
func Do(
	ctx context.Context, commands [][]string, out io.Writer, open func() (Searcher, error), cfg SessionConfig,
) error {
	s := newSession(ctx, out, cfg)
	defer s.close()
	s.strict = true
	err := s.provide(open)
	for i := 0; i < len(commands) && err == nil && !s.over; i++ {
		l := line{words: commands[i], at: time.Now()}
		s.out.record(strings.Join(l.words, " "))
		s.find(&l)
		if l.command == nil || !l.command.urgent || l.command.Word == "isready" {
			err = s.finish()
			l.at = time.Now()
		}
		if err == nil && ctx.Err() == nil {
			err = s.handle(l)
		}
	}
	if err == nil {
		err = s.finish()
	}
	s.halt()
	ended := s.end()
	if ctx.Err() != nil {
		return ended
	}
	return errors.Join(ended, err)
}

// newSession returns a session without an engine.
func newSession(ctx context.Context, out io.Writer, cfg SessionConfig) *session {
	s := &session{
		ctx: ctx, out: newPrinter(out), cfg: cfg, root: chess.NewPosition(),
		known: Commands(), set: settings{multiPV: 1, overhead: defaultOverhead * time.Millisecond,
			strength: strength{elo: defaultElo, skill: maxSkill, game: rand.Uint64()}},
	}
	machine.Reserve()
	return s
}

func (s *session) close() {
	s.closeBook()
	s.out.close()
}

// provide opens the engine and gives it its tables.
func (s *session) provide(open func() (Searcher, error)) (err error) {
	if s.engine, err = open(); err != nil {
		return err
	}
	return s.startTables()
}

// finish waits for the end of the job under way and returns the error of the first one that failed.
func (s *session) finish() error {
	if s.job != nil {
		select {
		case <-s.job.done:
		case <-s.out.gone.Done():
		case <-s.ctx.Done():
		}
		s.halt()
	}
	return s.failed
}

// end returns the error of the session.
func (s *session) end() error {
	if s.ctx.Err() != nil {
		return exit.ErrInterrupted
	}
	return context.Cause(s.out.gone)
}

// session is the state of one Run. Only the goroutine of Run touches it, once the engine is there; but a search counts
// down the nodes that are left, which nothing else reads until the search has ended.
type session struct {
	ctx    context.Context // ends the session
	out    *printer
	engine Searcher
	known  []Command
	cfg    SessionConfig
	held   []line         // wait for the end of the job, in order
	tables *syzygy.Tables // what the engine looks positions up in
	book   *polyglot.Book // nil for none
	root   *chess.Position
	set    settings
	job    *job      // the one under way; nil for none
	at     time.Time // when the line that runs had been read
	line   string    // its text, "" where it came as words
	waited time.Time // when the last of the lines held was handled
	told   bool      // the attack path has been reported
	behind bool      // the last position was refused: root is an earlier one
	over   bool      // quit was read
	failed error     // of the first job that did not do its work
	strict bool      // what a go does not understand is an error
}

// serve handles lines until quit, the end of the input and of all jobs, or the end of the output.
func (s *session) serve(lines <-chan line) {
	for !s.over {
		switch {
		case s.job == nil && len(s.held) > 0:
			s.handleHeld()
			continue
		case s.job == nil && lines == nil:
			return
		}
		input, ended := lines, (<-chan struct{})(nil) // receiving from nil blocks
		if s.job != nil {
			ended = s.job.done
			switch {
			case s.job.ends && s.holds("wait"):
				input = nil // what follows wait is not even read
			case s.job.searches() && s.holds("quit"), lines == nil && !s.job.bounded:
				s.job.stop()
			case s.job.ends && len(s.held) >= maxHeld:
				input = nil // there is no room
			}
		}
		select {
		case <-ended:
			s.leave()
		case <-s.out.gone.Done():
			return
		case <-s.ctx.Done():
			return
		case l, ok := <-input:
			if ok {
				s.take(l)
			} else {
				lines = nil
			}
		}
	}
}

// handleHeld handles the first of the lines held, and then what overtook it and counts for its job too.
func (s *session) handleHeld() {
	l := s.held[0]
	s.held = s.held[1:]
	s.waited = time.Now()
	l.at = s.waited // its clock did not run
	if l.refused {
		s.answerRefused(l)
	} else {
		_ = s.handle(l) // which tells why it fails
	}
	if l.hit {
		s.hit()
	}
	if l.stop {
		s.halt()
	}
}

// refuse refuses a line that has no room beside a search without an end. One more line is held for all that are
// refused in a row: in their turn a position leaves the root behind, and each go gets a move.
func (s *session) refuse(l line) {
	s.out.note("refused %.40q: %d commands wait already", strings.Join(l.words, " "), maxHeld)
	last := len(s.held) - 1
	if !s.held[last].refused {
		s.held = append(s.held, line{refused: true})
		last++
	}
	if l.command == nil {
		return
	}
	switch l.command.Word {
	case "position", "ucinewgame":
		s.held[last].behind = true
	case "go":
		if !slices.Contains(l.words, "perft") {
			s.held[last].searches++
		}
	}
}

// answerRefused handles the line held for those that were refused. A move needs the shortest search.
func (s *session) answerRefused(l line) {
	s.behind = s.behind || l.behind
	if l.searches == 0 {
		return
	}
	s.tellPosition()
	s.search(request{limits: search.Limits{Nodes: 1, Start: l.at}, bounded: true})
	if l.searches--; l.searches > 0 {
		s.held = slices.Insert(s.held, 0, l)
	}
}

// take handles a line that was read, or holds it until the end of the job under way. A second
// quit ends the session at once.
func (s *session) take(l line) {
	s.out.record(l.text)
	if l.at.Before(s.waited) { // its clock did not run
		l.at = s.waited
	}
	l.words = strings.Fields(l.text)
	if len(l.words) == 0 && !l.tooLong {
		return
	}
	s.find(&l)
	quits := l.command != nil && l.command.Word == "quit"
	switch {
	case s.runsNow(l):
		_ = s.handle(l) // which tells why it fails
	case quits && s.holds("quit"):
		s.over = true
	case len(s.held) >= maxHeld && !quits:
		s.refuse(l)
	default:
		s.held = append(s.held, l)
		if l.command != nil && l.command.idle {
			s.out.note("%s waits for the end of the %s", l.command.Word, s.job.what)
		}
	}
}

// runsNow reports whether a line need not wait for the end of the job under way. Lines keep their order: only an urgent
// one overtakes those held.
func (s *session) runsNow(l line) bool {
	switch c := l.command; {
	case s.job == nil, c != nil && c.urgent:
		return true
	case len(s.held) > 0:
		return false
	case c == nil:
		return true
	case c.Word == "wait":
		return !s.job.ends
	default:
		return !c.idle && c.Word != "quit"
	}
}

// holds reports whether a line of a command is held.
func (s *session) holds(word string) bool {
	return slices.ContainsFunc(s.held, func(l line) bool { return l.command != nil && l.command.Word == word })
}

// find finds the command of a line. As the specification asks, unknown words before
// a command are skipped.
func (s *session) find(l *line) {
	for i, word := range l.words {
		at := slices.IndexFunc(s.known, func(c Command) bool { return c.Word == word && (i == 0 || c.Standard) })
		if at >= 0 {
			l.command, l.skipped = &s.known[at], i
			return
		}
	}
}

// handle runs one line. It tells why a command was refused, and returns the error.
func (s *session) handle(l line) error {
	var err error
	switch {
	case l.tooLong:
		err = exit.WrongUsef("line refused: longer than %d bytes", maxLine)
	case l.command == nil:
		var words []string
		for _, c := range s.known {
			words = append(words, c.Word)
		}
		err = exit.WrongUsef("unknown command %.40q%s", strings.Join(l.words, " "), exit.DidYouMean(l.words[0], words, ""))
	default:
		if l.skipped > 0 {
			s.out.note("skipped %.40q: not a command", strings.Join(l.words[:l.skipped], " "))
		}
		s.at, s.line = l.at, l.text
		err = l.command.handle(s, l.words[l.skipped+1:])
	}
	if err != nil {
		s.out.note("%v", err)
	}
	return err
}

// identify answers uci.
func (s *session) identify() {
	var b strings.Builder
	b.WriteString("id name " + s.cfg.Name + "\nid author " + s.cfg.Author + "\n")
	for _, o := range Options() {
		b.WriteString(o.String() + "\n")
	}
	b.WriteString("uciok\n")
	s.out.write([]byte(b.String()))
}

// checkDebug refuses other words than on and off.
func checkDebug(_ *session, args []string) error {
	if mode := strings.Join(args, " "); mode != "on" && mode != "off" {
		return exit.WrongUsef("debug refused: want debug on or debug off")
	}
	return nil
}
