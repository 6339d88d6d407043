package terminal

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// Colours of the display, numbers of xterm's palette.
const (
	lightSquare = 110
	darkSquare  = 67
	lightMarked = 186
	darkMarked  = 143
	whitePiece  = 231
	blackPiece  = 16
	whiteShare  = 255
	blackShare  = 238
	accent      = 215
)

// Sizes in columns.
const (
	boardWidth = 3 + 8*3 // rank, then three columns a square
	gutter     = 3
	barWidth   = 32
)

// picture returns the lines of the display for a terminal of the given size, at most one line fewer
// than it has. If they do not fit, it leaves out lines from the top, so that the best line and the
// best move are always visible.
func (v *liveState) picture(width, height int, s style) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	answer := v.answer(s)
	room := max(1, height-1-len(answer))
	lines := v.variations(width, s)
	for _, head := range v.heads(width, s) {
		if wanted := min(len(lines), v.set.Lines); len(head)+2+wanted <= room { // at least one row each
			lines = slices.Concat([]string{""}, head, []string{""}, lines)
			break
		}
	}
	return append(lines[:min(len(lines), room)], answer...)
}

// heads returns the possible headings of the best lines, the longest first.
func (v *liveState) heads(width int, s style) [][]string {
	board, panel := Board(v.root, v.bestNow(), chess.White, s.on), v.panel(s)
	brief := []string{fmt.Sprintf("%s  %s %d  %s %s", s.bold(s.paint(accent, -1, v.set.Title)),
		s.dim("depth"), v.depth, s.dim("nodes"), short(float64(v.nodes)))}
	if width < boardWidth+gutter+barWidth {
		return [][]string{slices.Concat(board, []string{""}, panel), panel, brief}
	}
	both := slices.Clone(board)
	for i, text := range panel { // which has no more lines
		both[i] += strings.Repeat(" ", gutter) + text
	}
	return [][]string{both, panel, brief}
}

// Board draws a position as nine lines of text, all of one width, in colours, or in plain characters and
// brackets. The first rank of below is at the bottom. The squares of the move marked are highlighted;
// chess.NoMove marks none.
func Board(p *chess.Position, marked chess.Move, below chess.Color, color bool) []string {
	s, set := style{on: color}, chess.Bitboard(0)
	if marked != chess.NoMove {
		set = marked.From().Bitboard() | marked.To().Bitboard()
	}
	var lines []string
	files := "   "
	for row := range 8 {
		rank := 7 - row
		if below == chess.Black {
			rank = row
		}
		var b strings.Builder
		b.WriteString(s.dim(fmt.Sprintf(" %d ", rank+1)))
		for column := range 8 {
			file := column
			if below == chess.Black {
				file = 7 - column
			}
			sq := chess.MakeSquare(file, rank)
			b.WriteString(square(s, p.Piece(sq), (file+rank)%2 != 0, set.Has(sq)))
			if row == 0 {
				files += " " + string(rune('a'+file)) + " "
			}
		}
		lines = append(lines, b.String())
	}
	return append(lines, s.dim(files))
}

// bestNow returns the best move known.
func (v *liveState) bestNow() chess.Move {
	if v.best == chess.NoMove && len(v.lines) > 0 {
		return v.lines[0].first
	}
	return v.best
}

// square draws one square, three columns wide.
func square(s style, pc chess.Piece, light, marked bool) string {
	if !s.on {
		return plainSquare(pc, light, marked)
	}
	bg := darkSquare
	switch {
	case light && marked:
		bg = lightMarked
	case marked:
		bg = darkMarked
	case light:
		bg = lightSquare
	}
	if pc == chess.NoPiece {
		return s.paint(blackPiece, bg, "   ")
	}
	fg := whitePiece
	if pc.Color() == chess.Black {
		fg = blackPiece
	}
	// With colours, both sides use the filled symbols.
	return s.paint(fg, bg, " "+chess.MakePiece(chess.Black, pc.Type()).Figurine()+" ")
}

// plainSquare draws a square without colours; brackets mark the best move.
func plainSquare(pc chess.Piece, light, marked bool) string {
	symbol := pc.Figurine()
	if pc == chess.NoPiece && light {
		symbol = " "
	}
	if marked {
		return "[" + symbol + "]"
	}
	return " " + symbol + " "
}

