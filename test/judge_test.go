package test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// judge reads the record of a session as a game runner does and returns all that is wrong with it. Each go needs one
// legal bestmove, which is the first move of the last exact line.
func judge(log []entry) error {
	j := judgement{root: chess.NewPosition()}
	for _, n := range log {
		if n.sent {
			j.sent(strings.Fields(n.text))
		} else {
			j.received(n.text)
		}
	}
	if len(j.open) > 0 {
		j.wrong("%d go commands have no answer", len(j.open))
	}
	return errors.Join(j.faults...)
}

// judgement is the state of a judge.
type judgement struct {
	root   *chess.Position
	open   []*question // searches not yet answered, oldest first
	faults []error
}

// question is a go command and the reports on it.
type question struct {
	root *chess.Position
	last report // the last one with a score on the first line
	any  bool
}

// report is an info line with a score.
type report struct {
	depth, multiPV, value int
	mate, bound           bool
	pv                    []string
}

func (j *judgement) wrong(format string, args ...any) {
	j.faults = append(j.faults, fmt.Errorf(format, args...))
}

func (j *judgement) sent(words []string) {
	if len(words) == 0 {
		return
	}
	switch words[0] {
	case "position":
		if p := readPosition(words[1:]); p != nil {
			j.root = p
		}
	case "ucinewgame":
		j.root = chess.NewPosition()
	case "go":
		if !slices.Contains(words, "perft") {
			j.open = append(j.open, &question{root: j.root.Clone()})
		}
	}
}

// readPosition returns the position that a command sets, nil for a bad one.
func readPosition(words []string) *chess.Position {
	i := slices.Index(words, "moves")
	if i < 0 {
		i = len(words)
	}
	if i == 0 {
		return nil
	}
	p := chess.NewPosition()
	if words[0] == "fen" {
		var err error
		if p, err = chess.ParseFEN(strings.Join(words[1:i], " ")); err != nil {
			return nil
		}
	}
	for _, text := range words[min(i+1, len(words)):] {
		m, err := p.ParseUCI(text)
		if err != nil {
			return nil
		}
		p.Make(m)
	}
	return p
}

func (j *judgement) received(text string) {
	words := strings.Fields(text)
	switch {
	case len(words) == 0 || strings.HasPrefix(text, "info string"):
	case words[0] == "bestmove" && len(j.open) == 0:
		j.wrong("%q answers no go", text)
	case words[0] == "bestmove":
		j.answer(j.open[0], words)
		j.open = j.open[1:]
	case words[0] == "info" && slices.Contains(words, "score"):
		if len(j.open) == 0 {
			j.wrong("%q belongs to no search", text)
			return
		}
		j.report(j.open[0], text, words)
	}
}

func (j *judgement) report(q *question, text string, words []string) {
	r, err := parseReport(words)
	if err != nil {
		j.wrong("%q: %v", text, err)
		return
	}
	if r.multiPV <= 1 {
		q.last, q.any = r, true
	}
	p := q.root.Clone()
	for i, move := range r.pv {
		if why := over(p); why != "" {
			j.wrong("%q: the line goes on after move %d, %s; root %s", text, i, why, q.root.FEN())
			return
		}
		m, err := p.ParseUCI(move)
		if err != nil {
			j.wrong("%q: %v; root %s", text, err, q.root.FEN())
			return
		}
		p.Make(m)
	}
	if !r.mate || r.bound {
		return
	}
	plies := 2*r.value - 1
	if r.value <= 0 {
		plies = -2 * r.value
	}
	if len(r.pv) != plies || !p.InCheck() || p.HasLegalMove() {
		j.wrong("%q: the line has %d plies and ends in %s, want a mate after %d; root %s", text, len(r.pv), p.FEN(), plies, q.root.FEN())
	}
}

// over returns why a game has ended, "" if it goes on.
func over(p *chess.Position) string {
	switch {
	case !p.HasLegalMove():
		return "mate or stalemate"
	case p.HalfmoveClock() >= 100:
		return "fifty moves"
	case p.Repetitions() >= 2:
		return "threefold repetition"
	}
	return ""
}

var (
	moveText  = regexp.MustCompile(`^[a-h][1-8][a-h][1-8][nbrq]?$`)
	wholeText = regexp.MustCompile(`^-?\d+$`)
)

// parseReport reads an info line; numbers must be whole.
func parseReport(words []string) (r report, err error) {
	r.multiPV = 1
	number := func(i int) int {
		if i >= len(words) || !wholeText.MatchString(words[i]) {
			err = fmt.Errorf("no whole number after %q", words[i-1])
			return 0
		}
		n, _ := strconv.Atoi(words[i])
		return n
	}
	for i := 1; i < len(words); i++ {
		switch words[i] {
		case "depth":
			r.depth = number(i + 1)
		case "multipv":
			r.multiPV = number(i + 1)
		case "seldepth", "nodes", "nps", "time", "hashfull", "tbhits":
			number(i + 1)
		case "score":
			if i+2 >= len(words) || words[i+1] != "cp" && words[i+1] != "mate" {
				return r, errors.New("score lacks cp or mate")
			}
			r.mate, r.value = words[i+1] == "mate", number(i+2)
		case "lowerbound", "upperbound":
			r.bound = true
		case "pv":
			r.pv = words[i+1:]
			return r, err
		}
	}
	return r, err
}

func (j *judgement) answer(q *question, words []string) {
	text := strings.Join(words, " ")
	if !q.any {
		j.wrong("%q comes without an info line with a score", text)
	}
	if !q.root.HasLegalMove() {
		if text != "bestmove (none)" {
			j.wrong("%q in a position without moves, %s", text, q.root.FEN())
		}
		if q.last.depth != 0 || q.last.value != 0 || q.last.mate != q.root.InCheck() {
			j.wrong("the last report before %q is depth %d value %d mate %v in %s",
				text, q.last.depth, q.last.value, q.last.mate, q.root.FEN())
		}
		return
	}
	p := q.root.Clone()
	for i, word := range words[1:] {
		if i == 1 {
			if word != "ponder" {
				j.wrong("%q: %q in place of ponder", text, word)
			}
			continue
		}
		m, err := p.ParseUCI(word)
		if !moveText.MatchString(word) || err != nil {
			j.wrong("%q: %v in %s", text, err, p.FEN())
			return
		}
		p.Make(m)
	}
	if len(words) != 2 && len(words) != 4 {
		j.wrong("%q has %d words", text, len(words))
	}
	switch {
	case q.last.bound:
		j.wrong("the last score before %q is a bound", text)
	case len(q.last.pv) == 0 || q.last.pv[0] != words[1]:
		j.wrong("%q is not the first move of the last line, %q", text, q.last.pv)
	}
}
