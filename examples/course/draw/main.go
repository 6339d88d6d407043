// Command draw draws the pictures of docs/course from the boards of the course's generators:
//
//	go run ./examples/course/draw docs/course/img
package main

import (
	"fmt"
	"log"
	"maps"
	"math/bits"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/examples/course/delta"
	"github.com/tabula-chess/tabula/examples/course/gather"
	"github.com/tabula-chess/tabula/examples/course/keys"
	"github.com/tabula-chess/tabula/examples/course/lanes"
	"github.com/tabula-chess/tabula/examples/course/legal"
	"github.com/tabula-chess/tabula/examples/course/magics"
	"github.com/tabula-chess/tabula/examples/course/mailbox"
	"github.com/tabula-chess/tabula/examples/course/rays"
	"github.com/tabula-chess/tabula/examples/course/x88"
	"github.com/tabula-chess/tabula/internal/files"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("want the folder for the pictures")
	}
	if err := os.MkdirAll(os.Args[1], 0o777); err != nil {
		log.Fatal(err)
	}
	for name, text := range maps.All(pictures()) {
		if err := files.Write(filepath.Join(os.Args[1], name), []byte(text)); err != nil {
			log.Fatal(err)
		}
	}
}

// A cell is a field of a drawn board.
type cell struct {
	text string
	mark string // class: on, hit, out
}

// A board is a grid of cells, the first row at the bottom.
type board struct {
	title string
	rows  [][]cell
}

// draw draws boards side by side, with cells of a size in pixels.
func draw(size int, about string, boards ...board) string {
	var b strings.Builder
	x, height := 1, 0
	for _, board := range boards {
		rows, columns := len(board.rows), len(board.rows[0])
		var grid strings.Builder
		for r := 0; r <= rows; r++ {
			fmt.Fprintf(&grid, "M%d %dh%d", x, 20+r*size, columns*size)
		}
		for c := 0; c <= columns; c++ {
			fmt.Fprintf(&grid, "M%d 20v%d", x+c*size, rows*size)
		}
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"14\">%s</text>\n", x, board.title)
		for r, row := range board.rows {
			for c, cell := range row {
				left, top := x+c*size, 20+(rows-1-r)*size
				if cell.mark != "" {
					fmt.Fprintf(&b, "<path class=\"%s\" d=\"M%d %dh%dv%dh-%dz\"/>\n", cell.mark, left, top, size, size, size)
				}
				if cell.text != "" {
					fmt.Fprintf(&b, "<text class=\"c\" x=\"%d\" y=\"%d\">%s</text>\n", left+size/2, top+size/2+4, cell.text)
				}
			}
		}
		fmt.Fprintf(&b, "<path class=\"g\" d=\"%s\"/>\n", &grid)
		x += max(columns*size, 7*len([]rune(board.title))) + 18
		height = max(height, 22+rows*size)
	}
	width := x - 16
	return fmt.Sprintf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n"+
		"<title>%s</title>\n<style>text{font:12px sans-serif;fill:#222}.c{text-anchor:middle;font-size:%dpx}.g{fill:none;stroke:#999}"+
		".on{fill:#9ec9f0}.hit{fill:#f4b183}.out{fill:#ccc}</style>\n<path fill=\"#fff\" d=\"M0 0h%dv%dH0z\"/>\n%s</svg>\n",
		width, height, width, height, about, max(9, size*4/9), width, height, &b)
}

// grid returns a board of cells that a function fills.
func grid(title string, columns, rows int, fill func(column, row int) cell) board {
	b := board{title: title}
	for r := range rows {
		var row []cell
		for c := range columns {
			row = append(row, fill(c, r))
		}
		b.rows = append(b.rows, row)
	}
	return b
}

// set draws a set of squares, and pieces by their letters.
func set(title string, on uint64, pieces map[int]string) board {
	return grid(title, 8, 8, func(c, r int) cell {
		square := 8*r + c
		out := cell{text: pieces[square]}
		if on>>square&1 != 0 {
			out.mark = "on"
		}
		return out
	})
}

// letters puts a letter on every square of a set.
func letters(letter string, squares ...uint64) map[int]string {
	out := map[int]string{}
	for _, set := range squares {
		for ; set != 0; set &= set - 1 {
			out[bits.TrailingZeros64(set)] = letter
		}
	}
	return out
}

