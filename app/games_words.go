//go:build !js

package app

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/terminal"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
)

// words are arguments WORD=VALUE, such as player=NAME.
type words map[string]string

// cut separates the known words from the other arguments. A promotion such as e8=Q is not a word.
func cut(args []string, known ...string) (words, []string, error) {
	found, rest := words{}, []string{}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		key = strings.ToLower(key)
		switch {
		case !ok || strings.Trim(key, "abcdefghijklmnopqrstuvwxyz") != "":
			rest = append(rest, arg)
		case !slices.Contains(known, key):
			return nil, nil, fmt.Errorf("%.60q: unknown word %s=, want one of %s=%s", arg, key, strings.Join(known, "=, "),
				exit.DidYouMean(key, known, ""))
		case found[key] != "":
			return nil, nil, fmt.Errorf("%s= is given twice", key)
		case value == "":
			return nil, nil, fmt.Errorf("%s= has no value", key)
		default:
			found[key] = value
		}
	}
	return found, rest, nil
}

// number reads a word that is a number of at least 1, if it is given.
func (w words) number(key string, to *int) error {
	n, err := strconv.Atoi(w[key])
	switch {
	case w[key] == "":
		return nil
	case err != nil || n < 1:
		return fmt.Errorf("%s=%s: want a number of at least 1", key, w[key])
	}
	*to = n
	return nil
}

// readQuery reads the arguments of a command. Arguments that are not words give a position; a warning
// says what was assumed or not understood.
func readQuery(cmd *cli.Command) (q games.Query, err error) {
	w, place, err := cut(cmd.Args().Slice(), "player", "color", "rating", "date", "result", "tc", "event", "material",
		"squares", "pattern")
	if err != nil {
		return q, exit.WrongUse(err)
	}
	q.Player, q.Material, q.Squares, q.Pattern = w["player"], w["material"], w["squares"], w["pattern"]
	err = cmp.Or(read(w["color"], &q.Color, optional(chess.ParseColor)), readFilter(w, &q))
	if err == nil && len(place) > 0 {
		var targets []terminal.Target
		if targets, err = terminal.Targets(place, terminal.Moment{Game: 1}); err == nil {
			if len(targets) > 1 {
				return q, exit.WrongUsef("%s: %d positions, want one", strings.Join(place, " "), len(targets))
			}
			t := targets[0]
			q.Position, err = t.Position, t.Err
			if t.Warning != nil {
				command.Warn(cmd.Root().ErrWriter)(t.Warning)
			}
		}
	}
	if err != nil {
		err = exit.WrongUse(err)
	}
	return q, err
}

// readFilter reads the words that filter games, but for their player.
func readFilter(w words, q *games.Query) error {
	q.Event, q.TimeControl = w["event"], w["tc"]
	return cmp.Or(
		read(w["result"], &q.Result, optional(chess.ParseResult)),
		readRange(w, "rating", &q.MinRating, &q.MaxRating, rating, "2400, or a range such as 2000..2400"),
		readRange(w, "date", &q.Since, &q.Until, day,
			"2015.06.30, 2015.06 or 2015, or a range such as 2010..2015.06"),
	)
}

// read parses text into to, unless text is empty.
func read[T any](text string, to *T, parse func(string) (T, error)) (err error) {
	if text != "" {
		*to, err = parse(text)
	}
	return err
}

func optional[T any](parse func(string) (T, error)) func(string) (*T, error) {
	return func(text string) (*T, error) {
		v, err := parse(text)
		return &v, err
	}
}

// rating reads a rating. The query has 0 for none.
func rating(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err == nil && n == 0 {
		err = errors.New("rating 0")
	}
	return int(n), err
}

// day reads a date of which the year at least is known: the query has 0 for none.
func day(text string) (games.Date, error) {
	d, err := games.ParseDate(text)
	if err == nil && d.Year() == 0 {
		err = fmt.Errorf("date %.20q: no year", text)
	}
	return d, err
}

// readRange reads FROM..TO; a single value is both ends.
func readRange[T any](w words, key string, from, to *T, parse func(string) (T, error), want string) error {
	low, high, ok := strings.Cut(w[key], "..")
	if !ok {
		high = low
	}
	if ok && low+high == "" || read(low, from, parse) != nil || read(high, to, parse) != nil {
		return fmt.Errorf("%s=%.40s: want %s", key, w[key], want)
	}
	return nil
}
