package chess_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/must"
)

func TestParseEPD(t *testing.T) {
	const four = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -"
	cases := []struct{ name, text, fen, operations string }{
		{"no operation", four, four + " 0 1", ""},
		{"best moves", four + ` bm O-O Ra8+; id "castle; or take";`, four + " 0 1", "bm:O-O|Ra8+ id:castle; or take"},
		{"last semicolon missing", four + ` am Ke2; c0 ""; acd 12`, four + " 0 1", "am:Ke2 c0: acd:12"},
		{"letters, digits and lines of opcodes", four + " azAZ09_ 1; Z 2; A 3; z 4;", four + " 0 1", "azAZ09_:1 Z:2 A:3 z:4"},
		{"no operands", four + " draw_offer; noop;", four + " 0 1", "draw_offer: noop:"},
		{"perft suite", four + " 3 40 ;D1 26 ;D2 568", four + " 3 40", "D1:26 D2:568"},
		{"perft suite of four fields", four + " ;D1 26; D2 568;", four + " 0 1", "D1:26 D2:568"},
		{"no space before the semicolon", four + ";D1 26", four + " 0 1", "D1:26"},
		{"counters", four + " hmvc 7; fmvn 30;", four + " 7 30", "hmvc:7 fmvn:30"},
		{"five fields", four + " 9 bm Ra8+;", four + " 9 1", "bm:Ra8+"},
		{"spaces and tabs", "  " + four + "\t bm\tO-O  Ra8+ ;; ; id x ; ", four + " 0 1", "bm:O-O|Ra8+ id:x"},
		{"Shredder", "rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EAea - D1 40;", "rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EAea - 0 1", "D1:40"},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 bm exd6;", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "bm:exd6"},
	}
	for _, c := range cases {
		e, err := chess.ParseEPD(c.text)
		if err != nil {
			t.Errorf("%s: ParseEPD(%q): %v", c.name, c.text, err)
			continue
		}
		var words []string
		for _, o := range e.Operations {
			words = append(words, o.Opcode+":"+strings.Join(o.Operands, "|"))
		}
		if got := strings.Join(words, " "); e.Position.FEN() != c.fen || got != c.operations {
			t.Errorf("%s: ParseEPD(%q): %s with %s, want %s with %s", c.name, c.text, e.Position, got, c.fen, c.operations)
		}
	}
}

func TestEPDMoves(t *testing.T) {
	e, err := chess.ParseEPD("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O a1a8; am Ke9; bm second;")
	must.Succeed(t, err)
	moves, err := e.Moves("bm")
	if err != nil || len(moves) != 2 || moves[0].String() != "e1h1" || moves[1].String() != "a1a8" {
		t.Errorf("bm: %v, %v, want e1h1 a1a8", moves, err)
	}
	var bad *chess.MoveError
	if moves, err := e.Moves("am"); !errors.As(err, &bad) {
		t.Errorf("am Ke9: %v, %v, want a *MoveError", moves, err)
	}
	if moves, err := e.Moves("pm"); err != nil || len(moves) != 0 {
		t.Errorf("an opcode that is not there: %v, %v", moves, err)
	}
	if _, ok := e.Operands("pm"); ok {
		t.Error("Operands found an opcode that is not there")
	}
}

func TestEPDRefused(t *testing.T) {
	const four = "4k3/8/8/8/8/8/8/4K3 w - -"
	cases := []struct {
		name, text, opcode, reason string
		offset                     int
	}{
		{"opcode a sign", four + " ;+ 1", "", "want a letter", len(four) + 2},
		{"opcode too long", four + " abcdefghijklmnop 1;", "", "longer than 15", len(four) + 1},
		{"sign inside an opcode", four + " b-m 1;", "b", `unexpected '-'`, len(four) + 2},
		{"opcode a symbol", four + " ±;", "", "'±', want a letter", len(four) + 1},
		{"symbol inside an opcode", four + " b→m 1;", "b", `unexpected '→'`, len(four) + 2},
		{"quote open", four + ` id "x;`, "id", "not closed", len(four) + 4},
		{"clock a word", four + " hmvc x;", "hmvc", "not a number", len(four) + 1},
		{"clock empty", four + " hmvc;", "hmvc", "0 operands", len(four) + 1},
		{"move too large", four + " fmvn 10000;", "fmvn", "out of range 1 to 9999", len(four) + 1},
	}
	for _, c := range cases {
		e, err := chess.ParseEPD(c.text)
		var bad *chess.EPDError
		if !errors.As(err, &bad) || bad.Opcode != c.opcode || !strings.Contains(bad.Error(), c.reason) || bad.Offset != c.offset {
			t.Errorf("%s: ParseEPD(%q) = %v, %v, want opcode %q, %q at byte %d", c.name, c.text, e, err, c.opcode, c.reason, c.offset)
		}
	}
	var fe *chess.FENError
	if e, err := chess.ParseEPD("4k3/8/8/8/8/8/8/4K3 w bm Ke2;"); !errors.As(err, &fe) || fe.Field != "castling" {
		t.Errorf("an opcode in place of a field: %v, %v, want a *FENError of castling", e, err)
	}
}

func TestEPDs(t *testing.T) {
	const text = "\xef\xbb\xbf# comment\n\n4k3/8/8/8/8/8/8/4K3 w - - id a;\r\nbad\n4k3/8/8/8/8/8/8/4K3 b - - id b;"
	var got []string
	for e, err := range chess.EPDs(strings.NewReader(text)) {
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		id, _ := e.Operands("id")
		got = append(got, id[0])
	}
	if len(got) != 3 || got[0] != "a" || !strings.HasPrefix(got[1], "line 4: FEN") || got[2] != "b" {
		t.Errorf("got %q", got)
	}
}

// FuzzEPD demands that no text panics and that what is read has a position
// that reads back.
func FuzzEPD(f *testing.F) {
	for _, text := range []string{
		"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O Ra8+; id \"castle; or take\";",
		"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 ;D1 26 ;D2 568",
		"4k3/8/8/8/8/8/8/4K3 b - - hmvc 7; fmvn 30;",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := chess.ParseEPD(text)
		if err != nil {
			return
		}
		for _, o := range e.Operations {
			_, _ = e.Moves(o.Opcode)
		}
		back, err := chess.ParseFEN(e.Position.FEN())
		if err != nil || !back.Equal(e.Position) || back.Key() != e.Position.Key() {
			t.Fatalf("%q: %s reads back as %v, %v", text, e.Position, back, err)
		}
	})
}