// with adds a piece to a map of pieces.
func with(pieces map[int]string, square int, letter string) map[int]string {
	out := maps.Clone(pieces)
	out[square] = letter
	return out
}

// position draws a position, and marks the targets of the moves from a square; -1 marks none.
func position(title, fen string, texts []string, from int) board {
	p, _ := array.ReadFEN(fen) // the FENs are those below
	targets := uint64(0)
	for _, text := range texts {
		if from >= 0 && text[:2] == chess.Square(from).String() {
			targets |= 1 << (int(text[2]-'a') + 8*int(text[3]-'1'))
		}
	}
	return grid(title, 8, 8, func(c, r int) cell {
		out := cell{text: strings.Trim(string(p.Board[8*r+c]), ".")}
		if targets>>(8*r+c)&1 != 0 {
			out.mark = "on"
		}
		return out
	})
}

const (
	b1, c2, d4 = 1, 10, 27
	c5, c7     = 34, 50
)

// pictures returns the pictures by their names.
func pictures() map[string]string {
	return map[string]string{
		"array.svg": arrays(), "mailbox.svg": borders(), "x88.svg": halves(), "bitboards.svg": pawns(), "rays.svg": ray(),
		"magics.svg": magic(), "tries.svg": tries(), "gather.svg": gathered(), "legal.svg": king(), "line.svg": subtraction(),
		"keys.svg": transposition(), "lanes.svg": fills(), "delta.svg": differences(),
	}
}

func arrays() string {
	numbers := grid("squares", 8, 8, func(c, r int) cell { return cell{text: fmt.Sprint(8*r + c)} })
	knight := set("a knight on b1", 0, map[int]string{b1: "N"})
	for _, step := range [][2]int{{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}} {
		if to, ok := array.Step(b1, step[0], step[1]); ok {
			knight.rows[to/8][to%8] = cell{fmt.Sprint(to), "on"}
		}
	}
	return draw(24, "The numbers of the squares, and the three squares that a knight on b1 reaches", numbers, knight)
}

// squareAt returns the square of a file and a rank, and whether it is on the board.
func squareAt(file, rank int) (chess.Square, bool) {
	if file < 0 || file > 7 || rank < 0 || rank > 7 {
		return 0, false
	}
	return chess.MakeSquare(file, rank), true
}

func borders() string {
	marks := map[int]string{}
	for _, step := range []int{19, 21, 8, 12, -8, -12, -19, -21} {
		marks[mailbox.Index(chess.B1)+step] = "hit"
	}
	for _, text := range mailbox.Moves("4k3/8/8/8/8/8/8/1N2K3 w - - 0 1") {
		if to, err := chess.ParseSquare(text[2:4]); err == nil && text[:2] == "b1" {
			marks[mailbox.Index(to)] = "on"
		}
	}
	return draw(26, "The 10×12 board: a knight on cell 22 looks at eight cells, three of them on the board",
		grid("a knight on b1, cell 22", 10, 12, func(c, r int) cell {
			out := cell{fmt.Sprint(10*r + c), marks[10*r+c]}
			if _, on := squareAt(c-1, r-2); !on && out.mark == "" {
				out.mark = "out"
			}
			if 10*r+c == mailbox.Index(chess.B1) {
				out.text = "N"
			}
			return out
		}))
}

func halves() string {
	marks := map[int]string{}
	for _, step := range []int{31, 33, 14, 18, -14, -18, -31, -33} {
		if to := x88.Index(chess.G1) + step; to >= 0 {
			marks[to] = map[bool]string{true: "on", false: "hit"}[to&0x88 == 0]
		}
	}
	return draw(26, "The 0x88 board: a knight on 06, g1, and the cells above it that it looks at", grid("a knight on g1, index 06", 16, 8, func(c, r int) cell {
		out := cell{fmt.Sprintf("%02x", 16*r+c), marks[16*r+c]}
		if c > 7 && out.mark == "" {
			out.mark = "out"
		}
		if 16*r+c == x88.Index(chess.G1) {
			out.text = "N"
		}
		return out
	}))
}

