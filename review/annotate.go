package review

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings"
	"github.com/tabula-chess/tabula/pgn"
)

// linePlies is how much of a better line or a refutation is written into a game.
const linePlies = 10

// Annotate writes the report into the game that it is of: [%eval] behind every move,
// $6, $2 or $4 behind inaccuracies, mistakes and blunders with a comment that names
// the better move, its line as a variation, and as another the refutation where it was
// not played. What the game says already is kept, but for evaluations, which are
// replaced, and in a game whose annotator is Tabula the words and assessments of an earlier
// report; where a move has another assessment it gets no second one. The tags ECO and Opening
// name the opening where they are missing. To annotate again
// with the same report changes nothing. Errors: a game that is not the one reviewed.
func (r *Report) Annotate(g *pgn.Game) error {
	var played []string
	for i := range r.Moves {
		played = append(played, r.Moves[i].UCI)
	}
	moves, err := movesOf(g.Position(), played...)
	same := slices.EqualFunc(moves, g.Main.Moves, func(m chess.Move, n pgn.Node) bool { return m == n.Move })
	if err != nil || !same || g.Position().FEN() != r.Start {
		return fmt.Errorf("review: the report is of another game, %d moves from %s", len(r.Moves), r.Start)
	}
	again := g.Tag("Annotator") == annotator
	c := g.Cursor()
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Best != nil {
			if err := addLine(c, m.Best); err != nil {
				return err
			}
		}
		c.Forward()
		if again {
			m.replace(c.Node())
		}
		m.mark(c.Node())
		if m.Refutation == nil {
			continue
		}
		if c.Next() == nil {
			say(c.Node(), "Refuted by "+m.Refutation.Text+".")
		} else if c.Position().SAN(c.Next().Move) != m.Refutation.SAN[0] {
			if err := addLine(c, m.Refutation); err != nil {
				return err
			}
		}
	}
	text := r.summary()
	if again {
		g.Main.Comments = slices.DeleteFunc(g.Main.Comments, func(c string) bool { return c != text && ownSummary.MatchString(c) })
	}
	if text != "" && !slices.Contains(g.Main.Comments, text) {
		g.Main.Comments = append(g.Main.Comments, text)
	}
	if g.Tag("Annotator") == "" {
		g.SetTag("Annotator", annotator)
	}
	nameOpening(g)
	return nil
}

// PGN writes the report into the game like [Report.Annotate] and returns the text of the game.
func (r *Report) PGN(g *pgn.Game) (string, error) {
	var text strings.Builder
	err := r.Annotate(g)
	if err == nil {
		err = pgn.NewWriter(&text).Write(g)
	}
	return text.String(), err
}

// addLine adds a line of play from where the cursor stands, as far as it is new, and
// leaves the cursor there.
func addLine(c *pgn.Cursor, l *Line) error {
	moves, err := movesOf(c.Position(), l.UCI[:min(len(l.UCI), linePlies)]...)
	if err != nil {
		return err
	}
	for _, m := range moves {
		if err := c.Play(m); err != nil {
			return err
		}
	}
	for range moves {
		c.Back()
	}
	return nil
}

// Glyph returns the annotation glyph of a judgment that is not empty.
func (j Judgment) Glyph() pgn.NAG {
	switch j {
	case Blunder:
		return pgn.Blunder
	case Mistake:
		return pgn.Mistake
	}
	return pgn.DubiousMove
}

// annotator is the value of the tag Annotator in games that name nobody else.
const annotator = "Tabula"

// What Annotate writes: before the first move, and behind a move.
var (
	ownSummary = regexp.MustCompile(`^Accuracy: (White|Black) [\d.]+ %(, Black [\d.]+ %)?\.$`)
	ownWords   = regexp.MustCompile(`^(Inaccuracy|Mistake|Blunder)\.( (Allows|Passes by) \d+\.+ \S+: [^.]+\.)?` +
		`( Misses mate in \d+\.)?( Allows mate in \d+\.)?( \S+ was best\.)?$`)
)

// replace removes what an earlier report said of a move, with its assessment, where this one says something else.
func (m *Move) replace(n *pgn.Node) {
	n.Comments = slices.DeleteFunc(slices.Clone(n.Comments), func(text string) bool {
		found := ownWords.FindStringSubmatch(text)
		if found == nil || text == m.Words() {
			return false
		}
		glyph := Judgment(strings.ToLower(found[1])).Glyph()
		n.NAGs = slices.DeleteFunc(slices.Clone(n.NAGs), func(g pgn.NAG) bool { return g == glyph })
		return true
	})
}

