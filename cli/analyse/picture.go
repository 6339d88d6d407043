package analyse

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

// glyphs are the chess symbols of Unicode by piece type; the filled ones serve
// both sides where colour tells them apart.
var (
	filled  = [...]string{"♟", "♞", "♝", "♜", "♛", "♚"}
	outline = [...]string{"♙", "♘", "♗", "♖", "♕", "♔"}
)

// picture returns the lines of the display for a terminal of the given width.
func (v *view) picture(width int, s style) []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	board := v.board(s)
	panel := v.panel(s)
	if width < boardWidth+gutter+barWidth {
		return append(append(board, ""), append(panel, v.variations(width, s)...)...)
	}
	lines := make([]string, 0, len(board)+8)
	for i := range max(len(board), len(panel)) {
		left, right := "", ""
		if i < len(board) {
			left = board[i]
		}
		if i < len(panel) {
			right = panel[i]
		}
		pad := strings.Repeat(" ", boardWidth+gutter-columns(left))
		lines = append(lines, left+pad+right)
	}
	return append(append(lines, ""), v.variations(width, s)...)
}

// board draws the position with the best move marked.
func (v *view) board(s style) []string {
	marked := chess.Bitboard(0)
	if m := v.bestNow(); m != chess.NoMove {
		marked = m.From().Bitboard() | m.To().Bitboard()
	}
	lines := []string{""}
	for rank := 7; rank >= 0; rank-- {
		var b strings.Builder
		b.WriteString(s.dim(fmt.Sprintf(" %d ", rank+1)))
		for file := range 8 {
			sq := chess.MakeSquare(file, rank)
			b.WriteString(square(s, v.root.Piece(sq), (file+rank)%2 != 0, marked.Has(sq)))
		}
		lines = append(lines, b.String())
	}
	return append(lines, s.dim("    a  b  c  d  e  f  g  h"))
}

// bestNow returns the best move known.
func (v *view) bestNow() chess.Move {
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
	return s.paint(fg, bg, " "+filled[pc.Type()]+" ")
}

// plainSquare draws a square without colours; brackets mark the best move.
func plainSquare(pc chess.Piece, light, marked bool) string {
	symbol := "·"
	switch {
	case pc == chess.NoPiece && light:
		symbol = " "
	case pc == chess.NoPiece:
	case pc.Color() == chess.White:
		symbol = outline[pc.Type()]
	default:
		symbol = filled[pc.Type()]
	}
	if marked {
		return "[" + symbol + "]"
	}
	return " " + symbol + " "
}

// panel returns the lines beside the board.
func (v *view) panel(s style) []string {
	spent := time.Since(v.began)
	if v.over {
		spent = v.spent
	}
	state := fmt.Sprintf("%s to move", capital(v.root.SideToMove().String()))
	if v.root.InCheck() {
		state += ", in check"
	}
	lines := []string{
		"",
		s.bold(s.paint(accent, -1, v.set.Title)),
		s.dim(state),
		"",
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

// bar draws a share from 0 to 1 in cells that are divided into eighths.
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

// sparkline draws the last values as columns between the least and the
// greatest of them, which are taken to be at least a tenth apart.
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
		step := int((x-low)/(high-low)*float64(len(steps)) + 1e-6) // a middle stays one when rounded
		b.WriteRune(steps[min(step, len(steps)-1)])
	}
	return b.String()
}

// variations returns the best lines, wrapped to the terminal's width.
func (v *view) variations(width int, s style) []string {
	var lines []string
	for _, l := range v.lines {
		if l.text == "" {
			continue
		}
		rows := 2
		if len(v.lines) > 2 {
			rows = 1
		}
		for i, row := range wrapWords(l.text, max(width-12, 20), rows) {
			head := "           "
			if i == 0 {
				head = fmt.Sprintf(" %2d %6s ", l.depth, l.scoreText())
				head = s.dim(head[:4]) + s.bold(head[4:])
			}
			lines = append(lines, head+row)
		}
	}
	if v.over && v.best != chess.NoMove {
		lines = append(lines, "", " Best move  "+s.bold(s.paint(accent, -1, v.root.SAN(v.best))))
	}
	return lines
}

// wrapWords breaks text into at most rows rows of width columns; what is left
// over is shown by an ellipsis.
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
