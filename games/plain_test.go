package games

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// The plain reading of a pattern looks at one square after the other and shares nothing with the one that is tested.

// standsOn reports whether a square is the one, on the file or on the rank that place says; "" is anywhere.
func standsOn(s chess.Square, place string) bool {
	return place == "" || s.String() == place || s.String()[:1] == place || s.String()[1:] == place
}

// squaresWith returns the squares with a man, written as in FEN.
func squaresWith(p *chess.Position, letter string) (all []chess.Square) {
	pc, err := chess.ParsePiece(letter)
	for s := chess.A1; s <= chess.H8 && err == nil; s++ {
		if p.Piece(s) == pc {
			all = append(all, s)
		}
	}
	return all
}

// plainWord reports whether a word of a pattern holds: all items of its lists, or with not none of them.
func plainWord(p *chess.Position, word string, values []string, not bool) bool {
	for _, value := range values {
		pawn, listed := "P", false
		if slices.Contains([]string{"pawns", "onlypawns", "passed", "isolated"}, word) {
			var color string
			if color, value, listed = strings.Cut(strings.ToLower(value), ":"); color[0] == 'b' {
				pawn = "p"
			}
			if !listed {
				value = ""
			}
		}
		items := strings.Split(value, ",")
		whole := true // of onlypawns
		for _, item := range items {
			letter, place := pawn, item
			switch word {
			case "squares", "attacked", "pinned":
				letter, place = item[:1], item[1:]
			}
			holds := plainItem(p, word, letter, place)
			if whole = whole && holds; holds == not && word != "onlypawns" {
				return false
			}
		}
		for _, s := range squaresWith(p, pawn) {
			whole = whole && slices.ContainsFunc(items, func(item string) bool { return standsOn(s, item) })
		}
		if word == "onlypawns" && whole == not {
			return false
		}
	}
	return true
}

// plainItem reports whether one item of the list of a word holds.
func plainItem(p *chess.Position, word, letter, item string) bool {
	men, place := squaresWith(p, letter), strings.ToLower(item)
	if word == "onlypawns" && place == "none" {
		return len(men) == 0
	}
	switch word {
	case "empty":
		for s := chess.A1; s <= chess.H8; s++ {
			if standsOn(s, place) && p.Piece(s) != chess.NoPiece {
				return false
			}
		}
		return true
	case "open":
		return !slices.ContainsFunc(append(squaresWith(p, "P"), squaresWith(p, "p")...), func(s chess.Square) bool {
			return standsOn(s, place)
		})
	case "castling":
		wings := [2]string{}
		for i, king := range []chess.Square{p.King(chess.White), p.King(chess.Black)} {
			for wing, squares := range map[string]string{"queen": "a1b1c1a2b2c2a8b8c8a7b7c7", "king": "g1h1g2h2g8h8g7h7"} {
				if home := king.Rank() <= 1; home == (i == 0) && strings.Contains(squares, king.String()) {
					wings[i] = wing
				}
			}
		}
		return wings[0] != "" && wings[1] != "" && (wings[0] == wings[1]) == (place == "same")
	case "material":
		sorted := func(text string) string {
			letters := strings.Split(text, "")
			slices.SortFunc(letters, func(a, b string) int { return strings.Index("KQRBNP", a) - strings.Index("KQRBNP", b) })
			return strings.Join(letters, "")
		}
		a, b, _ := strings.Cut(item, "v")
		have := plainMaterial(p)
		return sorted(a) == have[0] && sorted(b) == have[1] || sorted(b) == have[0] && sorted(a) == have[1]
	}
	return slices.ContainsFunc(men, func(s chess.Square) bool { return standsOn(s, place) && plainMan(p, word, s) })
}

// plainMaterial returns the letters of the men of White and of Black.
func plainMaterial(p *chess.Position) (have [2]string) {
	for i := range have {
		for _, letter := range "KQRBNP" {
			pc := string(letter)
			if i == 1 {
				pc = strings.ToLower(pc)
			}
			have[i] += strings.Repeat(string(letter), len(squaresWith(p, pc)))
		}
	}
	return have
}

// plainMan reports whether a man is what a word says.
func plainMan(p *chess.Position, word string, s chess.Square) bool {
	us := p.Piece(s).Color()
	pawnOf := func(c chess.Color, file, rank int) bool {
		return file >= 0 && file < 8 && p.Piece(chess.MakeSquare(file, rank)) == chess.MakePiece(c, chess.Pawn)
	}
	switch word {
	case "passed":
		for rank := range 8 {
			for file := s.File() - 1; file <= s.File()+1; file++ {
				if (rank > s.Rank()) == (us == chess.White) && rank != s.Rank() && pawnOf(us.Other(), file, rank) {
					return false
				}
			}
		}
	case "isolated":
		for rank := range 8 {
			if pawnOf(us, s.File()-1, rank) || pawnOf(us, s.File()+1, rank) {
				return false
			}
		}
	case "attacked":
		return p.AttackersTo(s, p.Occupied())&p.ByColor(us.Other()) != 0
	case "pinned":
		king, occ := p.King(us), p.Occupied()
		return king != s && p.AttackersTo(king, occ&^s.Bitboard())&^p.AttackersTo(king, occ)&p.ByColor(us.Other()) != 0
	}
	return true
}

