package inspect

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// Bounds of the histogram of scores.
const (
	ScoreStep = 100 // centipawns of a bar
	ScoreEdge = 3000
	scoreBars = 2*ScoreEdge/ScoreStep + 2
)

// MaxPhase is the phase of a full board: minor pieces count 1, rooks 2,
// queens 4. Source: CPW "Tapered Eval".
const MaxPhase = 24

// Report is what is in a set of files. Scores are White's.
type Report struct {
	Files     int   `json:"files"`
	Bytes     int64 `json:"bytes"`
	Blocks    int   `json:"blocks"`
	Games     int   `json:"games"`
	Positions int   `json:"positions"`

	Waiting int      `json:"waiting"` // games that are in journals beside the files alone
	Live    []string `json:"live"`    // files to which games are being added; the report is of what they held

	WhiteWins int `json:"white_wins"`
	Draws     int `json:"draws"`
	BlackWins int `json:"black_wins"`

	Chess960   int    `json:"chess960"` // games from a start of Chess960, as far as castling rights tell
	InCheck    int    `json:"in_check"` // positions
	Tactical   int    `json:"tactical"` // positions whose best move captures or promotes
	Mates      int    `json:"mates"`    // positions with a mate score
	Repeated   int    `json:"repeated"` // games with the origin of an earlier one
	LongestPly int    `json:"longest"`  // plies of the longest game
	Runs       []Run  `json:"runs"`     // by number of games, most first
	Phases     []int  `json:"phases"`   // positions by phase, 0 to MaxPhase
	Scores     []int  `json:"scores"`   // positions by score: below -ScoreEdge, bars of ScoreStep, above
	Halves     []int  `json:"halves"`   // half points that White made of the positions of each bar
	ScoreScale int    `json:"scale"`    // centipawns that stand for e to one on, as the results have it; 0 where they do not tell
	Damage     []Flaw `json:"damage"`   // in order of files and blocks
}

// Run is a run of the generator.
type Run struct {
	ID    uint64 `json:"id,string"` // too long for the numbers of JSON readers
	Nodes uint32 `json:"nodes"`
	Games int    `json:"games"`
}

// Flaw is a block, or a game of a block, that is not as it should be.
type Flaw struct {
	File   string `json:"file"`
	Block  int    `json:"block"`
	Offset int64  `json:"offset"`
	Game   int    `json:"game"` // of the block, -1 for the block itself
	Reason string `json:"reason"`
}

// String returns one line for a terminal.
func (f Flaw) String() string {
	if f.Game < 0 {
		return fmt.Sprintf("%s: block %d at byte %d: %s", f.File, f.Block, f.Offset, f.Reason)
	}
	return fmt.Sprintf("%s: block %d at byte %d: game %d: %s", f.File, f.Block, f.Offset, f.Game, f.Reason)
}

// Files inspects files with all cores. step, which may be nil, is called after
// each block, from one goroutine at a time. Damage is no error; the end of ctx is.
func Files(ctx context.Context, names []string, step func(done, blocks int)) (*Report, error) {
	r := newReport()
	r.Files = len(names)
	files := make([]*block.File, len(names))
	for i, name := range names {
		f, err := block.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		files[i] = f
		r.Bytes += f.Size()
		r.Blocks += len(f.Entries)
		r.Waiting += f.Waiting
		if f.Waiting > 0 {
			r.Blocks-- // what waits is no block yet
		}
		if f.Live {
			r.Live = append(r.Live, name)
		}
		for j := range f.Damages {
			r.flaw(name, &f.Damages[j])
		}
	}
	if err := r.blocks(ctx, names, files, step); err != nil {
		return nil, err
	}
	r.ScoreScale = scoreScale(r.Scores, r.Halves)
	slices.SortStableFunc(r.Damage, func(a, b Flaw) int {
		if a.File != b.File {
			return slices.Index(names, a.File) - slices.Index(names, b.File)
		}
		return a.Block - b.Block
	})
	return r, nil
}

// newReport returns a report of nothing.
func newReport() *Report {
	return &Report{Phases: make([]int, MaxPhase+1), Scores: make([]int, scoreBars), Halves: make([]int, scoreBars)}
}

// flaw notes a damaged block.
func (r *Report) flaw(name string, d *block.Damage) {
	r.Damage = append(r.Damage, Flaw{name, d.Block, d.Offset, -1, d.Err.Error()})
}

