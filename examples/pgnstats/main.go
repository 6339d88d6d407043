// Command pgnstats tells what is in PGN files: results, lengths, openings.
//
//	go run ./examples/pgnstats [-elo 2400] games.pgn …
//
// With -elo it reads only the moves of games in which both players have that rating;
// for other games it reads only the tags.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"slices"
	"strconv"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// stats are what is counted.
type stats struct {
	games, bad, plies, mates int
	results                  map[chess.Result]int
	first                    map[string]int // games by first move
}

func main() {
	elo := flag.Int("elo", 0, "least rating of both players")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: pgnstats [-elo N] games.pgn …")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "pgnstats: want a PGN file")
		flag.Usage()
		os.Exit(2)
	}
	s := stats{results: map[chess.Result]int{}, first: map[string]int{}}
	for _, name := range flag.Args() {
		f, err := os.Open(name)
		if err == nil {
			err = s.count(f, *elo)
			f.Close()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "pgnstats:", name+":", err)
			os.Exit(1)
		}
	}
	s.print(os.Stdout)
}

// games iterates over the games of a file, or over those of strong players.
func games(src io.Reader, elo int) iter.Seq2[*pgn.Game, error] {
	if elo <= 0 {
		return pgn.Parallel(src, 0)
	}
	return func(yield func(*pgn.Game, error) bool) {
		for r := pgn.NewReader(src); ; {
			g, err := r.ReadTags()
			if err == nil && min(rating(g, "WhiteElo"), rating(g, "BlackElo")) < elo {
				continue
			} else if err == nil {
				err = r.ReadMoves(g)
			}
			if err == io.EOF || !yield(g, err) {
				return
			}
		}
	}
}

// rating returns the number in a tag, 0 for none.
func rating(g *pgn.Game, tag string) int {
	n, _ := strconv.Atoi(g.Tag(tag))
	return n
}

// count counts a file. A bad game is counted as such; another error ends it.
func (s *stats) count(src io.Reader, elo int) error {
	for g, err := range games(src, elo) {
		if _, bad := err.(*pgn.Error); bad {
			s.bad++
			continue
		} else if err != nil {
			return err
		}
		s.games++
		s.plies += len(g.Main.Moves)
		s.results[g.Result]++
		end := g.Position()
		for p, n := range g.Replay() {
			if end = p; p.Plies() == 0 {
				s.first[p.SAN(n.Move)]++
			}
		}
		if end.Outcome() == chess.Checkmate {
			s.mates++
		}
	}
	return nil
}

// print writes what was counted, the most frequent first move first.
func (s *stats) print(w io.Writer) {
	fmt.Fprintf(w, "games: %d, unreadable: %d, plies each: %.1f, mates: %d\n", s.games, s.bad,
		float64(s.plies)/float64(max(1, s.games)), s.mates)
	for r := chess.NoResult; r <= chess.Draw; r++ {
		fmt.Fprintf(w, "%-8s%7d\n", r, s.results[r])
	}
	byGames := func(a, b string) int { return cmp.Or(s.first[b]-s.first[a], cmp.Compare(a, b)) }
	for _, san := range slices.SortedFunc(maps.Keys(s.first), byGames) {
		fmt.Fprintf(w, "1. %-5s%7d\n", san, s.first[san])
	}
}
