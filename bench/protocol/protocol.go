// Package protocol checks how an engine keeps to the universal chess interface.
//
// A [Checker] plays a script for each rule and then random sessions, through package client. A judge follows each
// session line by line. What breaks a rule of UCI's text is a fault, what only GUIs or runners ask for is a note. A
// finding that depends on time counts where two more runs of its session show it too. Each finding is reduced to the
// shortest session that shows it.
//
// Sources: "Description of the universal chess interface (UCI)", Stefan Meyer-Kahlen, April 2006; the source of
// fastchess and cutechess.
package protocol

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/bench/generator"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/uci/client"
)

// Checker checks an engine.
type Checker struct {
	Command  string        // of the engine, split at spaces
	Seed     uint64        // of the random sessions
	Time     time.Duration // after which no random session starts
	Only     []string      // names of rules; none for all rules and random sessions
	Progress func()        // called after each rule

	patience time.Duration // for an answer that needs no time; 0: 3 seconds
	program  string
	args     []string
	options  []client.Option
	report   CheckReport
}

// Finding is something that breaks a rule.
type Finding struct {
	Rule   string   `json:"rule"`
	Text   string   `json:"text"`           // one sentence
	Line   string   `json:"line,omitempty"` // of the engine; its last lines where an answer is missing
	Shell  []string `json:"session"`        // lines of a shell whose output, sent to the engine, shows it
	Before int      `json:"lines_before"`   // lines of the session before it was reduced
	Others int      `json:"other_sessions"` // that show the same
	Timed  bool     `json:"timed"`          // it depends on time, and two more runs showed it

	owner  *Rule
	kind   string
	script []string
}

func (f *Finding) alike(g Finding) bool { return f.Rule == g.Rule && f.kind == g.kind }

// Verdict is what was found about a rule.
type Verdict struct {
	Rule
	Status   string    `json:"status"` // ok, fault, note; skipped where an option is missing or it takes minutes
	Findings []Finding `json:"findings"`
}

// CheckReport is the result of a check.
type CheckReport struct {
	Command string            `json:"command"`
	Engine  string            `json:"engine"` // by its own words
	Seed    uint64            `json:"seed"`
	Scripts int               `json:"scripts"`
	Random  int               `json:"random_sessions"`
	Seconds float64           `json:"seconds"`
	Timings map[string]Timing `json:"timings"` // the latest answer of each kind
	Rules   []Verdict         `json:"rules"`
}

// Run checks the engine. Errors: a program that is not found, a rule that does not exist, those of ctx. All that the
// engine does is a finding.
func (c *Checker) Run(ctx context.Context) (*CheckReport, error) {
	words, began := strings.Fields(c.Command), time.Now()
	if len(words) == 0 {
		return nil, exit.WrongUsef("engine: empty command")
	}
	program, err := client.Find(words[0])
	if err == nil {
		program, err = exec.LookPath(program)
	}
	if err != nil {
		return nil, exit.WrongUse(fmt.Errorf("engine: %w", err))
	}
	c.program, c.args, c.patience = program, words[1:], cmp.Or(c.patience, 3*time.Second)
	c.report = CheckReport{Command: c.Command, Seed: c.Seed, Timings: map[string]Timing{}}
	for _, rule := range Rules() {
		c.report.Rules = append(c.report.Rules, Verdict{Rule: rule, Status: "ok", Findings: []Finding{}})
	}
	for _, name := range c.Only {
		if c.result(name) == nil {
			return nil, exit.WrongUsef("rule: there is none called %q", name)
		}
	}
	c.session(ctx, nil, nil)
	for i := range c.report.Rules {
		c.rule(ctx, &c.report.Rules[i])
	}
	for c.report.Engine != "" && len(c.Only) == 0 && time.Since(began) < c.Time && ctx.Err() == nil {
		c.report.Random++
		c.session(ctx, nil, c.random(c.report.Random))
	}
	for i := range c.report.Rules {
		for k := range c.report.Rules[i].Findings {
			c.reduce(ctx, &c.report.Rules[i].Findings[k])
		}
	}
	c.report.Seconds = time.Since(began).Seconds()
	return &c.report, ctx.Err()
}

// result returns the row of a rule, nil for none of that name.
func (c *Checker) result(name string) *Verdict {
	i := slices.IndexFunc(c.report.Rules, func(r Verdict) bool { return r.Name == name })
	if i < 0 {
		return nil
	}
	return &c.report.Rules[i]
}

func (c *Checker) has(option string) bool {
	return slices.ContainsFunc(c.options, func(o client.Option) bool { return o.Name == option })
}

// rule plays the scripts of a rule.
func (c *Checker) rule(ctx context.Context, r *Verdict) {
	wanted := len(c.Only) == 0 || slices.Contains(c.Only, r.Name)
	if r.Status == "ok" && (!wanted || r.Needs != "" && !c.has(r.Needs) || c.report.Engine == "") {
		r.Status = "skipped"
		return
	}
	for _, script := range r.sessions(c.options) {
		c.report.Scripts++
		c.session(ctx, &r.Rule, script)
		if slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Timed && f.Others > 0 }) {
			break // more of the same takes minutes
		}
	}
	if r.Name == "bench" {
		c.bench(ctx)
	}
	if c.Progress != nil {
		c.Progress()
	}
}

// session plays a script and keeps what it shows.
func (c *Checker) session(ctx context.Context, owner *Rule, script []string) {
	s := c.play(ctx, owner, script)
	if s.engine != nil && c.report.Engine == "" {
		c.options, c.report.Engine = s.engine.Options(), cmp.Or(s.engine.Name(), c.Command)
	}
	if owner != nil && s.slow && c.result(owner.Name).Status == "ok" {
		c.result(owner.Name).Status = "skipped"
	}
	for _, f := range s.findings {
		f.owner, f.script, f.Shell, f.Before = owner, script, s.shell, len(script)
		c.keep(ctx, f)
	}
}

