package lab

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tables"
)

// TestLook checks that all methods end in the attacks, that each step leads to the next,
// and that the line of the generated file has the word.
func TestLook(t *testing.T) {
	files := map[string][]string{}
	for _, name := range []string{"tables/zmagic.go", "tables/zpext.go"} {
		text := filestest.Read(t, "../../"+name)
		files[name] = strings.Split(string(text), "\n")
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, tt := range []struct {
		piece string
		kind  chess.PieceType
	}{{"bishop", chess.Bishop}, {"rook", chess.Rook}, {"queen", chess.Queen}} {
		for sq := range chess.Square(64) {
			blockers := random.Uint64() & random.Uint64()
			l, err := Look(tt.piece, sq.String(), word(blockers))
			must.Succeed(t, err)
			want := set(chess.PieceAttacks(tt.kind, sq, chess.Bitboard(blockers)))
			if l.Attacks != want || len(l.Methods) != 5 {
				t.Fatalf("%s on %s: attacks %s, want %s", tt.piece, sq, l.Attacks, want)
			}
			for _, m := range l.Methods {
				if m.Attacks != want {
					t.Errorf("%s on %s, %s: attacks %s, want %s", tt.piece, sq, m.Name, m.Attacks, want)
				}
				if _, err := os.Stat("../../" + m.Source); err != nil {
					t.Error(err)
				}
				for _, p := range m.Parts {
					if p.File == "" {
						continue
					}
					line, last := files[p.File][p.Line-1], p.Steps[len(p.Steps)-1].Word
					if !strings.Contains(line, "0x"+last) {
						t.Errorf("%s on %s, %s: line %d of %s is %q, want %s", tt.piece, sq, m.Name, p.Line, p.File, line, last)
					}
				}
			}
			magic := l.Methods[1].Parts[0].Steps
			product, at := uint64(bitboard(t, magic[2].Word)), uint64(bitboard(t, magic[3].Word))
			if product>>(64-magic[2].Top) != at {
				t.Errorf("%s on %s: index %d of the product %#x", tt.piece, sq, at, product)
			}
			pext := l.Methods[2].Parts[0].Steps
			row := tables.Rows()[sq]
			mask, from := row.RookMask, row.RookAt
			if tt.kind != chess.Rook {
				mask, from = row.BishopMask, row.BishopAt
			}
			at = uint64(bitboard(t, pext[2].Word))
			if pext[0].Word != word(mask) || !strings.HasPrefix(pext[3].Text, fmt.Sprintf("pextSets[%d ", from)) || word(tables.PextSets()[uint64(from)+at]) != pext[3].Word {
				t.Errorf("%s on %s: PEXT %v", tt.piece, sq, pext)
			}
			occupied := uint64(bitboard(t, pext[1].Word))
			for i, name := range pext[2].Squares {
				s, err := chess.ParseSquare(name)
				if err != nil || occupied>>s&1 != at>>i&1 {
					t.Errorf("%s on %s: bit %d is not that of %s", tt.piece, sq, i, name)
				}
			}
		}
	}
	if _, err := Look("knight", "d4", "0"); err == nil {
		t.Error("a knight was looked up")
	}
}

// TestLookWalks follows two walks to the edge.
func TestLookWalks(t *testing.T) {
	l, err := Look("rook", "g1", set(chess.G3.Bitboard()))
	must.Succeed(t, err)
	for i, want := range map[int]string{
		3: "[{f6 f6 & 88 = 80 }] [{05 05 & 88 = 00 f1} {04 04 & 88 = 00 e1} {03 03 & 88 = 00 d1} {02 02 & 88 = 00 c1} {01 01 & 88 = 00 b1} {00 00 & 88 = 00 a1} {ff ff & 88 = 88 }] [{07 07 & 88 = 00 h1} {08 08 & 88 = 08 }] [{16 16 & 88 = 00 g2} {26 26 & 88 = 00 g3}] ",
		4: "[{17 border }] [{26 on the board f1} {25 on the board e1} {24 on the board d1} {23 on the board c1} {22 on the board b1} {21 on the board a1} {20 border }] [{28 on the board h1} {29 border }] [{37 on the board g2} {47 on the board g3}] ",
	} {
		got := ""
		for _, p := range l.Methods[i].Parts {
			got += fmt.Sprint(p.Cells) + " "
		}
		if got != want {
			t.Errorf("%s: %s, want %s", l.Methods[i].Name, got, want)
		}
	}
}
