package lab

import (
	"fmt"
	"math/bits"
	"strconv"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// Lookup holds the attacks of a slider, found by several methods.
type Lookup struct {
	Attacks string   `json:"attacks"` // set
	Methods []Method `json:"methods"`
}

// Method is one way to find the attacks.
type Method struct {
	Name    string `json:"name"`
	Source  string `json:"source"` // path of the file that implements it
	Work    string `json:"work"`   // what is counted of this look-up
	Bytes   int    `json:"bytes"`  // of the tables that it reads
	Width   int    `json:"width"`  // cells in a row of the board on which the piece walks; 0 if it does not walk
	Parts   []Part `json:"parts"`
	Attacks string `json:"attacks"` // set
}

// Part is a direction of a method, or one of the two sliders that a queen is.
type Part struct {
	Title string `json:"title"`
	Steps []Step `json:"steps,omitempty"`
	Cells []Cell `json:"cells,omitempty"`
	File  string `json:"file,omitempty"` // the generated file that holds the last step's word
	Line  int    `json:"line,omitempty"` // in the file
}

// Step is a word of 64 bits, or of fewer where it is an index.
type Step struct {
	Text    string   `json:"text"` // as the code has it
	Word    string   `json:"word"`
	Length  int      `json:"length"`            // the number of bits
	Top     int      `json:"top,omitempty"`     // how many of the highest bits become the index
	Squares []string `json:"squares,omitempty"` // of the bits of an index, the lowest first
	Set     bool     `json:"set"`               // each bit is a square
	Note    string   `json:"note,omitempty"`    // why it is done
}

// Cell is a cell of a padded board that a walk visits.
type Cell struct {
	Cell   string `json:"cell"`
	Test   string `json:"test"`   // the test for the edge, with its result
	Square string `json:"square"` // "" off the board
}

// Look looks up the attacks of a slider on a board with blockers, a set of squares. Errors: a
// [*Fault].
func Look(piece, square, set string) (*Lookup, error) {
	sq, err := readSquare(square)
	if err != nil {
		return nil, err
	}
	blockers, err := readWord("blockers", set)
	if err != nil {
		return nil, err
	}
	kind, ok := map[string]chess.PieceType{"bishop": chess.Bishop, "rook": chess.Rook, "queen": chess.Queen}[piece]
	if !ok {
		return nil, &Fault{Field: "piece", Reason: "want bishop, rook or queen"}
	}
	blockers &^= uint64(sq.Bitboard())
	occupied := chess.Bitboard(blockers)
	return &Lookup{Attacks: word(uint64(chess.PieceAttacks(kind, sq, occupied))), Methods: []Method{
		method("Rays", "examples/course/rays/rays.go", "bit scans", 8*64*8, byRays(kind, sq, blockers)),
		method("Magic", "tables/sliders.go", "multiplications", 8*index.SliderEntries, byTable(kind, sq, blockers, magicPart)),
		method("PEXT", "gen/kernel/moves.go", "extractions", 8*index.SliderEntries, byTable(kind, sq, blockers, pextPart)),
		method("0x88", "examples/course/x88/x88.go", "tests of cells", 0, walked(kind, sq, occupied, 16, wideCell)),
		method("10×12", "examples/course/mailbox/mailbox.go", "tests of cells", 0,
			walked(kind, sq, occupied, 10, borderedCell)),
	}}, nil
}

// method adds the result of a method.
func method(name, source, unit string, bytes int, w walk) Method {
	return Method{name, source, fmt.Sprintf("%s: %d", unit, w.work), bytes, w.width, w.parts, word(w.attacks)}
}

// compass names the directions, clockwise as package tables has them.
var compass = [8]string{"north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"}

// byRays cuts each ray behind its nearest blocker.
func byRays(kind chess.PieceType, sq chess.Square, blockers uint64) (w walk) {
	for dir, name := range compass {
		if diagonal := dir&1 == 1; diagonal && kind == chess.Rook || !diagonal && kind == chess.Bishop {
			continue
		}
		ray := tables.Ray(uint8(dir), uint8(sq))
		found, met := ray, ray&blockers
		steps := []Step{
			sets(fmt.Sprintf("ray(%s, %s)", name, sq), ray), sets("ray & occupied", met),
			sets("no blocker: the ray", ray),
		}
		if met != 0 {
			scan, nearest := "first set bit", chess.Square(bits.TrailingZeros64(met))
			if dir > 2 && dir < 7 { // to lower bits
				scan, nearest = "last set bit", chess.Square(63-bits.LeadingZeros64(met))
			}
			found ^= tables.Ray(uint8(dir), uint8(nearest))
			steps[1].Text += fmt.Sprintf(", %s: %s", scan, nearest)
			steps[2] = sets(fmt.Sprintf("ray ^ ray(%s, %s)", name, nearest), found)
			w.work++
		}
		w.parts = append(w.parts, Part{Title: name, Steps: steps})
		w.attacks |= found
	}
	return w
}

// byTable looks a slider up in a table, a queen as bishop and rook.
func byTable(kind chess.PieceType, sq chess.Square, blockers uint64,
	part func(bishop bool, sq chess.Square, occ uint64) (Part, uint64)) (w walk) {
	for _, bishop := range []bool{true, false} {
		if bishop && kind == chess.Rook || !bishop && kind == chess.Bishop {
			continue
		}
		p, found := part(bishop, sq, blockers)
		w.work++
		w.parts = append(w.parts, p)
		w.attacks |= found
	}
	return w
}

// magicOf returns the entry of a square, and its number among all, bishops first.
func magicOf(bishop bool, sq chess.Square) (m index.Magic, number int, name string) {
	if bishop {
		return tables.BishopMagic(uint8(sq)), int(sq), "bishop"
	}
	return tables.RookMagic(uint8(sq)), 64 + int(sq), "rook"
}

// Where the tables of all attack sets begin in their files, as TestLook checks. Of each square they have a
// line with its name, and lines of four entries.
const (
	slidersLine = 9  // of tables/zsliders.go
	pextLine    = 76 // of tables/zpext.go
)

// magicPart looks a slider up as tables.BishopAttacks and RookAttacks do.
func magicPart(bishop bool, sq chess.Square, occ uint64) (Part, uint64) {
	m, number, name := magicOf(bishop, sq)
	at := m.Index(occ)
	found, n := tables.Sliders()[at], int(64-m.Shift)
	steps := []Step{
		sets(fmt.Sprintf("mask(%s)", sq), m.Mask), sets("occupied & mask", occ&m.Mask),
		{Text: fmt.Sprintf("× %#016x", m.Factor), Word: word(occ & m.Mask * m.Factor), Length: 64, Top: n},
		{
			Text: fmt.Sprintf(">> %d = %d", m.Shift, at-m.Offset), Word: word(uint64(at - m.Offset)), Length: n,
			Note: fmt.Sprintf("The mask has %d squares, so %d bits number all its subsets: the shift by 64 − %d = %d leaves the top %d.", n, n, n, m.Shift, n),
		},
		sets(fmt.Sprintf("sliders[%d + %d]", m.Offset, at-m.Offset), found),
	}
	return Part{Title: "as a " + name, Steps: steps, File: "tables/zsliders.go",
		Line: slidersLine + 2 + number + int(at)/4}, found
}

// pextPart looks a slider up as the kernels do. The table is not in programs without
// them; its entry is computed as gen/pext.go computes it.
func pextPart(bishop bool, sq chess.Square, occ uint64) (Part, uint64) {
	m, number, name := magicOf(bishop, sq)
	p := index.Pext{Mask: m.Mask, Rays: geom.Slider(bishop, int(sq), 0),
		Offset: m.Offset} // both tables have the same layout
	at := p.Index(occ)
	found := geom.Slider(bishop, int(sq), occ)
	gathered := Step{Text: fmt.Sprintf("pext(occupied, mask) = %d", at-p.Offset), Word: word(uint64(at - p.Offset)),
		Length: bits.OnesCount64(p.Mask)}
	for s := range chess.Bitboard(p.Mask).Squares() {
		gathered.Squares = append(gathered.Squares, s.String())
	}
	steps := []Step{
		sets(fmt.Sprintf("mask(%s)", sq), p.Mask), sets("occupied & mask", occ&p.Mask), gathered,
		sets(fmt.Sprintf("pextSets[%d + %d]", p.Offset, at-p.Offset), found),
	}
	return Part{Title: "as a " + name, Steps: steps, File: "tables/zpext.go",
		Line: pextLine + 2 + number + int(at)/4}, found
}

// sets is a step whose bits are squares.
func sets(text string, w uint64) Step { return Step{Text: text, Word: word(w), Length: 64, Set: true} }

// walk collects the parts of a method.
type walk struct {
	parts       []Part
	attacks     uint64
	work, width int
}

// walked visits the cells that a slider looks at on a board with rows of a width: in each direction those up to the
// first piece, or up to the first cell outside the board.
func walked(kind chess.PieceType, from chess.Square, occupied chess.Bitboard, width int,
	cell func(file, rank int, on bool) Cell) (w walk) {
	w.width = width
	for ranks := -1; ranks <= 1; ranks++ {
		for files := -1; files <= 1; files++ {
			if straight := files == 0 || ranks == 0; files == 0 && ranks == 0 ||
				straight && kind == chess.Bishop || !straight && kind == chess.Rook {
				continue
			}
			for n, at := 1, from; at != chess.NoSquare; n++ {
				file, rank := from.File()+n*files, from.Rank()+n*ranks
				at = chess.NoSquare
				if file&7 == file && rank&7 == rank {
					at = chess.MakeSquare(file, rank)
				}
				w.add(width*ranks+files, cell(file, rank, at != chess.NoSquare), at)
				if at != chess.NoSquare && occupied.Has(at) {
					break
				}
			}
		}
	}
	return w
}

// wideCell describes a cell of the board that is 16 cells wide.
func wideCell(file, rank int, _ bool) Cell {
	cell := 16*rank + file
	return Cell{Cell: fmt.Sprintf("%02x", cell&0xff), Test: fmt.Sprintf("%02x & 88 = %02x", cell&0xff, cell&0x88)}
}

// borderedCell describes a cell of the board with a border.
func borderedCell(file, rank int, on bool) Cell {
	content := "border"
	if on {
		content = "on the board"
	}
	return Cell{Cell: strconv.Itoa(21 + file + 10*rank), Test: content}
}

func (w *walk) add(step int, c Cell, at chess.Square) {
	title := fmt.Sprintf("step %+d", step)
	if len(w.parts) == 0 || w.parts[len(w.parts)-1].Title != title {
		w.parts = append(w.parts, Part{Title: title})
	}
	if at != chess.NoSquare {
		c.Square = at.String()
		w.attacks |= uint64(at.Bitboard())
	}
	w.work++
	last := &w.parts[len(w.parts)-1]
	last.Cells = append(last.Cells, c)
}
