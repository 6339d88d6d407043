package record

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/plural"
)

const (
	scoreStep = 500 // centipawns of a bar of the histogram
	scoreEdge = 3000
	scoreBars = 2*scoreEdge/scoreStep + 2
)

// Summary describes the content of files. Scores are from White's view.
type Summary struct {
	Files  int   `json:"files"`
	Bytes  int64 `json:"bytes"`
	Blocks int   `json:"blocks"`
	Counts
	Live     []string `json:"live"`     // files that a process is appending to; the report covers their content at opening
	Chess960 int      `json:"chess960"` // games from a Chess960 start, by their castling rights
	InCheck  int      `json:"in_check"` // positions
	Tactical int      `json:"tactical"` // positions whose best move captures or promotes
	Mates    int      `json:"mates"`    // positions with a mate score
	Repeated int      `json:"repeated"` // games with the ID of an earlier game
	Longest  int      `json:"longest"`  // plies of the longest game
	Runs     []Run    `json:"runs"`     // by number of games, descending
	Scores   []int    `json:"scores"`   // positions by score: below -3000, bars of 500, above
	Damage   []string `json:"damage"`   // blocks that cannot be read and games that break the rules of chess
}

// Run is a run of the generator.
type Run struct {
	ID    uint64 `json:"id,string"` // a string, because JSON readers lose digits of large numbers
	Nodes uint32 `json:"nodes"`
	Games int    `json:"games"`
}

