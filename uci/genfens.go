package uci

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

// What genfens plays and keeps.
const (
	genPlies     = 8       // random plies from a start position; half of the games get one more
	genBookPlies = 2       // from a position of a book, which is varied already
	genNodes     = 2000    // of the search that judges the result
	genLimit     = 300     // centipawns beyond which a position is thrown away
	genTries     = 1000    // for one position, before it gives up
	maxGenFENs   = 1 << 30 // positions of one command
	maxBookLines = 1 << 24 // lines of a book
	noBook       = "None"  // how OpenBench says that there is no book
	genArgs      = "N seed S book None|FILE"
	genUsage     = "want genfens " + genArgs
)

// genFENs handles "genfens N seed S book None|FILE …", with which OpenBench gets
// start positions for the generation of data: N lines "info string genfens FEN"
// that depend on nothing but N, S and the book. What follows is ignored.
// Source: OpenBench, Client/genfens.py.
func (s *session) genFENs(args []string) error {
	n, seed, book, err := parseGenFENs(args)
	if err != nil {
		return exit.WrongUsef("genfens refused: %w", err)
	}
	var file *os.File
	if book != noBook {
		if file, err = files.Open(book); err != nil {
			return fmt.Errorf("genfens refused: %w", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.start(&job{what: "genfens", bounded: true, ends: true, stop: cancel}, func() ([]byte, error) {
		defer cancel()
		return nil, s.printFENs(ctx, n, seed, file)
	})
	return nil
}

// printFENs is the work of genfens; a nil book is none.
func (s *session) printFENs(ctx context.Context, n int, seed uint64, book *os.File) error {
	starts, plies := []string{chess.StartFEN}, genPlies
	if book != nil {
		var err error
		switch starts, err = readBook(ctx, book); {
		case ctx.Err() != nil:
			return errors.New("genfens stopped before it finished")
		case err != nil:
			return fmt.Errorf("genfens refused: %s: %w", book.Name(), err)
		}
		plies = genBookPlies
	}
	e, err := search.NewEngine(DefaultHash) // the session's may be limited, or have several threads
	if err != nil {
		return fmt.Errorf("genfens: %w", err)
	}
	defer e.Close()
	for i := range n {
		fen, err := randomFEN(ctx, e, rand.New(rand.NewPCG(seed, uint64(i))), starts, plies)
		switch {
		case ctx.Err() != nil: // a search that was cut short judges nothing
			return fmt.Errorf("genfens stopped before it finished: %d of %s", i, plural.Of(n, "position"))
		case err != nil:
			return fmt.Errorf("genfens: %w", err)
		}
		s.out.note("genfens %s", fen)
	}
	return nil
}

// parseGenFENs reads the arguments of genfens.
func parseGenFENs(args []string) (n int, seed uint64, book string, err error) {
	if len(args) < 5 || args[1] != "seed" || args[3] != "book" {
		return 0, 0, "", fmt.Errorf("%s", genUsage)
	}
	count, note, err := parseNumber(args[0], 1, maxGenFENs)
	if err != nil || note != "" {
		return 0, 0, "", fmt.Errorf("number of positions %.40q: %s", args[0], genUsage)
	}
	if seed, err = strconv.ParseUint(args[2], 10, 64); err != nil {
		return 0, 0, "", fmt.Errorf("seed %.40q: %s", args[2], genUsage)
	}
	return int(count), seed, args[4], nil
}

// readBook returns the positions of an EPD file, one a line, and closes it. Lines that begin with # are left out, and
// so are operations after the four fields. Errors: a line that is no position, by its number.
func readBook(ctx context.Context, f *os.File) ([]string, error) {
	defer f.Close()
	var lines []string
	sc := bufio.NewScanner(f)
	for number := 1; ; number++ {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !sc.Scan() {
			if err := sc.Err(); err != nil {
				return nil, err
			}
			break
		}
		fields := strings.Fields(strings.TrimPrefix(sc.Text(), "\ufeff"))
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		fen := strings.Join(fields[:min(4, len(fields))], " ")
		if _, err := chess.ParseFEN(fen); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if len(lines) < maxBookLines {
			lines = append(lines, fen)
		}
	}
	if len(lines) == 0 {
		return nil, errors.New("no position in it")
	}
	return lines, nil
}

// randomFEN plays random moves from one of the starts until the result is a
// game that goes on and that a short search finds about even.
func randomFEN(ctx context.Context, e *search.Engine, r *rand.Rand, starts []string, plies int) (string, error) {
	for range genTries {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		p, err := chess.ParseFEN(starts[r.IntN(len(starts))])
		if err != nil {
			return "", err
		}
		if !movegen.RandomOpening(p, r, plies) {
			continue
		}
		e.Clear()
		a, err := e.Analyse(ctx, p, search.Limits{Nodes: genNodes}, search.Options{MultiPV: 1}, func(search.Info) {})
		if err != nil {
			return "", err
		}
		if max(a.Score, -a.Score) <= genLimit {
			return p.FEN(), nil
		}
	}
	return "", fmt.Errorf("no even position within %d tries", genTries)
}