func pawns() string {
	const own, enemy, rank3, fileH = uint64(0x0000000420008b00), uint64(0x00000050_00440000), uint64(0xff0000), uint64(0x8080808080808080)
	empty := ^(own | enemy)
	pieces := letters("P", own)
	maps.Copy(pieces, letters("p", enemy))
	single := own << 8 & empty
	return draw(17, "White pawns, their single steps, double steps and captures to the right, each by one shift",
		set("pawns", own, pieces), set("P &lt;&lt; 8 &amp; empty", single, pieces),
		set("again, from rank 3", single&rank3<<8&empty, pieces), set("(P not h) &lt;&lt; 9 &amp; enemy", own&^fileH<<9&enemy, pieces))
}

func ray() string {
	const occupied = uint64(1)<<c5 | 1<<c7 | 1<<28
	north, behind := rays.Ray(0, c2, 0), rays.Ray(0, c5, 0)
	pieces := with(letters("x", occupied), c2, "R")
	return draw(17, "A rook's ray to the north, the pieces on it, the ray of the nearest one, and what remains",
		set("ray(c2)", north, pieces), set("&amp; occupied", north&occupied, pieces), set("ray(c5)", behind, pieces),
		set("ray(c2) ^ ray(c5)", rays.Ray(0, c2, occupied), pieces))
}

func magic() string {
	m := magics.Search(true, d4)
	const occupied = uint64(1)<<43 | 1<<59 | 1<<29 | 1<<25 | 1<<11 | 1<<45 | 1<<9
	pieces := with(letters("x", occupied), d4, "R")
	product := occupied & m.Mask * m.Factor
	return draw(17, fmt.Sprintf("A rook on d4: the mask, the pieces on it, the product, whose top ten bits are %d, and the attacks", m.Index(occupied)),
		set("mask", m.Mask, map[int]string{d4: "R"}), set("occupied &amp; mask", occupied&m.Mask, pieces),
		grid("× factor, top bits first", 8, 8, func(c, r int) cell {
			bit := 63 - (8*(7-r) + c)
			out := cell{text: fmt.Sprint(product >> bit & 1)}
			if bit >= m.Shift {
				out.mark = "hit"
			}
			return out
		}), set(fmt.Sprintf("attacks[%d]", m.Index(occupied)), m.Attacks[m.Index(occupied)], pieces))
}

func tries() string {
	size := grid("a bishop's n", 8, 8, func(c, r int) cell {
		return cell{text: fmt.Sprint(64 - magics.Search(false, 8*r+c).Shift)}
	})
	count := func(title string, rook bool) board {
		return grid(title, 8, 8, func(c, r int) cell {
			n := magics.Search(rook, 8*r+c).Tries
			text := fmt.Sprint(n)
			if n >= 1_000_000 {
				text = fmt.Sprintf("%.1fM", float64(n)/1e6)
			} else if n >= 1000 {
				text = fmt.Sprintf("%dk", n/1000)
			}
			return cell{text: text}
		})
	}
	return draw(32, "How many squares a bishop's mask has, and how many factors the search tried for each bishop and each rook",
		size, count("tries for a bishop", false), count("tries for a rook", true))
}

func gathered() string {
	const word, mask = uint64(0b1011_0110_1101_0010), uint64(0b0100_1101_0011_1010)
	row := func(title string, w uint64, keep func(bit int) string) board {
		return grid(title, 16, 1, func(c, _ int) cell {
			return cell{fmt.Sprint(w >> (15 - c) & 1), keep(15 - c)}
		})
	}
	selected := func(bit int) string { return map[uint64]string{1: "on"}[mask>>bit&1] }
	low := func(bit int) string { return map[bool]string{true: "on"}[bit < bits.OnesCount64(mask)] }
	return draw(16, "PEXT gathers the bits of a word that a mask selects",
		row("word", word, selected), row("mask", mask, selected), row("pext(word, mask)", gather.Loop(word, mask), low))
}

