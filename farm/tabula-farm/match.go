package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/uci/client"
)

const pairsPerJob = 4 // of tuning and, where games are short, of a match

// side is one of the two engines.
type side struct {
	Name    string            `json:"name"`
	Source  int               `json:"source,omitempty"`  // index of the input that archive made; 0 with Command
	Bench   uint64            `json:"bench,omitempty"`   // nodes that the bench of what is built must visit
	Command []string          `json:"command,omitempty"` // program on the worker's machine, and its arguments
	Options map[string]string `json:"options,omitempty"` // UCI options besides Hash and Threads
}

// matchRun is the kind of run that lets two engines play each other. A job is a block of pairs, a pair two games
// from one opening with colours exchanged; the fold counts pairs in order of their numbers, so that a sequential test
// never sees the quick pairs first.
//
// An engine is a commit of this repository, which each worker builds and whose bench it checks, or a command that
// runs on the workers' machines. Games at fixed nodes between commits without options are the same on every machine,
// and one block in a hundred is played again by another worker; games by the clock, and engines whose repeatability
// nobody knows, are believed.
//
// Its first input holds the openings, which are played in their order and, where the games would differ, then again.
type matchRun struct {
	A, B        side
	run.Blocks              // of pairs
	match.Rules             // times are nanoseconds
	Hash        int         `json:"hash"` // MiB of each engine
	Test        *match.Test `json:"test,omitempty"`

	cache *engineCache
	nps   float64 // nodes a second of a core of this machine in the bench, 0 for the reference

	match.Standing `json:"-"`
	verdict        match.Verdict

	mu       sync.Mutex
	openings []*chess.Position // nil until the first job
}

func (p *matchRun) Check() error {
	if p.Hash < 1 || p.Hash > 1<<25 {
		return fmt.Errorf("hash %d MiB: want 1 to %d", p.Hash, 1<<25)
	}
	err := cmp.Or(p.CheckBlocks("pairs"), p.Rules.Check())
	if err == nil && p.Test != nil {
		err = p.Test.Check()
	}
	return err
}

func (p *matchRun) order(ctx context.Context, s *spec, at place) (title string, inputs [][]byte, err error) {
	p.Items, p.PerJob, p.Nodes, p.Hash = s.Pairs, 1, s.Nodes, s.Hash
	pace := plural.Of(s.Nodes, "node")
	if s.TC != "" {
		if p.Clock, err = match.ParseClock(s.TC); err != nil {
			return "", nil, fmt.Errorf("--tc %w", err)
		}
		p.Nodes, p.Margin, pace = 0, 20*time.Millisecond, s.TC
	}
	if s.SPRT != "" {
		if p.Test, err = match.ParseTest(s.SPRT); err != nil {
			return "", nil, fmt.Errorf("SPRT: %w", err)
		}
	}
	if err := p.Check(); err != nil {
		return "", nil, err // before engines are built
	}
	p.PerJob = p.perJob()
	book, err := openings(s, func(err error) { fmt.Fprintln(at.errOut, "warning:", err) })
	if err != nil {
		return "", nil, err
	}
	inputs = [][]byte{book}
	for i, side := range []*side{&p.A, &p.B} {
		source, err := side.set(ctx, []string{s.A, s.B}[i], at)
		if err != nil {
			return "", nil, err
		}
		if source != nil {
			side.Source, inputs = len(inputs), append(inputs, source)
		}
	}
	a, b := match.Side{Options: p.A.Options}, match.Side{Options: p.B.Options}
	p.ToTheEnd = a.Limited() || b.Limited()
	err = p.CheckOpenings(s.Pairs, bytes.Count(book, []byte("\n")), a, b)
	return fmt.Sprintf("%v against %v, %s", &p.A, &p.B, pace), inputs, err
}

// perJob returns how many pairs make a job of at most a quarter of an hour on the reference core, if a game has eighty
// moves of each side.
func (p *matchRun) perJob() int {
	seconds := 4 * 80 * float64(p.Nodes) / referenceNPS
	if p.Nodes == 0 {
		seconds = 4 * (p.Clock.Base + 80*p.Clock.Inc).Seconds()
	}
	return max(1, min(pairsPerJob, int(15*60/seconds)))
}

// String returns the name of an engine and its options, such as "HEAD,UCI_Elo=1800".
func (s *side) String() string {
	text := s.Name
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		text += fmt.Sprintf(",%s=%s", name, s.Options[name])
	}
	return text
}

func (p *matchRun) result(out io.Writer, st run.Outcome) error {
	_, err := fmt.Fprintf(out, "%v against %v: %s\n", &p.A, &p.B, p.Text())
	return err
}

