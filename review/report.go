package review

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
)

// Report is the review of a game. Scores and chances are White's unless noted otherwise.
type Report struct {
	Start    string    `json:"start"`    // FEN of the position before the first move
	Chess960 bool      `json:"chess960"` // moves in UCI text write castling as king takes rook
	Result   string    `json:"result"`   // as the game has it
	Limits   Limits    `json:"limits"`
	White    Side      `json:"white"`
	Black    Side      `json:"black"`
	Moves    []Move    `json:"moves"` // of the main line, null moves too
	Puzzles  []*Puzzle `json:"puzzles"`
}

// DefaultNodes is how much each position is searched where nothing else is asked for: about
// a third of a second.
const DefaultNodes = 250_000

// Limits says how long each position is searched. Exactly one must be there.
type Limits struct {
	Depth    int    `json:"depth,omitempty"`    // plies, below search.MaxPly; the same on every machine
	Nodes    uint64 `json:"nodes,omitempty"`    // the same on every machine
	MoveTime int64  `json:"movetime,omitempty"` // milliseconds
}

// Side is how one side played.
type Side struct {
	Accuracy *float64 `json:"accuracy"` // 0 to 100, nil where no move of the side was judged
	Moves    int      `json:"moves"`    // that were judged: not null moves, nor those without an alternative
	Judgments
	MeanLoss float64 `json:"meanLoss"` // of chances, 0 to 1

	Clock *ClockTable `json:"clock,omitempty"` // of the side's moves; nil for a game without clocks
}

// Judgments holds how many moves have each judgment.
type Judgments struct {
	Inaccuracies int `json:"inaccuracies"`
	Mistakes     int `json:"mistakes"`
	Blunders     int `json:"blunders"`
}

// Move is a move of the game and its evaluation.
type Move struct {
	Ply    int    `json:"ply"`    // from 1
	Number int    `json:"number"` // as a PGN has it
	Side   string `json:"side"`   // who moves: white or black
	UCI    string `json:"uci"`    // 0000 for a null move
	SAN    string `json:"san"`
	FEN    string `json:"fen"` // after it

	Before Score   `json:"before"` // of the position with best play
	After  Score   `json:"after"`  // of the position that the move led to
	Chance float64 `json:"chance"` // White's after the move, 0 to 1

	Loss     float64  `json:"loss"`     // of the mover's chances, 0 to 1
	Accuracy float64  `json:"accuracy"` // 0 to 100
	Judgment Judgment `json:"judgment,omitempty"`
	Forced   bool     `json:"forced,omitempty"` // the only legal move
	Null     bool     `json:"null,omitempty"`

	MissedMate int `json:"missedMate,omitempty"` // moves to the mate that the mover had, and has no longer
	AllowsMate int `json:"allowsMate,omitempty"` // moves to the mate that the mover now cannot avoid, and could have

	Clock *Clock `json:"clock,omitempty"` // nil where nothing is known
	Phase string `json:"phase"`           // opening, middlegame or endgame
	Motif string `json:"motif,omitempty"` // what went wrong, of a judged move: "allows a fork"

	Best       *Line `json:"best,omitempty"`       // what was better, of a judged move
	Refutation *Line `json:"refutation,omitempty"` // how a judged move is answered
	Why        *Why  `json:"why,omitempty"`        // what made it a mistake or a blunder; nil where nothing is proved
}

// Line is a line of at least one move, and its score.
type Line struct {
	Score Score    `json:"score"`
	UCI   []string `json:"uci"`
	SAN   []string `json:"san"`
	Text  string   `json:"text"` // in SAN with move numbers
}

// Puzzle is a position of the game, before move Ply, in which only one move was good.
type Puzzle struct {
	Ply      int    `json:"ply"`
	Side     string `json:"side"`   // who is to move and to find it
	FEN      string `json:"fen"`    // the position
	Found    bool   `json:"found"`  // the move played is the solution
	Solution Line   `json:"line"`   // begins and ends with a move of the solver, each the only good one
	Second   Score  `json:"second"` // of the next best first move

	Themes []string `json:"themes"` // words of lichess.org/training/themes: fork, mateIn2, endgame
}