func king() string {
	const fen = "4r1k1/8/8/q7/4N3/2B5/8/4K2R w - - 0 1"
	b, err := legal.Read(fen)
	if err != nil {
		log.Fatal(err)
	}
	sees := uint64(0)
	for _, line := range legal.Lines(4) {
		sees |= legal.Line(4, b.Sides[1], line)
	}
	return draw(17, "The king on e1 sees through its own pieces: the knight is pinned by the rook, the bishop by the queen",
		position("the position", fen, nil, -1), withPieces(set("the king's lines", sees, nil), fen),
		position("moves of the bishop", fen, legal.Moves(fen), 18), position("moves of the king", fen, legal.Moves(fen), 4))
}

// withPieces writes the pieces of a FEN on a board.
func withPieces(b board, fen string) board {
	for r, row := range position("", fen, nil, -1).rows {
		for c, cell := range row {
			b.rows[r][c].text = cell.text
		}
	}
	return b
}

func subtraction() string {
	const from, occupied = 33, uint64(1)<<33 | 1<<37 | 1<<39 // b5, f5, h5
	line := func(title string, w uint64) board {
		return grid(title, 8, 1, func(c, _ int) cell {
			out := cell{text: fmt.Sprint(w >> (32 + c) & 1)}
			if out.text == "1" {
				out.mark = "on"
			}
			return out
		})
	}
	rank := legal.Line(from, occupied, 0xff<<32&^(1<<from))
	return draw(20, "The fifth rank with a rook on b5: the subtraction borrows from f5",
		line("o: b5, f5, h5", occupied), line("o - 2r", occupied-2<<from), line("o ^ (o - 2r)", occupied^(occupied-2<<from)), line("with the other side", rank))
}

func transposition() string {
	var boards []board
	for _, line := range []string{"e2e3 e7e6 d2d3", "d2d3 e7e6 e2e3"} {
		k, err := keys.Read(chess.StartFEN)
		p, errChess := chess.ParseFEN(chess.StartFEN)
		if err != nil || errChess != nil {
			log.Fatal(err, errChess)
		}
		for _, text := range strings.Fields(line) {
			m, err := p.ParseUCI(text)
			if err != nil {
				log.Fatal(err)
			}
			p.Make(m)
			k.Make(legal.Move{From: uint8(m.From()), To: uint8(m.To())})
		}
		boards = append(boards, position(fmt.Sprintf("%s: key %016x", line, k.Key()), p.FEN(), nil, -1))
	}
	return draw(18, "Two orders of moves lead to the same position and the same key", boards...)
}

func fills() string {
	var sliders, empty lanes.Set
	const others = uint64(1)<<46 | 1<<52 | 1<<28
	squares := [8]int{0, 9, 18, 8, 16, 3, 24, 17}
	for i, s := range squares {
		sliders[i] = 1 << s
		empty[i] = ^(others | sliders[i])
	}
	attacks := lanes.Fill(lanes.NorthEast(), &sliders, &empty)
	var boards []board
	for i, s := range squares {
		boards = append(boards, set(fmt.Sprintf("lane %d", i), attacks[i], with(letters("x", others), s, "B")))
	}
	return draw(10, "Eight boards, one fill to the north-east", boards...)
}

func differences() string {
	changes := func(title, with, without string) board {
		p, _ := array.ReadFEN(with)
		all, others := delta.Changes(with), delta.Changes(without)
		return grid(title, 8, 8, func(c, r int) cell {
			at := 8*r + c
			out := cell{text: strings.ReplaceAll(fmt.Sprintf("%+d", all[at]-others[at]), "-", "−")}
			if out.text == "+0" {
				out.text = ""
			}
			switch piece := p.Board[at]; {
			case piece == '.':
			case piece < 'a':
				out.mark = "on"
			default:
				out.mark = "hit"
			}
			return out
		})
	}
	const bishop, knight = "8/8/5p2/7k/3B4/8/1N6/K7 b - - 0 1", "8/8/8/5p1k/3N4/1B6/8/K7 b - - 0 1"
	return draw(24, "What each square changes of our bishop on d4 and of our knight on d4; our pieces are blue, theirs orange",
		position("a bishop on d4", bishop, nil, -1), changes("what it changes", bishop, strings.Replace(bishop, "3B4", "8", 1)),
		position("a knight on d4", knight, nil, -1), changes("what it changes", knight, strings.Replace(knight, "3N4", "8", 1)))
}
