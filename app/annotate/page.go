package annotate

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
)

//go:embed page.html
var pageText string

// page writes the reports as one HTML file that loads nothing else. html/template escapes every
// string of a game; only the boards, which package chess draws from positions, are not escaped.
type page struct {
	out      io.Writer
	template *template.Template
	player   string // whose moves clocks has: words of the name in any order; "" for both sides'
	clocks   *review.ClockTable
}

// Sizes of a graph.
const (
	graphWidth  = 800
	graphHeight = 160
	graphEdge   = 6 // above and below
)

// newPage writes the beginning of a page.
func newPage(out io.Writer, limits review.Limits, player string) (*page, error) {
	functions := template.FuncMap{"board": board, "percent": percent, "mean": mean}
	t, err := template.New("page").Funcs(functions).Parse(pageText)
	if err != nil {
		return nil, err
	}
	how := plural.Of(limits.Nodes, "node")
	switch {
	case limits.Depth > 0:
		how = fmt.Sprintf("depth %d", limits.Depth)
	case limits.MoveTime > 0:
		how = (time.Duration(limits.MoveTime) * time.Millisecond).String()
	}
	p := &page{out, t, player, review.NewClockTable()}
	return p, t.ExecuteTemplate(out, "head", how)
}

// end writes the end of the page.
func (p *page) end() error { return p.template.ExecuteTemplate(p.out, "foot", p.clocks) }

// game writes a game; numbers begin at 1.
func (p *page) game(number int, g AnnotatedGame) error {
	all := pgn.Game{Tags: g.Tags}
	p.clocks.AddReport(g.Report, [2]bool{games.Named(all.Tag("White"), p.player), games.Named(all.Tag("Black"), p.player)})
	return p.template.ExecuteTemplate(p.out, "game", newGameView(number, g))
}

// gameView is the data of a game for the template.
type gameView struct {
	Number       int
	White, Black string
	About        []string // event, site, date, round and opening, if known
	Report       *review.Report
	Moves        []moveView
	Area         string // SVG points of the graph's area
	Width        int
	Wrong        []moveView // moves with a judgment
	Puzzles      []puzzleView
}

// moveView is a move of a game.
type moveView struct {
	review.Move
	ID, Before   string // Before is the position before the move, a FEN
	Label, Short string // "14... Qe6", and the text in the list of moves
	X, Y         string // on the graph
	Bar          *bar   // nil where the time of the move is unknown
}

// bar is the time of a move below the graph: White's above the middle, Black's below it.
type bar struct{ X, Y, Width, Height, Text string }

// barHeight is the height of the longest one.
const barHeight = 40

// bars fills in the times of the moves, if any is known.
func (v *gameView) bars() {
	longest := int64(1)
	for i := range v.Moves {
		if c := v.Moves[i].Clock; c != nil && c.Spent != nil {
			longest = max(longest, *c.Spent)
		}
	}
	for i := range v.Moves {
		m := &v.Moves[i]
		if m.Clock == nil || m.Clock.Spent == nil {
			continue
		}
		width, y := float64(graphWidth)/float64(len(v.Moves)), float64(barHeight)
		height := barHeight * float64(*m.Clock.Spent) / float64(longest)
		if m.Side == chess.White.String() {
			y -= height
		}
		text := m.Label + ", " + duration(*m.Clock.Spent)
		if m.Clock.Left != nil {
			text += ", " + duration(*m.Clock.Left) + " left"
		}
		at := func(x float64) string { return fmt.Sprintf("%.1f", x) }
		m.Bar = &bar{at(float64(i) * width), at(y), at(width), at(height), text}
	}
}

func duration(ms int64) string { return (time.Duration(ms) * time.Millisecond).String() }

// mean formats the mean time of a move.
func mean(r review.ClockRow) string {
	if r.Timed == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f s", float64(r.Spent)/float64(r.Timed)/1000)
}

// puzzleView is a puzzle.
type puzzleView struct {
	*review.Puzzle
	Task string
}

func newGameView(number int, g AnnotatedGame) gameView {
	tag := func(name string) string {
		for _, t := range g.Tags {
			if t.Name == name && strings.Trim(t.Value, "?.") != "" {
				return t.Value
			}
		}
		return ""
	}
	v := gameView{Number: number, White: tag("White"), Black: tag("Black"), Report: g.Report, Width: graphWidth}
	if v.White == "" {
		v.White = "White"
	}
	if v.Black == "" {
		v.Black = "Black"
	}
	for _, name := range []string{"Event", "Site", "Date", "Round", "Opening"} {
		if text := tag(name); text != "" {
			v.About = append(v.About, text)
		}
	}
	v.moves(g.Report)
	v.bars()
	for _, p := range g.Puzzles {
		task := fmt.Sprintf("%s to move before ply %d", p.Side, p.Ply)
		if n := (p.Ply - 1); n >= 0 && n < len(v.Moves) {
			task = fmt.Sprintf("%s to move instead of %s", p.Side, v.Moves[n].Label)
			if p.Found {
				task = fmt.Sprintf("%s to move, as in the game", p.Side)
			}
		}
		v.Puzzles = append(v.Puzzles, puzzleView{p, strings.ToUpper(task[:1]) + task[1:]})
	}
	return v
}

// moves fills in the moves and the graph.
func (v *gameView) moves(r *review.Report) {
	if len(r.Moves) == 0 {
		return
	}
	at := func(ply int, chance float64) (x, y string) {
		return fmt.Sprintf("%.1f", float64(ply)*graphWidth/float64(len(r.Moves))), fmt.Sprintf("%.1f", graphHeight*(1-chance))
	}
	x, y := at(0, r.Moves[0].Before.Chance())
	points := []string{x + "," + y}
	before := r.Start
	for _, m := range r.Moves {
		dots := "."
		if m.Side == chess.Black.String() {
			dots = "..."
		}
		w := moveView{
			Move: m, ID: fmt.Sprintf("g%dm%d", v.Number, m.Ply), Label: fmt.Sprintf("%d%s %s", m.Number, dots, m.SAN),
			Before: before,
		}
		if w.Short = w.Label; m.Side == chess.Black.String() && m.Ply > 1 {
			w.Short = m.SAN
		}
		w.X, w.Y = at(m.Ply, m.Chance)
		points = append(points, w.X+","+w.Y)
		v.Moves = append(v.Moves, w)
		if m.Judgment != "" {
			v.Wrong = append(v.Wrong, w)
		}
		before = m.FEN
	}
	v.Area = fmt.Sprintf("0,%d %s %d,%d", graphHeight+graphEdge, strings.Join(points, " "), graphWidth,
		graphHeight+graphEdge)
}

// percent formats an accuracy, nil as a dash.
func percent(accuracy *float64) string {
	if accuracy == nil {
		return "–"
	}
	return fmt.Sprintf("%.1f %%", *accuracy)
}

// board draws a position of the report.
func board(fen string) (template.HTML, error) {
	p, _, err := chess.RepairFEN(fen, true) // behind a null move in check
	if err != nil {
		return "", err
	}
	return template.HTML(p.SVG()), nil // #nosec: made only from squares and pieces
}
