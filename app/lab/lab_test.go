package lab

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/gen/magic"
	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/tables"
	"github.com/tabula-chess/tabula/tables/index"
)

// TestNative: the speeds that the race shows are those of docs/generators.md.
func TestNative(t *testing.T) {
	text := string(testkit.Read(t, "../../docs/generators.md"))
	short := strings.NewReplacer(".00×", "×", ".0×", "×")
	for name, figures := range native {
		_, row, _ := strings.Cut(text, "\n| "+name+" |")
		row, _, _ = strings.Cut(row, "\n")
		if want := fmt.Sprintf("%v M/s | **%v×** |", figures[0], figures[1]); !strings.HasSuffix(short.Replace(row), want) {
			t.Errorf("%s: %v in race.go, and in the document:%s", name, figures, row)
		}
	}
}

// TestDivide compares the divide with one that has three faults.
func TestDivide(t *testing.T) {
	p := testkit.Position(t, positions[1])
	var last Counted
	d, err := Divide(t.Context(), p, 4, "", func(c Counted) { last = c })
	if err != nil || d.Nodes != 4085603 || len(d.Moves) != 48 || last != (Counted{48, 48}) || len(d.Differences) != 0 {
		t.Fatalf("%v, error %v, progress %v", d, err, last)
	}
	var text strings.Builder
	for _, m := range d.Moves {
		switch m.UCI {
		case "e1g1":
			continue
		case "a2a3":
			m.Nodes++
		}
		fmt.Fprintf(&text, "%s: %d\n", m.UCI, m.Nodes)
	}
	text.WriteString("e1e2: 7\n")
	d, err = Divide(t.Context(), p, 4, text.String(), func(Counted) {})
	if err != nil || len(d.Differences) != 3 {
		t.Fatalf("%v, error %v", d, err)
	}
	got := ""
	for _, d := range d.Differences {
		got += fmt.Sprintf("%s %v %v %d; ", d.Text, d.Legal, d.Listed, len(d.Reasons))
	}
	want := "e1e2: not legal false true 1; e1g1: missing true false 0; a2a3: 94406, want 94405 true true 0; "
	if got != want {
		t.Errorf("differences %s, want %s", got, want)
	}
}

// TestDivideEnds ends a count, and reports a text that cannot be read.
func TestDivideEnds(t *testing.T) {
	p := testkit.Position(t, positions[0])
	gone := errors.New("gone")
	ctx, end := context.WithCancelCause(t.Context())
	told := 0
	_, err := Divide(ctx, p, MaxDepth, "", func(Counted) {
		told++
		end(gone)
	})
	if !errors.Is(err, gone) || told > 1 {
		t.Errorf("error %v after %d moves", err, told)
	}
	var unread *Fault
	if _, err := Divide(t.Context(), p, 1, "e2e4: 1\ne2e4: 1", nil); !errors.As(err, &unread) || unread.Line != 2 {
		t.Errorf("error %v, want one of line 2", err)
	}
}

// positions have checks, pins, en passant and castling.
var positions = []string{
	"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"4k3/4r3/8/8/1b6/2N5/4N3/4K3 w - - 0 1",
	"8/2p5/3p4/KP5r/1R2Pp1k/8/6P1/8 b - e3 0 1",
	"r3k2r/8/8/8/5r2/8/8/R3K2R w KQkq - 0 1",
	"4k3/8/8/8/1b2r3/8/8/R3K1N1 w - - 0 1",
}

func bitboard(t *testing.T, word string) chess.Bitboard {
	t.Helper()
	b, err := strconv.ParseUint(word, 16, 64)
	if err != nil || len(word) != 16 {
		t.Fatalf("set %q: %v", word, err)
	}
	return chess.Bitboard(b)
}

