package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/record"
)

// maxGamesPerJob bounds the games of a job, so that the longest fit into a message, and the numbers of a run's games
// into the 32 bits in which they are recorded.
const maxGamesPerJob = 2000

// datagenRun is the kind of run that plays training games. A job is a run of games, numbered through the whole;
// its file is a block of them, the same byte for byte on every machine whose engine has the same bench, and one job
// in a hundred is played again by another worker.
type datagenRun struct {
	Nodes      uint64      `json:"nodes"`    // soft limit of a search
	Chess960   float64     `json:"chess960"` // share of games
	run.Blocks             // of games
	Network    run.Network `json:"network"`

	Counts record.Counts `json:"-"`
}

func (p *datagenRun) order(_ context.Context, s *spec, _ place) (title string, inputs [][]byte, err error) {
	p.Nodes, p.Chess960, p.Items = s.Nodes, s.Chess960, s.Games
	p.PerJob = perJob(s.Nodes, maxGamesPerJob)
	inputs, err = p.Network.Load(s.Network)
	return plural.Of(p.Items, "game") + ", " + plural.Of(p.Nodes, "node"), inputs, err
}

func (p *datagenRun) result(out io.Writer, st run.Outcome) error { return summary(out, st) }

func (p *datagenRun) Check() error {
	if p.PerJob > maxGamesPerJob {
		return fmt.Errorf("%d games in a job: want at most %d", p.PerJob, maxGamesPerJob)
	}
	return cmp.Or(p.CheckBlocks("games"), p.config(nil, 0).Check())
}

func (p *datagenRun) config(n *nnue.Network, number uint64) *datagen.Config {
	return &datagen.Config{
		Nodes: p.Nodes, Chess960: p.Chess960, Threads: 1, Hash: 2, // more memory gains nothing in short searches
		Network: n, Seed: number, Seeded: true,
	}
}

func (p *datagenRun) Twice() int { return 100 }

// id returns what a game is recorded with. The number of the run is that of its first job.
func (p *datagenRun) id(j run.Job, game int) record.ID {
	return record.ID{Run: run.Job{Run: j.Run}.KeyOf(), Number: uint32(game), Nodes: uint32(p.Nodes)}
}

// Do plays the games of a job and returns them as a block, with the number of positions.
func (p *datagenRun) Do(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
	n, err := p.Network.Get(ctx, in)
	if err != nil {
		return nil, 0, err
	}
	player, err := datagen.NewPlayer(p.config(n, p.id(j, 0).Run))
	if err != nil {
		return nil, 0, err
	}
	defer player.Close()
	var packer record.Packer
	for i, end := p.Block(j.Index); i < end; i++ {
		game, err := player.Play(ctx, p.id(j, i))
		if err != nil {
			return nil, 0, err
		}
		if game == nil {
			return nil, 0, ctx.Err()
		}
		packer.Add(p.id(j, i), game)
	}
	data, err := packer.Append(nil)
	return data, float64(packer.Positions), err
}

// Add counts the games of a job: a block of them, with the numbers that are theirs and legal moves.
func (p *datagenRun) Add(j run.Job, data []byte) error {
	file, err := record.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	if len(file.Entries) != 1 || file.Damage != nil {
		return fmt.Errorf("datagen: %s, damage %v: want one without", plural.Of(len(file.Entries), "block"), file.Damage)
	}
	b := new(record.Block)
	if err := file.Read(0, b); err != nil {
		return err
	}
	position := chess.NewPosition()
	counts := p.Counts
	n, end := p.Block(j.Index)
	for id, game := range b.Games() {
		if want := p.id(j, n); id != want {
			return fmt.Errorf("datagen: game %v where %v should be", id, want)
		}
		if err := game.Verify(position, nil); err != nil {
			return fmt.Errorf("datagen: game %d: %w", id.Number, err)
		}
		counts.Add(game)
		n++
	}
	if n != end {
		return fmt.Errorf("datagen: job %d: it ends before game %d, want %d", j.Index, n, end)
	}
	p.Counts, p.Folded = counts, p.Folded+1
	return nil
}

func (p *datagenRun) Text() string {
	c := &p.Counts
	return fmt.Sprintf("%s of %d (+%d =%d -%d), %s",
		plural.Of(c.Games, "game"), p.Items, c.WhiteWins, c.Draws(), c.BlackWins, plural.Of(c.Positions, "position"))
}