// mark writes what is said of a move.
func (m *Move) mark(n *pgn.Node) {
	m.evaluate(n)
	if m.Judgment == "" {
		return
	}
	assessed := func(g pgn.NAG) bool { return g >= pgn.GoodMove && g <= pgn.DubiousMove }
	if !slices.ContainsFunc(n.NAGs, assessed) {
		n.NAGs = append(n.NAGs, m.Judgment.Glyph())
	}
	say(n, m.Words())
}

// withoutEvals takes evaluations out of a comment, also such as make no sense.
func withoutEvals(text string) (rest string, found bool) {
	const command = "[%eval"
	for {
		before, behind, more := strings.Cut(text, command)
		_, after, closed := strings.Cut(behind, "]")
		switch {
		case !more || !closed:
			return rest + text, found
		case behind[0] == ' ' || behind[0] == ']':
			rest, text, found = rest+before, after, true
		default:
			rest, text = rest+before+command, behind
		}
	}
}

// evaluate gives a move its evaluation in place of those it has, or else in the first
// comment, where clocks stand too. Nothing else in the comments changes.
func (m *Move) evaluate(n *pgn.Node) {
	e := pgn.Eval{Centipawns: int(m.After)}
	mate, mates := m.After.Mate()
	if mates {
		e = pgn.Eval{Mate: mate}
	}
	place := -1
	for i, text := range n.Comments {
		if rest, found := withoutEvals(text); found {
			n.Comments[i] = strings.TrimSpace(rest)
			if place < 0 {
				place = i
			}
		}
	}
	place = max(0, place)
	if len(n.Comments) == 0 {
		n.Comments = []string{""}
	}
	if !mates || mate != 0 { // mate itself is seen, and the notation has no word for it
		n.Comments[place] = strings.TrimSpace(pgn.Comment{Eval: &e}.String() + " " + n.Comments[place])
	}
	n.Comments = slices.DeleteFunc(n.Comments, func(text string) bool { return text == "" })
}

// say adds a comment to a move that does not have it yet, alone or beside an evaluation.
func say(n *pgn.Node, text string) {
	if !slices.ContainsFunc(n.Comments, func(c string) bool { return pgn.ParseComment(c).Text == text }) {
		n.Comments = append(n.Comments, text)
	}
}

// Words returns what is said of a judged move: "Blunder. Allows mate in 2. Nf3 was best.", with the claim in place of
// the mate where one is proved; "" for other moves.
func (m *Move) Words() string {
	if m.Judgment == "" {
		return ""
	}
	words := []string{strings.ToUpper(string(m.Judgment[:1])) + string(m.Judgment[1:]) + "."}
	if m.Why != nil {
		words = append(words, m.Why.Text)
	}
	mate := m.Why != nil && m.Why.Tactic == Mates
	if m.MissedMate > 0 && !(mate && m.Why.Missed) {
		words = append(words, fmt.Sprintf("Misses mate in %d.", m.MissedMate))
	}
	if m.AllowsMate > 0 && (!mate || m.Why.Missed) {
		words = append(words, fmt.Sprintf("Allows mate in %d.", m.AllowsMate))
	}
	if m.Best != nil && m.Best.SAN[0] != m.SAN && (m.Why == nil || !m.Why.Missed) {
		words = append(words, m.Best.SAN[0]+" was best.")
	}
	return strings.Join(words, " ")
}

// summary says in a sentence how accurately both sides played.
func (r *Report) summary() string {
	var sides []string
	for _, s := range []struct {
		name string
		side *Side
	}{{"White", &r.White}, {"Black", &r.Black}} {
		if s.side.Accuracy != nil {
			sides = append(sides, fmt.Sprintf("%s %.1f %%", s.name, *s.side.Accuracy))
		}
	}
	if len(sides) == 0 {
		return ""
	}
	return "Accuracy: " + strings.Join(sides, ", ") + "."
}

// nameOpening adds the tags ECO and Opening to a game whose moves have a named position
// and that lacks them.
func nameOpening(g *pgn.Game) {
	o, ok := openings.OfGame(g.Final())
	for _, t := range []pgn.Tag{{Name: "ECO", Value: o.ECO}, {Name: "Opening", Value: o.Name}} {
		if ok && !slices.ContainsFunc(g.Tags, func(old pgn.Tag) bool { return old.Name == t.Name }) {
			g.Tags = append(g.Tags, t)
		}
	}
}
