package review

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/openings"
	"github.com/tabula-chess/tabula/pgn"
)

// Sheet is a report in short, for tables over many games.
type Sheet struct {
	Opening string      `json:"opening"` // without the variation: "Sicilian Defense"; "" for none
	Moves   []SheetMove `json:"moves"`   // that were judged
}

// SheetMove is a move of a game in short.
type SheetMove struct {
	Ply      int      `json:"n"`
	Number   int      `json:"i"`
	SAN      string   `json:"m,omitempty"` // of a move with a judgment
	Accuracy float64  `json:"a"`
	Judgment Judgment `json:"j,omitempty"`
	Motif    string   `json:"k,omitempty"`
	Phase    string   `json:"p"`
	Side     string   `json:"s"`
}

// Sheet returns the report on g in short.
func (r *Report) Sheet(g *pgn.Game) *Sheet {
	s := &Sheet{Moves: []SheetMove{}}
	if o, ok := openings.OfGame(g.Final()); ok {
		s.Opening, _, _ = strings.Cut(o.Name, ":")
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Forced || m.Null {
			continue
		}
		row := SheetMove{Ply: m.Ply, Number: m.Number, Accuracy: m.Accuracy, Judgment: m.Judgment, Motif: m.Motif, Phase: m.Phase, Side: m.Side}
		if m.Judgment != "" {
			row.SAN = m.SAN
		}
		s.Moves = append(s.Moves, row)
	}
	return s
}

// Row is a line of a table over many games.
type Row struct {
	Name     string  `json:"name"`
	Games    int     `json:"games"`
	Moves    int     `json:"moves"`    // judged ones
	Accuracy float64 `json:"accuracy"` // the mean of the moves, 0 to 100
	Judgments
}

// Groups are what the moves of a survey can be grouped by, in the order of the tables. A motif has only moves
// with a judgment.
func Groups() []string { return []string{"opening", "phase", "color", "motif"} }

// Group returns the name of the row that a move of a game stands in; "" for none.
func (s *Sheet) Group(by string, m *SheetMove) string {
	switch by {
	case "opening":
		return cmp.Or(s.Opening, "No named opening")
	case "phase":
		return m.Phase
	case "color":
		return m.Side
	}
	return m.Motif
}

// Table counts moves in rows.
type Table struct {
	by   string
	rows map[string]*Row
}

// NewTable returns an empty table of one of the Groups.
func NewTable(by string) *Table { return &Table{by, map[string]*Row{}} }

// Add counts the moves of the sides of a game.
func (t *Table) Add(s *Sheet, sides [2]bool) {
	seen := map[string]bool{}
	for i := range s.Moves {
		m := &s.Moves[i]
		name := s.Group(t.by, m)
		if side, err := chess.ParseColor(m.Side); err != nil || !sides[side] || name == "" {
			continue
		}
		row := t.rows[name]
		if row == nil {
			row = &Row{Name: name}
			t.rows[name] = row
		}
		if !seen[name] {
			seen[name] = true
			row.Games++
		}
		row.count(m.Judgment)
		row.Accuracy = (row.Accuracy*float64(row.Moves) + m.Accuracy) / float64(row.Moves+1)
		row.Moves++
	}
}

// Rows returns the rows, those of most moves first.
func (t *Table) Rows() []Row {
	rows := []Row{}
	for _, r := range t.rows {
		r.Accuracy = round4(r.Accuracy)
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Or(cmp.Compare(b.Moves, a.Moves), cmp.Compare(a.Name, b.Name)) })
	return rows
}