// keep adds a finding to the report, or counts it where there is one like it.
func (c *Checker) keep(ctx context.Context, f Finding) {
	r := c.result(f.Rule)
	if i := slices.IndexFunc(r.Findings, f.alike); i >= 0 {
		r.Findings[i].Others++
		return
	}
	for more := 2; f.Timed && more > 0; more-- {
		if !c.again(ctx, &f, f.script) {
			return
		}
	}
	r.Findings, r.Status = append(r.Findings, f), "fault"
	if r.Note() {
		r.Status = "note"
	}
}

// again plays a script and reports whether it shows a finding.
func (c *Checker) again(ctx context.Context, f *Finding, script []string) bool {
	return slices.ContainsFunc(c.play(ctx, f.owner, script).findings, f.alike)
}

// benchNodes is what OpenBench looks for.
var benchNodes = regexp.MustCompile(`(?i)(\d+) +nodes\b|\bnodes +searched\W+(\d+)|\bnodes\W+(\d+)`)

// bench runs the engine's bench twice at the same time, as OpenBench does, for at most a minute.
func (c *Checker) bench(ctx context.Context) {
	nodes := make([]string, 2)
	var both sync.WaitGroup
	for i := range nodes {
		both.Go(func() {
			note := func(sent bool, line string) {
				if m := benchNodes.FindStringSubmatch(line); m != nil && !sent {
					nodes[i] = strings.Join(m[1:], "")
				}
			}
			args := append(slices.Clone(c.args), "bench")
			e, _ := client.Start(ctx, client.Launch{Path: c.program, Args: args, Timeout: time.Minute, Log: note})
			if e != nil { // it answers uci, after its bench or without one
				e.Close()
			}
		})
	}
	if both.Wait(); nodes[0] != nodes[1] && nodes[0] != "" && nodes[1] != "" {
		text := fmt.Sprintf("%s nodes, then %s, of %s bench", nodes[0], nodes[1], c.Command)
		c.keep(ctx, Finding{Rule: "bench", Text: text})
	}
}

const chess960On = "setoption name UCI_Chess960 value true"

// random returns the script of a random session.
func (c *Checker) random(number int) (script []string) {
	r := rand.New(rand.NewPCG(c.Seed, uint64(number)))
	add := func(lines ...string) { script = append(script, lines...) }
	chess960 := r.IntN(3) == 0 && c.has("UCI_Chess960")
	if chess960 {
		add(chess960On)
	}
	var p *chess.Position
	for range 3 + r.IntN(6) {
		switch r.IntN(8) {
		case 0:
			add(fmt.Sprintf("setoption name MultiPV value %d", 1+r.IntN(6)))
		case 1:
			o := append(c.options, client.Option{})[r.IntN(len(c.options)+1)]
			if values := safeValues(&o); r.IntN(4) == 0 && len(values) > 0 && o.Name != "UCI_Chess960" {
				add(fmt.Sprintf("setoption name %s value %s", o.Name, values[r.IntN(len(values))]))
			}
		case 2:
			add("ucinewgame", "isready")
			p = nil
		}
		if p == nil || r.IntN(2) == 0 {
			p = generator.RandomGame(r, chess960)
			add(client.PositionCommand(p, chess960))
		}
		only, ms := "", 20+r.IntN(80)
		if moves := movegen.Legal(p, nil); r.IntN(5) == 0 && len(moves) > 0 {
			only = " searchmoves " + (&state{chess960: chess960}).text(p, moves[r.IntN(len(moves))])
		}
		switch r.IntN(8) {
		case 0:
			add(fmt.Sprintf("go nodes %d%s", 1+r.IntN(5000), only))
		case 1:
			add(fmt.Sprintf("go movetime %d%s", ms, only))
		case 2:
			add(fmt.Sprintf("go wtime %d btime %d winc %d binc %d", 5*ms, 4*ms, ms%9, ms%7))
		case 3:
			add("go infinite"+only, fmt.Sprintf("sleep %d", ms), "isready", "stop")
		case 4:
			add("go infinite"+only, "stop")
		default:
			add(fmt.Sprintf("go depth %d%s", 1+r.IntN(6), only))
		}
	}
	return script
}

// reduce makes the session of a finding as short as it can in some seconds: lines go, then moves, rights and pieces of
// its games. A finding that does not show again keeps its session.
func (c *Checker) reduce(ctx context.Context, f *Finding) {
	ctx, cancel := context.WithTimeout(ctx, 3*c.patience+time.Second)
	defer cancel()
	fails := func(script []string) bool {
		s := c.play(ctx, f.owner, script)
		i := slices.IndexFunc(s.findings, f.alike)
		if i < 0 || s.unlawful || f.Timed && !c.again(ctx, f, script) || ctx.Err() != nil {
			return false
		}
		f.script, f.Shell, f.Text, f.Line = slices.Clone(script), s.shell, s.findings[i].Text, s.findings[i].Line
		return true
	}
	if len(f.script) == 0 || len(f.script) > 100 {
		return
	}
	generator.ReduceList(f.script, fails)
	for i, line := range f.script {
		if p, err := client.ParsePosition(line); err == nil && line != "position startpos" {
			generator.ReduceGame(p, func(p *chess.Position) bool {
				script := slices.Clone(f.script)
				script[i] = client.PositionCommand(p, slices.Contains(script, chess960On))
				return ctx.Err() == nil && script[i] != f.script[i] && fails(script)
			})
		}
	}
}