// TestExplain tries every pair of squares: a legal move has no reason, another has
// some. The check mask and the pin lines hold the targets of all legal moves.
func TestExplain(t *testing.T) {
	for _, fen := range positions {
		p := testkit.Position(t, fen)
		for from := range chess.Square(64) {
			for to := range chess.Square(64) {
				if from == to {
					continue
				}
				e, err := Explain(p, from.String()+to.String())
				testkit.Succeed(t, err)
				legal := false
				for _, m := range movegen.Legal(p, nil) {
					legal = legal || p.UCI(m)[:4] == from.String()+to.String() || m.From() == from && m.To() == to
				}
				if e.Legal != legal || (len(e.Reasons) == 0) != legal {
					t.Errorf("%s, %s%s: legal %v, want %v; reasons %v", fen, from, to, e.Legal, legal, e.Reasons)
				}
			}
		}
		e, err := Explain(p, "a1a2")
		testkit.Succeed(t, err)
		for _, m := range movegen.Legal(p, nil) {
			if m.From() == p.King(p.SideToMove()) || m.Kind() == chess.EnPassant {
				continue
			}
			for _, f := range e.Figures {
				squares := bitboard(t, f.Squares)
				if f.Title == "Check mask" && !squares.Has(m.To()) || f.Title == "Pin line" && bitboard(t, f.Marked).Has(m.From()) && !squares.Has(m.To()) {
					t.Errorf("%s: %s leaves %q", fen, m, f.Title)
				}
			}
		}
	}
}

// TestExplainText reads what people type.
func TestExplainText(t *testing.T) {
	for _, tt := range []struct{ fen, text, move, reason string }{
		{positions[0], "Nf6", "b1f6", "does not move"},
		{positions[0], "O-O", "e1h1", "blocked"},
		{positions[0], "Ke2", "e1e2", "same side"},
		{positions[2], "Ng3", "e2g3", "open the line"},
		{positions[2], "N3d5", "c3d5", "open the line"},
		{positions[3], "fxe3", "f4e3", "open the line"},
		{positions[4], "0-0", "e1h1", "cross or reach"},
		{positions[4], "e8f8", "e8f8", "White's turn"},
		{"8/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=K", "", ""},
		{"1n6/P7/8/8/8/8/8/k1K5 w - - 0 1", "axb8=N", "a7b8n", ""},
		{"4k3/8/8/4q3/8/4N3/8/1N2KN2 w - - 0 1", "Nd2", "", ""}, // two may, a third is pinned
		{"rn6/P7/8/8/8/8/8/k1K5 w - - 0 1", "a8=R", "a7a8q", "blocked"},
		{"rn6/P7/8/8/8/8/8/k1K5 w - - 0 1", "a7a8", "a7a8q", "blocked"},
	} {
		e, err := Explain(testkit.Position(t, tt.fen), tt.text)
		if err != nil {
			if !errors.As(err, new(*Fault)) || tt.move != "" || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: %v", tt.text, err)
			}
			continue
		}
		if e.Move != tt.move || tt.reason != "" && !strings.Contains(e.Reasons[0].Text, tt.reason) || e.Legal != (tt.reason == "") {
			t.Errorf("%s: %s %v, want %s with %q", tt.text, e.Move, e.Reasons, tt.move, tt.reason)
		}
	}
	for _, text := range []string{"", "x", "Z9", "=", "Q", "e9", "h4"} {
		if e, err := Explain(testkit.Position(t, "8/P7/8/8/8/8/8/k1K5 w - - 0 1"), text); err == nil && (e.Legal || len(e.Reasons) == 0) {
			t.Errorf("%q: %v", text, e)
		}
	}
}

