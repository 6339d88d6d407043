package chess_test

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestTextDiagrams(t *testing.T) {
	p := kit.Position(t, "rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 1 2")
	for _, c := range []struct{ name, got, want string }{
		{"ASCII", p.ASCII(), `8  r n b q k b . r
7  p p p p p p p p
6  . . . . . n . .
5  . . . . . . . .
4  . . . . P . . .
3  . . . . . . . .
2  P P P P . P P P
1  R N B Q K B N R

   a b c d e f g h
`},
		{"Unicode of Black", chess.Diagram{Bottom: chess.Black}.Unicode(p), `1  ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖
2  ♙ ♙ ♙ · ♙ ♙ ♙ ♙
3  · · · · · · · ·
4  · · · ♙ · · · ·
5  · · · · · · · ·
6  · · ♞ · · · · ·
7  ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟
8  ♜ · ♝ ♚ ♛ ♝ ♞ ♜

   h g f e d c b a
`},
		{"bare", chess.Diagram{Bare: true}.ASCII(p)[:32], "r n b q k b . r\np p p p p p p p\n"},
		{"Unicode", p.Unicode()[:len("8  ♜ ♞ ♝ ♛ ♚ ♝ · ♜")], "8  ♜ ♞ ♝ ♛ ♚ ♝ · ♜"},
	} {
		if c.got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, c.got, c.want)
		}
	}
}

// element is what the test reads of an SVG.
type element struct {
	name, text string
	attr       map[string]string
}

// elements parses an SVG and returns its elements in order.
func elements(t *testing.T, svg string) []element {
	t.Helper()
	var found []element
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("not XML: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			found = append(found, e)
		case xml.CharData:
			found[len(found)-1].text += strings.TrimSpace(string(token))
		}
	}
}

// TestSVG looks for each piece, mark and arrow where it belongs, from either
// side.
func TestSVG(t *testing.T) {
	p := kit.Position(t, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1")
	const evil = `"/><script>&`
	for _, bottom := range []chess.Color{chess.White, chess.Black} {
		d := chess.Diagram{
			Bottom: bottom, Width: 360,
			Marks:  []chess.Mark{{Square: chess.E1, Paint: evil}, {Square: chess.NoSquare}},
			Arrows: []chess.Arrow{{From: chess.F3, To: chess.F6}, {From: chess.B6, To: chess.B6, Paint: "red"}, {From: chess.A1, To: chess.NoSquare}},
		}
		at := func(s chess.Square, middle int) string {
			x, y := corner(bottom, s)
			return "translate(" + strconv.Itoa(x+middle) + " " + strconv.Itoa(y+middle) + ")"
		}
		all := elements(t, d.SVG(p))
		if all[0].name != "svg" || all[0].attr["viewBox"] != "-40 0 840 840" || all[0].attr["width"] != "360" {
			t.Errorf("%v: the picture is %v", bottom, all[0])
		}
		pieces := map[string]string{}
		counts := map[string]int{}
		for _, e := range all {
			switch {
			case e.name == "g" && e.attr["transform"] != "":
				pieces[e.attr["transform"]] = e.attr["fill"]
			case e.name == "rect" && e.attr["opacity"] != "":
				counts["mark"]++
				x, y := corner(bottom, chess.E1)
				if e.attr["fill"] != evil || e.attr["x"] != strconv.Itoa(x) || e.attr["y"] != strconv.Itoa(y) {
					t.Errorf("%v: mark %v", bottom, e)
				}
			case e.name == "circle" && e.attr["opacity"] != "":
				counts["ring"]++
				if e.attr["stroke"] != "red" {
					t.Errorf("%v: ring %v", bottom, e)
				}
			case e.name == "path" && e.attr["opacity"] != "":
				counts["arrow"]++
				turn := map[chess.Color]string{chess.White: " rotate(-90.00)", chess.Black: " rotate(90.00)"}[bottom]
				if e.attr["transform"] != at(chess.F3, 50)+turn || e.attr["fill"] != chess.DefaultPaint || !strings.HasSuffix(e.attr["d"], "0Z") {
					t.Errorf("%v: arrow %v", bottom, e)
				}
			case e.name == "script":
				t.Errorf("%v: a colour became an element", bottom)
			}
		}
		if want := map[string]int{"mark": 1, "ring": 1, "arrow": 1}; !maps.Equal(counts, want) {
			t.Errorf("%v: %v, want %v", bottom, counts, want)
		}
		if len(pieces) != p.Occupied().Count() {
			t.Errorf("%v: %d pieces drawn, want %d", bottom, len(pieces), p.Occupied().Count())
		}
		for s := range p.Occupied().Squares() {
			if want := [2]string{"#fff", "#333"}[p.Piece(s).Color()]; pieces[at(s, 0)] != want {
				t.Errorf("%v: on %v a piece of colour %q, want %q", bottom, s, pieces[at(s, 0)], want)
			}
		}
	}
	if bare := elements(t, chess.Diagram{Bare: true}.SVG(p)); bare[0].attr["viewBox"] != "0 0 800 800" {
		t.Errorf("bare: %v", bare[0])
	}
	if strings.Contains(chess.Diagram{Bare: true}.SVG(p), "<text") {
		t.Error("bare: files and ranks are written")
	}
}

// corner returns where a square of a picture begins.
func corner(bottom chess.Color, s chess.Square) (x, y int) {
	if bottom == chess.White {
		return s.File() * 100, (7 - s.Rank()) * 100
	}
	return (7 - s.File()) * 100, s.Rank() * 100
}

// TestSVGBoard: the dark squares are drawn, files below the middle of their column and ranks
// left of the middle of their row.
func TestSVGBoard(t *testing.T) {
	for _, bottom := range []chess.Color{chess.White, chess.Black} {
		all := elements(t, chess.Diagram{Bottom: bottom}.SVG(chess.NewPosition()))
		squares := all[slices.IndexFunc(all, func(e element) bool { return e.name == "path" })].attr["d"]
		for s := chess.A1; s < chess.NoSquare; s++ {
			x, y := corner(bottom, s)
			dark := (s.File()+s.Rank())%2 == 0
			if drawn := strings.Contains(squares, fmt.Sprintf("M%d %dh100 v100h-100z", x, y)); drawn != dark {
				t.Errorf("%v: %v is drawn dark: %v", bottom, s, drawn)
			}
		}
		labels := 0
		for _, e := range all {
			if e.name != "text" {
				continue
			}
			labels++
			x, _ := strconv.Atoi(e.attr["x"])
			y, _ := strconv.Atoi(e.attr["y"])
			column, _ := corner(bottom, chess.MakeSquare(int(e.text[0]-'a')&7, 0))
			_, row := corner(bottom, chess.MakeSquare(0, int(e.text[0]-'1')&7))
			below, beside := x == column+50 && y > 810 && y < 840, x > -40 && x < -10 && y > row+50 && y < row+70
			if e.text >= "a" && !below || e.text < "a" && !beside {
				t.Errorf("%v: %q stands at %d, %d", bottom, e.text, x, y)
			}
		}
		if labels != 16 {
			t.Errorf("%v: %d labels, want 16", bottom, labels)
		}
	}
}