// panel returns the lines beside the board.
func (v *liveState) panel(s style) []string {
	spent := time.Since(v.began)
	if v.over {
		spent = v.spent
	}
	state := fmt.Sprintf("%s to move", capital(v.root.SideToMove().String()))
	if v.root.InCheck() {
		state += ", in check"
	}
	lines := []string{
		s.bold(s.paint(accent, -1, v.set.Title)),
		s.dim(state),
		s.dim(strings.TrimSpace(v.opening.String())),
	}
	if len(v.lines) == 0 {
		return append(lines, s.dim("thinking …"))
	}
	best := v.lines[0]
	white := best.expected()
	lines = append(lines,
		fmt.Sprintf("%s  %s %s", s.bold(fmt.Sprintf("%-7s", best.scoreText())), s.dim("White expects"),
			fmt.Sprintf("%.0f %%", 100*white)),
		bar(s, white, barWidth),
		"",
		fmt.Sprintf("%s %s   %s %s   %s %s", s.dim("depth"), fmt.Sprintf("%d/%d", v.depth, v.selDepth),
			s.dim("time"), fmt.Sprintf("%.1f s", spent.Seconds()),
			s.dim("hash"), fmt.Sprintf("%d %%", (v.hashFull+5)/10)),
		fmt.Sprintf("%s %s   %s %s", s.dim("nodes"), short(float64(v.nodes)),
			s.dim("nodes/s"), short(v.perSecond())),
		fmt.Sprintf("%s %s", s.dim("by depth"), s.paint(accent, -1, sparkline(v.history, barWidth-9))),
	)
	return lines
}

// bar draws a fraction from 0 to 1 with a resolution of an eighth of a cell.
func bar(s style, share float64, cells int) string {
	eighths := int(share*float64(cells*8) + 0.5)
	full, rest := eighths/8, eighths%8
	if !s.on {
		return "[" + strings.Repeat("#", full) + strings.Repeat("-", cells-full) + "]"
	}
	text := strings.Repeat("█", full)
	if rest > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[rest-1])
		full++
	}
	return s.paint(whiteShare, blackShare, text+strings.Repeat(" ", cells-full))
}

// sparkline draws the last values as columns, scaled to their range or to 0.1 if that is larger.
func sparkline(values []float64, cells int) string {
	if len(values) > cells {
		values = values[len(values)-cells:]
	}
	if len(values) == 0 {
		return ""
	}
	low, high := slices.Min(values), slices.Max(values)
	if spare := 0.1 - (high - low); spare > 0 {
		low, high = low-spare/2, high+spare/2
	}
	steps := []rune("▁▂▃▄▅▆▇█")
	var b strings.Builder
	for _, x := range values {
		step := int((x-low)/(high-low)*float64(len(steps)) + 1e-6) // keeps a value in the middle there when it is rounded
		b.WriteRune(steps[min(step, len(steps)-1)])
	}
	return b.String()
}

// variations returns the best lines, wrapped to the terminal's width.
func (v *liveState) variations(width int, s style) []string {
	var lines []string
	for _, l := range v.lines {
		if l.Text == "" {
			continue
		}
		rows := 2
		if len(v.lines) > 2 {
			rows = 1
		}
		for i, row := range wrapWords(l.Text, max(width-12, 20), rows) {
			head := "           "
			if i == 0 {
				head = fmt.Sprintf(" %2d %6s ", l.Depth, l.scoreText())
				head = s.dim(head[:4]) + s.bold(head[4:])
			}
			lines = append(lines, head+row)
		}
	}
	return lines
}

// answer returns the lines with the best move, once it is known.
func (v *liveState) answer(s style) []string {
	if !v.over || v.best == chess.NoMove {
		return nil
	}
	return []string{"", " Best move  " + s.bold(s.paint(accent, -1, v.root.SAN(v.best)))}
}

// wrapWords breaks text into at most rows rows of width columns and marks cut text with an ellipsis.
func wrapWords(text string, width, rows int) []string {
	var out []string
	row := ""
	for _, word := range strings.Fields(text) {
		if row != "" && len(row)+1+len(word) > width-2 {
			if len(out) == rows-1 {
				return append(out, row+" …")
			}
			out, row = append(out, row), ""
		}
		if row != "" {
			row += " "
		}
		row += word
	}
	return append(out, row)
}
