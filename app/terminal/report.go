package terminal

import (
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/review"
)

// AnalysisReport is the result of an analysis as JSON. Scores are White's.
type AnalysisReport struct {
	Name    string     `json:"name,omitempty"` // source of the position
	FEN     string     `json:"fen"`
	ECO     string     `json:"eco,omitempty"` // of the opening, if this position or an earlier one has a name
	Opening string     `json:"opening,omitempty"`
	Over    string     `json:"over,omitempty"` // how the game ended, if it is over
	Best    *Best      `json:"best"`           // null if there is no legal move
	Depth   int        `json:"depth"`
	Nodes   uint64     `json:"nodes"`
	TimeMS  int64      `json:"time"` // milliseconds
	Lines   []BestLine `json:"lines"`
}

// Best is the best move.
type Best struct {
	UCI string `json:"uci"`
	SAN string `json:"san"`
}

// BestLine is one of the best lines.
type BestLine struct {
	Depth int          `json:"depth"`
	Score review.Score `json:"score"`
	UCI   []string     `json:"uci"`
	Text  string       `json:"text"` // in SAN with move numbers

	first chess.Move
}

// report returns the result so far.
func (v *liveState) report() AnalysisReport {
	v.mu.Lock()
	defer v.mu.Unlock()
	r := AnalysisReport{
		Name: v.set.Name, FEN: v.root.FEN(), ECO: v.opening.ECO, Opening: v.opening.Name,
		Over:  strings.TrimSuffix(verdict(v.root), "."),
		Depth: int(v.depth), Nodes: v.nodes, TimeMS: v.spent.Milliseconds(), Lines: v.lines,
	}
	if v.best != chess.NoMove {
		r.Best = &Best{v.root.UCI(v.best), v.root.SAN(v.best)}
	}
	return r
}
