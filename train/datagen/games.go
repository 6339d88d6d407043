package datagen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/work"
)

// Games is the kind of work that plays training games. A job is a few consecutive games. It comes to a block of package
// record, the same byte for byte on every machine. The fold appends the blocks to a file, which is the journal of the
// run: see [Games.Continue]. So its games are in the order of their numbers, whoever played them.
type Games struct {
	Run      uint64         // number of the run: with its own number, the seed of a game
	Nodes    uint64         // soft limit of a search: no iteration starts that is likely to end after it
	Chess960 float64        // share of games that start from Chess960, 0 to 1
	Material bool           `json:",omitempty"` // a "game" is a random position with its material as score
	Params   map[string]int `json:",omitempty"` // of the search, that differ from the defaults
	Network  int            `json:",omitempty"` // number of the input that holds the network, 0 for the embedded one
	Men      int            `json:",omitempty"` // of the largest endgame table that ends games, 0 for none

	// Which run it is and how far it goes.
	Last  bool   `json:"-"` // Continue takes the run of the file's last game, if that was played with the same limit
	First uint32 `json:"-"` // number of the first game
	Want  int    `json:"-"` // games in the file at the end, 0 for no limit

	Tables           *syzygy.Tables `json:"-"` // of up to Men men
	work.Independent `json:"-"`

	networks match.Networks
	log      *record.Log     // nil where the blocks are not kept here
	held     map[uint32]bool // numbers that the file has already
	begin    uint64          // number of the first game to play
	end      uint64          // number behind the last one; 0 before Continue
	before   record.Counts   // of the file at the start
	counts   record.Counts   // of the file now
	began    time.Time
	position *chess.Position // on which games are checked
}

// Type returns the kind of work.
func Type() *work.Type {
	return &work.Type{Name: "datagen", Version: 1, Exact: true, New: func(work.Env) work.Kind { return new(Games) }}
}

// The games of a job search about a million nodes, if they have a hundred positions. That takes about a second, so that
// a kill costs little. The longest games of mostGames fit into a block.
const (
	jobNodes  = 1_000_000 / 100
	mostGames = 128
)

// PerJob returns the number of games in a job: job i plays the games from i times PerJob on.
func (g *Games) PerJob() int { return int(max(1, min(mostGames, jobNodes/max(1, g.Nodes)))) }

// Check implements [work.Kind].
func (g *Games) Check() error {
	switch {
	case g.Nodes < 1 || g.Nodes > math.MaxUint32:
		return exit.WrongUsef("nodes %d: want 1 to %d", g.Nodes, uint32(math.MaxUint32))
	case !(g.Chess960 >= 0 && g.Chess960 <= 1):
		return exit.WrongUsef("chess960 share %v: want 0 to 1", g.Chess960)
	case g.Want < 0:
		return exit.WrongUsef("games %d: want 0 or more", g.Want)
	}
	return nil
}

// Continue prepares for a run that appends to log the games from First on that it lacks, until it holds Want games.
// Blocks are not kept where log is nil. Continue returns the index of the first job. It refuses a file that has games
// of the same run with another limit.
func (g *Games) Continue(log *record.Log) (first int, err error) {
	g.log, g.held, g.before = log, map[uint32]bool{}, record.Counts{}
	g.began, g.position = time.Now(), new(chess.Position)
	if log != nil {
		g.before = log.Counts()
		ids, err := log.IDs()
		if err != nil {
			return 0, err
		}
		if n := len(ids); g.Last && n > 0 && ids[n-1].Nodes == uint32(g.Nodes) {
			g.Run = ids[n-1].Run
		}
		for _, id := range ids {
			if id.Run != g.Run {
				continue
			}
			if id.Nodes != uint32(g.Nodes) {
				return 0, exit.WrongUsef("it has games of run %d that were played with %d nodes, not %d: "+
					"give another seed or another file", id.Run, id.Nodes, g.Nodes)
			}
			g.held[id.Number] = true
		}
	}
	g.counts, g.begin = g.before, uint64(g.First)
	for g.begin <= math.MaxUint32 && g.held[uint32(g.begin)] {
		g.begin++
	}
	if g.end = g.begin; g.Want == 0 {
		g.end = math.MaxUint32 + 1
	}
	for left := g.Want - g.before.Games; left > 0 && g.end <= math.MaxUint32; g.end++ {
		if !g.held[uint32(g.end)] {
			left--
		}
	}
	return int(g.begin / uint64(g.PerJob())), nil
}

