package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
)

// whyCommand measures the explanations of reviews.
func whyCommand() *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "count the mistakes in rated games that a review explains, and the claims that a deeper search confirms",
		ArgsUsage: "FILE.pgn …",
		Description: `Reviews games in random order until each band of ratings has enough mistakes, and prints a row for each
mistake with tabs between the fields, then shares for each band and each kind of claim. A claim survives if searches
of ten times the nodes, from an empty table, find a loss of at least 0.05 and the same proof.`,
		Flags: []cli.Flag{
			&cli.Uint64Flag{Name: "nodes", Value: review.DefaultNodes, Validator: command.AtLeast[uint64](1),
				Usage: "search each position for `N` nodes"},
			&cli.Uint64Flag{Name: "deeper", Value: 10, Validator: command.AtLeast[uint64](1),
				Usage: "check claims with `N` times the nodes"},
			&cli.IntFlag{Name: "mistakes", Value: 100, Usage: "`N` mistakes in each band", Validator: command.AtLeast(1)},
			&cli.IntSliceFlag{Name: "bands", Value: []int{1600, 2000, 2400},
				Usage: "`RATINGS` at which the second band and those after it begin"},
			&cli.IntFlag{Name: "clock", Value: 180, Usage: "only games in which each side begins with at least `SECONDS`"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of the order of the games"},
			hashFlag(16, "transposition table of `MiB`"),
		},
		Action: func(ctx context.Context, cmd *cli.Command) error {
			switch {
			case cmd.NArg() == 0:
				return exit.WrongUsef("why: want PGN files")
			case !slices.IsSorted(cmd.IntSlice("bands")):
				return exit.WrongUsef("bands: %v, want ascending ratings", cmd.IntSlice("bands"))
			}
			games, err := ratedGames(cmd.Args().Slice(), time.Duration(cmd.Int("clock"))*time.Second)
			if err != nil {
				return err
			}
			e, err := search.NewEngine(cmd.Int("hash"))
			if err != nil {
				return exit.WrongUse(err)
			}
			defer e.Close()
			order := rand.New(rand.NewPCG(cmd.Uint64("seed"), 0)) // #nosec: not a secret
			order.Shuffle(len(games), func(i, j int) { games[i], games[j] = games[j], games[i] })
			s := &whySurvey{
				nodes: cmd.Uint64("nodes"), deeper: cmd.Uint64("deeper"), bands: cmd.IntSlice("bands"), out: cmd.Root().Writer,
				engine: &meter{Engine: e}, shares: map[string]*whyShare{},
			}
			err = s.run(ctx, games, cmd.Int("mistakes"))
			s.write()
			return err
		},
	}
}

// ratedGames reads the games of people in which both players have a rating and the clocks begin with enough time.
func ratedGames(names []string, clock time.Duration) (all []*pgn.Game, err error) {
	for _, name := range names {
		file, err := files.Open(name)
		if err != nil {
			return nil, err
		}
		for g, err := range pgn.NewReader(file).Games() {
			if wrong := new(pgn.Error); err != nil && !errors.As(err, &wrong) {
				return nil, fmt.Errorf("%s: %w", name, errors.Join(err, file.Close()))
			}
			if err != nil || g.Shortened || g.Start != nil || rating(g, "White") == 0 || rating(g, "Black") == 0 ||
				g.Tag("WhiteTitle") == "BOT" || g.Tag("BlackTitle") == "BOT" {
				continue
			}
			if t, ok := pgn.ParseTimeControl(g.Tag("TimeControl")); ok && t.Base >= clock {
				all = append(all, g)
			}
		}
		if err := file.Close(); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, errors.New("no game with ratings and clocks")
	}
	return all, nil
}

// rating returns the rating of a side, 0 where it is not known.
func rating(g *pgn.Game, side string) int {
	n, err := strconv.Atoi(g.Tag(side + "Elo"))
	if err != nil {
		return 0
	}
	return n
}

// meter counts the nodes and the time of searches, those of proofs apart: they begin with an empty table, as a review
// does once.
type meter struct {
	review.Engine
	cleared           int
	nodes, proofs     uint64
	took, tookByProof time.Duration
}

// Clear implements [review.Engine].
func (m *meter) Clear() {
	m.cleared++
	m.Engine.Clear()
}

// Analyse implements [review.Engine].
func (m *meter) Analyse(ctx context.Context, p *chess.Position, l search.Limits, o search.Options,
	report func(search.Info)) (search.Analysis, error) {
	began := time.Now()
	a, err := m.Engine.Analyse(ctx, p, l, o, report)
	if m.cleared > 1 {
		m.proofs += a.Nodes
		m.tookByProof += time.Since(began)
	} else {
		m.nodes += a.Nodes
		m.took += time.Since(began)
	}
	return a, err
}

