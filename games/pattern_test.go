package games

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// randomPattern writes a pattern that a game may have had, or nearly.
func randomPattern(r *rand.Rand, all []*pgn.Game) string {
	var stages []string
	for range 1 + r.IntN(3) {
		g := all[r.IntN(len(all))]
		p := g.Position()
		for i := range r.IntN(len(g.Main.Moves) + 1) {
			g.Main.Moves[i].Play(p)
		}
		var words []string
		for range 1 + r.IntN(3) {
			words = append(words, []string{"", "", "not "}[r.IntN(3)]+randomWord(r, p))
		}
		stages = append(stages, strings.Join(words, " "))
	}
	return strings.Join(stages, " later ")
}

// randomWord writes a word that may hold in a position.
func randomWord(r *rand.Rand, p *chess.Position) string {
	place := func(s chess.Square) string {
		return []string{s.String(), s.String(), s.String()[:1], s.String()[1:]}[r.IntN(4)]
	}
	men := func(letters string) string {
		for {
			s := chess.Square(r.IntN(64))
			if letter := p.Piece(s).String(); strings.Contains(letters, letter) {
				return letter + []string{place(s), place(s), ""}[r.IntN(3)]
			}
		}
	}
	list := func(item func() string) string {
		items := []string{item()}
		for r.IntN(2) == 0 {
			items = append(items, item())
		}
		return strings.Join(items, ",")
	}
	sides := func(only bool) string {
		var values []string
		for i, color := range []string{"white", "black"} {
			pawns := p.Pieces(chess.Color(i), chess.Pawn)
			switch {
			case r.IntN(3) == 0 && len(values)+i > 0 && !only:
				continue
			case pawns == 0 && only:
				color += ":none"
			case only:
				var squares []string
				for s := range pawns.Squares() {
					squares = append(squares, place(s))
				}
				color += ":" + strings.Join(squares, ",")
			case pawns != 0 && r.IntN(4) > 0:
				squares := slices.Collect(pawns.Squares())
				color += ":" + list(func() string { return place(squares[r.IntN(len(squares))]) })
			}
			values = append(values, color)
		}
		return strings.Join(values, " ")
	}
	switch r.IntN(11) {
	case 0:
		return "pawns=" + sides(false)
	case 1:
		return "onlypawns=" + sides(true)
	case 2:
		return "passed=" + sides(false)
	case 3:
		return "isolated=" + sides(false)
	case 4:
		return "squares=" + list(func() string { return men("PNBRQKpnbrqk") })
	case 5:
		return "attacked=" + list(func() string { return men("PNBRQKpnbrqk") })
	case 6:
		return "pinned=" + list(func() string { return men("PNBRQpnbrq") })
	case 7:
		return "empty=" + list(func() string { return place(chess.Square(r.IntN(64))) })
	case 8:
		return "open=" + list(func() string { return string("abcdefgh"[r.IntN(8)]) })
	case 9:
		return "castling=" + []string{"opposite", "same"}[r.IntN(2)]
	}
	have := plainMaterial(p)
	return "material=" + have[r.IntN(2)] + "v" + have[r.IntN(2)]
}

