package chess

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ReadPosition reads a position as people have it: a FEN as [RepairFEN] reads it, "startpos", an
// EPD record, a line "position fen …" of UCI, or the address of an analysis board (lichess.org,
// chess.com and others) that contains the FEN. Moves may follow, as [Position.ReadMove] reads them,
// with or without numbers and the word moves; p has them in its history. warning says what was
// dropped or assumed, and is nil for nothing; a [*FENError] or an [*EPDError] is behind it. Errors:
// a [*FENError], or a [*MoveError] for a word behind the position that is no legal move.
func ReadPosition(text string) (p *Position, warning, err error) {
	words := wordsOf(text)
	if len(words) > 0 && strings.EqualFold(words[0].text, "position") {
		words = words[1:]
	}
	if len(words) > 0 && strings.EqualFold(words[0].text, "fen") {
		words = words[1:]
	}
	if len(words) == 0 {
		return nil, nil, &FENError{Field: fenFields[0], Reason: "missing, want " + fenShape, Offset: len(text)}
	}
	first, n := words[0], 1
	fen, chess960, isAddress := fenOfAddress(first.text)
	base := first.at + max(0, strings.Index(first.text, fen)) // the begin of the address where the FEN is escaped
	if record := text[first.at:]; !isAddress {
		if first.text != "startpos" && isEPD(record[epdHead(record):]) {
			e, err := parseEPD(record, first.at)
			if err != nil {
				return nil, nil, err
			}
			return e.Position, e.Warning, nil
		}
		n = fenLength(words)
		last := words[n-1]
		fen, base = text[first.at:last.at+len(last.text)], first.at
	}
	if n < len(words) && strings.EqualFold(words[n].text, "moves") {
		n++
	}
	moves := ""
	if n < len(words) {
		moves = text[words[n].at:]
	}
	if p, warning, err = repairFEN(fen, base, chess960); err != nil {
		return nil, nil, err
	}
	if err = p.PlayText(moves); err != nil && warning != nil { // the moves may be those of Chess960
		if q, other, wrong := repairFEN(fen, base, true); wrong == nil && q.PlayText(moves) == nil {
			return q, other, nil
		}
	}
	if err != nil && !errors.Is(err, ErrIllegal) {
		err = fmt.Errorf("%w; only moves may follow a position", err)
	}
	if err != nil {
		return nil, nil, err
	}
	return p, warning, nil
}

// PlayText plays moves as [Position.ReadMove] reads them, with or without numbers, such as "1. e4 e5
// 2. Nf3". Errors: a [*MoveError] for the first that is no legal move; those before it are played.
func (p *Position) PlayText(text string) error {
	for _, w := range wordsOf(text) {
		if withoutNumber(w.text) == "" {
			continue
		}
		m, err := p.ReadMove(w.text)
		if err != nil {
			return err
		}
		p.Make(m)
	}
	return nil
}

// textWord is a word of a text and the byte at which it begins.
type textWord struct {
	text string
	at   int
}

// wordsOf returns the words of a text.
func wordsOf(text string) (words []textWord) {
	for at := 0; ; {
		for at < len(text) && isSpace(text[at]) {
			at++
		}
		if at == len(text) {
			return words
		}
		start := at
		for at < len(text) && !isSpace(text[at]) {
			at++
		}
		words = append(words, textWord{text[start:at], start})
	}
}

// isEPD reports whether what follows the fields of a position are operations and not moves.
func isEPD(rest string) bool {
	words := wordsOf(rest)
	return len(words) > 0 && words[0].text != "moves" &&
		(strings.Contains(rest, ";") || slices.Contains([]string{"bm", "am", "pm", "pv", "id", "dm"}, words[0].text))
}

// fenLength returns the number of words at the beginning that are fields of a FEN, good or bad: what may be a move or
// its number is none, unless it is right there or numbers follow it.
func fenLength(words []textWord) int {
	right := []func(string) bool{
		func(w string) bool { return len(w) == 1 },
		func(w string) bool { return w == "-" || len(w) <= 4 && strings.Trim(w, "KQABCDEFGHkqabcdefgh") == "" },
		func(w string) bool { return w == "-" || len(w) == 2 && (w[1] == '3' || w[1] == '6') },
		isNumber, isNumber,
	}
	for n, w := range words {
		switch {
		case n == 0:
		case words[0].text == "startpos":
			return n
		case n > len(right) || !right[n-1](w.text) && mayBeMove(w.text) &&
			(n != 3 || n+2 >= len(words) || !isNumber(words[n+1].text) || !isNumber(words[n+2].text)): // "w KQkq e4 0 1"
			return n
		}
	}
	return len(words)
}

// mayBeMove reports whether a word may follow a position: a move, its number or "moves".
func mayBeMove(word string) bool {
	move := withoutNumber(word)
	return move == "" || word == "moves" || strings.HasPrefix(move, "0-0") ||
		strings.ContainsAny(move, "12345678Oo") && strings.ContainsAny(move, "abcdefghABCDEFGHOo")
}

func isNumber(word string) bool { _, err := strconv.Atoi(word); return err == nil }

// fenOfAddress returns the FEN in an address: what its parameter fen says, or its last eight parts, and whether it is
// one of Chess960. ok is false for a text that is no address.
func fenOfAddress(text string) (fen string, chess960, ok bool) {
	if !strings.Contains(text, "://") && !strings.Contains(text, ".org/") && !strings.Contains(text, ".com/") {
		return "", false, false
	}
	chess960 = strings.Contains(text, "/chess960/")
	path, _, _ := strings.Cut(text, "?")
	path, _, _ = strings.Cut(path, "#")
	apart := func(c rune) bool { return strings.ContainsRune("?#&", c) }
	for parameter := range strings.FieldsFuncSeq(text[len(path):], apart) {
		if len(parameter) > 4 && strings.EqualFold(parameter[:4], "fen=") {
			return unescape(strings.ReplaceAll(parameter[4:], "+", " ")), chess960, true
		}
	}
	if _, behind, ok := strings.Cut(path, "://"); ok {
		path = behind
	}
	parts := strings.Split(unescape(path), "/")
	return strings.Join(parts[max(1, len(parts)-8):], "/"), chess960, true // without the host
}

// unescape returns an address's text with bytes in place of %2F and the like.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if c, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(c))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
