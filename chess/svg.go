package chess

import (
	"fmt"
	"math"
	"strings"
)

// A square of an SVG is 100 units wide. The edge is below and left of the
// board.
const (
	squareUnits = 100
	edgeUnits   = 40
)

// Colours of the board.
const (
	lightPaint = "#f0d9b5"
	darkPaint  = "#b58863"
	edgePaint  = "#555"
)

// shapes draws each kind of piece in a square of 100 units, details what is
// drawn on it as lines.
var (
	shapes = [6]string{
		Pawn: `<circle cx="50" cy="33" r="14"/><path d="M43 50C43 64 34 69 30 78H70C66 69 57 64 57 50Z"/>` +
			`<rect x="36" y="45" width="28" height="7" rx="3"/>`,
		Knight: `<path d="M32 78C32 62 45 57 48 46C40 51 34 56 28 53L22 46C27 38 32 30 39 24L41 12L50 20C67 22 76 40 73 78Z"/>`,
		Bishop: `<circle cx="50" cy="15" r="5"/><path d="M43 64C43 71 36 73 30 78H70C64 73 57 71 57 64Z"/>` +
			`<path d="M50 20C69 34 69 48 58 59H42C31 48 31 34 50 20Z"/><rect x="37" y="58" width="26" height="7" rx="3"/>`,
		Rook: `<path d="M27 16H38V24H45V16H55V24H62V16H73V33L65 40V66L72 78H28L35 66V40L27 33Z"/>`,
		Queen: `<path d="M26 66L17 32L34 52L34 24L45 50L50 20L55 50L66 24L66 52L83 32L74 66Q50 60 26 66Z"/>` +
			`<path d="M26 66Q50 60 74 66L71 78H29Z"/><circle cx="17" cy="29" r="5"/><circle cx="34" cy="20" r="5"/>` +
			`<circle cx="50" cy="16" r="5"/><circle cx="66" cy="20" r="5"/><circle cx="83" cy="29" r="5"/>`,
		King: `<path d="M46 6H54V12H60V20H54V40H46V20H40V12H46Z"/>` +
			`<path d="M50 40C56 28 84 28 82 46C80 58 72 60 72 68H28C28 60 20 58 18 46C16 28 44 28 50 40Z"/><path d="M28 66H72V78H28Z"/>`,
	}
	details = [6]string{
		Knight: "M42 30v4M62 34C68 44 69 58 68 72",
		Bishop: "M50 32V48M43 40H57",
		Rook:   "M35 40H65M35 66H65",
		King:   "M50 40V66M28 66H72",
	}
)

// base is under every piece.
const base = `<rect x="23" y="78" width="54" height="9" rx="3"/>`

// sides holds the attributes of the shapes of each colour and the colour of
// its details. A style sheet would change the page around the picture too.
var sides = [2]struct{ shape, detail string }{
	White: {`fill="#fff" stroke="#111" stroke-width="3" stroke-linejoin="round"`, "#111"},
	Black: {`fill="#333" stroke="#111" stroke-width="3" stroke-linejoin="round"`, "#ddd"},
}

// SVG returns the board as a scalable picture: a whole svg element that needs
// no fonts but for files and ranks, for a file of its own or inside a page.
// Squares that are out of range are not drawn.
func (d Diagram) SVG(p *Position) string {
	left, height := edgeUnits, 8*squareUnits+edgeUnits
	if d.Bare {
		left, height = 0, 8*squareUnits
	}
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg"`)
	if d.Width > 0 {
		fmt.Fprintf(&b, ` width="%d"`, d.Width)
	}
	fmt.Fprintf(&b, ` viewBox="%d 0 %d %d">`, -left, left+8*squareUnits, height)
	b.WriteString("<title>" + p.FEN() + "</title>\n")
	d.board(&b)
	for _, m := range d.Marks {
		if m.Square < NoSquare {
			x, y := d.corner(m.Square)
			fmt.Fprintf(&b, `<rect x="%d" y="%d" width="%d" height="%[3]d" fill="%s" opacity=".5"/>`+"\n", x, y, squareUnits,
				paint(m.Paint))
		}
	}
	for s := range p.Occupied().Squares() {
		d.piece(&b, p.Piece(s), s)
	}
	for _, a := range d.Arrows {
		if a.From < NoSquare && a.To < NoSquare {
			d.arrow(&b, a)
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// board draws the squares, and files and ranks at the edge.
func (d Diagram) board(b *strings.Builder) {
	fmt.Fprintf(b, `<rect width="%d" height="%[1]d" fill="%s"/><path fill="%s" d="`, 8*squareUnits, lightPaint, darkPaint)
	for row := range 8 {
		for column := range 8 {
			if (row+column)%2 == 1 {
				fmt.Fprintf(b, "M%d %dh%d v%[3]dh-%[3]dz", column*squareUnits, row*squareUnits, squareUnits)
			}
		}
	}
	b.WriteString("\"/>\n")
	if d.Bare {
		return
	}
	fmt.Fprintf(b, `<g font-family="sans-serif" font-size="24" text-anchor="middle" fill="%s">`, edgePaint)
	for i := range 8 {
		middle := i*squareUnits + squareUnits/2
		fmt.Fprintf(b, `<text x="%d" y="%d">%s</text><text x="%d" y="%d">%s</text>`,
			-edgeUnits/2, middle+8, d.square(i, 0).String()[1:],
			middle, 8*squareUnits+28, d.square(7, i).String()[:1])
	}
	b.WriteString("</g>\n")
}

// piece draws a piece on a square.
func (d Diagram) piece(b *strings.Builder, pc Piece, s Square) {
	x, y := d.corner(s)
	side := &sides[pc.Color()]
	fmt.Fprintf(b, `<g transform="translate(%d %d)" %s>%s%s`, x, y, side.shape, shapes[pc.Type()], base)
	if lines := details[pc.Type()]; lines != "" {
		fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s"/>`, lines, side.detail)
	}
	b.WriteString("</g>\n")
}

// corner returns the upper left corner of a square.
func (d Diagram) corner(s Square) (x, y int) {
	row, column := d.place(s)
	return column * squareUnits, row * squareUnits
}

// arrow draws an arrow from the middle of a square to that of another, or a
// ring in a square.
func (d Diagram) arrow(b *strings.Builder, a Arrow) {
	const thick, head = 16, 44 // width of the shaft, length of the head
	x1, y1 := d.corner(a.From)
	x2, y2 := d.corner(a.To)
	x1, y1 = x1+squareUnits/2, y1+squareUnits/2
	color := paint(a.Paint)
	if a.From == a.To {
		fmt.Fprintf(b, `<circle cx="%d" cy="%d" r="44" fill="none" stroke="%s" stroke-width="8" opacity=".8"/>`+"\n", x1, y1,
			color)
		return
	}
	dx, dy := float64(x2+squareUnits/2-x1), float64(y2+squareUnits/2-y1)
	length := math.Hypot(dx, dy)
	// The arrow is drawn to the right and turned.
	fmt.Fprintf(b, `<path transform="translate(%d %d) rotate(%.2f)" fill="%s" opacity=".8" d="M0 %d`,
		x1, y1, math.Atan2(dy, dx)*180/math.Pi, color, -thick/2)
	fmt.Fprintf(b, `H%.1fV%dL%.1f 0L%.1f %dV%dH0Z"/>`+"\n", length-head, -head/2, length, length-head, head/2, thick/2)
}

// paint returns a colour for an attribute, quoted for XML.
func paint(color string) string {
	if color == "" {
		return DefaultPaint
	}
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;").Replace(color)
}
