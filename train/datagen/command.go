package datagen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/work"
	"github.com/tabula-chess/tabula/work/launch"
)

// Command returns training games as a command line starts them.
func Command() launch.Kind {
	return launch.Kind{
		Name:  "datagen",
		Usage: "play games of the engine against itself and record each position with its score",
		Description: "" +
			"Appends games to the file, in blocks of about a second of work. After an interruption or a kill, which\n" +
			"lose the blocks under way, the same command continues. --games counts all games in the file.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Required: true, Usage: "`FILE` to append to"},
			match.NetworkFlag("to play with"),
			&cli.Uint64Flag{Name: "nodes", Value: 200,
				Usage: "nodes per search: no iteration starts that would probably exceed `N`; the search stops at 2N"},
			match.Chess960Flag(0.1),
			match.TablesFlag("end games with the exact result"),
			&cli.Uint64Flag{Name: "seed", DefaultText: "that of the file's last game if these settings give it, or random",
				Usage: "`NUMBER` of the run; the same number gives the same games"},
			&cli.IntFlag{Name: "games", Usage: "stop when the file holds `N` games", Validator: command.AtLeast(0)},
			&cli.FloatFlag{Name: "hours", Usage: "stop after `H` hours", Validator: command.Between(0.0, 100_000.0)},
		},
		Threads: "run `N` games at a time; the games are the same for any number",
		Journal: "out",
		Type:    Type(),
		Task:    task,
	}
}

// task makes a run of the flags of a command.
func task(ctx context.Context, cmd *cli.Command, _ work.Env) (*launch.Task, error) {
	if err := command.NoArguments(cmd); err != nil {
		return nil, err
	}
	g := &Games{
		Run: cmd.Uint64("seed"), Nodes: cmd.Uint64("nodes"), Chess960: cmd.Float("chess960"), Want: cmd.Int("games"),
	}
	if !cmd.IsSet("seed") {
		g.Run, g.Last = rand.Uint64(), true
	}
	t := &launch.Task{
		Kind: g, Search: match.Signature, Print: g.print,
		Time: time.Duration(cmd.Float("hours") * float64(time.Hour)),
	}
	t.Jobs, t.Done = g.progress(t.Time)
	var err error
	if g.Network, err = match.AddNetwork(&t.Files, cmd.String("network")); err != nil {
		return nil, err
	}
	if g.Tables, err = match.OpenTables(cmd); err != nil {
		return nil, err
	}
	if g.Tables != nil {
		g.Men = g.Tables.Pieces()
	}
	if err := g.Check(); err != nil {
		return nil, err
	}
	name := cmd.String("out")
	log, err := record.OpenLog(name)
	if err != nil {
		return nil, err
	}
	if log.Cut > 0 {
		fmt.Fprintf(cmd.Root().ErrWriter, "%s: removed %s of an unfinished block\n", name, plural.Of(log.Cut, "byte"))
	}
	t.Output = log
	t.First, err = g.Continue(log)
	same := true
	if err == nil {
		same, err = g.repeats(ctx, name, t.Files.Get)
	}
	if err == nil && !same && g.Last {
		g.Run, g.Last = rand.Uint64(), false
		t.First, err = g.Continue(log)
	} else if err == nil && !same {
		err = exit.WrongUsef("its games of run %d come out otherwise with this search, network, tables or share of Chess960: "+
			"give another seed or another file", g.Run)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", name, err), log.Close())
	}
	return t, nil
}

// progress returns the steps of a progress bar, -1 without a limit, and a function that returns how many are done, by
// the nearer limit: that of games or of time.
func (g *Games) progress(limit time.Duration) (steps int, done func() int) {
	if g.Want == 0 && limit == 0 {
		return -1, func() int { return g.counts.Games - g.before.Games }
	}
	steps = 10000
	return steps, func() int {
		share := 0.0
		if all := g.Want - g.before.Games; all > 0 {
			share = float64(g.counts.Games-g.before.Games) / float64(all)
		}
		if limit > 0 {
			share = max(share, min(1, float64(time.Since(g.began))/float64(limit)))
		}
		return int(share * float64(steps))
	}
}

// print prints what the run added to the file, and what that holds.
func (g *Games) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "run %d: %s, %s in %v\n%s\n", g.Run, plural.Of(g.counts.Games-g.before.Games, "game"),
		plural.Of(g.counts.Positions-g.before.Positions, "position"), time.Since(g.began).Round(time.Second), g.Text())
	return err
}
