package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/uci/client"
)

// labelCommand describes "train label".
func labelCommand() *cli.Command {
	return &cli.Command{
		Name:      "label",
		Usage:     "search the positions of games again and write the games with the new scores",
		ArgsUsage: "GAMES…",
		Description: "" +
			"The result is a game file for train judge or train fit. It has the games that a fit holds out, or more of them\n" +
			"with --held. Moves and results stay as they are.",
		Flags: []cli.Flag{
			outFlag(replaced),
			match.NetworkFlag("to search with"),
			&cli.Uint64Flag{Name: "nodes", Value: 20000, Usage: "search each position for `N` nodes"},
			&cli.StringFlag{Name: "engine", Usage: "search with the UCI engine `CMD` instead"},
			heldFlag(), threadsFlag("run `N` searches at a time"),
		},
		Action: runLabel,
	}
}

// heldFlag chooses games.
func heldFlag() cli.Flag {
	return &cli.FloatFlag{Name: "held", Value: fit.DefaultHeld,
		Usage: "take the `SHARE` of the games that a fit would hold out first, 1 for all"}
}

// chosenHeld returns the share of --held.
func chosenHeld(cmd *cli.Command) (float64, error) {
	share := cmd.Float("held")
	if !(share > 0 && share <= 1) {
		return 0, exit.WrongUsef("--held %v: want more than 0, at most 1", share)
	}
	return share, nil
}

// labelHash is the transposition table of each engine in MiB.
const labelHash = 8

// runLabel runs "train label".
func runLabel(ctx context.Context, cmd *cli.Command) error {
	names, err := fileNames(cmd)
	if err != nil {
		return err
	}
	share, err := chosenHeld(cmd)
	if err != nil {
		return err
	}
	nodes, threads := cmd.Uint64("nodes"), cmd.Int("threads")
	if nodes < 1 || nodes > math.MaxUint32 {
		return exit.WrongUsef("--nodes %d: want 1 to %d", nodes, uint32(math.MaxUint32))
	}
	if threads < 1 {
		return exit.WrongUsef("--threads %d: want at least 1", threads)
	}
	network, err := namedNetwork(cmd.String("network"))
	if err != nil {
		return err
	}
	words := strings.Fields(cmd.String("engine"))
	if cmd.IsSet("engine") && len(words) == 0 {
		return exit.WrongUsef("--engine: the command is empty")
	}
	players := make(chan match.Player, threads)
	for range threads {
		var p match.Player
		if len(words) > 0 {
			p, err = match.NewProgram(ctx, client.Launch{Path: words[0], Args: words[1:], Timeout: time.Minute}, labelHash, nil)
		} else {
			p, err = match.NewEngine(labelHash, network)
		}
		if err != nil {
			return err
		}
		defer p.Close()
		players <- p
	}
	r := progress(cmd, -1, "positions")
	written, err := label(ctx, names, cmd.String("out"), share, nodes, players, func(done int) {
		r.Show(done, plural.Of(done, "position"))
	})
	r.Close()
	if err != nil {
		return err
	}
	return printCounts(cmd, written)
}

// labelTask is a game to label.
type labelTask struct {
	id   record.ID
	game *record.ScoredGame
	err  error
}

// label writes the share of the games in the named files to out, with scores of the players.
func label(ctx context.Context, names []string, out string, share float64, nodes uint64,
	players chan match.Player, report func(positions int)) (written record.Counts, err error) {
	w, err := record.Create(out)
	if err != nil {
		return written, err
	}
	defer w.Abort()
	var unread error
	err = parallel.InOrder(ctx, cap(players), func(yield func(labelTask) bool) {
		unread = record.Blocks(ctx, names, func(b *record.Block) error {
			for id, g := range b.Games() {
				if fit.Holds(g, share) && !yield(labelTask{id: id, game: g}) {
					return context.Canceled
				}
			}
			return nil
		})
	}, func(t labelTask) labelTask {
		p := <-players
		defer func() { players <- p }()
		t.id.Nodes = uint32(nodes)
		t.err = score(ctx, p, t.game, nodes)
		return t
	}, func(t labelTask) error {
		if t.err != nil {
			return fmt.Errorf("game %d of run %d: %w", t.id.Number, t.id.Run, t.err)
		}
		written.Add(t.game)
		report(written.Positions)
		return w.Add(t.id, t.game)
	})
	switch {
	case err != nil:
		return written, err
	case unread != nil:
		return written, unread
	case written.Games == 0:
		return written, fmt.Errorf("none of the games is among the held-out %v; --held 1 takes all", share)
	}
	return written, w.Commit()
}

// score gives each position of a game the score of a search.
func score(ctx context.Context, player match.Player, g *record.ScoredGame, nodes uint64) error {
	if err := player.Begin(ctx, 0); err != nil {
		return err
	}
	p := new(chess.Position)
	if err := g.Verify(p, nil); err != nil {
		return err
	}
	if err := g.Start.Into(p); err != nil {
		return err
	}
	for i := range g.Plies {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := player.Move(ctx, p, &match.Rules{Nodes: nodes}, [2]time.Duration{})
		switch {
		case err != nil:
			return err
		case m.Broken:
			return errors.New("the engine crashed or gave no legal move in " + p.FEN())
		case !m.Scored:
			return errors.New("the engine gives no score of " + p.FEN())
		}
		g.Plies[i].Score = record.WhiteScore(p.SideToMove(), int(m.Score))
		p.Make(g.Plies[i].Move)
	}
	return nil
}