// openings returns the openings of a match, a FEN a line: those of a file in an order that the seed decides, or random
// ones, one for each pair.
func openings(s *spec, warn func(error)) (book []byte, err error) {
	var fens []string
	r := rand.New(rand.NewPCG(s.Seed, 0))
	switch {
	case s.Openings != "":
		if fens, err = match.ReadOpenings(s.Openings, warn); err != nil {
			return nil, fmt.Errorf("--openings: %w", err)
		}
		r.Shuffle(len(fens), func(i, j int) { fens[i], fens[j] = fens[j], fens[i] })
		fens = fens[:min(s.Pairs, len(fens))]
	case !(s.Chess960 >= 0 && s.Chess960 <= 1):
		return nil, fmt.Errorf("--chess960 %v: want 0 to 1", s.Chess960)
	default:
		e, err := match.NewEngine(1, nil)
		for n := 0; err == nil && n < s.Pairs; n++ {
			e.Clear()
			var p *chess.Position
			if p, err = match.Opening(r, e.Engine, s.Chess960); err == nil {
				fens = append(fens, p.FEN())
			}
		}
		if err != nil {
			return nil, err
		}
	}
	_, err = match.Positions(fens)
	return []byte(strings.Join(fens, "\n") + "\n"), err
}

// set says which engine a text means, as tabula-farm match takes it. For a commit of the repository in the present directory
// it returns the source, built once here to learn the number of its bench.
func (s *side) set(ctx context.Context, text string, at place) (source []byte, err error) {
	if text, s.Command, s.Options, err = match.ParsePlayer(text); err != nil {
		return nil, err
	}
	match.LimitStrength(s.Options)
	if s.Command != nil {
		s.Name = filepath.Base(s.Command[0])
		return nil, nil
	}
	source, commit, err := archive(ctx, ".", text)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(at.errOut, "builds %s, commit %.10s, and runs its bench\n", text, commit)
	s.Name = commit[:10]
	if _, s.Bench, err = at.cache.engine(ctx, s.Name, func() ([]byte, error) { return source, nil }); err != nil {
		return nil, fmt.Errorf("commit %s: %w", text, err)
	}
	return source, nil
}

// referenceNPS is the nodes a second of Tabula's bench on a core of the machine to which clocks refer: one that is
// twice as fast plays with half the time.
const referenceNPS = 1_000_000

// Twice returns 100 where every machine plays the same games: an option may make moves random.
func (p *matchRun) Twice() int {
	if p.Nodes > 0 && p.A.Source != 0 && p.B.Source != 0 && len(p.A.Options)+len(p.B.Options) == 0 {
		return 100
	}
	return 0
}

func (p *matchRun) clock() match.Clock {
	c := p.Clock
	if p.nps > 0 {
		scale := referenceNPS / p.nps
		c.Base, c.Inc = time.Duration(float64(c.Base)*scale), time.Duration(float64(c.Inc)*scale)
	}
	return c
}

