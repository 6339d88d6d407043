package match

import (
	"fmt"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

// What an opening is.
const (
	RandomPlies    = 8    // or one more, so that both sides begin
	OpeningNodes   = 1000 // soft limit of the search that checks an opening
	OpeningBalance = 250  // centipawns; an opening beyond is not played
)

// Opening returns a start position followed by a few random moves that e evaluates as about even. chess960 is the
// share of games that start from Chess960. Source: most engines with networks do this, according to the
// documentation of bullet.
func Opening(r *rand.Rand, e *search.Engine, chess960 float64) (*chess.Position, error) {
	for {
		pos, err := RandomStart(r, chess960)
		if err != nil {
			return nil, err
		}
		if !movegen.RandomOpening(pos, r, RandomPlies) {
			continue
		}
		res := e.Search(pos, search.Soft(OpeningNodes), search.Options{}, nil)
		if res.Score >= -OpeningBalance && res.Score <= OpeningBalance {
			return pos, nil
		}
	}
}

// RandomStart returns a start position: standard chess or, with probability chess960, a Chess960 start. Half of
// the Chess960 starts have different back ranks for the two sides.
func RandomStart(r *rand.Rand, chess960 float64) (*chess.Position, error) {
	if r.Float64() >= chess960 {
		return chess.NewPosition(), nil
	}
	white := r.IntN(chess.Chess960Starts)
	black := white
	if r.IntN(2) == 0 {
		black = r.IntN(chess.Chess960Starts)
	}
	return chess.NewDoubleChess960(white, black)
}

// ReadOpenings returns the positions of a file of FEN or EPD lines, as FEN. What was dropped from a line is told to
// warn. The error names the file and the first line that is no position, or one in which the game is over.
func ReadOpenings(name string, warn func(error)) (fens []string, err error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	for record, err := range chess.EPDs(f) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if record.Warning != nil {
			warn(fmt.Errorf("%s: line %d: %w", name, record.Line, record.Warning))
		}
		fen := record.Position.FEN()
		if o := record.Position.Outcome(); o != chess.Ongoing {
			return nil, fmt.Errorf("%s: line %d: %s: the game is over: %v", name, record.Line, fen, o)
		}
		fens = append(fens, fen)
	}
	if len(fens) == 0 {
		return nil, fmt.Errorf("%s: no openings", name)
	}
	return fens, nil
}
