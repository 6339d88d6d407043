package chess_test

import (
	"cmp"
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestSAN(t *testing.T) {
	cases := []struct{ name, fen, uci, san string }{
		{"pawn push", chess.StartFEN, "e2e4", "e4"},
		{"knight", chess.StartFEN, "g1f3", "Nf3"},
		{"pawn capture", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5", "exd5"},
		{"en passant", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6", "exd6"},
		{"promotion with mate", "7k/4P3/6K1/8/8/8/8/8 w - - 0 1", "e7e8q", "e8=Q#"},
		{"promotion", "8/4P3/6K1/8/8/7k/8/8 w - - 0 1", "e7e8n", "e8=N"},
		{"capture promotion", "3r4/4P3/6K1/8/8/7k/8/8 w - - 0 1", "e7d8b", "exd8=B"},
		{"castling short", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1", "O-O"},
		{"castling long with check", "3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", "O-O-O+"},
		{"castling in Chess960", "4k3/8/8/8/8/8/8/5K1R w H - 0 1", "f1h1", "O-O"},
		{"by file", "4k3/8/8/8/8/8/8/RK5R w - - 0 1", "h1e1", "Re1+"},
		{"by file needed", "6k1/8/8/8/8/8/K7/R6R w - - 0 1", "a1d1", "Rad1"},
		{"by rank needed", "7k/8/8/R7/8/8/1K6/R7 w - - 0 1", "a1a3", "R1a3"},
		{"by rank, a rival on the target's rank", "6k1/8/8/8/4Q3/8/1K6/4Q3 w - - 0 1", "e4h1", "Q4h1"},
		{"by both", "1k6/3p4/8/8/4Q2Q/8/1K6/7Q w - - 0 1", "h4e1", "Qh4e1"},
		{"pinned rival does not count", "4k3/4r3/8/8/8/4N3/8/N3K3 w - - 0 1", "a1c2", "Nc2"},
		{"check", "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8+"},
		{"mate", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", "Ra8#"},
	}
	for _, c := range cases {
		p := kit.Position(t, c.fen)
		m := kit.Move(t, p, c.uci)
		if p.SAN(m) != c.san || p.UCI(m) != c.uci || p.FEN() != c.fen {
			t.Errorf("%s: %s is written %s and %s, want %s and %s; then %s", c.name, c.fen, p.SAN(m), p.UCI(m), c.san, c.uci, p)
		}
		if back, err := p.ParseSAN(c.san); err != nil || back != m {
			t.Errorf("%s: %s: ParseSAN(%s) = %v, %v, want %v", c.name, c.fen, c.san, back, err, m)
		}
		if back, err := p.ReadMove(c.san); err != nil || back != m {
			t.Errorf("%s: %s: ReadMove(%s) = %v, %v, want %v", c.name, c.fen, c.san, back, err, m)
		}
	}
}

func TestParseSANLenient(t *testing.T) {
	kiwipete := "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
	promotes := "3r4/4P3/6K1/8/8/7k/8/8 w - - 0 1"
	passant := "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"
	cases := []struct{ fen, san, uci string }{
		{kiwipete, "Nc3b5", "c3b5"},
		{kiwipete, "0-0-0", "e1c1"},
		{kiwipete, "O-O+", "e1g1"},
		{promotes, "e8(N)", "e7e8n"},
		{promotes, "♟e8(♞)", "e7e8n"},
		{promotes, "♙exd8♕+", "e7d8q"},
		{passant, "exd6e.p.", "e5d6"},
		{passant, "exd6e.p.+!", "e5d6"},
		{kiwipete, "e1-g1", "e1g1"},
		{kiwipete, "e1c1+", "e1c1"},
		{kiwipete, "Ke1-c1", "e1c1"},
		{kiwipete, "e1h1", "e1g1"},
		{kiwipete, "e5xf7", "e5f7"},
		{kiwipete, "e5:f7!?", "e5f7"},
		{kiwipete, "f3-f6", "f3f6"},
		{kiwipete, "d5xe6", "d5e6"},
		{kiwipete, "Pd5-e6", "d5e6"},
		{passant, "e5-d6", "e5d6"},
		{promotes, "e7-e8=Q", "e7e8q"},
		{promotes, "e7xd8(N)+", "e7d8n"},
		{promotes, "e7e8r", "e7e8r"},
	}
	for _, c := range cases {
		p := kit.Position(t, c.fen)
		m, err := p.ParseSAN(c.san)
		if err != nil || p.UCI(m) != c.uci {
			t.Errorf("%s: ParseSAN(%s) = %v, %v, want %s", c.fen, c.san, m, err, c.uci)
		}
	}
}

func TestParseRefused(t *testing.T) {
	rooks := "6k1/8/8/8/8/8/K7/R6R w - - 0 1"
	cases := []struct {
		fen, text, reason string
		illegal           bool
	}{
		{rooks, "Rd1", "ambiguous", false},
		{rooks, "Rg8", "illegal", true},
		{rooks, "O-O", "illegal", true},
		{rooks, "", "empty", false},
		{rooks, "R", "it names no square", false},
		{rooks, "e9", "e9 is no square", false},
		{rooks, "Ri4", "i4 is no square", false},
		{rooks, "a1-a0", "a0 is no square", false},
		{rooks, "resgn", "it names no square", false},
		{rooks, "b1-b2", "illegal", true},
		{rooks, "g8-g7", "illegal", true},
		{rooks, "a1-d1-e1", "unexpected '-'", false},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Kg1", "illegal", true},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "Ke1h1", "illegal", true},
		{"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1q", "illegal", true},
		{"4k3/8/8/8/8/8/6r1/R3K2R w KQ - 0 1", "e1-g1", "illegal", true},
		{rooks, "Rzz", "it names no square", false},
		{rooks, "Ra1a1a1", "more than", false},
		{rooks, "R?d1", "unexpected", false},
		{rooks, "e8=K", "promotion to", false},
		{rooks, "==Q", "it names no square", false},
		{rooks, "e8=♚", "promotion to '♚'", false},
		{rooks, "e8=é", "promotion to 'é'", false},
		{rooks, "Réd1", "unexpected 'é'", false},
		{rooks, "♖", "it names no square", false},
		{rooks, "♖d1", "ambiguous", false},
		{rooks, "♠d1", "unexpected '♠'", false},
		{rooks, "♖♘d1", "unexpected '♘'", false},
		{"8/4P3/6K1/8/8/7k/8/8 w - - 0 1", "e8", "illegal", true},
	}
	for _, c := range cases {
		p := kit.Position(t, c.fen)
		m, err := p.ParseSAN(c.text)
		if err == nil || !strings.Contains(err.Error(), c.reason) || errors.Is(err, chess.ErrIllegal) != c.illegal {
			t.Errorf("%s: ParseSAN(%q) = %v, %v, want an error with %q", c.fen, c.text, m, err, c.reason)
		}
	}
}

// TestReadMove reads what people type: numbers before moves, and letters of either case but for b.
func TestReadMove(t *testing.T) {
	const (
		bishop = "4k3/8/8/8/8/3P4/8/4KB2 w - - 0 1"    // Be2
		pawn   = "4k3/8/8/8/2p5/1P6/8/4K3 w - - 0 1"   // bxc4
		both   = "4k3/8/8/8/2p5/1P6/4B3/4K3 w - - 0 1" // Bxc4 and bxc4
		start  = chess.StartFEN
		castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
		queen  = "8/4P3/6K1/8/8/7k/8/8 w - - 0 1"
	)
	for _, c := range []struct{ fen, text, want string }{ // a move, or what the error says
		{start, "nf3", "g1f3"}, {start, "NF3", "g1f3"}, {start, "nF3!", "g1f3"}, {start, "pe4", "e2e4"}, {start, "E4", "e2e4"},
		{start, "E2-E4", "e2e4"}, {start, "G1F3", "g1f3"}, {start, "ng1-f3", "g1f3"}, {start, "NG1F3", "g1f3"},
		{start, "1. e4", "e2e4"}, {start, "1.e4", "e2e4"}, {start, "1...e4", "e2e4"}, {start, "1… nf3", "g1f3"}, {start, "1) d4", "d2d4"},
		{start, "1e4", "illegal"}, {start, "7d4", "illegal"}, {start, " ...e4 ", "e2e4"}, {start, "12. G1-F3", "g1f3"},
		{castle, "0-0", "e1g1"}, {castle, "1.0-0-0", "e1c1"}, {castle, "o-O", "e1g1"}, {castle, "4. O-O+", "e1g1"}, {castle, "E1-C1", "e1c1"},
		{castle, "ke2", "e1e2"}, {castle, "rxa8", "a1a8"}, {castle, "RXA8+", "a1a8"}, {castle, "rad1", "a1d1"},
		{queen, "E8=Q", "e7e8q"}, {queen, "E7E8N", "e7e8n"}, {queen, "e8b", "e7e8b"}, {queen, "E8=♕", "e7e8q"},
		{bishop, "BE2", "f1e2"}, {bishop, "be2", "illegal"}, {bishop, "bf1-e2", "more than"},
		{pawn, "bc4", "b3c4"}, {pawn, "bXc4", "b3c4"}, {pawn, "Bxc4", "illegal"}, {pawn, "BXC4", "illegal"},
		{both, "bxc4", "b3c4"}, {both, "Bxc4", "e2c4"}, {both, "BXC4", "ambiguous: e2c4 or b3c4"}, {both, "7. Bxc4", "e2c4"}, {start, "B1-C3", "b1c3"},
		{start, "B2B4", "b2b4"}, {"6k1/8/8/1B6/8/8/8/4K3 w - - 0 1", "B5-C6", "b5c6"}, {start, "B1-D2", "illegal"}, {both, "B2-D3", "e2d3"}, {bishop, "B1E2", "f1e2"},
		{"4k3/8/8/8/8/3P4/8/1Q2KB2 w - - 0 1", "B1-E4", "illegal"}, {"4k3/8/8/8/8/8/8/1Q2KB2 w - - 0 1", "B1-D3", "ambiguous: f1d3 or b1d3"},
		{start, "nf4", "illegal"}, {start, "Nf4", "illegal"}, {start, "12. Ke3", `move "12. Ke3": illegal`}, {start, "sf3", "unexpected 's'"},
		{start, "Sf3", "unexpected 'S'"}, {start, "e9", "e9 is no square"}, {start, "E9", "E9 is no square"}, {start, "00", "it names no square"},
		{start, "1-0", "it names no square"}, {start, "", "empty"}, {start, "12.", `move "12.": empty`}, {start, "hello", "it names no square"},
		{start, "--", "it names no square"}, {start, "0000", "it names no square"}, {start, "é4", "it names no square"},
	} {
		p := kit.Position(t, c.fen)
		m, err := p.ReadMove(c.text)
		if err == nil && p.UCI(m) != c.want || err != nil && !strings.Contains(err.Error(), c.want) || p.FEN() != c.fen {
			t.Errorf("%s: ReadMove(%q) = %v, %v, want %s", c.fen, c.text, m, err, c.want)
		}
		wrong, ok := errors.AsType[*chess.MoveError](err)
		if err != nil && (!ok || wrong.Text != c.text || errors.Is(err, chess.ErrIllegal) != strings.Contains(c.want, "illegal")) {
			t.Errorf("%s: ReadMove(%q): %#v, want a *MoveError of the text", c.fen, c.text, err)
		}
	}
}

func TestNullMove(t *testing.T) {
	for _, text := range []string{"--", "---", "Z0", "z0", "@@@@", "null", "NULL", "0000", "pass", "<>"} {
		if !chess.IsNullMove(text) {
			t.Errorf("%q is no null move", text)
		}
	}
	for _, text := range []string{"", "-", "----", "0-0", "000", "e4", "passe"} {
		if chess.IsNullMove(text) {
			t.Errorf("%q is a null move", text)
		}
	}
}

// TestParseUCI reads moves with the position at hand and before it is.
func TestParseUCI(t *testing.T) {
	const (
		standard = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1"
		chess960 = "1rk3r1/6p1/8/8/8/8/8/1RK3R1 w KQkq - 0 1"
		beside   = "4k3/8/8/8/8/8/8/5K1R w H - 0 1"
		pawns    = "r3k2r/1P6/8/2pP4/8/8/8/R3K2R w KQkq c6 0 1"
	)
	castling := func(from, rook chess.Square) chess.Move { return chess.NewMove(from, rook, chess.Castling) }
	for _, c := range []struct {
		fen, text string
		want      chess.Move
	}{
		{standard, "e1g1", castling(chess.E1, chess.H1)}, {standard, "e1h1", castling(chess.E1, chess.H1)},
		{standard, "e1c1", castling(chess.E1, chess.A1)}, {standard, "e1a1", castling(chess.E1, chess.A1)},
		{chess960, "c1g1", castling(chess.C1, chess.G1)}, {chess960, "c1b1", castling(chess.C1, chess.B1)},
		{chess960, "c1d1", chess.NewMove(chess.C1, chess.D1, chess.Normal)},
		{beside, "f1g1", chess.NewMove(chess.F1, chess.G1, chess.Normal)}, {beside, "f1h1", castling(chess.F1, chess.H1)},
		{pawns, "d5c6", chess.NewMove(chess.D5, chess.C6, chess.EnPassant)},
		{pawns, "d5d6", chess.NewMove(chess.D5, chess.D6, chess.Normal)},
		{pawns, "b7a8n", chess.NewPromotion(chess.B7, chess.A8, chess.Knight)},
		{pawns, "b7b8", chess.NoMove}, {standard, "e1e3", chess.NoMove}, {standard, "e1", chess.NoMove}, {standard, "e1z9", chess.NoMove},
		{standard, "e1e2q", chess.NoMove}, {standard, "a1a2x", chess.NoMove}, {standard, "0000", chess.NoMove}, {standard, "e8g8", chess.NoMove},
	} {
		p := kit.Position(t, c.fen)
		got, err := p.ParseUCI(c.text)
		named := got // by a text that is well formed
		if err != nil {
			got = chess.NoMove
		}
		if got != c.want || (err == nil) != (c.want != chess.NoMove) {
			t.Errorf("%s: ParseUCI(%s) = %v of kind %d, %v, want %v", c.fen, c.text, got, got.Kind(), err, c.want)
		}
		illegal := err != nil && named != chess.NoMove
		if errors.Is(err, chess.ErrIllegal) != illegal || illegal && named.String() != c.text {
			t.Errorf("%s: ParseUCI(%s) names %v, %v", c.fen, c.text, named, err)
		}
		var read chess.Move
		if err = read.UnmarshalText([]byte(c.text)); err == nil {
			err = p.Play(read)
		}
		if made := p.LastMove(); made != c.want || (err == nil) != (c.want != chess.NoMove) {
			t.Errorf("%s: %s played: %v of kind %d, %v, want %v", c.fen, c.text, made, made.Kind(), err, c.want)
		}
	}
}

// figurines returns a move text with the symbols of each colour in place of letters.
func figurines(san string) []string {
	return []string{
		strings.NewReplacer("N", "♘", "B", "♗", "R", "♖", "Q", "♕", "K", "♔").Replace(san),
		strings.NewReplacer("N", "♞", "B", "♝", "R", "♜", "Q", "♛", "K", "♚").Replace(san),
	}
}

// sanShape is what ParseSAN takes apart: piece, origin, marks of a capture, target and
// promotion.
var sanShape = regexp.MustCompile(`^([PNBRQK]?)([a-h1-8]{0,2})[x:-]*([a-h][1-8])(?:[=/(]*([NBRQnbrq])(\)?))?$`)

// denoted returns which of the legal moves a text denotes by the rules of ParseSAN.
func denoted(p *chess.Position, legal []chess.Move, text string) (moves []chess.Move) {
	text = strings.TrimRight(text, "+#!?")
	if len(text) > 4 {
		text = strings.TrimSuffix(text, "e.p.")
	}
	parts := sanShape.FindStringSubmatch(text)
	for _, m := range legal {
		if m.Kind() == chess.Castling {
			castling := "O-O"
			if m.To() < m.From() {
				castling = "O-O-O"
			}
			if text == castling || text == strings.ToLower(castling) || text == strings.ReplaceAll(castling, "O", "0") ||
				bySquares(p, m, parts) {
				moves = append(moves, m)
			}
			continue
		}
		from := m.From().String()
		letter := string("PNBRQK"[p.Piece(m.From()).Type()])
		if parts == nil || parts[3] != m.To().String() || cmp.Or(parts[1], "P") != letter && (parts[1] != "" || parts[2] != from) {
			continue
		}
		promotion := ""
		if m.Kind() == chess.Promotion {
			promotion = m.PromotionType().String()
		}
		pawn := p.Piece(m.From()).Type() == chess.Pawn
		fits := strings.ToLower(parts[4]) == promotion && (parts[2] != "" || !pawn || from[0] == parts[3][0])
		for _, c := range parts[2] {
			fits = fits && strings.ContainsRune(from, c)
		}
		if fits {
			moves = append(moves, m)
		}
	}
	return moves
}

// bySquares reports whether the parts of a text name the squares of a castling move: the king's, or without a letter
// the king's and the rook's. A step of the king that is legal is that.
func bySquares(p *chess.Position, m chess.Move, parts []string) bool {
	if parts == nil || parts[2] != m.From().String() || parts[4] != "" || parts[1] != "" && parts[1] != "K" {
		return false
	}
	to, err := chess.ParseSquare(parts[3])
	wing := chess.KingSide
	if m.To() < m.From() {
		wing = chess.QueenSide
	}
	king, _ := chess.CastlingTargets(p.SideToMove(), wing)
	return err == nil && !p.IsLegal(chess.NewMove(m.From(), to, chess.Normal)) &&
		(to == king && to != m.To() && chess.Distance(m.From(), to) > 1 || parts[1] == "" && to == m.To())
}

// TestSANStrict reads texts that are a small edit or two away from legal moves: one is a
// move if, and only if, it denotes exactly one. What is not legal has no SAN.
func TestSANStrict(t *testing.T) {
	const alphabet = "abdefh1245678NBRQKPO0-x=+#!?:()."
	r := rand.New(rand.NewPCG(3, 4))
	accepted := 0
	for _, fen := range append([]string{
		"4k3/8/8/3p4/2P1P3/8/8/4K3 w - - 0 1", "1k6/3p4/8/8/4Q2Q/8/1K6/7Q w - - 0 1", "7k/2N5/8/8/8/2N5/8/4K3 w - - 0 1",
	}, rich...) {
		p := kit.Position(t, fen)
		legal := sameMoves(t, p)
		for i := range 1 << 16 {
			if m := chess.Move(i); m != chess.NoMove && !p.IsLegal(m) && p.SAN(m) != m.String() {
				t.Errorf("%s: the illegal %s is written %s", fen, m, p.SAN(m))
			}
		}
		check := func(text string) {
			want := denoted(p, legal, text)
			got, err := p.ParseSAN(text)
			if len(want) == 1 && (err != nil || got != want[0]) || len(want) != 1 && err == nil {
				t.Errorf("%s: %q is read as %v, %v, want %v", fen, text, got, err, want)
			}
			if err == nil {
				accepted++
			}
		}
		for _, m := range legal {
			san := p.SAN(m)
			if want := denoted(p, legal, san); len(want) != 1 || want[0] != m {
				t.Errorf("%s: %s is written %s, which denotes %v", fen, m, san, want)
			}
			for _, text := range figurines(san) {
				if got, err := p.ParseSAN(text); err != nil || got != m {
					t.Errorf("%s: %q is read as %v, %v, want %v", fen, text, got, err, m)
				}
			}
			for i := range len(san) + 1 {
				for range 12 {
					c := string(alphabet[r.IntN(len(alphabet))])
					check(san[:i] + c + san[i:])
					if i < len(san) {
						check(san[:i] + san[i+1:])
						check(san[:i] + c + san[i+1:])
						j := r.IntN(len(san) + 1)
						edited := san[:i] + c + san[i+1:]
						check(edited[:j] + string(alphabet[r.IntN(len(alphabet))]) + edited[j:])
					}
				}
			}
		}
		for _, to := range []string{"d5", "xd5", "d6", "exd6", "ed5", "e4d5", "4d5", "b8", "b8=Q", "b8=K", "bxa8=N"} {
			check(to)
		}
	}
	if accepted < 2000 {
		t.Errorf("%d texts were moves", accepted)
	}
}
