// Package timing measures counters of moves in turn, so that a slow moment of the
// machine hits all alike, and holds every count against the known one. Speeds are
// medians over rounds, ratios medians of the rounds' ratios.
package timing

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/bench/oracle"
)

// Measured is one perft: its count, its time and the bytes it allocated.
type Measured struct {
	nodes   uint64
	elapsed time.Duration
	bytes   uint64
}

// Counter counts moves: a generator, or an engine in another process.
type Counter struct {
	Name  string
	About string // in a few words
	// Perft counts a FEN to a depth and measures the time.
	Perft func(ctx context.Context, fen string, depth int) (Measured, error)
	// Outside is true of an engine in another process, whose memory is not
	// seen from here.
	Outside bool
}

// CounterOf makes a generator a counter on one thread. The time covers all
// that the generator does, reading the FEN included.
func CounterOf(g *generator.Generator) *Counter {
	return &Counter{Name: g.Name, About: g.About, Perft: Observe(g.Perft)}
}

// CounterOfEngine makes an engine a counter.
func CounterOfEngine(e *oracle.Engine) *Counter {
	perft := func(_ context.Context, fen string, depth int) (m Measured, err error) {
		m.nodes, m.elapsed, err = e.Perft(fen, depth) // the engine knows the context
		return m, err
	}
	return &Counter{Name: e.Name, About: "UCI engine, go perft", Perft: perft, Outside: true}
}

// Observe measures a perft that knows no context. When ctx ends first the
// count goes on in the background; the program is about to exit then.
func Observe(perft func(fen string, depth int) (uint64, error)) func(context.Context, string, int) (Measured, error) {
	type answer struct {
		Measured
		err error
	}
	return func(ctx context.Context, fen string, depth int) (Measured, error) {
		done := make(chan answer, 1)
		go func() {
			var a answer
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			start := time.Now()
			a.nodes, a.err = perft(fen, depth)
			a.elapsed = time.Since(start)
			runtime.ReadMemStats(&after)
			a.bytes = after.TotalAlloc - before.TotalAlloc
			done <- a
		}()
		select {
		case a := <-done:
			return a.Measured, a.err
		case <-ctx.Done():
			return Measured{}, context.Cause(ctx)
		}
	}
}

// Trial is one counter on one position at one depth, measured once a round.
type Trial struct {
	Counter  *Counter
	Position *Position
	Depth    int // in plies
	Repeats  int // perfts a run, so that a short one is measured as well as a long one

	Nodes   uint64
	Seconds []float64 // by round, for one perft
	Bytes   []float64 // by round, allocated by one perft
}

// perft is one perft of the trial, its count checked.
func (t *Trial) perft(ctx context.Context, v *Verifier) (Measured, error) {
	m, err := t.Counter.Perft(ctx, t.Position.FEN, t.Depth)
	if err != nil {
		return m, fmt.Errorf("%s: %w", t.Counter.Name, err)
	}
	t.Nodes = m.nodes
	return m, v.check(t.Counter.Name, t.Position, t.Depth, m.nodes)
}

// run measures the trial once more.
func (t *Trial) run(ctx context.Context, v *Verifier) error {
	runtime.GC() // nobody pays for what another left behind
	var seconds, bytes float64
	for range t.Repeats {
		m, err := t.perft(ctx, v)
		if err != nil {
			return err
		}
		seconds += m.elapsed.Seconds()
		bytes += float64(m.bytes)
	}
	t.Seconds = append(t.Seconds, max(seconds, 1e-9)/float64(t.Repeats))
	t.Bytes = append(t.Bytes, bytes/float64(t.Repeats))
	return nil
}

// NPS returns the median speed in nodes a second.
func (t *Trial) NPS() float64 { return float64(t.Nodes) / Median(t.Seconds) }

// Against returns how many times as fast as another trial of the same rounds
// this one is: the median of the rounds' ratios, so that a moment in which the
// machine was slow for both does not count.
func (t *Trial) Against(base *Trial) float64 {
	ratios := make([]float64, min(len(t.Seconds), len(base.Seconds)))
	for i := range ratios {
		ratios[i] = float64(t.Nodes) / t.Seconds[i] / (float64(base.Nodes) / base.Seconds[i])
	}
	return Median(ratios)
}

// Alternate runs every trial once a round, those of a group next to each
// other, so that a slow moment of the machine hits all of a group alike. Every
// round begins a group with another trial: none always follows the same one.
func Alternate(ctx context.Context, rounds int, groups [][]*Trial, v *Verifier, done func()) error {
	for round := range rounds {
		for _, group := range groups {
			for i := range group {
				if err := group[(i+round)%len(group)].run(ctx, v); err != nil {
					return err
				}
				done()
			}
		}
	}
	return nil
}

// leastDepth is the depth that Deepen begins with: shallower trees say little.
const leastDepth = 3

// Deepen sets the trial's depth to the greatest that one perft reaches in
// about the limit, and its repeats so that a run takes at least half of it. A
// depth that is not 0 is kept. The perfts made on the way warm the counter up.
func (t *Trial) Deepen(ctx context.Context, limit time.Duration, v *Verifier) error {
	fixed := t.Depth != 0
	if !fixed {
		t.Depth = leastDepth
	}
	growth := 48.0 // above the branching of nearly every position
	for before := uint64(0); ; t.Depth++ {
		seconds := math.Inf(1)
		// What seems too slow to go deeper is tried again: the machine may
		// have been busy with something else.
		for try := 0; try < 3 && seconds*growth > limit.Seconds(); try++ {
			m, err := t.perft(ctx, v)
			if err != nil {
				return err
			}
			seconds = min(seconds, max(m.elapsed.Seconds(), 1e-6))
			if next := t.Position.Nodes(t.Depth + 1); next > 0 {
				growth = float64(next) / float64(m.nodes)
			} else if before > 0 {
				growth = float64(m.nodes) / float64(before)
			}
			if fixed {
				break
			}
		}
		if fixed || seconds*growth > limit.Seconds() {
			t.Repeats = int(max(1, math.Ceil(limit.Seconds()/2/seconds)))
			return nil
		}
		before = t.Nodes
	}
}

// Median returns the middle value, between two the mean of both, and 0 of
// none.
func Median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(n-1)/2] + s[n/2]) / 2
}

// GeometricMean returns the mean that suits ratios, 0 of none.
func GeometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	if len(values) == 0 {
		return 0
	}
	return math.Exp(sum / float64(len(values)))
}
