// Package speed measures all move generators, and an engine's perft where one is
// asked for, on the standard positions. It reports the speeds as text, as JSON, as a
// bar chart in SVG, and between the markers of Markdown files. Package timing holds
// the method of measuring.
package speed

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/bench/oracle"
	"github.com/tabula-chess/tabula/bench/timing"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// baseline is the generator that ratios are to.
const baseline = "x88"

// Comparison measures counters on the standard positions.
type Comparison struct {
	depth    int
	rounds   int
	limit    time.Duration // of one perft, where the depth is chosen
	counters []*timing.Counter
	missing  []MissingGenerator
	engine   *oracle.Engine
	groups   [][]*timing.Trial // by position, in each one trial a counter
}

// MissingGenerator is a generator that this machine cannot run.
type MissingGenerator struct {
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// Config says what to measure and which files to write.
type Config struct {
	Depth      int           // 0: for each generator what takes comparable time
	Rounds     int           // measured
	Limit      time.Duration // of one perft, where the depth is chosen
	Generators []string      // names; none: all
	Engine     string        // command of a UCI engine; empty: none
	SVG        string        // file to write; empty: none
	Docs       []string      // Markdown files whose measured parts are rewritten
}

// New looks at all that can be wrong before minutes of measuring, and
// starts the engine, if one is asked for. Errors name the field.
func New(ctx context.Context, config Config) (*Comparison, error) {
	c := &Comparison{depth: config.Depth, rounds: config.Rounds, limit: config.Limit}
	switch {
	case c.depth < 0 || c.depth > perft.MaxDepth:
		return nil, command.WrongUsef("depth: %d is not between 0 and %d", c.depth, perft.MaxDepth)
	case c.rounds < 1:
		return nil, command.WrongUsef("rounds: %d is less than 1", c.rounds)
	}
	if err := c.choose(config.Generators); err != nil {
		return nil, err
	}
	if config.SVG != "" {
		if err := files.CheckTarget(config.SVG); err != nil {
			return nil, fmt.Errorf("svg: %w", err)
		}
	}
	for _, name := range config.Docs {
		if err := checkMarkers(name); err != nil {
			return nil, fmt.Errorf("docs: %w", err)
		}
	}
	if config.Engine != "" {
		var err error
		if c.engine, err = oracle.Start(ctx, config.Engine); err != nil {
			return nil, err
		}
		c.counters = append(c.counters, timing.CounterOfEngine(c.engine))
	}
	return c, nil
}

// choose picks the named generators, all where none is named, and the one that
// ratios are to.
func (c *Comparison) choose(names []string) error {
	wanted := map[string]bool{baseline: true}
	for _, name := range names {
		g, err := generator.Find(strings.TrimSpace(name))
		if err != nil {
			return err
		}
		wanted[g.Name] = true
	}
	for _, g := range generator.All() {
		switch {
		case len(names) > 0 && !wanted[g.Name]:
		case g.Missing != nil:
			c.missing = append(c.missing, MissingGenerator{g.Name, g.Missing.Error()})
		default:
			c.counters = append(c.counters, timing.CounterOf(g))
		}
	}
	return nil
}

// Close ends the engine.
func (c *Comparison) Close() {
	if c.engine != nil {
		c.engine.Close()
	}
}

// Measure finds a depth for every trial and runs all rounds, with a progress
// bar.
func (c *Comparison) Measure(ctx context.Context, errOut io.Writer) error {
	positions := timing.Positions()
	bar := command.NewBar(errOut, int64(len(positions)*len(c.counters)*(c.rounds+1)), "perfts")
	defer bar.Close()
	v := &timing.Verifier{}
	for _, p := range positions {
		var group []*timing.Trial
		for _, who := range c.counters {
			t := &timing.Trial{Counter: who, Position: p, Depth: c.depth}
			if err := t.Deepen(ctx, c.limit, v); err != nil {
				return err
			}
			group = append(group, t)
			bar.Add(1)
		}
		c.groups = append(c.groups, group)
	}
	return timing.Alternate(ctx, c.rounds, c.groups, v, func() { bar.Add(1) })
}
