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
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/processor"
	"github.com/tabula-chess/tabula/openings/polyglot"
	"github.com/tabula-chess/tabula/syzygy"
)

// maxQueue bounds the lines that are read ahead while "wait" waits.
const maxQueue = 1024

// quitPatience is the time after quit in which somebody must read something
// for the rest of the output to be waited for. It is a variable for tests, whose
// reader may stand still on a busy machine.
var quitPatience = 2 * time.Second

// Run obeys the commands read from in until quit, the end of the input or the
// end of ctx and writes the answers to out, line by line. The engine that open
// returns must have a hash table of [DefaultHash] MiB and is in no search when Run
// returns, unless a bench was cut short; while open works, a first "uci" is
// answered. The error is that of open; the first failed write, if any; that of
// the command that ended a list given in turn (see [Config]); or, once ctx is
// done, command.ErrInterrupted.
//
// Run leaves a goroutine behind that is blocked in in.Read when quit comes
// before the input ends, and one in out.Write where nobody reads the output.
func Run(ctx context.Context, in io.Reader, out io.Writer, open func() (Engine, error), cfg Config) error {
	s := &session{
		ctx: ctx, out: newPrinter(out), cfg: cfg, root: chess.NewPosition(),
		known: Commands(), set: settings{multiPV: 1, strength: strength{elo: defaultElo, skill: maxSkill, game: rand.Uint64()}},
	}
	defer s.out.close()
	defer s.closeBook()
	if o, ok := findOption("Move Overhead"); ok {
		s.set.overhead = time.Duration(o.Default) * time.Millisecond
	}
	processor.Reserve()
	opened := make(chan error, 1)
	go func() { opened <- s.provide(open) }()
	lines, done := make(chan line, 16), make(chan struct{})
	defer close(done)
	go readLines(in, lines, done)
	s.lines = lines
	first, ok := s.next()
	if strings.TrimSpace(first.text) == "uci" { // a GUI waits for the answer
		s.identify()
		first = line{}
	}
	if err := <-opened; err != nil {
		return err
	}
	for l := first; ok; l, ok = s.next() {
		if s.obey(l); s.over {
			break
		}
	}
	return s.end()
}

// provide opens the engine and gives it its tables.
func (s *session) provide(open func() (Engine, error)) (err error) {
	if s.engine, err = open(); err != nil {
		return err
	}
	return s.startTables()
}

// end finishes the job under way or ends it, and has all output written.
func (s *session) end() error {
	if s.busy() && !s.over && (s.job.bounded || s.cfg.InTurn) {
		select {
		case <-s.job.done:
			s.ended()
		case <-s.ctx.Done():
		case <-s.out.broken:
		}
	}
	s.quitJob()
	patience := time.Duration(0)
	if s.over {
		patience = quitPatience
	}
	err := s.out.flush(s.ctx, patience)
	if s.ctx.Err() != nil {
		return command.ErrInterrupted
	}
	if s.cfg.InTurn {
		err = errors.Join(err, s.failure)
	}
	return err
}

// session is the state of one Run. Only the goroutine of Run touches it, once the
// engine is there.
type session struct {
	ctx     context.Context // ends the session
	out     *printer
	engine  Engine
	known   []Command
	cfg     Config
	lines   <-chan line    // nil once the input has ended
	queue   []line         // read ahead, to be obeyed before what lines brings
	tables  *syzygy.Tables // what the engine looks positions up in
	book    *polyglot.Book // nil for none
	root    *chess.Position
	set     settings
	job     *job // the last one started; it may have ended
	debug   bool
	told    bool  // the attack path has been reported
	over    bool  // quit was obeyed, or a command of a list failed
	failure error // the first command that was refused or failed
}

// next returns the next line to obey; ok is false at the end of the input, at
// the end of the session or when the output is gone.
func (s *session) next() (l line, ok bool) {
	s.out.room(s.ctx, answerRoom)
	if s.ctx.Err() != nil {
		return line{}, false
	}
	if len(s.queue) > 0 {
		l, s.queue = s.queue[0], s.queue[1:]
		return l, true
	}
	if s.lines == nil {
		return line{}, false
	}
	select {
	case l, ok = <-s.lines:
		return l, ok
	case <-s.out.broken:
	case <-s.ctx.Done():
	}
	return line{}, false
}

// obey obeys one line. As the specification asks, unknown words before a
// command are skipped.
func (s *session) obey(l line) {
	if l.tooLong {
		s.out.note("line refused: longer than %d bytes", maxLine)
		return
	}
	s.out.record(">>", []byte(l.text))
	words := strings.Fields(l.text)
	if len(words) == 0 {
		return
	}
	for i, word := range words {
		at := slices.IndexFunc(s.known, func(c Command) bool { return c.Word == word && (i == 0 || c.Standard) })
		if at < 0 {
			continue
		}
		c := s.known[at]
		if s.cfg.InTurn && !c.urgent {
			if s.wait(); s.over || s.ctx.Err() != nil {
				return
			}
		}
		if i > 0 {
			s.out.note("skipped %.40q: not a command", strings.Join(words[:i], " "))
		}
		began := l.at
		if s.cfg.InTurn { // it was there from the start, and waited for those before it
			began = time.Now()
		}
		s.refused(c.obey(s, words[i+1:], began))
		return
	}
	s.refused(command.WrongUsef("unknown command %.40q", l.text))
}

// refused tells why a command was not obeyed, where err says so.
func (s *session) refused(err error) {
	if err != nil {
		s.out.note("%v", err)
	}
	s.failed(err)
}

// failed ends a session of commands given in turn where err says that one of
// them was refused or did not do its work.
func (s *session) failed(err error) {
	if err != nil && s.cfg.InTurn && s.failure == nil {
		s.failure, s.over = err, true
	}
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

// setDebug obeys "debug on" and "debug off".
func (s *session) setDebug(args []string) error {
	switch strings.Join(args, " ") {
	case "on":
		s.debug = true
	case "off":
		s.debug = false
	default:
		return command.WrongUsef("debug refused: want debug on or debug off")
	}
	return nil
}

// wait blocks until the job under way has ended. Meanwhile lines are read
// ahead; isready and stop are obeyed at once as long as nothing stands before
// them. A search without an end of its own is waited for only where commands
// run in turn, as nothing could stop it otherwise. Quit waits its turn like any
// other command, so that a pipe can end in it; a second one is meant.
func (s *session) wait() {
	if !s.busy() {
		return
	}
	if !s.job.ends && !s.cfg.InTurn {
		s.out.note("wait refused: the search has no end of its own")
		return
	}
	for s.busy() {
		lines := s.lines
		if len(s.queue) >= maxQueue || s.cfg.InTurn {
			lines = nil
		}
		select {
		case <-s.job.done:
		case <-s.out.broken:
			return
		case <-s.ctx.Done():
			return
		case l, ok := <-lines:
			switch text := strings.TrimSpace(l.text); {
			case !ok:
				s.lines = nil
			case len(s.queue) == 0 && (text == "isready" || text == "stop"):
				s.obey(l)
			case text == "quit" && slices.ContainsFunc(s.queue, func(l line) bool { return strings.TrimSpace(l.text) == text }):
				s.over = true
				return
			default:
				s.queue = append(s.queue, l)
			}
		}
	}
}
