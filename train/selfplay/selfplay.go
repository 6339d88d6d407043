// Package selfplay lets the engine play itself at a fixed number of nodes and
// records quiet positions with their scores and the results of the games, for
// fitting.
package selfplay

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

// Config says how to play.
type Config struct {
	Games    int
	Nodes    uint64   // per move
	Seed     uint64   // game i depends on the seed and i alone
	Threads  int      // games at a time
	Openings []string // FENs to start from; empty: the standard start position
	Random   int      // random half-moves played from the opening
}

const (
	hashMiB        = 8
	maxPlies       = 300
	resignScore    = 1500 // centipawns both sides agree on …
	resignPlies    = 4    // … for so long ends a game
	drawScore      = 8
	drawPlies      = 12
	drawFrom       = 80   // ply
	recordScore    = 1200 // positions beyond are decided and not recorded
	openingBalance = 200  // openings beyond are not played
)

// record is one quiet position of a game.
type record struct {
	fen   string
	score eval.Score // from White's view
}

// Play plays the games of c and writes a line "FEN;score;result" for each
// quiet position: score in centipawns, result 1, 0.5 or 0, both from White's
// view. done, which may be nil, is called after each game.
func Play(c Config, w io.Writer, done func()) error {
	out := bufio.NewWriter(w)
	var (
		wg    sync.WaitGroup
		mu    sync.Mutex
		first error
	)
	games := make(chan int)
	for range max(1, c.Threads) {
		e, err := search.NewEngine(hashMiB)
		if err != nil {
			return err
		}
		wg.Go(func() {
			for i := range games {
				records, result := c.play(e, i)
				mu.Lock()
				for _, r := range records {
					if _, err := fmt.Fprintf(out, "%s;%d;%s\n", r.fen, r.score, result); err != nil && first == nil {
						first = err
					}
				}
				if done != nil {
					done()
				}
				mu.Unlock()
			}
		})
	}
	for i := range c.Games {
		games <- i
	}
	close(games)
	wg.Wait()
	if first != nil {
		return first
	}
	return out.Flush()
}

// play plays game i and returns its quiet positions and its result.
func (c *Config) play(e *search.Engine, i int) ([]record, string) {
	r := rand.New(rand.NewPCG(c.Seed, uint64(i)))
	for {
		p, err := c.opening(r)
		if err != nil || !p.HasLegalMove() {
			continue
		}
		e.Clear()
		res := e.Search(p, search.Limits{Nodes: c.Nodes}, search.Options{}, nil)
		if res.Score < -openingBalance || res.Score > openingBalance {
			continue
		}
		return c.playFrom(e, p)
	}
}

// opening returns a position to start a game from.
func (c *Config) opening(r *rand.Rand) (*chess.Position, error) {
	p := chess.NewPosition()
	if len(c.Openings) > 0 {
		var err error
		if p, err = chess.ParseFEN(c.Openings[r.IntN(len(c.Openings))]); err != nil {
			return nil, err
		}
	}
	for range c.Random {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		p.Make(moves[r.IntN(len(moves))])
	}
	return p, nil
}

// playFrom plays a game from p to its end or until both sides agree on it.
func (c *Config) playFrom(e *search.Engine, p *chess.Position) (records []record, result string) {
	won, drawn := 0, 0
	for ply := range maxPlies {
		if result, over := outcome(p); over {
			return records, result
		}
		res := e.Search(p, search.Limits{Nodes: c.Nodes}, search.Options{}, nil)
		score := res.Score
		if p.SideToMove() == chess.Black {
			score = -score
		}
		if score > -recordScore && score < recordScore && !p.InCheck() && quiet(p, res.Best) {
			records = append(records, record{p.FEN(), score})
		}
		won, drawn = agree(won, score), drawn+1
		if ply < drawFrom || score < -drawScore || score > drawScore {
			drawn = 0
		}
		switch {
		case won >= resignPlies:
			return records, "1"
		case won <= -resignPlies:
			return records, "0"
		case drawn >= drawPlies:
			return records, "0.5"
		}
		p.Make(res.Best)
	}
	return records, "0.5"
}

// agree counts the half-moves in a row on which one side was winning, with the
// sign of the side.
func agree(n int, score eval.Score) int {
	switch {
	case score >= resignScore:
		return max(n, 0) + 1
	case score <= -resignScore:
		return min(n, 0) - 1
	}
	return 0
}

// quiet reports whether m neither captures nor promotes in p.
func quiet(p *chess.Position, m chess.Move) bool {
	switch m.Kind() {
	case chess.Normal:
		return p.Piece(m.To()) == chess.NoPiece
	case chess.Castling:
		return true
	}
	return false
}

// outcome returns the result of a game that the rules end at p.
func outcome(p *chess.Position) (result string, over bool) {
	if !p.HasLegalMove() {
		switch {
		case !p.InCheck():
			return "0.5", true
		case p.SideToMove() == chess.White:
			return "0", true
		}
		return "1", true
	}
	return "0.5", p.HalfmoveClock() >= 100 || p.Repetitions() >= 2 || p.InsufficientMaterial()
}
