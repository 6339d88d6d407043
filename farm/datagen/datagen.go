// Package datagen is the kind of run that plays training games. A job is a run
// of games, numbered through the whole; its file is a block of them, the same
// byte for byte on every machine whose engine has the same bench, and one job in
// a hundred is played again by another worker.
package datagen

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/train/datagen"
	"github.com/tabula-chess/tabula/train/games"
)

// Kind is the name of this kind of run.
const Kind = "datagen"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// replayed is the number of jobs of which one is done twice.
const replayed = 100

// MaxPerJob bounds the games of a job, so that the longest fit into a message.
const MaxPerJob = 2000

// maxGames bounds the games of a run, whose numbers are recorded in 32 bits.
const maxGames = 1 << 32

// Params are the parameters of a run.
type Params struct {
	Nodes    uint64  `json:"nodes"`    // soft limit of a search
	Hash     int     `json:"hash"`     // MiB of an engine's table
	Chess960 float64 `json:"chess960"` // share of games
	Games    int     `json:"games"`    // in all
	PerJob   int     `json:"perjob"`   // games
}

// Check returns an error that names the first field out of range.
func (p *Params) Check() error {
	switch {
	case p.Games < 1 || p.Games > maxGames:
		return fmt.Errorf("games %d: want 1 to %d", p.Games, maxGames)
	case p.Hash < 1 || p.Hash > search.MaxHash:
		return fmt.Errorf("hash %d MiB: want 1 to %d", p.Hash, search.MaxHash)
	case p.PerJob < 1 || p.PerJob > MaxPerJob:
		return fmt.Errorf("games of a job %d: want 1 to %d", p.PerJob, MaxPerJob)
	case p.Jobs() > run.MaxJobs:
		return fmt.Errorf("%d jobs: want at most %d: more games in each", p.Jobs(), run.MaxJobs)
	}
	return p.config(nil, 0).Check()
}

// Jobs returns the number of jobs.
func (p *Params) Jobs() int { return (p.Games + p.PerJob - 1) / p.PerJob }

// games returns the number of games of a job.
func (p *Params) games(index int) int { return min(p.PerJob, p.Games-index*p.PerJob) }

// config returns the settings of the games of a run with the given number.
func (p *Params) config(n *nnue.Network, number uint64) *datagen.Config {
	return &datagen.Config{Nodes: p.Nodes, Chess960: p.Chess960, Threads: 1, Hash: p.Hash, Network: n, Seed: number, Seeded: true}
}

// Open returns the plan of a manifest.
func Open(m *run.Manifest) (*Plan, error) {
	p := &Plan{manifest: m}
	return p, m.Read(&p.Params)
}

// Plan is a run as its workers and folders see it.
type Plan struct {
	Params
	manifest *run.Manifest
	network  run.Network
}

// Number is the number of the run that its games are recorded with.
func (p *Plan) Number() uint64 { return run.Job{Run: p.manifest.ID()}.KeyOf() }

// Copies returns 1, and 2 for one job in a hundred.
func (p *Plan) Copies(index int) int { return run.OneIn(replayed, index) }

// Work plays the games of a job.
func (p *Plan) Work(ctx context.Context, j run.Job, in run.Inputs) (out run.Output, err error) {
	n, err := p.network.Get(ctx, p.manifest, in)
	if err != nil {
		return out, err
	}
	player, err := datagen.NewPlayer(p.config(n, p.Number()))
	if err != nil {
		return out, err
	}
	var packer games.Packer
	for i := range p.games(j.Index) {
		id := p.id(uint32(j.Index*p.PerJob + i))
		game, err := player.Play(ctx, id)
		if err != nil {
			return out, err
		}
		if game == nil {
			return out, ctx.Err()
		}
		packer.Add(id, game)
	}
	data, err := packer.Append(nil)
	if err != nil {
		return out, err
	}
	out.Value, err = json.Marshal(&packer.Counts)
	out.File, out.Units = data, float64(packer.Positions)
	return out, err
}

// Fold counts games.
type Fold struct {
	run.Straight
	Games, Positions, White, Black int

	params *Params
}

// NewFold returns a fold with nothing in it.
func (p *Plan) NewFold() run.Fold {
	return &Fold{Straight: run.Straight{Jobs: p.Jobs()}, params: &p.Params}
}

// Add counts the games of a job.
func (f *Fold) Add(index int, text json.RawMessage) error {
	var v games.Counts
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if want := f.params.games(index); v.Games != want || v.WhiteWins < 0 || v.BlackWins < 0 || v.WhiteWins+v.BlackWins > want || v.Positions < 0 {
		return fmt.Errorf("datagen: job %d: %d games, +%d -%d, %d positions; want %d games", index, v.Games, v.WhiteWins, v.BlackWins, v.Positions, want)
	}
	f.Games += v.Games
	f.Positions += v.Positions
	f.White += v.WhiteWins
	f.Black += v.BlackWins
	f.Count()
	return nil
}

// Numbers returns games and positions.
func (f *Fold) Numbers() []run.Number {
	return []run.Number{{Name: "games", Value: float64(f.Games)}, {Name: "positions", Value: float64(f.Positions)}}
}

// Text returns how far the run is.
func (f *Fold) Text() string {
	return fmt.Sprintf("%d games of %d (+%d =%d -%d), %d positions",
		f.Games, f.params.Games, f.White, f.Games-f.White-f.Black, f.Black, f.Positions)
}

// id returns what the game with a number is recorded with.
func (p *Plan) id(number uint32) games.ID {
	return games.ID{Run: p.Number(), Number: number, Nodes: uint32(p.Nodes)}
}

// CheckFile reports what is wrong with the file of a job: it must hold the games that the value
// counts, with the numbers that are theirs and legal moves.
func (p *Plan) CheckFile(r *run.Result, data []byte) error {
	var v games.Counts
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return err
	}
	f, err := games.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	if len(f.Entries) != 1 || len(f.Damages) != 0 {
		return fmt.Errorf("%d blocks, %d of them damaged: want one", len(f.Entries)+len(f.Damages), len(f.Damages))
	}
	b := new(games.Block)
	if err := f.Read(0, b); err != nil {
		return err
	}
	position := chess.NewPosition()
	n := 0
	for id, game := range b.Games() {
		if want := p.id(uint32(r.Index*p.PerJob + n)); id != want {
			return fmt.Errorf("game %v where %v should be", id, want)
		}
		if err := game.Verify(position, nil); err != nil {
			return fmt.Errorf("game %d: %w", id.Number, err)
		}
		n++
	}
	if n != p.games(r.Index) || b.Counts != v {
		return fmt.Errorf("%+v, counted as %+v", b.Counts, v)
	}
	return nil
}