// Do plays the pairs of a job and returns the games in PGN, with their number.
func (p *matchRun) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	if err := p.readBook(ctx, in); err != nil {
		return nil, 0, err
	}
	var players [2]*match.Program
	for i, s := range []*side{&p.A, &p.B} {
		config, err := p.engine(ctx, s, in)
		if err == nil {
			defer os.RemoveAll(config.Dir)
			players[i], err = match.NewProgram(ctx, config, p.Hash, s.Options)
		}
		if err != nil {
			return nil, 0, fmt.Errorf("engine %s: %w", s.Name, err)
		}
		defer players[i].Close()
	}
	var text bytes.Buffer
	records := pgn.NewWriter(&text)
	rules := p.Rules
	rules.Clock = p.clock()
	first, end := p.Block(j.Index)
	for pair := first; pair < end; pair++ {
		aIsBlack := false
		opening := p.openings[pair%len(p.openings)]
		_, _, err := match.PlayPair(ctx, opening, players[0], players[1], &rules, uint64(pair), func(g *match.Game) error {
			err := records.Write(p.record(g, pair, aIsBlack))
			aIsBlack = true
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	return text.Bytes(), float64(2 * (end - first)), nil
}

func (p *matchRun) readBook(ctx context.Context, in run.Inputs) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.openings != nil {
		return nil
	}
	book, err := in(ctx, 0)
	if err == nil {
		p.openings, err = match.Positions(strings.Split(strings.TrimSpace(string(book)), "\n"))
	}
	return err
}

// engine says how an engine is run; one of a commit is built first.
func (p *matchRun) engine(ctx context.Context, s *side, in run.Inputs) (config client.Config, err error) {
	if s.Source == 0 {
		return p.cache.isolate(s.Command[0], s.Command[1:]...)
	}
	path, bench, err := p.cache.engine(ctx, s.Name, func() ([]byte, error) { return in(ctx, s.Source) })
	if err != nil {
		return config, err
	}
	if bench != s.Bench {
		return config, fmt.Errorf("its bench visits %d nodes here (%s/%s), %d where the match began",
			bench, runtime.GOOS, runtime.GOARCH, s.Bench)
	}
	return p.cache.isolate(path)
}

func (p *matchRun) record(g *match.Game, pair int, aIsBlack bool) *pgn.Game {
	white, black, number := p.A.String(), p.B.String(), 1
	if aIsBlack {
		white, black, number = black, white, 2
	}
	control := fmt.Sprintf("%v+%v", p.Clock.Base.Seconds(), p.Clock.Inc.Seconds())
	if p.Nodes > 0 {
		control = "-"
	}
	r := &pgn.Game{Start: g.Start, Result: resultOf[g.Result]}
	for _, tag := range [][2]string{
		{"Event", p.A.String() + " - " + p.B.String()}, {"Round", fmt.Sprintf("%d.%d", pair+1, number)},
		{"White", white}, {"Black", black}, {"TimeControl", control}, {"Termination", g.Reason},
	} {
		r.SetTag(tag[0], tag[1])
	}
	for _, m := range g.Moves {
		comment := fmt.Sprintf("%d/%d", m.Score, m.Depth)
		if p.Nodes == 0 {
			comment += fmt.Sprintf(" %.3fs", m.Took.Seconds())
		}
		r.Main.Moves = append(r.Main.Moves, pgn.Node{Move: m.Move, Comments: []string{comment}})
	}
	return r
}

// resultOf is the result in PGN of one in half points of White.
var resultOf = [...]chess.Result{
	record.BlackWins: chess.BlackWins, record.Draw: chess.Draw, record.WhiteWins: chess.WhiteWins,
}

// Add counts the games of a job, in PGN, two for each pair.
func (p *matchRun) Add(j run.Job, text []byte) error {
	next, n, points := p.Standing, 0, 0
	for g, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		if err == nil && g.Shortened {
			err = g.Warning
		}
		if err != nil {
			return fmt.Errorf("match: %w", err)
		}
		result := slices.Index(resultOf[:], g.Result)
		if result < 0 {
			return fmt.Errorf("match: job %d: game %d has no result", j.Index, n)
		}
		how := g.Tag("Termination")
		game := match.Game{
			Result: record.Result(result), Late: how == match.TimeForfeit, Broken: how == match.Infraction,
		}
		points += next.Count(&game, n%2 == 1)
		if n++; n%2 == 0 {
			next.Pairs[points]++
			points = 0
		}
	}
	if first, end := p.Block(j.Index); n != 2*(end-first) {
		return fmt.Errorf("match: job %d: %s of %s", j.Index, plural.Of(n, "game"), plural.Of(end-first, "pair"))
	}
	if p.Standing, p.Folded = next, p.Folded+1; p.Test != nil {
		p.verdict = p.Test.Verdict(p.Pairs)
	}
	return nil
}

func (p *matchRun) Done() bool { return p.verdict != match.Open }

// Numbers returns games, the score of A, Elo with the bounds of its error, and the ratio of the test; what cannot be
// told yet is left out.
func (p *matchRun) Numbers() (all []run.Number) {
	games := float64(p.Won + p.Drawn + p.Lost)
	elo, margin := p.Pairs.Elo()
	add := func(name string, value float64) { all = append(all, run.Number{Name: name, Value: value}) }
	add("games", games)
	add("late", float64(p.Late[0]+p.Late[1]))
	add("faults", float64(p.Broken))
	if games > 0 {
		add("score", (float64(p.Won)+float64(p.Drawn)/2)/games)
	}
	if margin > 0 && !math.IsInf(margin, 0) { // all pairs that ended alike are too few to tell an error by
		add("elo", elo)
		add("elo_margin", margin)
	}
	if t := p.Test; t != nil {
		lower, upper := t.Bounds()
		add("llr", t.LLR(p.Pairs))
		add("llr_lower", lower)
		add("llr_upper", upper)
	}
	for points, n := range p.Pairs {
		add(fmt.Sprintf("pairs_%d", points), float64(n))
	}
	return all
}

func (p *matchRun) Text() string { return p.Standing.Text(&p.Rules, p.Test) }