// whyShare counts mistakes, or claims of one kind.
type whyShare struct{ mistakes, explained, survived int }

// whySurvey is a run of the command.
type whySurvey struct {
	nodes, deeper uint64
	bands         []int
	out           io.Writer
	engine        *meter
	games, moves  int
	reviewed      meter // what the reviews took, without the checks
	shares        map[string]*whyShare
}

// band names the band of a rating.
func (s *whySurvey) band(rating int) string {
	i, _ := slices.BinarySearch(s.bands, rating+1)
	switch {
	case len(s.bands) == 0:
		return "all ratings"
	case i == 0:
		return fmt.Sprintf("below %d", s.bands[0])
	case i == len(s.bands):
		return fmt.Sprintf("%d and above", s.bands[i-1])
	}
	return fmt.Sprintf("%d to %d", s.bands[i-1], s.bands[i]-1)
}

// count returns the counts with a name.
func (s *whySurvey) count(name string) *whyShare {
	if s.shares[name] == nil {
		s.shares[name] = &whyShare{}
	}
	return s.shares[name]
}

// run reviews games until each band has so many mistakes.
func (s *whySurvey) run(ctx context.Context, games []*pgn.Game, most int) error {
	for _, g := range games {
		bands := map[string]string{"white": s.band(rating(g, "White")), "black": s.band(rating(g, "Black"))}
		if s.count(bands["white"]).mistakes >= most && s.count(bands["black"]).mistakes >= most {
			continue
		}
		*s.engine = meter{Engine: s.engine.Engine}
		o := review.Options{Limits: review.Limits{Nodes: s.nodes}, Tables: search.AllTables(), NoPuzzles: true, Why: true}
		r, err := review.Game(ctx, s.engine, g, o, nil)
		if err != nil {
			return err
		}
		s.games, s.moves = s.games+1, s.moves+len(r.Moves)
		s.reviewed.nodes += s.engine.nodes
		s.reviewed.proofs += s.engine.proofs
		s.reviewed.took += s.engine.took
		s.reviewed.tookByProof += s.engine.tookByProof
		if err := s.check(ctx, g, r, bands); err != nil {
			return err
		}
	}
	return nil
}

// check checks the claims about the mistakes of a game.
func (s *whySurvey) check(ctx context.Context, g *pgn.Game, r *review.Report, bands map[string]string) error {
	p := g.Position()
	for i := range r.Moves {
		if m := &r.Moves[i]; m.Judgment == review.Mistake || m.Judgment == review.Blunder {
			if err := s.mistake(ctx, p, g, m, bands[m.Side]); err != nil {
				return err
			}
		}
		g.Main.Moves[i].Play(p)
	}
	return nil
}

// mistake counts one mistake, before which the position is p, and prints its row.
func (s *whySurvey) mistake(ctx context.Context, p *chess.Position, g *pgn.Game, m *review.Move, band string) error {
	kind, text, left, survives := "", "", 0.0, false
	if m.Why != nil {
		o := review.Options{Limits: review.Limits{Nodes: s.nodes * s.deeper}, Tables: search.AllTables()}
		var err error
		if survives, _, err = m.Recheck(ctx, s.engine, p.Clone(), o); err != nil {
			return err
		}
		kind, text, left = "allows ", m.Why.Text, m.Why.Proof.Left
		if m.Why.Missed {
			kind = "misses "
		}
		kind += string(m.Why.Tactic)
	}
	for _, name := range []string{band, kind, "all"} {
		if name == "" {
			continue
		}
		c := s.count(name)
		c.mistakes++
		if m.Why != nil {
			c.explained++
		}
		if survives {
			c.survived++
		}
	}
	_, err := fmt.Fprintf(s.out, "%s\t%s\t%d\t%s\t%.4f\t%.4f\t%s\t%v\t%s\t%s\n", band, g.Tag("Site"), m.Ply, m.SAN,
		m.Loss, left, kind, survives, text, p.FEN())
	return err
}

// write prints the shares.
func (s *whySurvey) write() {
	fmt.Fprintf(s.out, "\n%-24s %8s %9s %8s\n", "", "mistakes", "explained", "survived")
	for _, name := range slices.Sorted(maps.Keys(s.shares)) {
		c := s.shares[name]
		fmt.Fprintf(s.out, "%-24s %8d %9d %8d\n", name, c.mistakes, c.explained, c.survived)
	}
	v := &s.reviewed
	fmt.Fprintf(s.out, "%s, %s, %d nodes a position; proofs add %.3f of the nodes and %.3f of the time without puzzles\n",
		plural.Of(s.games, "game"), plural.Of(s.moves, "move"), s.nodes, float64(v.proofs)/float64(max(1, v.nodes)),
		v.tookByProof.Seconds()/max(v.took.Seconds(), 1e-9))
}