// TestPattern compares what Find finds with a plain replay, by random patterns in random games, some of them from
// positions that were set up.
func TestPattern(t *testing.T) {
	source := text(t, 60, 7) + endings
	db := begin(t, newDisk(t))
	mustImport(t, db, "a", source)
	var all []*pgn.Game
	for g, err := range pgn.NewReader(strings.NewReader(source)).Games() {
		kit.Succeed(t, err)
		all = append(all, g)
	}
	r := rand.New(rand.NewPCG(1, 2))
	some, words := 0, map[string]int{}
	for i := range 200 {
		pattern := randomPattern(r, all)
		var got, want []string
		var from *chess.Position
		if i%4 == 0 {
			from = all[r.IntN(len(all))].Position()
			if i%8 == 0 {
				from = kit.Position(t, chess.StartFEN, []string{"e2e4", "d2d4", "c2c4", "g1f3"}[r.IntN(4)])
			}
		}
		for f, err := range db.Find(t.Context(), Query{Position: from, Pattern: pattern}) {
			kit.Succeed(t, err)
			got = append(got, fmt.Sprint(f.Number, " at ", f.Ply))
		}
		stages := plainStages(pattern)
		for i, g := range all {
			if ply := plainFind(g, from, stages); ply >= 0 {
				want = append(want, fmt.Sprint(i, " at ", ply))
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%v, want\n%v", pattern, got, want)
		}
		if len(got) > 0 && len(got) < len(all) {
			some++
			for _, word := range regexp.MustCompile(`(not )?[a-z]+=|later`).FindAllString(pattern, -1) {
				words[word]++
			}
		}
	}
	if some < 50 || len(words) < 20 {
		t.Errorf("%d patterns tell games apart, with words %v", some, words)
	}
}

// endings are games with promotions, en passant, castling in Chess960 and null moves.
const endings = `[FEN "4k3/2P5/8/5pP1/8/8/1p6/2R1K2R w K f6 0 1"]

1. gxf6 bxc1=N 2. c8=R+ Kd7 3. O-O Ne2+ 4. Kg2 -- 5. f7 Ke7 6. f8=Q+ *

[FEN "r3kr2/ppp2ppp/8/3pP3/8/8/PPP2PPP/1RK4R w HBfa d6 0 1"]

1. exd6 O-O 2. dxc7 Rac8 3. O-O a5 4. Rbd1 Rxc7 5. Rd8 g6 6. Rxf8+ Kxf8 *
`

// TestPatternWords says of each word where it holds and where it does not.
func TestPatternWords(t *testing.T) {
	const (
		french = "rnbqkbnr/ppp2ppp/4p3/3pP3/3P4/8/PPP2PPP/RNBQKBNR b KQkq - 0 3"
		pin    = "r1bqkbnr/ppp2ppp/2np4/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4"
		ending = "8/P3k3/8/8/3p4/8/4P1P1/4K3 w - - 0 1"
		sharp  = "1k1r4/ppp5/8/8/8/8/5PPP/4R1K1 w - - 0 1"
	)
	for _, tt := range []struct {
		fen, pattern string
		want         bool
	}{
		{french, "pawns=white:d4,e5 black:d5,e6", true},
		{french, "PAWNS=White:D4,E5", true},
		{french, "pawns=white:d5", false},
		{french, "pawns=white:d pawns=black:6", true},
		{french, "pawns=white:3", false},
		{french, "onlypawns=white:d4,e5", false},
		{french, "onlypawns=white:2,d4,e5 black:7,d5,e6", true},
		{french, "onlypawns=white:2,d4,e5 black:7,d5", false},
		{french, "onlypawns=white:2,d4,e5,f5", false},
		{ending, "onlypawns=white:a7,e2,g2 black:d4", true},
		{sharp, "onlypawns=white:f2,g2,h2 black:a,b,c", true},
		{sharp, "onlypawns=white:none", false},
		{"8/4k3/8/8/8/8/4P3/4K3 w - - 0 1", "onlypawns=black:none white:e", true},
		{french, "passed=white", false},
		{ending, "passed=white:a7", true},
		{ending, "passed=white:e", false}, // the pawn on d4 guards e3
		{ending, "passed=white:g", true},
		{ending, "passed=black", false}, // e2 guards d3
		{ending, "isolated=white:a,e,g black:d", true},
		{sharp, "isolated=white", false},
		{pin, "pinned=nc6", true},
		{strings.Replace(pin, "ppp2ppp/2np4", "pppp1ppp/2n5", 1), "pinned=nc6", false}, // two men are between
		{pin, "attacked=nc6,p not attacked=N", true},
		{pin, "attacked=k", false},
		{"4k3/8/8/8/8/8/8/4RK2 b - - 0 1", "attacked=k", true},
		{french, "empty=3", true},
		{french, "empty=d6,d4", false},
		{french, "open=e", false},
		{sharp, "open=d,e", true},
		{sharp, "castling=opposite", true},
		{sharp, "castling=same", false},
		{french, "castling=same", false},
		{"2kr4/8/8/8/8/8/8/1K6 w - - 0 1", "castling=same", true},
		{"8/8/2k5/8/8/8/8/6K1 w - - 0 1", "castling=opposite", false}, // far from home
		{"5k2/8/8/8/8/8/8/2K5 w - - 0 1", "castling=opposite", false}, // f8
		{sharp, "material=KRPPPvKRPPP squares=R1", true},
		{sharp, "not material=KRvKR not squares=R2", true},
		{sharp, "squares=R,r7", false},
		{sharp, "not squares=R1,r7", false},
		{sharp, "not squares=N,r7", true},
		{french, "not pawns=white:d4 black:d6", false},
		{french, "not pawns=white:d3 black:d6", true},
		{french, "not onlypawns=white:none black:none", true},
		{french, "not empty=d4,e4", false},
		{french, "not empty=d4,2", true},
	} {
		stages, err := readPattern(tt.pattern)
		kit.Succeed(t, err)
		b, p := &board{}, kit.Position(t, tt.fen)
		b.set(p)
		if got := stages[0].holds(b); got != tt.want || plainHolds(p, plainStages(tt.pattern)[0]) != tt.want {
			t.Errorf("%s: %s: %v", tt.fen, tt.pattern, got)
		}
	}
}

// TestPatternErrors: the error names the word and the column.
func TestPatternErrors(t *testing.T) {
	for _, tt := range []struct{ pattern, want string }{
		{" ", "the pattern is empty"},
		{"later", `column 1, "later": want words`},
		{"open=d later", `column 8, "later": want words`},
		{"open=d later later open=e", `column 14, "later": want words`},
		{"open=3", `column 6, "open=3": "3": want a file`},
		{"open=d,", `column 8, "open=d,": "": want a file`},
		{"open=d not", `column 8, "not": want one of pawns=, onlypawns=`},
		{"not not open=d", `column 5, "not": want one of`},
		{"not later open=d", `column 5, "later": want one of`},
		{"later open=d", `column 1, "later": want words`},
		{"open=d pwns=white:d4", `column 8, "pwns=white:d4": want one of pawns=, onlypawns=`},
		{"öpen=ä opén=d", `column 1, "öpen=ä": want one of pawns=`},
		{"pawns", `column 1, "pawns": want pawns=LIST`},
		{"pawns=", `column 1, "pawns=": want pawns=LIST`},
		{"open=d  pawns=red:d4", `column 15, "pawns=red:d4": "red:d4": want white or black`},
		{"pawns=white:d4,i9", `column 16, "pawns=white:d4,i9": "i9": want a square`},
		{"pawns=white:d4, é5", `column 17, "pawns=white:d4, é5": "é5": want a square`},
		{"pawns=white:d4,", `column 16, "pawns=white:d4,": "": want a square`},
		{"pawns=white:", `column 13, "pawns=white:": "": want a square`},
		{"pawns=white:d1", `column 13, "pawns=white:d1": "d1": no pawn can stand`},
		{"pawns=white:8", `"8": no pawn can stand`},
		{"pawns=white:d4 white:e5", `column 16, "pawns=white:d4": white is given twice`},
		{"pawns=white:d4 e5", `column 16, "e5": want one of pawns=`},
		{"open=d black:d5", `column 8, "black:d5": want one of pawns=`},
		{"onlypawns=white", `column 16, "onlypawns=white": "": want a square`},
		{"onlypawns=white:d4,none", `column 20, "onlypawns=white:d4,none": "none": want a square`},
		{"squares=Nf5,x4", `column 13, "squares=Nf5,x4": "x4": want one of PNBRQKpnbrqk and a square`},
		{"squares=Nf9", `column 10, "squares=Nf9": "f9": want a square`},
		{"squares=pe8", `"e8": no pawn`},
		{"pinned=n,K", `column 10, "pinned=n,K": "K": want one of PNBRQpnbrq and`},
		{"attacked=", `want attacked=LIST`},
		{"empty=d4,zz", `column 10, "empty=d4,zz": "zz": want a square`},
		{"open=d4", `column 6, "open=d4": "d4": want a file`},
		{"castling=white", `column 10, "castling=white": "white": want opposite or same`},
		{"material=KRPKR", `column 10, "material=KRPKR": "KRPKR": want two sides`},
		{"material=KRPvKX", `column 15, "material=KRPvKX": 'X': want P, N, B, R or Q`},
	} {
		for f, err := range begin(t, newDisk(t)).Find(t.Context(), Query{Pattern: tt.pattern}) {
			if f != nil || !errors.Is(err, ErrQuery) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%q: %v, want %s", tt.pattern, err, tt.want)
			}
		}
		if _, err := readPattern(tt.pattern); err == nil {
			t.Errorf("%q is read", tt.pattern)
		}
	}
}

