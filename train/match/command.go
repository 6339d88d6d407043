package match

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci/client"
	"github.com/tabula-chess/tabula/work"
	"github.com/tabula-chess/tabula/work/launch"
)

// Command returns matches as a command line starts them.
func Command() launch.Kind {
	return launch.Kind{
		Name:      "match",
		Usage:     "play networks, parameter sets, strengths, commits or UCI engines against each other",
		ArgsUsage: "A B…",
		Description: "" +
			"A player is a network file, \"embedded\" for the built-in network, \"commit:NAME\" for the engine of a commit\n" +
			"of the git repository in the present directory (a branch, a tag, HEAD~1), which is built, or \"exec:PROGRAM\n" +
			"ARGUMENTS\" for a UCI engine. A file whose name begins with commit: or exec: is given as ./commit:…\n" +
			"Settings NAME=VALUE follow after commas: for networks the parameters that train params lists, for commits\n" +
			"and programs UCI options, and UCI_Elo for all. Example: embedded,UCI_Elo=1800\n" +
			"\"exec:stockfish,UCI_Elo=1800,Hash=64\".\n" +
			"Each pair of games starts from one opening and swaps colours. For two players the command prints A's result.\n" +
			"More than two play a round robin, and a table of ratings comes first. With a limited strength, games end only\n" +
			"by the rules of chess. A larger --pairs plays more games.",
		Flags: []cli.Flag{
			NodesFlag(20000),
			&cli.StringFlag{Name: "tc", Usage: "time control, `SECONDS+INCREMENT`, such as 3+0.03"},
			&cli.IntFlag{
				Name:  "node-time",
				Usage: "with --tc: count `N` nodes as a millisecond, so that machine load does not affect the games",
			},
			&cli.IntFlag{Name: "pairs", Value: 200, Usage: "play at most `N` pairs of games"},
			&cli.BoolFlag{Name: "gauntlet", Usage: "A plays all others; the others do not play each other"},
			&cli.StringFlag{Name: "sprt", Usage: "stop when an SPRT of `ELO0,ELO1` accepts a hypothesis (alpha = beta = 0.05)"},
			&cli.StringFlag{
				Name:  "openings",
				Usage: "`FILE` with one FEN or EPD per line (default: random moves from the starting position)",
			},
			Chess960Flag(0),
			SeedFlag("the openings"),
			&cli.IntFlag{Name: "hash", Value: 16, Usage: "transposition table of each engine in `MIB`"},
			&cli.StringFlag{Name: "pgn", Usage: "write the games to `FILE`, which has to be new or of this match"},
		},
		Threads: "run `N` games at a time; with --tc at most the number of free cores",
		Type:    Type(),
		Task:    task,
	}
}

// Flags that several commands share.

// NodesFlag limits searches. It is a hard limit, since by a soft one (see search.Soft) players that differ in their
// parameters search different numbers of nodes, and the one that searches more seems to be better.
func NodesFlag(value uint64) cli.Flag {
	return &cli.Uint64Flag{
		Name: "nodes", Value: value,
		Usage: "`N` nodes per search",
	}
}

// Chess960Flag sets the share of openings of Chess960.
func Chess960Flag(value float64) cli.Flag {
	return &cli.FloatFlag{
		Name: "chess960", Value: value,
		Usage:     "`SHARE` of games that start from Chess960, half of them with different back ranks",
		Validator: command.Between(0.0, 1.0),
	}
}

// SeedFlag sets the number that all random choices depend on.
func SeedFlag(purpose string) cli.Flag {
	return &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "random `NUMBER` for " + purpose}
}

// Embedded names the network built into the program.
const Embedded = "embedded"

// NetworkFlag names a network file; AddNetwork reads it for a run.
func NetworkFlag(purpose string) cli.Flag {
	return &cli.StringFlag{Name: "network", Value: Embedded, Usage: "network `FILE` " + purpose}
}

// TablesFlag names the folders that OpenTables opens.
func TablesFlag(purpose string) cli.Flag {
	return &cli.StringFlag{Name: "tables", Usage: purpose + " from the Syzygy tables in `DIR`"}
}

// OpenTables opens the tables of --tables, nil without that flag. Damaged ones are told on standard error. They stay
// open until the program ends.
func OpenTables(cmd *cli.Command) (*syzygy.Tables, error) {
	dirs := cmd.String("tables")
	if dirs == "" {
		return nil, nil
	}
	tables, err := syzygy.Open(syzygy.SplitPath(dirs)...)
	tables.Watch(command.Warn(cmd.Root().ErrWriter))
	return tables, err
}

