package chess

import "strings"

// Diagram describes how to draw a board. The zero Diagram has White at the bottom,
// files and ranks at the edge, and no marks.
type Diagram struct {
	Bottom Color // the side whose first rank is the lowest
	Bare   bool  // leaves out the files and ranks at the edge

	// In an SVG only.
	Width  int // in pixels; 0 leaves it to the page
	Marks  []Mark
	Arrows []Arrow
}

// Mark is a coloured square.
type Mark struct {
	Square Square
	Paint  string // a CSS colour; "" is [DefaultPaint]
}

// Arrow points from one square to another, or is a circle if they are the same.
type Arrow struct {
	From, To Square
	Paint    string // a CSS colour; "" is [DefaultPaint]
}

// DefaultPaint is the colour of marks and arrows without a colour.
const DefaultPaint = "#15781b"

// ASCII returns the board as eight lines of FEN letters and dots, files and
// ranks at the edge, White at the bottom.
func (p *Position) ASCII() string { return Diagram{}.ASCII(p) }

// Unicode returns the board like [Position.ASCII], with chess figurines.
func (p *Position) Unicode() string { return Diagram{}.Unicode(p) }

// SVG returns the board as a scalable picture, White at the bottom.
func (p *Position) SVG() string { return Diagram{}.SVG(p) }

// ASCII returns the board as lines of FEN letters and dots.
func (d Diagram) ASCII(p *Position) string {
	return d.text(p, func(pc Piece) string { return pc.String() })
}

// Unicode returns the board as lines of chess figurines, an outline for a white
// piece and a filled one for a black, and dots.
func (d Diagram) Unicode(p *Position) string {
	return d.text(p, Piece.Figurine)
}

// Figurine returns the chess symbol of the piece, "♔" to "♟", and "·" for
// NoPiece.
func (p Piece) Figurine() string {
	if p >= NoPiece {
		return "·"
	}
	return string('♔' + rune(King-p.Type()) + 6*rune(p.Color()))
}

// text draws the board with a text for each piece.
func (d Diagram) text(p *Position, piece func(Piece) string) string {
	var b strings.Builder
	for row := range 8 {
		for column := range 8 {
			s := d.square(row, column)
			switch {
			case column > 0:
				b.WriteByte(' ')
			case !d.Bare:
				b.WriteString(s.String()[1:] + "  ")
			}
			b.WriteString(piece(p.Piece(s)))
		}
		b.WriteByte('\n')
	}
	if !d.Bare {
		b.WriteString("\n  ")
		for column := range 8 {
			b.WriteString(" " + d.square(7, column).String()[:1])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// square returns the square in a row counted from the top and a column counted
// from the left.
func (d Diagram) square(row, column int) Square {
	if d.Bottom == White {
		return MakeSquare(column, 7-row)
	}
	return MakeSquare(7-column, row)
}

// place is the reverse of square.
func (d Diagram) place(s Square) (row, column int) {
	if d.Bottom == White {
		return 7 - s.Rank(), s.File()
	}
	return s.Rank(), 7 - s.File()
}