// FuzzPattern reads any text. What is refused has a column within the text, and what is read holds where a plain
// reading says so.
func FuzzPattern(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	var all []*pgn.Game
	for g, err := range pgn.NewReader(strings.NewReader(endings)).Games() {
		kit.Succeed(f, err)
		all = append(all, g)
	}
	for range 50 {
		f.Add(randomPattern(r, all))
	}
	for _, text := range []string{
		"Pawns=White:d4,  E5 b:d5\u2003later NOT open=d", "open=,", "later", "\u212aastling=same", "x=\xff",
	} {
		f.Add(text)
	}
	column := regexp.MustCompile(`column (\d+), "`)
	f.Fuzz(func(t *testing.T, text string) {
		stages, err := readPattern(text)
		if err != nil {
			if found := column.FindStringSubmatch(err.Error()); found != nil {
				if n, _ := strconv.Atoi(found[1]); n < 1 || n > len(text)+1 {
					t.Fatalf("%q: %v", text, err)
				}
			} else if strings.TrimSpace(text) != "" {
				t.Fatalf("%q: %v without a column", text, err)
			}
			if !errors.Is(err, ErrQuery) {
				t.Fatal(err)
			}
			return
		}
		b := &board{}
		for _, g := range all {
			p := g.Position()
			for i := range g.Main.Moves {
				b.set(p)
				for n, words := range plainStages(text) {
					if got := stages[n].holds(b); got != plainHolds(p, words) {
						t.Fatalf("%q, stage %d in %v: %v", text, n, p, got)
					}
				}
				g.Main.Moves[i].Play(p)
			}
		}
	})
}

