package uci

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

// stopAgain is how long a stopped search is given before it is told again.
const stopAgain = time.Millisecond

// job is a search, perft or bench that runs on its own goroutine.
type job struct {
	done    chan struct{} // closed when the last line is written
	ends    bool          // it ends by itself, sooner or later
	bounded bool          // it ends by itself within a limit that was asked for
	ponder  bool          // it is a search that waits for ponderhit
	limited bool          // after ponderhit it will be bounded
	begun   chan struct{} // closed at the first report of a search
	stop    func()        // tells the job to end; nil where nothing can
}

// busy reports whether a job is under way.
func (s *session) busy() bool {
	if s.job == nil {
		return false
	}
	select {
	case <-s.job.done:
		s.job = nil
		return false
	default:
		return true
	}
}

// halt ends the job under way and returns when it has written its last line.
// A job that cannot be stopped is waited for.
func (s *session) halt() {
	if !s.busy() {
		return
	}
	if s.job.stop == nil {
		<-s.job.done
		return
	}
	for {
		// A stop that comes before the search has properly begun may be
		// lost on it, so it is repeated until it works.
		s.job.stop()
		select {
		case <-s.job.done:
			return
		case <-time.After(stopAgain):
		}
	}
}

// quitJob ends the job under way for good: it is halted where that is
// possible and left behind where it is not.
func (s *session) quitJob() {
	if s.busy() && s.job.stop != nil {
		s.halt()
	}
}

// stop obeys the stop command: silent when idle.
func (s *session) stop() {
	if s.busy() && s.job.stop == nil {
		s.out.note("stop: a bench cannot be stopped, only left by quit")
		return
	}
	s.halt()
}

// start runs work as the job under way.
func (s *session) start(j *job, work func()) {
	j.done = make(chan struct{})
	s.job = j
	go func() {
		defer close(j.done)
		work()
	}()
}

// goCommand obeys go.
func (s *session) goCommand(args []string, at time.Time) {
	s.halt()
	r := parseGo(s.root, args, at)
	if !s.told {
		s.told = true
		s.out.note("attacks: %s", s.cfg.Attacks)
	}
	for _, n := range r.notes {
		s.out.note("go: %s", n)
	}
	if r.perft >= 0 {
		s.perft(r.perft)
		return
	}
	s.search(r)
}

// search starts the search of a go command.
func (s *session) search(r request) {
	p := s.root.Clone()
	chess960 := s.set.chess960 || p.Chess960()
	opts := search.Options{Threads: s.set.threads, MultiPV: s.set.multiPV, MoveOverhead: s.set.overhead}
	if s.debug {
		s.out.note("debug: limits %+v options %+v", r.limits, opts)
	}
	var buf []byte
	var first sync.Once
	begun := make(chan struct{})
	report := func(in search.Info) {
		first.Do(func() { close(begun) })
		if in.Bound != search.Exact && in.Time < boundsAfter {
			return
		}
		buf = appendInfo(buf[:0], in, chess960)
		s.out.write(buf)
	}
	j := &job{
		bounded: r.bounded, ponder: r.limits.Ponder, limited: r.limited, begun: begun, stop: s.engine.Stop,
		ends: r.bounded || r.limits.Mate > 0 && !r.limits.Infinite && !r.limits.Ponder,
	}
	debug := s.debug
	s.start(j, func() {
		result := s.engine.Search(p, r.limits, opts, report)
		if debug {
			s.out.note("debug: searched for %v", time.Since(r.limits.Start))
		}
		s.out.write(appendBest(buf[:0], result, chess960))
	})
}

// ponderHit obeys ponderhit: a pondering search goes on as an ordinary one.
func (s *session) ponderHit() {
	if !s.busy() || !s.job.ponder {
		return
	}
	// Before its first report the search may not listen yet.
	select {
	case <-s.job.begun:
	case <-s.job.done:
		return
	}
	s.job.ponder = false
	s.job.bounded, s.job.ends = s.job.limited, s.job.limited
	s.engine.PonderHit()
}

// perft starts "go perft depth". The plies near the root are walked here, so
// that a stop is heard; the rest is [movegen.Walk].
func (s *session) perft(depth int) {
	p := s.root.Clone()
	chess960 := s.set.chess960 || p.Chess960()
	var stopped atomic.Bool
	j := &job{bounded: true, ends: true, stop: func() { stopped.Store(true) }}
	s.start(j, func() {
		nodes := uint64(0)
		if depth == 0 {
			nodes = 1
		} else {
			for _, m := range movegen.Legal(p, nil) {
				p.Make(m)
				n := countLeaves(p, depth-1, &stopped)
				p.Unmake()
				if stopped.Load() {
					s.out.note("perft stopped")
					return
				}
				nodes += n
				s.out.printf("%s: %d", appendMove(nil, m, chess960), n)
			}
		}
		s.out.printf("\nNodes searched: %d", nodes)
	})
}

// uninterrupted is the depth below which a perft is not worth stopping.
const uninterrupted = 3

// countLeaves is [movegen.Walk], but returns early, with a count that means
// nothing, once stopped is set.
func countLeaves(p *chess.Position, depth int, stopped *atomic.Bool) uint64 {
	if depth <= uninterrupted {
		return movegen.Walk(p, depth)
	}
	nodes := uint64(0)
	for _, m := range movegen.Legal(p, nil) {
		if stopped.Load() {
			break
		}
		p.Make(m)
		nodes += countLeaves(p, depth-1, stopped)
		p.Unmake()
	}
	return nodes
}

// bench obeys "bench [depth]". It runs on an engine of its own with the
// settings that make its node count comparable.
func (s *session) bench(args []string) {
	s.halt()
	depth := 0
	if len(args) > 0 {
		n, note, err := parseNumber(args[0], 1, maxDepth)
		if err != nil {
			s.out.note("bench refused: depth: %v", err)
			return
		}
		if note != "" {
			s.out.note("bench: depth %s", note)
		}
		depth = int(n)
	}
	s.start(&job{bounded: true, ends: true}, func() {
		nodes, elapsed := search.Bench(depth, func(i, n int) {
			s.out.printf("position %d of %d", i, n)
		})
		s.out.printf("time %d ms", elapsed.Milliseconds())
		s.out.printf("%d nodes %s nps", nodes, rate(nodes, elapsed))
	})
}

// rate returns the nodes a second as plain digits.
func rate(nodes uint64, elapsed time.Duration) string {
	if elapsed <= 0 {
		elapsed = 1
	}
	return fmt.Sprintf("%.0f", float64(nodes)/elapsed.Seconds())
}
