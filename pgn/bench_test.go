package pgn_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/pgn"
)

// ordinary are games as a collection and as lichess write them.
var ordinary = map[string]string{
	"plain": `[Event "London"]
[Site "London ENG"]
[Date "1851.06.21"]
[Round "?"]
[White "Anderssen, Adolf"]
[Black "Kieseritzky, Lionel"]
[Result "1-0"]
[ECO "C33"]

1. e4 e5 2. f4 exf4 3. Bc4 Qh4+ 4. Kf1 b5 5. Bxb5 Nf6 6. Nf3 Qh6 7. d3 Nh5 8. Nh4
Qg5 9. Nf5 c6 10. g4 Nf6 11. Rg1 cxb5 12. h4 Qg6 13. h5 Qg5 14. Qf3 Ng8 15. Bxf4
Qf6 16. Nc3 Bc5 17. Nd5 Qxb2 18. Bd6 Bxg1 19. e5 Qxa1+ 20. Ke2 Na6 21. Nxg7+ Kd8
22. Qf6+ Nxf6 23. Be7# 1-0

`,
	"lichess": "[Event \"Rated Blitz game\"]\n[Site \"https://lichess.org/abcdefgh\"]\n[White \"a\"]\n[Black \"b\"]\n[Result \"0-1\"]\n" +
		"[UTCDate \"2024.01.02\"]\n[UTCTime \"03:04:05\"]\n[WhiteElo \"1500\"]\n[BlackElo \"1510\"]\n[ECO \"A00\"]\n" +
		"[Opening \"Barnes Opening: Fool's Mate\"]\n[TimeControl \"180+0\"]\n[Termination \"Normal\"]\n\n" +
		"1. f3?! { [%eval -0.6] [%clk 0:03:00] } 1... e5 { [%eval -0.57] [%clk 0:03:00] } 2. g4?? { [%eval #-1] [%clk 0:02:58] } " +
		"{ Checkmate is now unavoidable. } (2. e4 Nf6 3. d4) 2... Qh4# { [%clk 0:02:59] } 0-1\n\n\n",
}

func BenchmarkRead(b *testing.B) {
	for name, game := range ordinary {
		text := strings.Repeat(game, 1+1<<20/len(game))
		b.Run(name+"/games", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				for _, err := range pgn.NewReader(strings.NewReader(text)).Games() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(name+"/tags", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r := pgn.NewReader(strings.NewReader(text))
				for _, err := r.ReadTags(); err != io.EOF; _, err = r.ReadTags() {
					if err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// BenchmarkHostile reads texts of signs that may begin something and do not: the time for a byte is the same at both
// sizes, and at most 100 times that of games.
func BenchmarkHostile(b *testing.B) {
	for _, unit := range []string{"[<a[‹a", "[\"a<b", "0 - 0 - ", "½ - ", "-- ", "\n-- ", "foo ] ", "[A \"x\"] y\"] z "} {
		for _, size := range []int{1 << 16, 1 << 18} {
			text := "[A \"b\"]\n" + strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%q/%d", unit, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					for range pgn.NewReader(strings.NewReader(text)).Games() {
					}
				}
			})
		}
	}
}
