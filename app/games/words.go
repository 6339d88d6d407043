package games

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/analyse"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/openings/polyglot"
)

// readQuery reads words of the command line. Those that are no WORD=VALUE say a position,
// which only some commands have.
func readQuery(args []string, position bool) (q games.Query, err error) {
	var place []string
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		if !ok || !readWord(&q, key, value, &err) {
			place = append(place, arg)
		}
		if err != nil {
			return q, command.WrongUse(err)
		}
	}
	switch {
	case len(place) == 0:
		return q, nil
	case !position:
		return q, command.WrongUsef("%q: want WORD=VALUE, see --help", place[0])
	}
	targets, err := analyse.Targets(place, analyse.Moment{Game: 1})
	if err != nil {
		return q, command.WrongUse(err)
	}
	q.Position = targets[0].Position
	return q, nil
}

// readWord reads a word and reports whether there is such a one; a promotion such as
// e8=Q looks like one.
func readWord(q *games.Query, key, value string, err *error) bool {
	switch key {
	case "player":
		q.Player = value
	case "opponent":
		q.Opponent = value
	case "event":
		q.Event = value
	case "tc":
		q.TimeControl = value
	case "material":
		q.Material = value
	case "squares":
		q.Squares = value
	case "color":
		var c chess.Color
		c, *err = chess.ParseColor(value)
		q.Color = &c
	case "result":
		var r chess.Result
		r, *err = chess.ParseResult(value)
		q.Result = &r
	case "rating":
		*err = readRange(key, value, &q.MinRating, &q.MaxRating, strconv.Atoi)
	case "date":
		*err = readRange(key, value, &q.Since, &q.Until, games.ParseDate)
	default:
		return false
	}
	if value == "" && *err == nil {
		*err = fmt.Errorf("%s= says nothing", key)
	}
	return true
}

// readRange reads FROM..TO; one value alone is both ends.
func readRange[T any](key, text string, from, to *T, parse func(string) (T, error)) error {
	low, high, ok := strings.Cut(text, "..")
	if !ok {
		high = low
	}
	for _, end := range []struct {
		text string
		to   *T
	}{{low, from}, {high, to}} {
		if end.text == "" {
			continue
		}
		v, err := parse(end.text)
		if err != nil {
			return fmt.Errorf("%s=%s: %w", key, text, err)
		}
		*end.to = v
	}
	return nil
}

// bookWords reads the words of book.
func bookWords(args []string) (plies, least int, err error) {
	plies, least = 40, 3
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || key != "plies" && key != "games" {
			return 0, 0, command.WrongUsef("%q: want plies=N or games=N of at least 1", arg)
		}
		if key == "plies" {
			plies = n
		} else {
			least = n
		}
	}
	return plies, least, nil
}

func writeBook(ctx context.Context, cmd *cli.Command, db *games.DB, plies, least int, out string) error {
	if err := files.CheckTarget(out); err != nil {
		return err
	}
	tree, err := db.Book(ctx, plies, least)
	if err != nil {
		return err
	}
	err = files.WriteWith(out, func(w io.Writer) error { return tree.WriteBook(w, polyglot.BookOptions{}) })
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.Root().Writer, "%d positions\n", tree.Positions())
	return err
}
