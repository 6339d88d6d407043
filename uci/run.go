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
	"github.com/tabula-chess/tabula/syzygy"
)

// maxQueue bounds the lines that wait for the end of a job.
const maxQueue = 1024

// quitPatience is the time after quit in which somebody must read something
// for the rest of the output to be waited for. It is a variable for tests, whose
// reader may stand still on a busy machine.
var quitPatience = 2 * time.Second

// Run runs the commands read from in until quit, the end of the input or the
// end of ctx and writes the answers to out, line by line. The engine that open
// returns must have a hash table of [DefaultHash] MiB and is in no search when Run
// returns. Errors: that of open; the
// first failed write, if any; or, once ctx is done, exit.ErrInterrupted.
//
// A long job notices that the reader of out is gone, where out is a pipe or a socket on a
// system that tells. Run leaves a goroutine behind that is blocked in in.Read when quit comes
// before the input ends, and one in out.Write where nobody reads the output.
func Run(ctx context.Context, in io.Reader, out io.Writer, open func() (Engine, error), cfg Config) error {
	s := newSession(ctx, out, cfg)
	defer s.close()
	if err := s.provide(open); err != nil {
		return err
	}
	lines, done := make(chan line, 16), make(chan struct{})
	defer close(done)
	go readLines(in, lines, done)
	s.lines = lines
	for l, ok := s.next(); ok; l, ok = s.next() {
		s.obey(l)
	}
	s.halt()
	return s.end()
}