// blocks counts what the blocks of all files hold.
func (r *Report) blocks(ctx context.Context, names []string, files []*block.File, step func(done, blocks int)) (err error) {
	type place struct{ file, entry int }
	work := make(chan place)
	var threads sync.WaitGroup
	var mu sync.Mutex
	seen := map[block.ID]int{}
	done, all := 0, 0
	for _, f := range files {
		all += len(f.Entries)
	}
	for range runtime.GOMAXPROCS(0) {
		threads.Go(func() {
			var b block.Block
			c := newCounter()
			for at := range work {
				f, name := files[at.file], names[at.file]
				readErr := f.Read(at.entry, &b)
				c.reset(name, f.Entries[at.entry])
				if readErr == nil {
					c.count(&b)
				}
				mu.Lock()
				var damage *block.Damage
				switch {
				case errors.As(readErr, &damage):
					r.flaw(name, damage)
				case readErr != nil:
					err = errors.Join(err, fmt.Errorf("%s: %w", name, readErr))
				default:
					c.addTo(r, seen)
				}
				if done++; step != nil {
					step(done, all)
				}
				mu.Unlock()
			}
		})
	}
	for i, f := range files {
		for j := range f.Entries {
			if ctx.Err() == nil {
				work <- place{i, j}
			}
		}
	}
	close(work)
	threads.Wait()
	r.runs(seen)
	return errors.Join(err, ctx.Err())
}

// runs sums up the origins.
func (r *Report) runs(seen map[block.ID]int) {
	type key struct {
		id    uint64
		nodes uint32
	}
	games := map[key]int{}
	for id, n := range seen {
		games[key{id.Run, id.Nodes}] += n
		r.Repeated += n - 1
	}
	r.Runs = make([]Run, 0, len(games))
	for k, n := range games {
		r.Runs = append(r.Runs, Run{k.id, k.nodes, n})
	}
	slices.SortFunc(r.Runs, func(a, b Run) int {
		if a.Games != b.Games {
			return b.Games - a.Games
		}
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
}

// counter counts what one block holds.
type counter struct {
	Report
	name  string
	entry block.Entry
	ids   []block.ID
	pos   *chess.Position
	first bool // the next position is the first of its game
	half  int  // White's half points of the game
}

func newCounter() *counter {
	return &counter{Report: *newReport(), pos: new(chess.Position)}
}

// reset makes the counter ready for a block.
func (c *counter) reset(name string, e block.Entry) {
	phases, scores, halves, damage := c.Phases, c.Scores, c.Halves, c.Damage[:0]
	clear(phases)
	clear(scores)
	clear(halves)
	c.Report = Report{Phases: phases, Scores: scores, Halves: halves, Damage: damage}
	c.name, c.entry, c.ids = name, e, c.ids[:0]
}

// count replays the games of b.
func (c *counter) count(b *block.Block) {
	number := -1
	for id, g := range b.Games() {
		number++
		c.Games++
		c.LongestPly = max(c.LongestPly, g.Plies())
		if id != (block.ID{}) {
			c.ids = append(c.ids, id)
		}
		switch g.Result() {
		case record.WhiteWins:
			c.WhiteWins++
			c.half = 2
		case record.BlackWins:
			c.BlackWins++
			c.half = 0
		default:
			c.Draws++
			c.half = 1
		}
		c.first = true
		if err := g.Verify(c.pos, c.position); err != nil {
			c.Damage = append(c.Damage, Flaw{c.name, c.entry.Number, c.entry.Offset, number, err.Error()})
		}
	}
}

// position counts one position and its ply.
func (c *counter) position(p *chess.Position, ply record.Ply) {
	c.Positions++
	if c.first && p.Chess960() {
		c.Chess960++
	}
	c.first = false
	if p.InCheck() {
		c.InCheck++
	}
	if m := ply.Move.Chess(); m.Kind() == chess.Promotion || m.Kind() == chess.EnPassant ||
		m.Kind() == chess.Normal && p.Piece(m.To()) != chess.NoPiece {
		c.Tactical++
	}
	if _, mate := search.MateIn(eval.Score(ply.Score)); mate {
		c.Mates++
	}
	at := scoreBar(int(ply.Score))
	c.Scores[at]++
	c.Halves[at] += c.half
	c.Phases[phase(p)]++
}

// scoreBar returns the bar of a score.
func scoreBar(score int) int {
	switch {
	case score < -ScoreEdge:
		return 0
	case score >= ScoreEdge:
		return scoreBars - 1
	}
	return 1 + (score+ScoreEdge)/ScoreStep
}

// phase returns how much of the middlegame is left.
func phase(p *chess.Position) int {
	minors := p.ByType(chess.Knight) | p.ByType(chess.Bishop)
	return min(MaxPhase, minors.Count()+2*p.ByType(chess.Rook).Count()+4*p.ByType(chess.Queen).Count())
}

// addTo adds the counts to those of all blocks.
func (c *counter) addTo(r *Report, seen map[block.ID]int) {
	r.Games += c.Games
	r.Positions += c.Positions
	r.WhiteWins += c.WhiteWins
	r.Draws += c.Draws
	r.BlackWins += c.BlackWins
	r.Chess960 += c.Chess960
	r.InCheck += c.InCheck
	r.Tactical += c.Tactical
	r.Mates += c.Mates
	r.LongestPly = max(r.LongestPly, c.LongestPly)
	for i, n := range c.Phases {
		r.Phases[i] += n
	}
	for i, n := range c.Scores {
		r.Scores[i] += n
	}
	for i, n := range c.Halves {
		r.Halves[i] += n
	}
	r.Damage = append(r.Damage, c.Damage...)
	for _, id := range c.ids {
		seen[id]++
	}
}