// AddNetwork adds the network of a file to the inputs of a run and returns its number: 0 for the embedded one.
func AddNetwork(f *work.Files, name string) (number int, err error) {
	if name == Embedded {
		return 0, nil
	}
	data, err := files.Read(name)
	if err != nil {
		return 0, err
	}
	if _, err := nnue.Read(bytes.NewReader(data)); err != nil {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return f.Add(data), nil
}

// Signature returns the signature of the search of this program, which decides its games.
func Signature(ctx context.Context) (uint64, error) {
	return search.Signature(ctx, nnue.Embedded(), nil)
}

// Speed returns the nodes a second of the engine on one core while so many are at work: see [work.Env].
func Speed(ctx context.Context, cores int) (nps float64, err error) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range cores {
		all.Go(func() {
			began := time.Now()
			nodes, _, bad := search.Bench(ctx, nnue.Embedded(), search.DefaultBench(), nil)
			mu.Lock()
			defer mu.Unlock()
			nps, err = nps+float64(nodes)/time.Since(began).Seconds()/float64(cores), errors.Join(err, bad)
		})
	}
	all.Wait()
	return nps, err
}

// task makes a match of the flags and arguments of a command.
func task(ctx context.Context, cmd *cli.Command, env work.Env) (t *launch.Task, err error) {
	m := newMatch(env)
	t = &launch.Task{Kind: m, Done: func() int { return m.played }}
	m.Seed, m.Chess960, m.Hash = cmd.Uint64("seed"), cmd.Float("chess960"), cmd.Int("hash")
	m.Pairs, m.Gauntlet = cmd.Int("pairs"), cmd.Bool("gauntlet")
	if err := m.limits(cmd); err != nil {
		return nil, err
	}
	names, log := cmd.Args().Slice(), cmd.Root().ErrWriter
	for _, text := range names {
		s, err := m.side(ctx, text, &t.Files)
		if err != nil {
			return nil, err
		}
		m.Players = append(m.Players, s)
	}
	if m.Clock.Base > 0 && m.Clock.NodeTime == 0 && slices.ContainsFunc(m.Players, Side.program) {
		m.Margin = programMargin
	}
	if err := cmp.Or(m.Check(), m.extent(cmd)); err != nil {
		return nil, err
	}
	if name := cmd.String("openings"); name != "" {
		fens, err := ReadOpenings(name, command.Warn(log))
		if err == nil {
			err = m.repeats(len(fens))
		}
		if err != nil {
			return nil, err
		}
		m.Book = t.Files.Add([]byte(strings.Join(fens, "\n") + "\n"))
	}
	if own := func(s Side) bool { return !s.program() }; m.Book == 0 || slices.ContainsFunc(m.Players, own) {
		t.Search = Signature // random openings are checked by a search
	}
	if name := cmd.String("pgn"); name != "" {
		if filepath.Clean(name) == filepath.Clean(cmd.String("state")) {
			return nil, exit.WrongUsef("--pgn %s: want another file than --state", name)
		}
		out, err := work.OpenOutput(name)
		if err != nil {
			return nil, exit.WrongUsef("--pgn: %w", err)
		}
		t.Output, m.Games = out, out
	}
	t.Jobs = m.total()
	t.Print = func(out io.Writer) error { return m.print(out, names) }
	if err = m.build(ctx, t.Files, log); err != nil && t.Output != nil {
		err = errors.Join(err, t.Output.Close())
	}
	return t, err
}

// limits reads the flags that limit searches. An error names the flag.
func (m *Match) limits(cmd *cli.Command) (err error) {
	tc := cmd.String("tc")
	switch {
	case tc == "" && cmd.IsSet("node-time"):
		return exit.WrongUsef("--node-time needs --tc")
	case tc == "":
		m.Nodes = cmd.Uint64("nodes")
		return nil
	case cmd.IsSet("nodes"):
		return exit.WrongUsef("--nodes and --tc exclude each other")
	}
	if m.Clock, err = ParseClock(tc); err != nil {
		return exit.WrongUsef("--tc %w", err)
	}
	if m.Clock.NodeTime = cmd.Int("node-time"); cmd.IsSet("node-time") && m.Clock.NodeTime < 1 {
		return exit.WrongUsef("--node-time %d: want at least 1", m.Clock.NodeTime)
	}
	return nil
}

// extent reads the flags that say how far the match goes.
func (m *Match) extent(cmd *cli.Command) (err error) {
	if m.Pairs < 1 {
		return exit.WrongUsef("pairs %d: want at least 1", m.Pairs)
	}
	bounds := cmd.String("sprt")
	if bounds == "" {
		return nil
	}
	if m.Test, err = ParseTest(bounds); err != nil {
		return exit.WrongUsef("--sprt %w", err)
	}
	if n := len(m.Players); n > 2 {
		return exit.WrongUsef("SPRT: %s: want two", plural.Of(n, "player"))
	}
	return m.Test.Check()
}

