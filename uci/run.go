package uci

import (
	"io"
	"runtime"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// maxQueue bounds the lines that are read ahead while "wait" waits.
const maxQueue = 1024

// Run obeys the commands read from in until quit or the end of the input and
// writes the answers to out, line by line. The engine must have a hash table
// of [DefaultHash] MiB and is in no search when Run returns, unless a bench
// was cut short by quit. The error is the first failed write, if any.
//
// Run leaves a goroutine behind that is blocked in in.Read when quit comes
// before the input ends.
func Run(in io.Reader, out io.Writer, engine Engine, cfg Config) error {
	s := &session{
		out: newPrinter(out), engine: engine, cfg: cfg, root: chess.NewPosition(),
		set: settings{multiPV: 1, threads: 1},
	}
	if o, ok := findOption("Move Overhead"); ok {
		s.set.overhead = time.Duration(o.Default) * time.Millisecond
	}
	lines, done := make(chan line, 16), make(chan struct{})
	defer close(done)
	go readLines(in, lines, done)
	s.lines = lines
	for !s.over {
		l, ok := s.next()
		if !ok {
			break
		}
		s.obey(l)
	}
	if s.job != nil {
		if s.over || !s.job.bounded && !s.cfg.InTurn || s.out.failure() != nil {
			s.quitJob()
		} else {
			<-s.job.done
		}
	}
	return s.out.failure()
}

// session is the state of one Run. Only the goroutine of Run touches it.
type session struct {
	out    *printer
	engine Engine
	cfg    Config
	lines  <-chan line // nil once the input has ended
	queue  []line      // read ahead, to be obeyed before what lines brings
	root   *chess.Position
	set    settings
	job    *job // the last one started; it may have ended
	debug  bool
	told   bool // the attack path has been reported
	over   bool // quit was obeyed
}

// next returns the next line to obey; ok is false at the end of the input or
// when the output is gone.
func (s *session) next() (l line, ok bool) {
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
		return line{}, false
	}
}

// obey obeys one line. As the specification asks, unknown words before a
// command are skipped.
func (s *session) obey(l line) {
	if l.tooLong {
		s.out.note("line refused: longer than %d bytes", maxLine)
		return
	}
	words := strings.Fields(l.text)
	if len(words) == 0 {
		return
	}
	if s.cfg.InTurn && words[0] != "stop" && words[0] != "ponderhit" {
		s.wait()
	}
	if s.command(words[0], words[1:], l.at) {
		return
	}
	for i, word := range words[1:] {
		if standardCommand(word) {
			s.out.note("skipped %.40q: not a command", strings.Join(words[:i+1], " "))
			s.command(word, words[i+2:], l.at)
			return
		}
	}
	s.out.note("unknown command %.40q", l.text)
}

// standardCommand reports whether word is a command of the UCI specification.
func standardCommand(word string) bool {
	switch word {
	case "uci", "debug", "isready", "setoption", "ucinewgame", "position", "go", "stop", "ponderhit", "quit":
		return true
	}
	return false
}

// IsCommand reports whether word is a command that [Run] knows.
func IsCommand(word string) bool {
	switch word {
	case "d", "eval", "bench", "wait", "compiler", "genfens":
		return true
	}
	return standardCommand(word)
}

// command obeys the command called word and reports whether there is one.
func (s *session) command(word string, args []string, at time.Time) bool {
	switch word {
	case "uci":
		s.identify()
	case "isready":
		s.out.printf("readyok")
	case "ucinewgame":
		s.halt()
		s.engine.Clear()
		s.root = chess.NewPosition()
		runtime.GC() // now, when no clock runs
	case "position":
		s.position(args)
	case "go":
		s.goCommand(args, at)
	case "stop":
		s.stop()
	case "ponderhit":
		s.ponderHit()
	case "setoption":
		s.halt()
		s.setOption(args)
	case "debug":
		s.setDebug(args)
	case "quit":
		s.over = true
	case "wait":
		s.wait()
	case "d":
		s.display()
	case "eval":
		s.evaluate()
	case "bench":
		s.bench(args)
	case "compiler":
		s.compiler()
	case "genfens":
		s.genFENs(args)
	default:
		return false
	}
	return true
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
func (s *session) setDebug(args []string) {
	switch strings.Join(args, " ") {
	case "on":
		s.debug = true
	case "off":
		s.debug = false
	default:
		s.out.note("debug refused: want debug on or debug off")
	}
}

// wait blocks until the job under way has ended. Meanwhile lines are read
// ahead; isready and stop are obeyed at once as long as nothing stands before
// them. A search without an end of its own is waited for only where commands
// run in turn, as nothing could stop it otherwise.
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
		case l, ok := <-lines:
			switch text := strings.TrimSpace(l.text); {
			case !ok:
				s.lines = nil
			case len(s.queue) == 0 && (text == "isready" || text == "stop"):
				s.obey(l)
			default:
				s.queue = append(s.queue, l)
			}
		}
	}
}