// TestLook checks that all methods end in the attacks, that each step leads to the next,
// and that the line of the generated file has the word.
func TestLook(t *testing.T) {
	files := map[string][]string{}
	for _, name := range []string{"tables/zsliders.go", "tables/zpext.go"} {
		text := testkit.Read(t, "../../"+name)
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
			testkit.Succeed(t, err)
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
	testkit.Succeed(t, err)
	for i, want := range map[int]string{
		3: "16, tests of cells: 12: [{f6 f6 & 88 = 80 }] [{05 05 & 88 = 00 f1} {04 04 & 88 = 00 e1} {03 03 & 88 = 00 d1} {02 02 & 88 = 00 c1} {01 01 & 88 = 00 b1} {00 00 & 88 = 00 a1} {ff ff & 88 = 88 }] [{07 07 & 88 = 00 h1} {08 08 & 88 = 08 }] [{16 16 & 88 = 00 g2} {26 26 & 88 = 00 g3}] ",
		4: "10, tests of cells: 12: [{17 border }] [{26 on the board f1} {25 on the board e1} {24 on the board d1} {23 on the board c1} {22 on the board b1} {21 on the board a1} {20 border }] [{28 on the board h1} {29 border }] [{37 on the board g2} {47 on the board g3}] ",
	} {
		got := fmt.Sprintf("%d, %s: ", l.Methods[i].Width, l.Methods[i].Work)
		for _, p := range l.Methods[i].Parts {
			got += fmt.Sprint(p.Cells) + " "
		}
		if got != want {
			t.Errorf("%s: %s, want %s", l.Methods[i].Name, got, want)
		}
	}
}

// TestRace lets all generators count to the end.
func TestRace(t *testing.T) {
	for _, tt := range []struct {
		fen   string
		depth int
		nodes uint64
	}{
		{positions[0], 1, 20}, {positions[0], 4, 197281}, {positions[1], 3, 97862}, {positions[3], 2, 0},
		{"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", 5, 0},
	} {
		p := testkit.Position(t, tt.fen)
		var last Race
		r, err := Run(t.Context(), p, tt.depth, func(now Race) { last = now })
		testkit.Succeed(t, err)
		d, err := Divide(t.Context(), p, tt.depth, "", func(Counted) {})
		testkit.Succeed(t, err)
		for i, runner := range r.Runners {
			if runner.Nodes != d.Nodes || tt.nodes > 0 && runner.Nodes != tt.nodes || runner != last.Runners[i] {
				t.Errorf("%s, depth %d: %v, want %d nodes", tt.fen, tt.depth, runner, d.Nodes)
			}
		}
	}
}

// TestRaceEnds ends a race, and refuses Chess960.
func TestRaceEnds(t *testing.T) {
	p := testkit.Position(t, positions[0])
	gone := errors.New("gone")
	ctx, end := context.WithCancelCause(t.Context())
	if _, err := Run(ctx, p, 5, func(Race) { end(gone) }); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
	p, err := chess.NewChess960(0)
	testkit.Succeed(t, err)
	if _, err := Run(t.Context(), p, 1, nil); !errors.As(err, new(*Fault)) {
		t.Error("a position of Chess960 was accepted")
	}
}

// TestTryMagic tries the factors of the tables, others, and those that are found.
func TestTryMagic(t *testing.T) {
	for _, piece := range []string{"bishop", "rook"} {
		bishop := piece == "bishop"
		for _, sq := range []chess.Square{chess.A1, chess.D4, chess.H8} {
			m, _, _ := magicOf(bishop, sq)
			for _, factor := range []string{word(m.Factor), ""} {
				trial, err := TryMagic(piece, sq.String(), factor, "", false)
				if err != nil || trial.Collisions != 0 || trial.First != nil || trial.Sets != 1<<trial.Bits || (trial.Tries > 0) != (factor == "") {
					t.Errorf("%s on %s, factor %q: %+v, error %v", piece, sq, factor, trial, err)
				}
			}
			trial, err := TryMagic(piece, sq.String(), "1", "", false)
			if err != nil || trial.Collisions == 0 {
				t.Fatalf("%s on %s: %+v, error %v", piece, sq, trial, err)
			}
			m.Factor, m.Offset = 1, 0
			collide(t, bishop, sq, trial.First, m.Index)
		}
	}
}

// collide checks that two occupancies have the attacks that a collision says, different ones at its index.
func collide(t *testing.T, bishop bool, sq chess.Square, c *Collision, at func(uint64) uint32) {
	t.Helper()
	if c == nil || c.A.Attacks == c.B.Attacks {
		t.Fatalf("%s: no collision: %+v", sq, c)
	}
	for _, o := range []Occupancy{c.A, c.B} {
		occ := uint64(bitboard(t, o.Blockers))
		if word(geom.Slider(bishop, int(sq), occ)) != o.Attacks || int(at(occ)) != c.Index {
			t.Errorf("%s: %+v is not what leads to %d", sq, o, c.Index)
		}
	}
}

// TestTryMask tries masks with a square too few and too many. By PEXT the index is exact: without a square, the half of
// the occupancies that has a piece there and sees it collides; with a square more, nothing does.
func TestTryMask(t *testing.T) {
	m, _, _ := magicOf(false, chess.D4)
	for _, tt := range []struct {
		mask       uint64
		sets, used int
		collides   bool
	}{
		{m.Mask, 1024, 1024, false},
		{m.Mask | uint64(chess.D8.Bitboard()), 2048, 2048, false},
		{m.Mask | uint64(chess.A1.Bitboard()|chess.H8.Bitboard()), 4096, 4096, false},
		{m.Mask &^ uint64(chess.D5.Bitboard()), 1024, 512, true},
		{m.Mask&^uint64(chess.D5.Bitboard()) | uint64(chess.D8.Bitboard()), 2048, 1024, true},
		{0, 1024, 1, true},
	} {
		trial, err := TryMagic("rook", "d4", "", word(tt.mask), true)
		if err != nil || trial.Sets != tt.sets || trial.Used != tt.used || trial.Factor != "" || trial.Mask != word(tt.mask) ||
			trial.Relevant != word(m.Mask) || (trial.Collisions > 0) != tt.collides || tt.collides != (trial.First != nil) {
			t.Fatalf("mask %#x: %+v, error %v", tt.mask, trial, err)
		}
		if tt.collides {
			collide(t, false, chess.D4, trial.First, func(occ uint64) uint32 { return uint32(index.Extract(occ, tt.mask)) })
		}
	}
	short := m
	short.Mask &^= uint64(chess.D5.Bitboard())
	short.Shift, short.Offset = short.Shift+1, 0
	trial, err := TryMagic("rook", "d4", word(m.Factor), word(short.Mask), false)
	if err != nil || trial.Bits != 9 || trial.Collisions == 0 {
		t.Fatalf("%+v, error %v", trial, err)
	}
	collide(t, false, chess.D4, trial.First, short.Index)
}

// TestTryRefuses names the field that is wrong.
func TestTryRefuses(t *testing.T) {
	for _, tt := range []struct{ piece, square, factor, mask, field string }{
		{"queen", "a1", "", "", "piece"}, {"rook", "a9", "1", "", "square"}, {"rook", "a1", "x", "", "factor"},
		{"rook", "a1", "1", "g", "mask"}, {"rook", "a1", "1", "ffffffffffffffff", "mask"}, {"rook", "a1", "", "1", "mask"},
	} {
		var wrong *Fault
		if _, err := TryMagic(tt.piece, tt.square, tt.factor, tt.mask, false); !errors.As(err, &wrong) || wrong.Field != tt.field {
			t.Errorf("%+v: error %v", tt, err)
		}
	}
}

// TestAllMagics has the tries of the generator's own search.
func TestAllMagics(t *testing.T) {
	steps := 0
	got, err := AllMagics(t.Context(), func(Magics) { steps++ })
	if err != nil || steps != 128 {
		t.Fatalf("error %v, %d steps", err, steps)
	}
	i := 0
	for found := range magic.All() {
		list := got.Rook
		if found.Bishop {
			list = got.Bishop
		}
		if list[found.Square] != found.Tries || found.Tries < 1 {
			t.Errorf("%v, want %v", list[found.Square], found)
		}
		i++
	}
	if m, _, _ := magicOf(false, chess.H8); i != 128 || m.Mask == 0 {
		t.Errorf("%d squares", i)
	}
}