// plainStages splits a valid pattern at "later".
func plainStages(text string) (stages [][]string) {
	stages = [][]string{nil}
	for _, word := range strings.Fields(regexp.MustCompile(`,[\s\p{Zs}\x85\x0b]+`).ReplaceAllString(text, ",")) {
		if strings.ToLower(word) == "later" {
			stages = append(stages, nil)
		} else {
			stages[len(stages)-1] = append(stages[len(stages)-1], word)
		}
	}
	return stages
}

// plainHolds reports whether the words of a stage hold.
func plainHolds(p *chess.Position, words []string) bool {
	for i := 0; i < len(words); i++ {
		not := strings.ToLower(words[i]) == "not"
		if not {
			i++
		}
		word, value, _ := strings.Cut(words[i], "=")
		values := []string{value}
		for i+1 < len(words) && !strings.Contains(words[i+1], "=") && strings.ToLower(words[i+1]) != "not" {
			i++
			values = append(values, words[i])
		}
		if !plainWord(p, strings.ToLower(word), values, not) {
			return false
		}
	}
	return true
}

// plainFind returns the first ply at which a game has had all of a pattern, at a position, nil for any, or later; -1
// for none. It tries all plies for all stages.
func plainFind(g *pgn.Game, from *chess.Position, stages [][]string) int {
	var before []bool // at which plies the stages so far have ended
	reached := from == nil
	for _, words := range stages {
		p, now := g.Position(), []bool{}
		for ply := 0; ; ply++ {
			reached = reached || before == nil && p.Key() == from.Key()
			now = append(now, reached && plainHolds(p, words) && (before == nil || slices.Contains(before[:ply], true)))
			if ply == len(g.Main.Moves) {
				break
			}
			g.Main.Moves[ply].Play(p)
		}
		before = now
	}
	return slices.Index(before, true)
}

// plain counts the games of a position without an index.
type plain struct {
	fen   string
	moves map[chess.Move]*Count
	total Count
	games []candidate
}

func plainCounts(all []*pgn.Game, f func(*pgn.Game) bool) map[string]*plain {
	counts := map[string]*plain{}
	ratings := map[*Count][3]int{} // the sums of White's and of Black's, and how many
	for number, g := range all {
		if !f(g) {
			continue
		}
		seen := map[string]bool{}
		date, _ := ParseDate(g.Tag("Date"))
		white, _ := strconv.Atoi(g.Tag("WhiteElo"))
		black, _ := strconv.Atoi(g.Tag("BlackElo"))
		visit := func(p *chess.Position, m chess.Move) {
			key := strings.Join(strings.Fields(p.FormatFEN(chess.FENStyle{EnPassant: chess.EnPassantLegal}))[:4], " ")
			if seen[key] {
				return
			}
			seen[key] = true
			c := counts[key]
			if c == nil {
				c = &plain{fen: key + " 0 1", moves: map[chess.Move]*Count{}}
				counts[key] = c
			}
			to := []*Count{&c.total}
			if m != chess.NoMove {
				if c.moves[m] == nil {
					c.moves[m] = &Count{}
				}
				to = append(to, c.moves[m])
			}
			for _, n := range to {
				n.Games++
				switch g.Result {
				case chess.WhiteWins:
					n.White++
				case chess.Draw:
					n.Draws++
				case chess.BlackWins:
					n.Black++
				}
				n.Year = max(n.Year, date.Year())
				if white > 0 && black > 0 {
					sums := ratings[n]
					ratings[n] = [3]int{sums[0] + white, sums[1] + black, sums[2] + 1}
				}
			}
			c.games = append(c.games, candidate{number, (white + black) / 2, date})
		}
		p := g.Position()
		for _, n := range g.Main.Moves {
			visit(p, n.Move)
			n.Play(p)
		}
		visit(p, chess.NoMove)
	}
	for _, c := range counts {
		rate := func(n *Count) {
			sums := ratings[n]
			if sums[2] == 0 {
				return
			}
			n.Rating = (sums[0] + sums[1]) / (2 * sums[2])
			opponents, points := sums[1], float64(n.White-n.Black)
			if strings.Contains(c.fen, " b ") {
				opponents, points = sums[0], -points
			}
			n.Performance = opponents/sums[2] + int(math.Round(400*points/float64(n.White+n.Draws+n.Black)))
		}
		rate(&c.total)
		for _, n := range c.moves {
			rate(n)
		}
	}
	return counts
}