// Judgment classifies a move that lost chances; "" for other moves.
type Judgment string

// The judgments, by what a move loses; see the package's documentation.
const (
	Inaccuracy Judgment = "inaccuracy"
	Mistake    Judgment = "mistake"
	Blunder    Judgment = "blunder"
)

// Score is a score as White sees it, in centipawns or, beyond eval.MateEdge, a mate.
// As JSON it is {"cp": 35}, or {"mate": 3} where White mates in three moves; Black's
// mates are negative, and {"mate": 0} is a position that is mate.
type Score eval.Score

// Mate returns the number of moves to mate, negative where Black mates, 0 for a
// position that is mate; ok is false for other scores.
func (s Score) Mate() (moves int, ok bool) {
	if !eval.Score(s).IsMate() {
		return 0, false
	}
	if s < 0 {
		return -(int(eval.Mate) + int(s) + 1) / 2, true
	}
	return (int(eval.Mate) - int(s) + 1) / 2, true
}

// String returns "+0.35", "#3", "#-2" where Black mates, "#" for a position that is mate.
func (s Score) String() string {
	switch n, ok := s.Mate(); {
	case ok && n == 0:
		return "#"
	case ok:
		return fmt.Sprintf("#%d", n)
	}
	return fmt.Sprintf("%+.2f", float64(s)/100)
}

// jsonScore is the text of a Score.
type jsonScore struct {
	Centipawns *int   `json:"cp,omitempty"`
	Mate       *int   `json:"mate,omitempty"`
	Winner     string `json:"winner,omitempty"` // of a position that is mate
}

// MarshalJSON returns the score as the type's documentation says.
func (s Score) MarshalJSON() ([]byte, error) {
	var j jsonScore
	n, ok := s.Mate()
	switch {
	case !ok:
		n = int(s)
		j.Centipawns = &n
	case n == 0 && s > 0:
		j.Mate, j.Winner = &n, chess.White.String()
	case n == 0:
		j.Mate, j.Winner = &n, chess.Black.String()
	default:
		j.Mate = &n
	}
	return json.Marshal(j)
}

// UnmarshalJSON reads what MarshalJSON returns. Errors: neither cp nor mate, or a
// value that no score has.
func (s *Score) UnmarshalJSON(text []byte) error {
	var j jsonScore
	if err := json.Unmarshal(text, &j); err != nil {
		return err
	}
	switch {
	case j.Centipawns != nil && j.Mate == nil:
		*s = Score(*j.Centipawns)
		if _, mate := s.Mate(); mate {
			return fmt.Errorf("score: %d centipawns", *j.Centipawns)
		}
		return nil
	case j.Mate == nil || j.Centipawns != nil:
		return errors.New("score: want either cp or mate")
	}
	n := *j.Mate
	switch {
	case n > search.MaxPly || n < -search.MaxPly:
		return fmt.Errorf("score: mate in %d moves", n)
	case n != 0:
		*s = mateScore(n)
	case j.Winner == chess.White.String():
		*s = Score(eval.Mate)
	default:
		*s = -Score(eval.Mate)
	}
	return nil
}

// scoreOf returns the score of an evaluation in a PGN, the nearest where no score is so large.
func scoreOf(e *pgn.Eval) Score {
	if e.Mate != 0 {
		return mateScore(min(max(e.Mate, -mostMate), mostMate))
	}
	const most = int(eval.MateEdge) - 1
	return Score(min(max(e.Centipawns, -most), most))
}

// mostMate is the most moves to mate that a score can tell.
const mostMate = int(eval.Mate-eval.MateEdge+1) / 2

// mateScore returns the score of a mate in n moves, negative where Black mates; n is not 0.
func mateScore(n int) Score {
	if n < 0 {
		return Score(-2*n-1) - Score(eval.Mate)
	}
	return Score(eval.Mate) - Score(2*n-1)
}
