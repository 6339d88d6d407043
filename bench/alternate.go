package main

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
)

// measured is one perft: its count, its time and the bytes it allocated.
type measured struct {
	nodes   uint64
	elapsed time.Duration
	bytes   uint64
}

// counter counts moves: a generator, or an engine in another process.
type counter struct {
	name  string
	about string
	perft func(ctx context.Context, fen string, depth int) (measured, error)
	// outside is true of an engine in another process, whose memory is not
	// seen from here.
	outside bool
}

// counterOf makes a generator a counter on one thread. The time covers all
// that the generator does, reading the FEN included.
func counterOf(g *generator) *counter {
	return &counter{name: g.name, about: g.about, perft: observed(g.Perft)}
}

// counterOfEngine makes an engine a counter.
func counterOfEngine(e *engine) *counter {
	perft := func(_ context.Context, fen string, depth int) (m measured, err error) {
		m.nodes, m.elapsed, err = e.perft(fen, depth) // the engine knows the context
		return m, err
	}
	return &counter{name: e.name, about: "UCI engine, go perft", perft: perft, outside: true}
}

// observed measures a perft that knows no context. When ctx ends first the
// count goes on in the background; the program is about to exit then.
func observed(perft func(fen string, depth int) (uint64, error)) func(context.Context, string, int) (measured, error) {
	type answer struct {
		measured
		err error
	}
	return func(ctx context.Context, fen string, depth int) (measured, error) {
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
			return a.measured, a.err
		case <-ctx.Done():
			return measured{}, context.Cause(ctx)
		}
	}
}

// trial is one counter on one position at one depth, measured once a round.
type trial struct {
	counter  *counter
	position *standardPosition
	depth    int
	repeats  int // perfts a run, so that a short one is measured as well as a long one

	nodes   uint64
	seconds []float64 // by round, for one perft
	bytes   []float64 // by round, allocated by one perft
}

// perft is one perft of the trial, its count checked.
func (t *trial) perft(ctx context.Context, v *verifier) (measured, error) {
	m, err := t.counter.perft(ctx, t.position.fen, t.depth)
	if err != nil {
		return m, fmt.Errorf("%s: %w", t.counter.name, err)
	}
	t.nodes = m.nodes
	return m, v.check(t.counter.name, t.position, t.depth, m.nodes)
}

// run measures the trial once more.
func (t *trial) run(ctx context.Context, v *verifier) error {
	runtime.GC() // nobody pays for what another left behind
	var seconds, bytes float64
	for range t.repeats {
		m, err := t.perft(ctx, v)
		if err != nil {
			return err
		}
		seconds += m.elapsed.Seconds()
		bytes += float64(m.bytes)
	}
	t.seconds = append(t.seconds, max(seconds, 1e-9)/float64(t.repeats))
	t.bytes = append(t.bytes, bytes/float64(t.repeats))
	return nil
}

// nps returns the median speed in nodes a second.
func (t *trial) nps() float64 { return float64(t.nodes) / median(t.seconds) }

// against returns how many times as fast as another trial of the same rounds
// this one is: the median of the rounds' ratios, so that a moment in which the
// machine was slow for both does not count.
func (t *trial) against(base *trial) float64 {
	ratios := make([]float64, min(len(t.seconds), len(base.seconds)))
	for i := range ratios {
		ratios[i] = float64(t.nodes) / t.seconds[i] / (float64(base.nodes) / base.seconds[i])
	}
	return median(ratios)
}

// alternate runs every trial once a round, those of a group next to each
// other, so that a slow moment of the machine hits all of a group alike. Every
// round begins a group with another trial: none always follows the same one.
func alternate(ctx context.Context, rounds int, groups [][]*trial, v *verifier, done func()) error {
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

// leastDepth is the depth that deepen begins with: shallower trees say little.
const leastDepth = 3

// deepen sets the trial's depth to the greatest that one perft reaches in
// about the limit, and its repeats so that a run takes at least half of it. A
// depth that is not 0 is kept. The perfts made on the way warm the counter up.
func (t *trial) deepen(ctx context.Context, limit time.Duration, v *verifier) error {
	fixed := t.depth != 0
	if !fixed {
		t.depth = leastDepth
	}
	growth := 48.0 // above the branching of nearly every position
	for before := uint64(0); ; t.depth++ {
		seconds := math.Inf(1)
		// What seems too slow to go deeper is tried again: the machine may
		// have been busy with something else.
		for try := 0; try < 3 && seconds*growth > limit.Seconds(); try++ {
			m, err := t.perft(ctx, v)
			if err != nil {
				return err
			}
			seconds = min(seconds, max(m.elapsed.Seconds(), 1e-6))
			if next := t.position.nodes(t.depth + 1); next > 0 {
				growth = float64(next) / float64(m.nodes)
			} else if before > 0 {
				growth = float64(m.nodes) / float64(before)
			}
			if fixed {
				break
			}
		}
		if fixed || seconds*growth > limit.Seconds() {
			t.repeats = int(max(1, math.Ceil(limit.Seconds()/2/seconds)))
			return nil
		}
		before = t.nodes
	}
}

// median returns the middle value, between two the mean of both, and 0 of
// none.
func median(values []float64) float64 {
	n := len(values)
	if n == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(n-1)/2] + s[n/2]) / 2
}

// geometricMean returns the mean that suits ratios, 0 of none.
func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	if len(values) == 0 {
		return 0
	}
	return math.Exp(sum / float64(len(values)))
}