// Do runs commands, each given by its words: each waits for the search before it, but for stop and
// ponderhit. The first command that is refused or fails is the last, and its error that of Do: nothing
// is searched that was not asked for. Other errors: as [Run].
func Do(ctx context.Context, commands [][]string, out io.Writer, open func() (Engine, error), cfg Config) error {
	s := newSession(ctx, out, cfg)
	defer s.close()
	s.strict = true
	err := s.provide(open)
	for i := 0; i < len(commands) && err == nil && !s.over; i++ {
		l := line{words: commands[i], at: time.Now()}
		s.out.record(">>", []byte(strings.Join(l.words, " ")))
		s.find(&l)
		if l.command == nil || !l.command.urgent || l.command.Word == "isready" {
			err = s.finish()
			l.at = time.Now()
		}
		if err == nil && ctx.Err() == nil {
			err = s.obey(l)
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
func newSession(ctx context.Context, out io.Writer, cfg Config) *session {
	s := &session{
		ctx: ctx, out: newPrinter(out), cfg: cfg, root: chess.NewPosition(),
		known: Commands(), set: settings{multiPV: 1,
			strength: strength{elo: defaultElo, skill: maxSkill, game: rand.Uint64()}},
	}
	if o, ok := findOption("Move Overhead"); ok {
		s.set.overhead = time.Duration(o.Default) * time.Millisecond
	}
	machine.Reserve()
	return s
}

func (s *session) close() {
	s.closeBook()
	s.out.close()
}

// provide opens the engine and gives it its tables.
func (s *session) provide(open func() (Engine, error)) (err error) {
	if s.engine, err = open(); err != nil {
		return err
	}
	return s.startTables()
}

// finish waits for the end of the job under way and returns the error of the first one that failed.
func (s *session) finish() error {
	if s.busy() {
		select {
		case <-s.job.done:
		case <-s.out.broken:
		case <-s.ctx.Done():
		}
		s.halt()
	}
	return s.failed
}

// end has all output written.
func (s *session) end() error {
	patience := time.Duration(0)
	if s.over {
		patience = quitPatience
	}
	err := s.out.flush(s.ctx, patience)
	if s.ctx.Err() != nil {
		return exit.ErrInterrupted
	}
	return err
}

// session is the state of one Run. Only the goroutine of Run touches it, once the
// engine is there.
type session struct {
	ctx      context.Context // ends the session
	out      *printer
	engine   Engine
	known    []Command
	cfg      Config
	lines    <-chan line    // nil once the input has ended
	queue    []line         // commands that wait for the end of a job, and those behind them
	tables   *syzygy.Tables // what the engine looks positions up in
	book     *polyglot.Book // nil for none
	root     *chess.Position
	set      settings
	job      *job      // the last one started; it may have ended
	at       time.Time // when the line being obeyed had been read
	told     bool      // the attack path has been reported
	behind   bool      // the last position was refused: root is an earlier one
	quitting bool      // quit has been read: searches end at once
	over     bool      // quit was obeyed
	failed   error     // of the first job that did not do its work
	strict   bool      // what a go does not understand is an error
}

// next returns the next line to obey; ok is false at the end of the session, of the input
// and all jobs, or when the output is gone.
func (s *session) next() (l line, ok bool) {
	for {
		s.out.room(s.ctx, answerRoom)
		busy := s.busy() // and s.job stays as it is until the next look
		if s.over || s.ctx.Err() != nil {
			return line{}, false
		}
		if i := s.turn(); i >= 0 {
			return s.take(i), true
		}
		lines, done, wait := s.lines, (<-chan struct{})(nil), s.barrier()
		switch {
		case !busy && lines == nil:
			return line{}, false
		case busy:
			done = s.job.done
		}
		switch {
		case lines == nil:
			if !s.job.bounded && wait < 0 {
				s.job.stop()
			}
		case len(s.queue) >= maxQueue && wait >= 0:
			lines = nil
		}
		var late <-chan time.Time
		if quit := s.place("quit"); quit >= 0 && (wait < 0 || wait > quit) {
			if s.quitting = true; s.job.searches() {
				s.job.stop()
			} else {
				late = time.After(quitPatience)
			}
		}
		select {
		case <-done:
		case <-late:
			if s.out.stands() {
				s.job.stop()
			}
		case <-s.out.broken:
			return line{}, false
		case <-s.ctx.Done():
			return line{}, false
		case l, ok = <-lines:
			if !ok {
				s.lines = nil
				break
			}
			s.out.record(">>", []byte(l.text))
			l.words = strings.Fields(l.text)
			if s.find(&l); len(l.words) > 0 || l.tooLong {
				s.admit(l)
			}
		}
	}
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

// waits reports whether a command has to wait for the end of the job under way.
func (s *session) waits(c *Command) bool {
	switch {
	case c == nil:
		return false
	case c.Word == "quit":
		return !s.job.searches() // a count is asked for its result
	case c.Word == "wait":
		return s.job.ends
	}
	return c.idle
}

// barrier returns the place of the first "wait" in the queue, or -1 if there is none or the
// job under way has no end that could be waited for.
func (s *session) barrier() int {
	if s.job != nil && !s.job.ends {
		return -1
	}
	return s.place("wait")
}

// place returns the place of the first line of a command in the queue, or -1.
func (s *session) place(word string) int {
	return slices.IndexFunc(s.queue, func(l line) bool { return l.command != nil && l.command.Word == word })
}

// turn returns the place in the queue of the line to obey next, or -1 if all have to wait. An
// urgent command overtakes those that wait, but nothing that stands behind a "wait".
func (s *session) turn() int {
	switch {
	case len(s.queue) == 0:
		return -1
	case s.job == nil || !s.waits(s.queue[0].command):
		return 0
	}
	reach := len(s.queue)
	if wait := s.barrier(); wait >= 0 {
		reach = min(wait+2, reach)
	}
	return slices.IndexFunc(s.queue[:reach], func(l line) bool { return l.command != nil && l.command.urgent })
}

// take takes a line out of the queue. A stop and a ponderhit count for every go that they
// overtake, too.
func (s *session) take(i int) line {
	l := s.queue[i]
	for j := range s.queue[:i] {
		s.queue[j].stop = s.queue[j].stop || l.command.Word == "stop"
		s.queue[j].hit = s.queue[j].hit || l.command.Word == "ponderhit"
	}
	s.queue = slices.Delete(s.queue, i, i+1)
	if l.waited {
		l.at = time.Now() // its clock did not run
	}
	return l
}

// admit puts a line that was read into the queue. A second quit ends the session at once.
func (s *session) admit(l line) {
	again := s.place("quit") >= 0
	s.queue = append(s.queue, l)
	last := len(s.queue) - 1
	switch quits := l.command != nil && l.command.Word == "quit"; {
	case quits && again:
		s.over = true
	case s.turn() == last || quits:
	case last >= maxQueue:
		s.queue = s.queue[:last]
		s.out.note("refused: %d commands wait already", last)
	default:
		s.queue[last].waited = true
		if l.command != nil && l.command.idle && s.barrier() < 0 && s.job != nil {
			s.out.note("%s waits for the end of the %s", l.command.Word, s.job.what)
		}
	}
}

// obey runs one line. It tells why a command was refused, and returns the error.
func (s *session) obey(l line) error {
	var err error
	switch {
	case l.tooLong:
		err = exit.WrongUsef("line refused: longer than %d bytes", maxLine)
	case l.command == nil:
		err = exit.WrongUsef("unknown command %.40q", strings.Join(l.words, " "))
	default:
		if l.skipped > 0 {
			s.out.note("skipped %.40q: not a command", strings.Join(l.words[:l.skipped], " "))
		}
		s.at = l.at
		err = l.command.obey(s, l.words[l.skipped+1:])
	}
	if err != nil {
		s.out.note("%v", err)
	}
	if s.busy() && l.hit {
		s.ponderHit()
	}
	if s.busy() && (l.stop || s.quitting && s.job.searches()) {
		s.halt()
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
