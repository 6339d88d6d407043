package chess_test

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestTexts writes and reads every value of every small type, and refuses what
// is none.
func TestTexts(t *testing.T) {
	type text interface {
		encoding.TextMarshaler
		String() string
	}
	var values []text
	for s := chess.A1; s <= chess.NoSquare; s++ {
		values = append(values, s)
	}
	for pc := chess.Piece(0); pc <= chess.NoPiece; pc++ {
		values = append(values, pc)
	}
	for o := chess.Ongoing; o <= chess.ThreefoldRepetition; o++ {
		values = append(values, o)
	}
	for r := chess.NoResult; r <= chess.Draw; r++ {
		values = append(values, r)
	}
	values = append(values, chess.White, chess.Black, chess.NoMove, chess.NewMove(chess.E2, chess.E4, chess.Normal),
		chess.NewPromotion(chess.B7, chess.A8, chess.Knight), chess.NewPromotion(chess.B2, chess.B1, chess.Queen))
	for _, v := range values {
		written, err := v.MarshalText()
		if err != nil || string(written) != v.String() {
			t.Errorf("%T %v: MarshalText = %q, %v", v, v, written, err)
			continue
		}
		back := reflect.New(reflect.TypeOf(v))
		if err := back.Interface().(encoding.TextUnmarshaler).UnmarshalText(written); err != nil || back.Elem().Interface() != v {
			t.Errorf("%T: %q comes back as %v, %v", v, written, back.Elem(), err)
		}
		for _, bad := range []string{"", "x", "e9", "e2e4k", "e2e2", "pp", "1-1", "\xff"} {
			before := back.Elem().Interface()
			if err := back.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(bad)); err == nil || !strings.Contains(err.Error(), "want") && !strings.Contains(err.Error(), "itself") {
				t.Errorf("%T: %q is read as %v, %v, want an error that says what is wanted", v, bad, back.Elem(), err)
			} else if back.Elem().Interface() != before {
				t.Errorf("%T: %q is refused and changes the value", v, bad)
			}
		}
	}
}

// record is what a program would keep.
type jsonRecord struct {
	Position *chess.Position
	Best     chess.Move
	Square   chess.Square
	Piece    chess.Piece
	Outcome  chess.Outcome
	Side     chess.Color
	Heat     map[chess.Square]int
}

func TestJSON(t *testing.T) {
	p := kit.Position(t, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4")
	r := jsonRecord{p, chess.NewMove(chess.E1, chess.H1, chess.Castling), chess.NoSquare, chess.NoPiece, chess.FiftyMoves, chess.Black, map[chess.Square]int{chess.D4: 7}}
	data, err := json.Marshal(r)
	const want = `{"Position":"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4","Best":"e1g1","Square":"-","Piece":".","Outcome":"fifty moves","Side":"black","Heat":{"d4":7}}`
	if err != nil || string(data) != want {
		t.Fatalf("%s, %v\nwant %s", data, err, want)
	}
	var back jsonRecord
	kit.Succeed(t, json.Unmarshal(data, &back))
	best, err := back.Position.ParseUCI(back.Best.String())
	if err != nil || best != r.Best {
		t.Errorf("the move comes back as %v, %v", best, err)
	}
	if !back.Position.Equal(p) || back.Position.Key() != p.Key() {
		t.Errorf("the position comes back as %s", back.Position)
	}
	back.Best, back.Position, r.Position = best, nil, nil
	if !reflect.DeepEqual(back, r) {
		t.Errorf("%+v, want %+v", back, r)
	}
	kit.Succeed(t, json.Unmarshal([]byte(`"e1h1"`), &back.Best))
	if best, err = p.ParseUCI(back.Best.String()); err != nil || best != r.Best {
		t.Errorf("king takes rook is read as %v, %v", best, err)
	}
	for m, want := range map[chess.Move]string{
		chess.NewMove(chess.E8, chess.A8, chess.Castling): `"e8c8"`, chess.NewMove(chess.E8, chess.H8, chess.Castling): `"e8g8"`,
		chess.NewMove(chess.E1, chess.A1, chess.Castling): `"e1c1"`, chess.NewMove(chess.E1, chess.G1, chess.Castling): `"e1g1"`,
		chess.NewMove(chess.E1, chess.B1, chess.Castling): `"e1b1"`, chess.NewMove(chess.F8, chess.H8, chess.Castling): `"f8h8"`,
		chess.NewMove(chess.E1, chess.H1, chess.Normal): `"e1h1"`,
	} {
		if data, err := json.Marshal(m); err != nil || string(data) != want {
			t.Errorf("%v is written as %s, %v, want %s", m, data, err, want)
		}
	}
	if err := json.Unmarshal([]byte(`{"Position":"8/8/8/8/8/8/8/8 w - - 0 1"}`), &back); err == nil || !strings.Contains(err.Error(), "kings") {
		t.Errorf("an empty board: %v, want the error of its FEN", err)
	}
	if data, err := json.Marshal(&chess.Position{}); err == nil {
		t.Errorf("the zero Position is written as %s", data)
	}
}

func TestSANLine(t *testing.T) {
	line := func(p *chess.Position, texts string) []chess.Move {
		q := p.Clone()
		var moves []chess.Move
		for _, text := range strings.Fields(texts) {
			m := chess.NoMove
			if text != "--" {
				m = kit.Move(t, q, text)
				q.Make(m)
			} else {
				q.MakeNull()
			}
			moves = append(moves, m)
		}
		return moves
	}
	for _, c := range []struct{ fen, moves, want string }{
		{chess.StartFEN, "", ""},
		{chess.StartFEN, "e2e4 e7e5 g1f3", "1. e4 e5 2. Nf3"},
		{"6k1/5ppp/8/8/8/8/8/R3K3 b Q - 0 12", "h7h6 a1a8 g8h7 e1e2", "12... h6 13. Ra8+ Kh7 14. Ke2"},
		{"6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 12", "-- h7h6 e1c1", "12. -- h6 13. O-O-O"},
	} {
		p := kit.Position(t, c.fen)
		moves := line(p, c.moves)
		if got, err := p.SANLine(moves); err != nil || got != c.want {
			t.Errorf("%s: SANLine(%v) = %q, %v, want %q", c.fen, moves, got, err, c.want)
		}
		if p.FEN() != c.fen || p.Plies() != 0 {
			t.Errorf("%s: the line changed it to %s", c.fen, p)
		}
	}
	p := chess.NewPosition()
	if p.IsCapture(chess.NoMove) {
		t.Error("no move is a capture")
	}
	bad := append(line(p, "e2e4"), chess.NewMove(chess.E4, chess.E5, chess.Normal))
	if got, err := p.SANLine(bad); got != "1. e4" || err == nil || !strings.Contains(err.Error(), `"e4e5"`) {
		t.Errorf("an illegal second move: %q, %v", got, err)
	}
	if got := p.SAN(chess.NoMove); got != "--" {
		t.Errorf("SAN(NoMove) = %q, want --", got)
	}
}