// Inspect reads files on all cores. It calls step, if not nil, after each block, from one goroutine at a time. The
// report lists damage; the end of ctx is an error.
func Inspect(ctx context.Context, names []string, step func(done, blocks int)) (*Summary, error) {
	r := &Summary{Files: len(names), Scores: make([]int, scoreBars)}
	for _, name := range names {
		f, err := Open(name)
		if err != nil {
			return nil, err
		}
		r.Bytes += f.Size()
		r.Blocks += len(f.Entries)
		if f.Live {
			r.Live = append(r.Live, name)
		}
		f.Close()
	}
	type part struct {
		report *Summary
		block  *Block
	}
	seen, done := map[ID]int{}, 0
	advance := func() {
		if done < r.Blocks && step != nil { // a damaged header is none of them
			done++
			step(done, r.Blocks)
		}
	}
	for _, name := range names {
		err := Map(ctx, []string{name}, runtime.GOMAXPROCS(0), func(name string, d *Damage) error {
			r.Damage = append(r.Damage, name+": "+d.Error())
			advance()
			return nil
		}, func(b *Block) (part, error) {
			p := part{&Summary{Scores: make([]int, scoreBars)}, b}
			p.report.count(b)
			return p, nil
		}, func(p part) error {
			r.merge(name, p.report)
			for id := range p.block.Games() {
				if id != (ID{}) {
					seen[id]++
				}
			}
			advance()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	r.runs(seen)
	slices.Sort(r.Damage)
	return r, nil
}

// runs sums up the IDs.
func (r *Summary) runs(seen map[ID]int) {
	games := map[ID]int{}
	for id, n := range seen {
		games[ID{Run: id.Run, Nodes: id.Nodes}] += n
		r.Repeated += n - 1
	}
	for id, n := range games {
		r.Runs = append(r.Runs, Run{id.Run, id.Nodes, n})
	}
	slices.SortFunc(r.Runs, func(a, b Run) int {
		if a.Games == b.Games && a.ID < b.ID {
			return -1
		}
		return b.Games - a.Games
	})
}

// count counts the games of a block.
func (r *Summary) count(b *Block) {
	p := new(chess.Position)
	for id, g := range b.Games() {
		r.Add(g)
		r.Longest = max(r.Longest, len(g.Plies))
		if g.Start.Into(p) == nil && p.Chess960() {
			r.Chess960++
		}
		if err := g.Verify(p, func(p *chess.Position, ply Ply) { r.position(p, ply) }); err != nil {
			r.Damage = append(r.Damage, fmt.Sprintf("game %d of run %d: %v", id.Number, id.Run, err))
		}
	}
}

// position counts a position of a game.
func (r *Summary) position(p *chess.Position, ply Ply) {
	if p.InCheck() {
		r.InCheck++
	}
	if p.IsTactical(ply.Move) {
		r.Tactical++
	}
	score := int(ply.Score)
	if max(score, -score) >= int(eval.MateEdge) {
		r.Mates++
	}
	switch {
	case score < -scoreEdge:
		r.Scores[0]++
	case score >= scoreEdge:
		r.Scores[scoreBars-1]++
	default:
		r.Scores[1+(score+scoreEdge)/scoreStep]++
	}
}

// merge adds the report on a block of a file.
func (r *Summary) merge(name string, part *Summary) {
	for _, text := range part.Damage {
		r.Damage = append(r.Damage, name+": "+text)
	}
	r.add(&part.Counts)
	r.Chess960 += part.Chess960
	r.InCheck += part.InCheck
	r.Tactical += part.Tactical
	r.Mates += part.Mates
	r.Longest = max(r.Longest, part.Longest)
	for i, n := range part.Scores {
		r.Scores[i] += n
	}
}

// shownRuns is the number of runs that the text lists.
const shownRuns = 10

// WriteText writes the report as text.
func (r *Summary) WriteText(w io.Writer) error {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-11s %s\n", name, fmt.Sprintf(format, args...))
	}
	share := func(n, total int) string { return fmt.Sprintf("%.2f%%", 100*ratio(n, total)) }
	line("files", "%d, %.1f MiB, %s", r.Files, float64(r.Bytes)/(1<<20), plural.Of(r.Blocks, "block"))
	line("games", "%d, %.1f plies each, the longest %d", r.Games, ratio(r.Positions, r.Games), r.Longest)
	for _, name := range r.Live {
		line("in use", "%s: games are being added to it", name)
	}
	if r.Positions > 0 {
		line("positions", "%d, %.2f bytes each", r.Positions, ratio(int(r.Bytes), r.Positions))
		line("results", "white %s, draw %s, black %s", share(r.WhiteWins, r.Games), share(r.Draws(), r.Games),
			share(r.BlackWins, r.Games))
		line("chess960", "%s of the games", share(r.Chess960, r.Games))
		for _, v := range []struct {
			name string
			n    int
		}{{"in check", r.InCheck}, {"tactical", r.Tactical}, {"mate scores", r.Mates}} {
			line(v.name, "%s of the positions", share(v.n, r.Positions))
		}
	}
	if r.Repeated > 0 {
		line("repeated", "%s the ID of another", plural.Do(r.Repeated, "game", "has", "have"))
	}
	for i, run := range r.Runs {
		if i == shownRuns {
			line("", "and %s", plural.Of(len(r.Runs)-shownRuns, "more run"))
			break
		}
		line("run", "%d: %s, %s", run.ID, plural.Of(run.Games, "game"), plural.Of(run.Nodes, "node"))
	}
	if r.Positions > 0 {
		b.WriteString("\nscore (White's, centipawns)\n")
		for i, n := range r.Scores {
			name := fmt.Sprintf("%d …", (i-1)*scoreStep-scoreEdge)
			if i == 0 {
				name = fmt.Sprintf("< %d", -scoreEdge)
			}
			most := max(1, slices.Max(r.Scores)) // 0 where all games are illegal
			fmt.Fprintf(&b, "%9s %6.2f%% %s\n", name, 100*ratio(n, r.Positions), strings.Repeat("█", (n*50+most-1)/most))
		}
	}
	if len(r.Damage) > 0 {
		fmt.Fprintf(&b, "\ndamage: %d\n  %s\n", len(r.Damage), strings.Join(r.Damage, "\n  "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ratio returns a/b, 0 where b is 0.
func ratio(a, b int) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
