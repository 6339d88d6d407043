package test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/uci/client"
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
	last client.Info // the last one with a score on the first line
	any  bool
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
		j.report(j.open[0], text)
	}
}

func (j *judgement) report(q *question, text string) {
	r := client.ParseInfo(q.root, text)
	if len(r.Unread) > 0 || r.Score.Kind == client.NoScore {
		j.wrong("%q: score %q, and %q is not understood; root %s", text, r.Score, r.Unread, q.root.FEN())
		return
	}
	if r.MultiPV <= 1 {
		q.last, q.any = r, true
	}
	p := q.root.Clone()
	for i, m := range r.PV {
		if why := over(p); why != "" {
			j.wrong("%q: the line goes on after move %d, %s; root %s", text, i, why, q.root.FEN())
			return
		}
		p.Make(m)
	}
	if r.Score.Kind != client.Mate || r.Score.Bound != client.Exact {
		return
	}
	plies := 2*r.Score.Value - 1
	if r.Score.Value <= 0 {
		plies = -2 * r.Score.Value
	}
	if len(r.PV) != plies || !p.InCheck() || p.HasLegalMove() {
		j.wrong("%q: the line has %d plies and ends in %s, want a mate after %d; root %s", text, len(r.PV), p.FEN(), plies, q.root.FEN())
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

var moveText = regexp.MustCompile(`^[a-h][1-8][a-h][1-8][nbrq]?$`)

func (j *judgement) answer(q *question, words []string) {
	text := strings.Join(words, " ")
	if !q.any {
		j.wrong("%q comes without an info line with a score", text)
	}
	if !q.root.HasLegalMove() {
		if text != "bestmove (none)" {
			j.wrong("%q in a position without moves, %s", text, q.root.FEN())
		}
		if score := q.last.Score; q.last.Depth != 0 || score.Value != 0 || (score.Kind == client.Mate) != q.root.InCheck() {
			j.wrong("the last report before %q is depth %d with score %s in %s", text, q.last.Depth, score, q.root.FEN())
		}
		return
	}
	p := q.root.Clone()
	var first chess.Move
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
		if i == 0 {
			first = m
		}
		p.Make(m)
	}
	if len(words) != 2 && len(words) != 4 {
		j.wrong("%q has %d words", text, len(words))
	}
	switch {
	case q.last.Score.Bound != client.Exact:
		j.wrong("the last score before %q is a bound", text)
	case len(q.last.PV) == 0 || q.last.PV[0] != first:
		j.wrong("%q is not the first move of the last line, %q", text, q.last.PV)
	}
}
