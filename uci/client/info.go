package client

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// InfoLine is an info line of a search. Fields that the line does not have are zero.
type InfoLine struct {
	Depth      int // plies
	SelDepth   int // plies of the longest line
	MultiPV    int // number of the line, from 1, the best first; 0 where the engine does not say
	Score      EngineScore
	WDL        *WDL // nil where the engine does not say
	Nodes      uint64
	NPS        uint64 // nodes a second
	HashFull   int    // thousandths of the transposition table in use
	TBHits     uint64 // positions found in endgame tables
	CPULoad    int    // thousandths
	Time       time.Duration
	PV         []chess.Move // the best line, all legal
	Move       chess.Move   // being searched, NoMove where the engine does not say
	MoveNumber int          // of that move, from 1
	Text       string       // of "info string"

	// Unread is what the line holds that means nothing: unknown words, and
	// moves from the first on that is not legal.
	Unread []string
}

// WDL holds the chances of the side to move in thousandths, which add up to 1000.
type WDL struct{ Win, Draw, Loss int }

// ScoreKind is the unit of a score.
type ScoreKind uint8

// The kinds of score.
const (
	NoScore    ScoreKind = iota
	Centipawns           // hundredths of a pawn
	Mate                 // moves to mate, not plies
)

// EngineScore is the value of a position for the side to move. A negative Mate means that this side is
// mated, and 0 that it is mated already.
type EngineScore struct {
	Kind  ScoreKind
	Value int
	Bound eval.Bound
}

// For returns the score from the point of view of colour c.
func (s EngineScore) For(c, sideToMove chess.Color) EngineScore {
	if c == sideToMove || s.Kind == NoScore {
		return s
	}
	s.Value = -s.Value
	switch s.Bound {
	case eval.Lower:
		s.Bound = eval.Upper
	case eval.Upper:
		s.Bound = eval.Lower
	}
	return s
}

// String returns the score in pawns or as moves to mate: "+0.35", "#3", "#-2";
// a bound has its sign before it, as in "≥+0.35". No score is "".
func (s EngineScore) String() string {
	sign := [...]string{eval.Exact: "", eval.Lower: "≥", eval.Upper: "≤"}[min(s.Bound, eval.Upper)]
	switch s.Kind {
	case Centipawns:
		return sign + fmt.Sprintf("%+.2f", float64(s.Value)/100)
	case Mate:
		return sign + "#" + strconv.Itoa(s.Value)
	}
	return ""
}

// ParseInfo parses an info line of a search of p. Words that it does not know are in [InfoLine.Unread].
func ParseInfo(p *chess.Position, line string) InfoLine {
	r := infoReader{words: strings.Fields(line), p: p}
	if len(r.words) > 0 && r.words[0] == "info" {
		r.words = r.words[1:]
	}
	for len(r.words) > 0 {
		word := r.words[0]
		r.words = r.words[1:]
		if word == "string" {
			if _, text, ok := strings.Cut(line, " string "); ok {
				r.info.Text = strings.TrimSpace(text)
			}
			break
		}
		if !r.number(word) && !r.moves(word) {
			r.info.Unread = append(r.info.Unread, word)
		}
	}
	return r.info
}

// infoReader reads the words of an info line.
type infoReader struct {
	words []string // not read yet
	p     *chess.Position
	info  InfoLine
}

// number reads what follows the words that want numbers.
func (r *infoReader) number(word string) bool {
	in := &r.info
	switch word {
	case "depth":
		in.Depth = int(r.int())
	case "seldepth":
		in.SelDepth = int(r.int())
	case "multipv":
		in.MultiPV = int(r.int())
	case "nodes":
		in.Nodes = uint64(max(0, r.int()))
	case "nps":
		in.NPS = uint64(max(0, r.int()))
	case "hashfull":
		in.HashFull = int(r.int())
	case "tbhits":
		in.TBHits = uint64(max(0, r.int()))
	case "sbhits":
		r.int()
	case "cpuload":
		in.CPULoad = int(r.int())
	case "currmovenumber":
		in.MoveNumber = int(r.int())
	case "time":
		in.Time = time.Duration(min(r.int(), maxMillis)) * time.Millisecond
	case "score":
		r.score()
	case "wdl":
		in.WDL = &WDL{int(r.int()), int(r.int()), int(r.int())}
	default:
		return false
	}
	return true
}

// maxMillis keeps times below what a Duration holds.
const maxMillis = 1 << 43

// int reads a number; what is none stays, 0 is returned.
func (r *infoReader) int() int64 {
	if len(r.words) == 0 {
		return 0
	}
	n, err := strconv.ParseInt(r.words[0], 10, 64)
	if err != nil {
		return 0
	}
	r.words = r.words[1:]
	return n
}

// score reads what follows the word score.
func (r *infoReader) score() {
	s := &r.info.Score
	for ; len(r.words) > 0; r.words = r.words[1:] {
		switch r.words[0] {
		case "cp", "mate":
			s.Kind = Centipawns
			if r.words[0] == "mate" {
				s.Kind = Mate
			}
			if len(r.words) > 1 {
				n, err := strconv.Atoi(r.words[1])
				if err != nil {
					s.Kind = NoScore
					continue
				}
				s.Value = n
				r.words = r.words[1:]
			}
		case "lowerbound":
			s.Bound = eval.Lower
		case "upperbound":
			s.Bound = eval.Upper
		default:
			return
		}
	}
}

// moves reads what follows the words that want moves.
func (r *infoReader) moves(word string) bool {
	in := &r.info
	switch word {
	case "pv":
		in.PV = r.line()
	case "currline": // the number of a processor, and its line, of which nothing is kept
		r.int()
		for len(r.words) > 0 && isMoveText(r.words[0]) {
			r.words = r.words[1:]
		}
	case "currmove":
		if len(r.words) == 0 {
			return true
		}
		if m, err := r.p.ParseUCI(r.words[0]); err == nil {
			in.Move = m
			r.words = r.words[1:]
		}
	default:
		return false
	}
	return true
}

// line reads moves that follow on each other, legal ones into the line and the
// others into Unread.
func (r *infoReader) line() []chess.Move {
	var moves []chess.Move
	p := r.p.Clone()
	for len(r.words) > 0 && isMoveText(r.words[0]) {
		m, err := p.ParseUCI(r.words[0])
		if err != nil {
			end := slices.IndexFunc(r.words, func(w string) bool { return !isMoveText(w) })
			if end < 0 {
				end = len(r.words)
			}
			r.info.Unread = append(r.info.Unread, r.words[:end]...)
			r.words = r.words[end:]
			break
		}
		p.Make(m)
		moves = append(moves, m)
		r.words = r.words[1:]
	}
	return moves
}

// isMoveText reports whether a word looks like a move, not a key word.
func isMoveText(word string) bool {
	if word == "0000" {
		return true
	}
	return (len(word) == 4 || len(word) == 5) && isSquare(word[:2]) && isSquare(word[2:4])
}

func isSquare(s string) bool {
	return s[0] >= 'a' && s[0] <= 'h' && s[1] >= '1' && s[1] <= '8'
}