// BenchmarkPattern scans random games, or the PGN file that TABULA_GAMES names.
func BenchmarkPattern(b *testing.B) {
	db, err := Update(b.TempDir())
	kit.Succeed(b, err)
	defer db.Close()
	var source strings.Builder
	if name := os.Getenv("TABULA_GAMES"); name != "" {
		source.Write(kit.Read(b, name))
	} else {
		kit.Succeed(b, kit.WriteGames(&source, 20_000, 1))
	}
	done, err := db.Import(b.Context(), Source{PGN: strings.NewReader(source.String())})
	kit.Succeed(b, err)
	for _, pattern := range []string{
		"pawns=white:d4,e5 black:d5,e6", "onlypawns=white:f2,g2,h2 black:f7,g7,h7", "isolated=white:d4 open=c",
		"castling=opposite later pawns=white:h5", "attacked=q later pinned=n",
	} {
		b.Run(strings.ReplaceAll(pattern, " ", "_"), func(b *testing.B) {
			found := 0
			for b.Loop() {
				for _, err := range db.Find(b.Context(), Query{Pattern: pattern}) {
					kit.Succeed(b, err)
					found++
				}
			}
			b.ReportMetric(float64(done.Games)*float64(b.N)/b.Elapsed().Seconds(), "games/s")
			b.ReportMetric(float64(found)/float64(b.N), "found")
		})
	}
}
