package uci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/search"
)

// job is a search, perft or bench that runs on its own goroutine.
type job struct {
	done    chan struct{} // closed when the work has ended
	what    string        // in a word, for people
	ends    bool          // it ends by itself, sooner or later
	bounded bool          // it ends by itself within a limit that was asked for
	ponder  bool          // it is a search that waits for ponderhit
	limited bool          // after ponderhit it will be bounded
	stop    func()        // tells the job to end, and may be called again
	answer  []byte        // lines; to be read once done
	err     error         // why it could not do its work; to be read once done
}

// searches reports whether the job answers a go by a move. Any other is asked for its
// result, so that quit waits for it.
func (j *job) searches() bool { return j.what == "search" }

// leave takes leave of the job that has ended and prints its answer.
func (s *session) leave() {
	j := s.job
	s.job = nil
	if len(j.answer) > 0 {
		s.out.write(j.answer)
	}
	if j.err != nil {
		s.out.note("%v", j.err)
		s.failed = cmp.Or(s.failed, j.err)
	}
}

// halt ends the job under way.
func (s *session) halt() {
	if s.job != nil {
		s.job.stop()
		<-s.job.done
		s.leave()
	}
}

// stop handles stop, which counts for the lines held too.
func (s *session) stop() {
	for i := range s.held {
		s.held[i].stop = true
	}
	s.halt()
}

// ready handles isready: whoever asks may start a clock next, so that without a
// search under way what costs time is waited for.
func (s *session) ready() {
	if s.job == nil {
		s.engine.Ready()
	}
	s.out.printf("readyok")
}

// start runs work, which returns the answer to print, as the job under way.
func (s *session) start(j *job, work func() (answer []byte, err error)) {
	j.done = make(chan struct{})
	s.job = j
	go func() {
		defer close(j.done)
		j.answer, j.err = work()
	}()
}

// goCommand handles go. What it does not understand is left out of a GUI's
// command, which must be answered, but not of a command line's.
func (s *session) goCommand(args []string) error {
	r := parseGo(s.root, args, s.at)
	if r.refused != nil {
		return r.refused
	}
	if s.strict && r.wrong != nil {
		return r.wrong
	}
	if !s.told {
		s.told = true
		s.out.note("attacks: %s", s.cfg.Attacks)
		s.out.note("evaluation: %s", s.cfg.Kernels)
		s.out.note("network: %s", describeNetwork(s.engine.Network()))
		s.out.note("hash: %s", s.engine.Memory())
	}
	for _, n := range r.notes {
		s.out.note("go: %s", n)
	}
	s.tellPosition()
	if r.perft >= 0 {
		s.perft(r)
	} else if m, ok := s.bookMove(r); ok {
		s.out.note("book: %s", s.root.SAN(m))
		s.out.write(appendBest(nil, search.Result{Best: m}, s.chess960(s.root)))
	} else {
		s.search(r)
	}
	return nil
}

// chess960 reports whether castling in p is written as king takes rook.
func (s *session) chess960(p *chess.Position) bool { return s.set.chess960 || p.Chess960() }

// search starts the search of a go command.
func (s *session) search(r request) {
	p := s.root.Clone()
	chess960 := s.chess960(p)
	opts := search.Options{MultiPV: s.set.multiPV, MoveOverhead: s.set.overhead, Tables: s.set.tables}
	reports := reporter{out: s.out, root: s.root.Clone(), chess960: chess960, chances: s.set.chances}
	j := &job{
		what: "search", bounded: r.bounded, ponder: r.limits.Ponder, limited: r.limited, stop: s.engine.Stop,
		ends: r.bounded || r.limits.Mate > 0 && !r.limits.Infinite && !r.limits.Ponder,
	}
	taken := s.set.nodes.wind(&r.limits, p.SideToMove())
	run := s.engine.Prepare(p, r.limits, opts, reports.print)
	s.start(j, func() ([]byte, error) {
		result := run()
		taken(result.Nodes)
		return appendBest(nil, result, chess960), nil
	})
}

// ponderHit handles ponderhit, which counts for the lines held too.
func (s *session) ponderHit() {
	for i := range s.held {
		s.held[i].hit = true
	}
	s.hit()
}

// hit lets a pondering search go on as an ordinary one.
func (s *session) hit() {
	if s.job != nil && s.job.ponder {
		s.job.ponder = false
		s.job.bounded, s.job.ends = s.job.limited, s.job.limited
		s.engine.PonderHit()
	}
}

// bench handles "bench [depth [threads [hash]]]". It runs on an engine of its own
// with the network of the session; without arguments its node count is the
// engine's signature.
func (s *session) bench(args []string) error {
	set := search.DefaultBench()
	depth := int(set.Depth)
	for i, f := range [...]struct {
		name string
		most int64
		to   *int
	}{{"depth", maxDepth, &depth}, {"threads", search.MaxThreads, &set.Threads}, {"hash", search.MaxHash, &set.Hash}} {
		if i >= len(args) {
			break
		}
		n, note, err := parseNumber(args[i], 1, f.most)
		if err != nil {
			return exit.WrongUsef("bench refused: %s: %w", f.name, err)
		}
		if note != "" {
			return exit.WrongUsef("bench refused: %s %s", f.name, note)
		}
		*f.to = int(n)
	}
	if len(args) > 3 {
		return exit.WrongUsef("bench refused: %.40q is one argument too many", args[3])
	}
	set.Depth = search.Depth(depth)
	network := s.engine.Network()
	ctx, cancel := context.WithCancel(context.Background())
	s.start(&job{what: "bench", bounded: true, ends: true, stop: cancel}, func() ([]byte, error) {
		defer cancel()
		nodes, elapsed, err := search.Bench(ctx, network, set, func(i, n int) {
			s.out.printf("position %d of %d", i, n)
		})
		if errors.Is(err, context.Canceled) {
			return nil, errors.New("bench stopped before it finished")
		}
		if err != nil {
			return nil, fmt.Errorf("bench: %w", err)
		}
		return fmt.Appendf(nil, "time %d ms\n%d nodes %s nps\n", elapsed.Milliseconds(), nodes, rate(nodes, elapsed)), nil
	})
	return nil
}

// rate returns the nodes a second as plain digits.
func rate(nodes uint64, elapsed time.Duration) string {
	if elapsed <= 0 {
		elapsed = 1
	}
	return fmt.Sprintf("%.0f", float64(nodes)/elapsed.Seconds())
}