// numbers returns the numbers of the games of a job: those that the file lacked at the start.
func (g *Games) numbers(index int) (all []uint32) {
	from := uint64(index) * uint64(g.PerJob())
	for n := max(from, g.begin); n < min(from+uint64(g.PerJob()), g.end); n++ {
		if !g.held[uint32(n)] {
			all = append(all, uint32(n))
		}
	}
	return all
}

// id returns the ID of a game.
func (g *Games) id(number uint32) record.ID {
	return record.ID{Run: g.Run, Number: number, Nodes: uint32(g.Nodes)}
}

// Next implements [work.Kind]. The input is the list of the games' numbers.
func (g *Games) Next(index int) ([]byte, error) {
	if max(g.begin, uint64(index)*uint64(g.PerJob())) >= g.end {
		return nil, io.EOF
	}
	return json.Marshal(g.numbers(index))
}

// Add implements [work.Kind]. It checks the moves of the games too: they may come from another machine.
func (g *Games) Add(index int, data []byte) error {
	counts, err := g.check(g.numbers(index), data)
	if err != nil {
		return err
	}
	if g.log != nil && len(data) > 0 {
		if err := g.log.Append(data); err != nil {
			return &work.OutputError{Err: err}
		}
	}
	g.counts = counts
	return nil
}

// check returns the counts with those of a block that has to hold games of these numbers, or nothing for none.
func (g *Games) check(numbers []uint32, data []byte) (c record.Counts, err error) {
	c = g.counts
	file, err := record.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return c, err
	}
	if file.Damage != nil || len(file.Entries) != min(1, len(numbers)) {
		return c, fmt.Errorf("%s of games, damage %v: want %d without", plural.Of(len(file.Entries), "block"),
			file.Damage, min(1, len(numbers)))
	}
	var b record.Block
	if len(numbers) > 0 {
		if err := file.Read(0, &b); err != nil {
			return c, err
		}
	}
	if b.Counts.Games != len(numbers) {
		return c, fmt.Errorf("%s: want %d", plural.Of(b.Counts.Games, "game"), len(numbers))
	}
	for id, game := range b.Games() {
		if want := g.id(numbers[0]); id != want {
			return c, fmt.Errorf("game %+v where %+v should be", id, want)
		}
		if err := game.Verify(g.position, nil); err != nil {
			return c, fmt.Errorf("game %d: %w", id.Number, err)
		}
		c.Add(game)
		numbers = numbers[1:]
	}
	return c, nil
}

// Counts returns the counts of the file.
func (g *Games) Counts() record.Counts { return g.counts }

// Text implements [work.Kind].
func (g *Games) Text() string {
	c := &g.counts
	rate := float64(c.Positions-g.before.Positions) / max(1e-9, time.Since(g.began).Seconds())
	return fmt.Sprintf("%s (+%d =%d -%d), %s, %.0f positions/s", plural.Of(c.Games, "game"),
		c.WhiteWins, c.Draws(), c.BlackWins, plural.Of(c.Positions, "position"), rate)
}

// Open implements [work.Kind].
func (g *Games) Open(ctx context.Context, in work.Inputs) (work.JobWorker, error) {
	if g.Material {
		return &gameWorker{g, &material{g.Chess960}}, nil
	}
	if g.Men > 0 && (g.Tables == nil || g.Tables.Pieces() != g.Men) {
		return nil, fmt.Errorf("endgame tables of %d men are not on this machine", g.Men)
	}
	n, err := g.networks.Get(ctx, in, g.Network)
	if err != nil {
		return nil, err
	}
	e, err := NewLabeller(n)
	if err == nil {
		err = e.SetParamsByName(g.Params)
	}
	return &gameWorker{g, &selfPlayer{e, g.Chess960, match.Rules{Nodes: g.Nodes, Soft: true, Tables: g.Tables}}}, err
}

// gameWorker plays the games of jobs.
type gameWorker struct {
	*Games
	player
}

// player plays the game seeded by an ID.
type player interface {
	Play(ctx context.Context, id record.ID) (*record.ScoredGame, error)
	Close()
}

// Do implements [work.JobWorker].
func (w *gameWorker) Do(ctx context.Context, j work.Job) ([]byte, float64, error) {
	var numbers []uint32
	if err := json.Unmarshal(j.Input, &numbers); err != nil || len(numbers) > mostGames || !slices.IsSorted(numbers) {
		return nil, 0, errors.Join(fmt.Errorf("input %.40q: want the numbers of games", j.Input), err)
	}
	if len(numbers) == 0 {
		return nil, 0, nil
	}
	var packer record.Packer
	for _, number := range numbers {
		game, err := w.Play(ctx, w.id(number))
		if err != nil {
			return nil, 0, err
		}
		packer.Add(w.id(number), game)
	}
	data, err := packer.Append(nil)
	return data, float64(packer.Positions), err
}
