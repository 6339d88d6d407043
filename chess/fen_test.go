package chess_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// roundTrips are valid texts in canonical form: they come out as they went in.
var roundTrips = []struct{ name, fen string }{
	{"start", chess.StartFEN},
	{"Kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"},
	{"en passant nobody can take", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"},
	{"en passant to take", "rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3"},
	{"en passant with a clock", "5kbq/3Q2n1/6p1/r3PpKn/2n5/8/8/q7 w - f6 7 4"},
	{"some rights", "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 3 40"},
	{"bare kings", "8/8/4k3/8/8/3K4/8/8 w - - 99 200"},
	{"218 moves", "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1"},
	{"Shredder letters", "nbbnrkqr/pp2pppp/2pp4/8/8/4P3/PPPPRPPP/NBBNQKR1 w Ghe - 0 3"},
	{"Shredder letters in the start position", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"},
	{"X-FEN of Chess960", "nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w KQkq - 0 1"},
	{"rights of Chess960 that one side has", "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1"},
	{"X-FEN inner rook", "rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EQeq - 0 1"},
	{"different files for each side", "1r2k1r1/8/8/8/8/8/8/R3K2R w HAgb - 0 1"},
	{"largest counters", "8/8/4k3/8/8/3K4/8/8 w - - 9999 9999"},
}

// TestFENRoundTrip reads and writes texts, and takes positions apart and puts them together
// again.
func TestFENRoundTrip(t *testing.T) {
	style := chess.FENStyle{Castling: chess.CastlingShredder}
	for _, c := range roundTrips {
		for _, fen := range []string{c.fen, kit.Mirror(c.fen)} {
			p := kit.Position(t, fen)
			if p.FEN() != fen || p.Key() != p.ComputeKey() {
				t.Errorf("%s: round trip\n got %s, key %x\nwant %s, key %x", c.name, p, p.Key(), fen, p.ComputeKey())
			}
			q, err := p.Setup().Position()
			if err != nil || !q.Equal(p) || q.Key() != p.Key() || q.PawnKey() != p.PawnKey() || q.Checkers() != p.Checkers() ||
				q.Blockers(q.SideToMove()) != p.Blockers(p.SideToMove()) || q.FormatFEN(style) != p.FormatFEN(style) || q.Setup() != p.Setup() {
				t.Errorf("%s: %s comes back from its parts as %v, %v", c.name, fen, q, err)
			}
		}
	}
}

// TestFENLenient reads positions as people paste them.
func TestFENLenient(t *testing.T) {
	const want = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3"
	const path = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"
	for _, c := range []struct{ name, in, want string }{
		{"four fields", "8/8/1k6/8/4Q3/7K/8/8 w - -", "8/8/1k6/8/4Q3/7K/8/8 w - - 0 1"},
		{"five fields", "8/8/1k6/8/4Q3/7K/8/8 w - - 7", "8/8/1k6/8/4Q3/7K/8/8 w - - 7 1"},
		{"two fields", "8/8/1k6/8/4Q3/7K/8/8 b", "8/8/1k6/8/4Q3/7K/8/8 b - - 0 1"},
		{"extra spaces", "  8/8/1k6/8/4Q3/7K/8/8  b\t- - 1  2 ", "8/8/1k6/8/4Q3/7K/8/8 b - - 1 2"},
		{"move zero is move one", "8/8/1k6/8/4Q3/7K/8/8 w - - 0 0", "8/8/1k6/8/4Q3/7K/8/8 w - - 0 1"},
		{"rights in another order", "r3k2r/8/8/8/8/8/8/R3K2R w qkQK - 0 1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"},
		{"blanks and a line end", "  " + path + "\tw  KQkq - 2 3\r\n", want},
	} {
		if got := kit.Position(t, c.in).FEN(); got != c.want {
			t.Errorf("%s: %q\n got %s\nwant %s", c.name, c.in, got, c.want)
		}
	}
}

func TestFENRefused(t *testing.T) {
	cases := []struct{ name, fen, field, reason string }{
		{"empty", "", "placement", "missing"},
		{"a part of a board alone", "8/8/1k6", "placement", "no board, want eight ranks"},
		{"the board alone", "8/8/1k6/8/4Q3/7K/8/8", "side", "only the board is given, want w or b behind it"},
		{"prose", "White to move and win", "placement", `"White" is no board, want eight ranks`},
		{"startpos", "startpos", "placement", `"startpos" is no board`},
		{"underscores", "8/8/1k6/8/4Q3/7K/8/8_w_-_-_0_1", "side", "only the board is given"},
		{"an address", "https://lichess.org/analysis/8/8/1k6/8/4Q3/7K/8/8_w", "placement", "no board, want eight ranks"},
		{"unknown letter", "rnbqkbnr/ppppxppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "placement", "unknown letter 'x'"},
		{"nine squares in a rank", "rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "placement", "rank 7 has more than 8"},
		{"nine by numbers", "4k3/54/8/8/8/8/8/4K3 w - - 0 1", "placement", "in a row"},
		{"too wide by numbers", "4k3/5p3/8/8/8/8/8/4K3 w - - 0 1", "placement", "rank 7 has more than 8"},
		{"seven squares in a rank", "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "placement", "rank 7 has 7"},
		{"a short rank at the end", "4k3/8/8/7 w - - 0 1", "placement", "rank 5 has 7"},
		{"seven ranks", "4k3/8/8/8/8/8/4K3 w - - 0 1", "placement", "7 ranks"},
		{"nine ranks", "4k3/8/8/8/8/8/8/4K3/8 w - - 0 1", "placement", "more than 8 ranks"},
		{"symbol", "♚k6/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "unknown letter '♚'"},
		{"zero", "4k3/80/8/8/8/8/8/4K3 w - - 0 1", "placement", "unknown letter '0'"},
		{"no white king", "4k3/8/8/8/8/8/8/8 w - - 0 1", "placement", "white has 0 kings"},
		{"two black kings", "4k2k/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "black has 2 kings"},
		{"pawn on the first rank", "4k3/8/8/8/8/8/8/P3K3 w - - 0 1", "placement", "pawn on a1"},
		{"pawn on the last rank", "p3k3/8/8/8/8/8/8/4K3 w - - 0 1", "placement", "pawn on a8"},
		{"seventeen men", "4k3/8/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1", "placement", "white has 17"},
		{"nine pawns", "4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "placement", "9 pawns"},
		{"promoted pieces beyond the pawns", "4k3/8/8/8/8/8/PPPPPPPP/QQ2K3 w - - 0 1", "placement", "1 promoted piece and 8 pawns"},
		{"unknown side", "4k3/8/8/8/8/8/8/4K3 x - - 0 1", "side", "want w or b"},
		{"side not to move in check", "4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "side", "black is in check"},
		{"unknown right", "4k3/8/8/8/8/8/8/4K3 w X - 0 1", "castling", "unknown letter 'X'"},
		{"right without rook", "4k3/8/8/8/8/8/8/4K3 w K - 0 1", "castling", "no such rook"},
		{"right for a rook on the other wing", "4k3/8/8/8/8/8/8/R3K3 w K - 0 1", "castling", "no such rook"},
		{"right for a rook on the king's wing", "4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "castling", "no such rook"},
		{"right with the king away", "4k3/8/8/8/8/8/4K3/7R w K - 0 1", "castling", "king stands on e2"},
		{"right twice", "4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "castling", "repeats"},
		{"right by file without rook", "4k3/8/8/8/8/8/8/4K2R w G - 0 1", "castling", "no such rook"},
		{"symbol for a right", "4k3/8/8/8/8/8/8/4K3 w ♔ - 0 1", "castling", "unknown letter '♔'"},
		{"right among dashes", "4k3/8/8/8/8/8/8/4K2R w -K - 0 1", "castling", "unknown letter '-'"},
		{"no square", "4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "en passant", "want a square"},
		{"wrong rank", "4k3/8/8/8/4P3/8/8/4K3 w - e3 0 1", "en passant", "not behind a double push"},
		{"no pawn", "4k3/8/8/8/8/8/8/4K3 w - e6 0 1", "en passant", "no black pawn on e5"},
		{"square taken", "4k3/8/4n3/4p3/8/8/8/4K3 w - e6 0 1", "en passant", "a piece stands on e6 or e7"},
		{"origin taken", "4k3/4n3/8/4p3/8/8/8/4K3 w - e6 0 1", "en passant", "a piece stands on e6 or e7"},
		{"king in check before the push", "4k3/8/8/4p3/8/8/8/r3K3 w - e6 0 1", "en passant", "in check before"},
		{"in check by a knight before the push", "4k3/8/8/4p3/8/3n4/8/4K3 w - e6 0 1", "en passant", "in check before"},
		{"in check by a pawn before the push", "4k3/8/8/4p3/8/8/3p4/4K3 w - e6 0 1", "en passant", "in check before"},
		{"clock a word", "4k3/8/8/8/8/8/8/4K3 w - - x 1", "halfmove clock", "not a number"},
		{"clock negative", "4k3/8/8/8/8/8/8/4K3 w - - -1 1", "halfmove clock", "not a number"},
		{"clock signed", "4k3/8/8/8/8/8/8/4K3 w - - +1 1", "halfmove clock", "not a number"},
		{"clock too large", "4k3/8/8/8/8/8/8/4K3 w - - 10000 1", "halfmove clock", "out of range"},
		{"move too large by one", "4k3/8/8/8/8/8/8/4K3 w - - 0 10000", "fullmove number", "out of range 1 to 9999"},
		{"move too large", "4k3/8/8/8/8/8/8/4K3 w - - 0 99999999999999999999", "fullmove number", "not a number"},
		{"seven fields", "4k3/8/8/8/8/8/8/4K3 w - - 0 1 x", "fields", "more than six"},
	}
	for _, c := range cases {
		p := chess.NewPosition()
		var refused *chess.FENError
		err := p.SetFEN(c.fen)
		if !errors.As(err, &refused) || refused.Field != c.field || !strings.Contains(refused.Reason, c.reason) ||
			refused.Offset < 0 || refused.Offset > len(c.fen) {
			t.Errorf("%s: %q\n got %v\nwant %s: …%s…", c.name, c.fen, err, c.field, c.reason)
		}
		if got := p.FEN(); got != chess.StartFEN {
			t.Errorf("%s: %q is refused and changes the position to %s", c.name, c.fen, got)
		}
	}
}

// TestRepairFEN drops what cannot be, tells of the first of it, and refuses the rest as
// ParseFEN does.
func TestRepairFEN(t *testing.T) {
	for _, c := range []struct{ name, fen, want, dropped string }{
		{"nothing wrong", chess.StartFEN, chess.StartFEN, ""},
		{"no rook", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w Qkq - 0 1", "'K', but white has no such rook"},
		{"king away, both sides", "7k/5K2/4R3/8/8/8/8/8 w KQkq - 0 1", "7k/5K2/4R3/8/8/8/8/8 w - - 0 1", "white king stands on f7"},
		{"a right twice", "4k3/8/8/8/8/8/8/4K2R w KK - 0 1", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "repeats"},
		{"two rooks of one wing", "4k3/8/8/8/8/8/8/4KR1R w HF - 0 1", "4k3/8/8/8/8/8/8/4KR1R w - - 0 1", "two rooks"},
		{"no double push", "4k3/8/8/8/8/8/8/4K3 w - e6 3 9", "4k3/8/8/8/8/8/8/4K3 w - - 3 9", "no black pawn on e5"},
		{"wrong rank", "4k3/8/8/8/4P3/8/8/4K3 b - e4 0 1", "4k3/8/8/8/4P3/8/8/4K3 b - - 0 1", "not behind a double push"},
		{"the king was in check", "k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", "k7/8/8/3pP3/8/7n/5K2/8 w - - 0 1", "in check before"},
		{"rook moved", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1R1 w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1R1 w Qkq - 0 1", "only Chess960, which can write 'G', castles with a king on e1 and a rook on g1"},
		{"king moved", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w Q - 0 1", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "only Chess960, which can write 'A', castles with a king on g1"},
		{"black king moved", "r4k2/8/8/8/8/8/8/R3K2R b KQq - 0 1", "r4k2/8/8/8/8/8/8/R3K2R b KQ - 0 1", "only Chess960, which can write 'a', castles with a king on f8 and a rook on a8"},
		{"both castled", "r4rk1/8/8/8/8/8/8/R4RK1 w KQkq - 0 1", "r4rk1/8/8/8/8/8/8/R4RK1 w - - 0 1", "'K', but white has no such rook"},
		{"Chess960 on both sides", "bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1", "bqnrnkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNRNKRB w KQkq - 0 1", ""},
		{"Chess960 by files", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w A - 0 1", "6k1/5ppp/8/8/8/8/5PPP/R5K1 w A - 0 1", ""},
		{"of different files, by files", "1r2k1r1/8/8/8/8/8/8/R3K2R w HAgb - 0 1", "1r2k1r1/8/8/8/8/8/8/R3K2R w HAgb - 0 1", ""},
		{"of different files", "1r2k1r1/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "1r2k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "only Chess960, which can write 'b'"},
		{"two rooks of one wing, and no double push", "4k3/8/8/8/8/8/8/4KR1R w HF e6 0 1", "4k3/8/8/8/8/8/8/4KR1R w - - 0 1", "two rooks"},
		{"both", "4k3/8/8/8/8/8/8/4K3 w q a6 0 1", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "(at byte 22): castling rights q dropped; FEN en passant: no black pawn on a5"},
		{"a board alone", " 4k3/8/8/8/8/8/8/4K3 ", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "only the board is given, want w or b behind it (at byte 21): w - - 0 1 is assumed"},
	} {
		p, dropped, err := chess.RepairFEN(c.fen, false)
		text := ""
		if dropped != nil {
			text = dropped.Error()
		}
		if err != nil || p.FEN() != c.want || !strings.Contains(text, c.dropped) || (text == "") != (c.dropped == "") ||
			text != "" && (!strings.HasSuffix(text, "; this is "+c.want) || !errors.As(dropped, new(*chess.FENError))) {
			t.Errorf("%s: %q: %v without %q, %v; want %s without …%s…", c.name, c.fen, p, text, err, c.want, c.dropped)
		}
		if strings.Contains(c.dropped, "only Chess960") {
			strict, err := chess.ParseFEN(c.fen)
			if p, dropped, bad := chess.RepairFEN(c.fen, true); err != nil || bad != nil || dropped != nil || p.FEN() != strict.FEN() {
				t.Errorf("%s: as Chess960 %v without %v, %v; want %v, %v", c.name, p, dropped, bad, strict, err)
			}
			continue
		}
		if _, strict := chess.ParseFEN(c.fen); (strict == nil) != (text == "") || strict != nil && !strings.HasPrefix(text, strict.Error()+": ") {
			t.Errorf("%s: dropped %q, refused with %v", c.name, text, strict)
		}
	}
	for _, fen := range []string{"", "4k3/8/8/8/8/8/8/4K3 w X - 0 1", "4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "4k3/8/8/8/8/8/8/8 w K - 0 1", "4k3/8/8/8/8/8/8/4RK2 w Q - 0 1"} {
		if p, dropped, err := chess.RepairFEN(fen, false); err == nil || p != nil || dropped != nil {
			t.Errorf("%q: %v, %v, %v, want an error alone", fen, p, dropped, err)
		}
	}
}

// TestDropped: the warning says what was dropped, all of a field, though it names the first fault alone.
func TestDropped(t *testing.T) {
	for fen, want := range map[string]string{
		"1k6/5nP1/4bN2/4B3/3R4/2Q5/8/4K3 b Kk - 0 1":                    "(at byte 34): castling rights Kk dropped; this is ",
		"k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1":                             "(at byte 27): square d6 dropped; this is ",
		"rnbqk1nR/ppp1ppb1/6p1/3p4/8/2N5/PPPPPPP1/R1BQKBN1 b Qkq - 0 5": "castling rights k dropped; this is ",
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1R1 w KQkq - 0 1":      "castling rights K dropped; this is ",
		"4k3/8/8/8/8/8/8/4K2R w KK - 0 1":                               "castling rights K dropped; this is ",
		"4k3/8/8/8/8/8/8/4KR1R w HF - 0 1":                              "castling rights HF dropped; this is ",
		"4k3/8/8/8/8/8/8/4K3 w KQkq e6 0 1":                             "castling rights KQkq dropped; FEN en passant: no black pawn on e5 in front of e6 (at byte 27): square e6 dropped; this is ",
		"r4rk1/8/8/8/8/8/8/R4RK1 w KQkq - 0 1":                          "castling rights KQkq dropped; this is ",
	} {
		if _, warning, err := chess.RepairFEN(fen, false); err != nil || warning == nil || !strings.Contains(warning.Error(), want) {
			t.Errorf("%s: %v, %v, want …%s…", fen, warning, err, want)
		}
	}
}

func TestFENStyles(t *testing.T) {
	cases := []struct {
		name, fen string
		style     chess.FENStyle
		want      string
	}{
		{"legal, nobody can take", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
			chess.FENStyle{EnPassant: chess.EnPassantLegal}, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"},
		{"pseudo-legal, pinned pawn", "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
			chess.FENStyle{EnPassant: chess.EnPassantPseudoLegal}, "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1"},
		{"legal, pinned pawn", "4r1k1/8/8/3pP3/8/8/8/4K3 w - d6 0 1",
			chess.FENStyle{EnPassant: chess.EnPassantLegal}, "4r1k1/8/8/3pP3/8/8/8/4K3 w - - 0 1"},
		{"Shredder", chess.StartFEN, chess.FENStyle{Castling: chess.CastlingShredder}, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1"},
		{"X-FEN of Shredder", "rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EAea - 0 1",
			chess.FENStyle{Castling: chess.CastlingXFEN}, "rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EQeq - 0 1"},
	}
	for _, c := range cases {
		if got := kit.Position(t, c.fen).FormatFEN(c.style); got != c.want {
			t.Errorf("%s: %s\n got %s\nwant %s", c.name, c.fen, got, c.want)
		}
	}
}

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
		{"escaped quotes", four + ` c0 "foo\"bar" "\\" "a\b"; id "C:\new";`, four + " 0 1", `c0:foo"bar|\|a\b id:C:\new`},
		{"a backslash at the end", four + ` c0 "one;two"; c1 "C:\games\";`, four + " 0 1", `c0:one;two c1:C:\games\`},
		{"underscores", "r3k2r/8/8/8/8/8/8/R3K2R_w_KQkq_- bm O-O;", four + " 0 1", "bm:O-O"},
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
		if got := strings.Join(words, " "); e.Position.FEN() != c.fen || got != c.operations || e.Warning != nil {
			t.Errorf("%s: ParseEPD(%q): %s with %s, want %s with %s", c.name, c.text, e.Position, got, c.fen, c.operations)
		}
	}
}

func TestEPDMoves(t *testing.T) {
	e, err := chess.ParseEPD("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O a1a8; am Ke9; bm second;")
	kit.Succeed(t, err)
	moves, err := e.Moves("bm")
	if err != nil || len(moves) != 2 || moves[0].String() != "e1h1" || moves[1].String() != "a1a8" {
		t.Errorf("bm: %v, %v, want e1h1 a1a8", moves, err)
	}
	var bad *chess.MoveError
	if moves, err := e.Moves("am"); !errors.As(err, &bad) {
		t.Errorf("am Ke9: %v, %v, want a *MoveError", moves, err)
	}
	e, err = chess.ParseEPD(chess.StartFEN + " pv e4 e7e5 Nf3; bm e4 d4;")
	kit.Succeed(t, err)
	if line, err := e.Moves("pv"); err != nil || fmt.Sprint(line) != "[e2e4 e7e5 g1f3]" || e.Position.FEN() != chess.StartFEN {
		t.Errorf("pv: %v, %v, position %s", line, err, e.Position)
	}
	if moves, err := e.Moves("pm"); err != nil || len(moves) != 0 {
		t.Errorf("an opcode that is not there: %v, %v", moves, err)
	}
	if _, ok := e.Operands("pm"); ok {
		t.Error("Operands found an opcode that is not there")
	}
}

// TestEPDWarning reads records with operations and parts of the position that cannot be: these are dropped and told of,
// and all the rest is there.
func TestEPDWarning(t *testing.T) {
	const four = "4k3/8/8/8/8/8/8/4K3 w - -"
	cases := []struct {
		name, text, fen, operations, opcode, reason string
		offset                                      int
	}{
		{"opcode a sign", " ;+ 1; id a;", " - - 0 1", "id", "", "want a letter", 2},
		{"a clock in place of an operation", " bm Kd1; ep; 00:00; id a", " - - 0 1", "bm ep id", "", "'0', want a letter", 13},
		{"a dash before an operation", " - bm Kd1; id a", " - - 0 1", "bm id", "", "'-', want a letter", 1},
		{"dashes", " -- - -", " - - 0 1", "", "", "(and 2 more)", 1},
		{"a move in place of an operation", " -Kd1 2; id a", " - - 0 1", "id", "", "'-', want a letter", 1},
		{"opcode too long", " abcdefghijklmnop 1; id a", " - - 0 1", "id", "", "longer than 15", 1},
		{"sign inside an opcode", " b-m 1; id a", " - - 0 1", "id", "b", `unexpected '-'`, 2},
		{"opcode a symbol", " ±; id a", " - - 0 1", "id", "", "'±', want a letter", 1},
		{"symbol inside an opcode", " b→m 1; id a", " - - 0 1", "id", "b", `unexpected '→'`, 2},
		{"quote open", ` bm Kd1; id "x; am Kf1`, " - - 0 1", "bm am", "id", "not closed", 12},
		{"clock a word", " hmvc x; fmvn 7;", " - - 0 7", "fmvn", "hmvc", "not a number", 1},
		{"clock empty", " hmvc; id a", " - - 0 1", "id", "hmvc", "0 operands", 1},
		{"move too large", " hmvc 5; fmvn 10000;", " - - 5 1", "hmvc", "fmvn", "out of range 1 to 9999", 9},
	}
	for _, c := range cases {
		e, err := chess.ParseEPD(four + c.text)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var opcodes []string
		for _, o := range e.Operations {
			opcodes = append(opcodes, o.Opcode)
		}
		wrong, ok := errors.AsType[*chess.EPDError](e.Warning)
		if !ok || wrong.Opcode != c.opcode || wrong.Offset != len(four)+c.offset || !strings.Contains(e.Warning.Error(), c.reason) ||
			!strings.HasSuffix(e.Position.FEN(), c.fen) || strings.Join(opcodes, " ") != c.operations {
			t.Errorf("%s: %q: %s with %q, warning %v; want %s with %s, opcode %q, %q at byte %d", c.name, c.text, e.Position, opcodes,
				e.Warning, c.fen, c.operations, c.opcode, c.reason, len(four)+c.offset)
		}
	}
	for _, text := range []string{"4k3/8/8/8/8/8/8/4K3 w Kk - id a; 00;", "4k3/8/8/8/8/8/8/4K3 w - e6 id a;", "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1 id a;"} {
		e, err := chess.ParseEPD(text)
		if err != nil || !errors.As(e.Warning, new(*chess.FENError)) || len(e.Operations) != 1 || !strings.HasSuffix(e.Position.FEN(), " w - - 0 1") {
			t.Errorf("%q: %+v, %v, want it without the right or square, and a warning", text, e, err)
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

// TestEPDFiles reads files of other systems, and names the line of what ends the reading.
func TestEPDFiles(t *testing.T) {
	const record = "4k3/8/8/8/8/8/8/4K3 w - - bm Kd1;"
	for _, c := range []struct {
		name, text string
		want       []string // the lines, or what the error begins with
	}{
		{"line ends of old Macs", record + "\r" + record + "\r\rbad\r" + record + "\r", []string{"1", "2", "line 4: FEN", "5"}},
		{"Windows", record + "\r\n\r\n" + record + "\r\n", []string{"1", "3"}},
		{"UTF-16, little end first", "\xff\xfe4\x00k\x003\x00", []string{"line 1: the text is UTF-16"}},
		{"UTF-16 without a mark", "4\x00k\x003\x00\n\x004\x00", []string{"line 1: the text is UTF-16"}},
		{"a zero byte", record + "\nx\x00y\n" + record, []string{"1", "line 2: FEN", "3"}},
		{"a huge line", record + "\n" + strings.Repeat("x", 2<<20) + "\n" + record, []string{"1", "line 2: more than 1048576 bytes"}},
	} {
		var got []string
		for e, err := range chess.EPDs(strings.NewReader(c.text)) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			got = append(got, fmt.Sprint(e.Line))
		}
		if !slices.EqualFunc(got, c.want, strings.HasPrefix) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzEPD demands that no text panics, that what is read has a position that reads back,
// and that operands do so in quotes.
func FuzzEPD(f *testing.F) {
	for _, text := range []string{
		"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - bm O-O Ra8+; id \"castle; or take\";",
		"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 ;D1 26 ;D2 568",
		"4k3/8/8/8/8/8/8/4K3 b - - hmvc 7; fmvn 30;",
		`4k3/8/8/8/8/8/8/4K3 b - - c0 "a\"b" "c:\"; pv Ke7 Ke2;`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := chess.ParseEPD(text)
		if err != nil {
			return
		}
		if e.Position == nil || e.Position.FEN() == "" {
			t.Fatalf("%q: no position, no error", text)
		}
		for _, o := range e.Operations {
			_, _ = e.Moves(o.Opcode)
			for _, operand := range o.Operands {
				record := chess.StartFEN + ` c0 "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(operand) + `";`
				again, err := chess.ParseEPD(record)
				if err != nil || again.Operations[0].Operands[0] != operand {
					t.Fatalf("%s: %v, %v, want the operand %q", record, again, err, operand)
				}
			}
		}
		back, err := chess.ParseFEN(e.Position.FEN())
		if err != nil || !back.Equal(e.Position) || back.Key() != e.Position.Key() {
			t.Fatalf("%q: %s reads back as %v, %v", text, e.Position, back, err)
		}
	})
}