// repeats returns an error if pairs of games from so many openings would be the same games again: nodes limit the
// searches, nobody's moves are random, and there are too few openings.
func (m *Match) repeats(openings int) error {
	same := (m.Nodes > 0 || m.Clock.NodeTime > 0) && !slices.ContainsFunc(m.Players, Side.Limited)
	if same && m.Pairs > openings {
		return exit.WrongUsef("--pairs %d: there %s, and at fixed nodes another round would be the same games; "+
			"want at most %d", m.Pairs, plural.Verb(openings, "is ", "are ")+plural.Of(openings, "opening"), openings)
	}
	return nil
}

// programMargin is the time by which a UCI program may exceed its clock: its answers travel through pipes.
const programMargin = 20 * time.Millisecond

// side returns the player that a text such as "exec:stockfish,Hash=64" describes.
func (m *Match) side(ctx context.Context, text string, in *work.Files) (s Side, err error) {
	who, rest, more := strings.Cut(text, ",")
	settings := map[string]string{}
	for more {
		var setting string
		setting, rest, more = strings.Cut(rest, ",")
		name, value, found := strings.Cut(setting, "=")
		if !found || name == "" {
			return s, exit.WrongUsef("player %q: %q: want NAME=VALUE", text, setting)
		}
		settings[name] = value
	}
	line, program := strings.CutPrefix(who, "exec:")
	commit, built := strings.CutPrefix(who, "commit:")
	switch {
	case program:
		if s.Command = strings.Fields(line); len(s.Command) == 0 {
			return s, exit.WrongUsef("engine %q: want a program after exec:", text)
		}
		s.Name = filepath.Base(s.Command[0])
		s.Program = programSum(s.Command[0])
	case built:
		var source []byte
		if source, s.Commit, err = Archive(ctx, ".", commit); err == nil {
			s.Name, s.Source = s.Commit[:10], in.Add(source)
		}
		err = exit.WrongUse(err)
	default:
		s.Name = filepath.Base(who)
		s.Network, err = AddNetwork(in, who)
	}
	if err != nil {
		return s, err
	}
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := s.set(name, settings[name]); err != nil {
			return s, exit.WrongUsef("player %q: %w", text, err)
		}
		s.Name += fmt.Sprintf(",%s=%s", name, settings[name])
	}
	return s, nil
}

// programSum returns the SHA-256 of a program's file, "" where there is none: whoever starts it says why.
func programSum(name string) string {
	path, err := client.Find(name)
	if err == nil {
		path, err = exec.LookPath(path)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return ""
	}
	return work.Sum(data)
}

// build builds the engines of commits to learn the numbers of their benches.
func (m *Match) build(ctx context.Context, in work.Files, log io.Writer) (err error) {
	for i := range m.Players {
		s := &m.Players[i]
		if s.Commit == "" || err != nil {
			continue
		}
		_, s.Bench, err = m.engines.Get(ctx, s.Commit, func() ([]byte, error) {
			fmt.Fprintf(log, "building the engine of commit %.10s and running its bench\n", s.Commit)
			return in[s.Source-1], nil
		})
	}
	return err
}

// set applies a setting to a player.
func (s *Side) set(name, value string) error {
	if s.program() {
		if s.Options == nil {
			s.Options = map[string]string{}
		}
		s.Options[name] = value
		if strings.EqualFold(name, eloOption) { // which has no effect without
			s.Options["UCI_LimitStrength"] = "true"
		}
		return nil
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		return fmt.Errorf("%s=%q: want a whole number", name, value)
	}
	if name == eloOption {
		s.Elo = n
		return search.Strength{Elo: n}.Check()
	}
	if s.Params == nil {
		s.Params = map[string]int{}
	}
	s.Params[name] = n
	return nil
}

// print prints the result of a match between players with these names.
func (m *Match) print(out io.Writer, names []string) error {
	if len(m.standings) == 1 {
		_, err := fmt.Fprintln(out, m.standings[0].Text(&m.Rules, m.Test))
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "Elo\t±\tgames\tscore\t  player\n")
	for _, r := range Ratings(len(names), m.standings) {
		margin := "–"
		if !math.IsNaN(r.Margin) {
			margin = fmt.Sprintf("%.0f", r.Margin)
		}
		fmt.Fprintf(table, "%+.0f\t%s\t%d\t%.1f%%\t  %s\n", r.Elo, margin, r.Games, 100*r.Score, names[r.Player])
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range m.standings {
		if _, err := fmt.Fprintf(out, "%s against %s: %s\n", names[s.A], names[s.B], s.Text(&m.Rules, m.Test)); err != nil {
			return err
		}
	}
	return nil
}
