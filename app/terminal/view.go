package terminal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/openings"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
)

// liveState is the state of the search for the display. The search writes it while the display reads it.
type liveState struct {
	mu       sync.Mutex
	set      AnalysisSettings
	root     *chess.Position
	opening  openings.Opening // zero if no position up to the root has a name
	began    time.Time
	lines    []BestLine
	depth    search.Depth
	selDepth int
	nodes    uint64
	spent    time.Duration
	hashFull int
	history  []float64  // expected score of White, depth by depth
	best     chess.Move // once it is known
	over     bool
}

func newView(s AnalysisSettings) *liveState {
	opening, _ := openings.OfGame(s.Position)
	return &liveState{set: s, root: s.Position.Clone(), opening: opening, began: time.Now(),
		lines: make([]BestLine, 0, s.Lines)}
}

// take stores a report of the search.
func (v *liveState) take(in search.Info) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.nodes, v.spent, v.hashFull = in.Nodes, in.Time, in.HashFull
	if in.Bound != eval.Exact || len(in.PV) == 0 {
		return
	}
	i := max(in.MultiPV, 1) - 1
	for len(v.lines) <= i {
		v.lines = append(v.lines, BestLine{})
	}
	l := BestLine{Depth: int(in.Depth), Score: review.Score(search.WhiteScore(v.root, in.Score)), first: in.PV[0]}
	l.Text, _ = v.root.SANLine(in.PV) // no error: the moves of a search are legal
	p := v.root.Clone()
	for _, m := range in.PV {
		l.UCI = append(l.UCI, p.UCI(m))
		p.Make(m)
	}
	v.lines[i] = l
	if i == 0 {
		v.selDepth = in.SelDepth
		if in.Depth != v.depth || len(v.history) == 0 {
			v.history = append(v.history, 0)
		}
		v.depth = in.Depth
		v.history[len(v.history)-1] = l.expected()
	}
}

// finish stores the best move, and the number of lines of the last reports: a search that was cut off may have fewer.
func (v *liveState) finish(best chess.Move, lines int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lines = v.lines[:min(lines, len(v.lines))]
	v.best, v.over = best, true
}

// expected returns White's expected score of the game, 0 to 1, by the usual logistic curve, in which
// 400 centipawns are ten to one. Source: CPW "Pawn Advantage, Win Percentage, and Elo".
func (l BestLine) expected() float64 {
	if _, mate := l.Score.Mate(); mate {
		return l.Score.Chance()
	}
	return 1 / (1 + math.Pow(10, -float64(l.Score)/400))
}

// scoreText returns White's score in pawns with its sign, or "#+3" for a mate.
func (l BestLine) scoreText() string {
	if n, mate := l.Score.Mate(); mate {
		return fmt.Sprintf("#%+d", n)
	}
	return l.Score.String()
}

// short formats a count with three or four digits and a unit.
func short(n float64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		switch {
		case unit == "" && n < 1000:
			return strconv.Itoa(int(n))
		case n < 10:
			return fmt.Sprintf("%.2f%s", n, unit)
		case n < 100:
			return fmt.Sprintf("%.1f%s", n, unit)
		case n < 1000:
			return fmt.Sprintf("%.0f%s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.0fT", n)
}

// perSecond returns the nodes searched each second.
func (v *liveState) perSecond() float64 {
	if v.spent <= 0 {
		return 0
	}
	return float64(v.nodes) / v.spent.Seconds()
}

// plainHeader returns the heading of the plain output.
func (v *liveState) plainHeader() string {
	name, opening := "", ""
	if v.set.Name != "" {
		name = v.set.Name + "\n"
	}
	if v.opening.Name != "" {
		opening = v.opening.String() + "\n"
	}
	return fmt.Sprintf("%s\n%s%s\n%s%s to move, searching for %s; scores are White's\n",
		v.set.Title, name, v.root.FEN(), opening, capital(v.root.SideToMove().String()), limitText(v.set.Limits))
}

// limitText describes the limits of the search.
func limitText(l search.Limits) string {
	var parts []string
	if l.MoveTime > 0 {
		parts = append(parts, l.MoveTime.String())
	}
	if l.Depth > 0 {
		parts = append(parts, fmt.Sprintf("depth %d", l.Depth))
	}
	if l.Nodes > 0 {
		parts = append(parts, plural.Of(l.Nodes, "node"))
	}
	return strings.Join(parts, " or ")
}

// plainLine returns best line i as one line of text.
func (v *liveState) plainLine(i int) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	l := v.lines[i]
	number := ""
	if v.set.Lines > 1 {
		number = fmt.Sprintf("  line %d", i+1)
	}
	return fmt.Sprintf("depth %2d%s  %6s  %5s nodes  %5s/s  %s\n",
		l.Depth, number, l.scoreText(), short(float64(v.nodes)), short(v.perSecond()), l.Text)
}

// plainResult returns the best move as a line of text.
func (v *liveState) plainResult() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.best == chess.NoMove {
		return "no legal move\n"
	}
	return fmt.Sprintf("best move: %s\n", v.root.SAN(v.best))
}

// capital returns an English word with its first letter in upper case.
func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }
