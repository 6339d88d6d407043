package uci

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/search"
)

// job is a search, perft or bench that runs on its own goroutine.
type job struct {
	done    chan struct{} // closed when the last line is written
	what    string        // in a word, for people
	ends    bool          // it ends by itself, sooner or later
	bounded bool          // it ends by itself within a limit that was asked for
	ponder  bool          // it is a search that waits for ponderhit
	limited bool          // after ponderhit it will be bounded
	stop    func()        // tells the job to end, and may be called again
	err     error         // why it could not do its work; to be read once done
}

// searches reports whether the job answers a go by a move. Any other is asked for its
// result, so that quit waits for it.
func (j *job) searches() bool { return j.what == "search" }

// busy reports whether a job is under way.
func (s *session) busy() bool {
	if s.job == nil {
		return false
	}
	select {
	case <-s.job.done:
		s.failed = cmp.Or(s.failed, s.job.err)
		s.job = nil
		return false
	default:
		return true
	}
}

// halt ends the job under way and returns when it has written its last line.
func (s *session) halt() {
	if s.busy() {
		s.job.stop()
		<-s.job.done
		s.busy() // takes leave of it
	}
}

// ready obeys isready: whoever asks may start a clock next, so that without a
// search under way what costs time is waited for.
func (s *session) ready() {
	if !s.busy() {
		s.engine.Ready()
	}
	s.out.printf("readyok")
}

// start runs work as the job under way.
func (s *session) start(j *job, work func() error) {
	j.done = make(chan struct{})
	s.job = j
	go func() {
		defer close(j.done)
		if j.err = work(); j.err != nil {
			s.out.note("%v", j.err)
		}
	}()
}

// goCommand obeys go. What it does not understand is left out of a GUI's
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
		s.out.note("hash: %s", s.engine.HashNote())
	}
	for _, n := range r.notes {
		s.out.note("go: %s", n)
	}
	s.tellPosition()
	if r.perft >= 0 {
		s.perft(r)
	} else if m, ok := s.bookMove(r); ok {
		chess960 := s.set.chess960 || s.root.Chess960()
		s.out.note("book: %s", s.root.SAN(m))
		s.out.write(appendBest(nil, search.Result{Best: m}, chess960))
	} else {
		s.search(r)
	}
	return nil
}

// search starts the search of a go command.
func (s *session) search(r request) {
	p := s.root.Clone()
	chess960 := s.set.chess960 || p.Chess960()
	opts := search.Options{MultiPV: s.set.multiPV, MoveOverhead: s.set.overhead, Tables: s.set.tables}
	reports := reporter{out: s.out, root: s.root.Clone(), chess960: chess960, chances: s.set.chances}
	j := &job{
		what: "search", bounded: r.bounded, ponder: r.limits.Ponder, limited: r.limited, stop: s.engine.Stop,
		ends: r.bounded || r.limits.Mate > 0 && !r.limits.Infinite && !r.limits.Ponder,
	}
	taken := s.set.nodes.wind(&r.limits, p.SideToMove())
	s.engine.Arm(r.limits)
	s.start(j, func() error {
		result := s.engine.Search(p, r.limits, opts, reports.add)
		taken(result.Nodes)
		reports.finish(result)
		return nil
	})
}

// ponderHit obeys ponderhit: a pondering search goes on as an ordinary one.
func (s *session) ponderHit() {
	if !s.busy() || !s.job.ponder {
		return
	}
	s.job.ponder = false
	s.job.bounded, s.job.ends = s.job.limited, s.job.limited
	s.engine.PonderHit()
}

// perft starts "go perft", on the attack path of the session.
func (s *session) perft(r request) {
	p := s.root.Clone()
	c := &perftCount{depth: r.perft, chess960: s.set.chess960 || p.Chess960(), stats: r.stats, start: time.Now()}
	c.options = perft.Options{Path: cmp.Or(s.cfg.Path, movegen.DefaultPath().String()), Threads: max(1, s.set.threads)}
	hash := s.set.hash && !r.noHash && !r.stats
	ctx, cancel := context.WithCancel(context.Background())
	s.start(&job{what: "perft", bounded: true, ends: true, stop: cancel}, func() error {
		defer cancel()
		err := error(nil)
		count := func() { err = c.count(ctx, p, s.out.write) }
		if hash {
			s.engine.Lend(func(lines [][8]uint64) int {
				c.options.Table = perft.TableOf(lines, 0)
				count()
				return c.options.Table.Used()
			})
		} else {
			count()
		}
		return err
	})
}

// bench obeys "bench [depth [threads [hash]]]". It runs on an engine of its own
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
			s.out.note("bench: %s %s", f.name, note)
		}
		*f.to = int(n)
	}
	if len(args) > 3 {
		return exit.WrongUsef("bench refused: %.40q is one argument too many", args[3])
	}
	set.Depth = search.Depth(depth)
	network := s.engine.Network()
	ctx, cancel := context.WithCancel(context.Background())
	s.start(&job{what: "bench", bounded: true, ends: true, stop: cancel}, func() error {
		defer cancel()
		nodes, elapsed, err := search.Bench(ctx, network, set, func(i, n int) {
			s.out.printf("position %d of %d", i, n)
		})
		if errors.Is(err, context.Canceled) {
			return errors.New("bench stopped before it finished")
		}
		if err != nil {
			return fmt.Errorf("bench: %w", err)
		}
		s.out.printf("time %d ms", elapsed.Milliseconds())
		s.out.printf("%d nodes %s nps", nodes, rate(nodes, elapsed))
		return nil
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
