package main

import (
	"bytes"
	"fmt"
	"go/format"
	"text/template"

	"github.com/tabula-chess/tabula/gen/source"
)

// pawnSide is what differs between the two twins of the pawn generator.
type pawnSide struct {
	Method  string // name of the generated method
	Way     string // for its comment
	Color   string // of package chess
	Shift   string // operator towards the last rank
	Sign    int    // of a step towards the last rank
	Single  string // rank where a single push may go on to a double push
	Seventh string // rank before promotion
	Last    string // promotion rank
	West    int    // squares that a capture towards the a file shifts by
	East    int    // squares that a capture towards the h file shifts by
}

// pawnSides are White, whose pawns go up, and Black, whose pawns go down.
var pawnSides = []pawnSide{
	{"whitePawns", "up", "White", "<<", 1, "Rank3", "Rank7", "Rank8", 7, 9},
	{"blackPawns", "down", "Black", ">>", -1, "Rank6", "Rank2", "Rank1", 9, 7},
}

// Back returns the signed step that leads n squares back.
func (s pawnSide) Back(n int) int { return s.Sign * n }

// Origin returns the expression of the square n squares behind to.
func (s pawnSide) Origin(n int) string {
	if s.Sign > 0 {
		return fmt.Sprintf("to - %d", n)
	}
	return fmt.Sprintf("to + %d", n)
}

// pawnTemplate is the pawn generator with the direction left open. A pinned
// pawn pushes only along its king's file; captures of pinned pawns, which stay
// on the line to their king, are rare and go one by one.
const pawnTemplate = `
package movegen

import "github.com/tabula-chess/tabula/chess"
{{range .}}
// {{.Method}} generates the legal moves of the pawns that go {{.Way}} the board.
func (g *generator) {{.Method}}(stage Stage) {
	pawns := g.p.Pieces(chess.{{.Color}}, chess.Pawn)
	free := pawns &^ g.pinned
	push := free | pawns&(chess.FileA<<g.king.File())
	empty := ^g.occ
	if stage != Tactical {
		one := (push &^ chess.{{.Seventh}}) {{.Shift}} 8 & empty
		two := (one & chess.{{.Single}}) {{.Shift}} 8 & empty
		g.addShifted(one&g.check, {{.Back 8}})
		g.addShifted(two&g.check, {{.Back 16}})
	}
	if stage != Quiet {
		for b := (push & chess.{{.Seventh}}) {{.Shift}} 8 & empty & g.check; b != 0; b &= b - 1 {
			to := b.First()
			from := {{.Origin 8}}
			g.addPromotions(from, to)
		}
		hits := g.theirs & g.check
		west := (free &^ chess.FileA) {{.Shift}} {{.West}} & hits
		g.addShifted(west&^chess.{{.Last}}, {{.Back .West}})
		for b := west & chess.{{.Last}}; b != 0; b &= b - 1 {
			to := b.First()
			from := {{.Origin .West}}
			g.addPromotions(from, to)
		}
		east := (free &^ chess.FileH) {{.Shift}} {{.East}} & hits
		g.addShifted(east&^chess.{{.Last}}, {{.Back .East}})
		for b := east & chess.{{.Last}}; b != 0; b &= b - 1 {
			to := b.First()
			from := {{.Origin .East}}
			g.addPromotions(from, to)
		}
		for b := pawns & g.pinned; b != 0; b &= b - 1 {
			from := b.First()
			t := chess.PawnAttacks(chess.{{.Color}}, from) & hits & chess.Line(g.king, from)
			for ; t != 0; t &= t - 1 {
				to := t.First()
				if chess.{{.Last}}.Has(to) {
					g.addPromotions(from, to)
				} else {
					g.add(chess.NewMove(from, to, chess.Normal))
				}
			}
		}
		if g.p.EnPassantLegal() {
			g.enPassant()
		}
	}
}
{{end}}`

// pawns emits the pawn moves of both colours from one template: with the
// direction known to the compiler every shift is by a constant.
func pawns() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(source.Header(source.Gen))
	if err := template.Must(template.New("pawns").Parse(pawnTemplate)).Execute(&b, pawnSides); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}
