package fit

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/record"
)

// inMemory returns a set of training and held-out positions in memory.
func inMemory(training, held []Sample) *TrainingSet {
	var data bytes.Buffer
	s := &TrainingSet{window: window, close: func() {}}
	c := newCollector(s, &data)
	_ = c.add(parts{training: training, held: held}) // a buffer takes all
	_ = c.flush(len(c.mixing))
	s.samples, s.hash = bytes.NewReader(data.Bytes()), c.hash()
	return s
}

// sampleOf packs a position with a score and a result from White's view.
func sampleOf(p *chess.Position, score int, result record.HalfPoints) Sample {
	return newSample(p, int16(score), resultTarget(result))
}

// pieceValues are centipawns by kind of piece.
var pieceValues = [...]int{chess.Pawn: 100, chess.Knight: 320, chess.Bishop: 330, chess.Rook: 500, chess.Queen: 950, chess.King: 0}

// simpleScore is White's view of material, a little more for pieces nearer the
// far side: something to learn.
func simpleScore(p *chess.Position) int {
	sum := 0
	for sq := range p.Occupied().Squares() {
		pc := p.Piece(sq)
		if pc.Color() == chess.White {
			sum += pieceValues[pc.Type()] + 4*sq.Rank()
		} else {
			sum -= pieceValues[pc.Type()] + 4*(7-sq.Rank())
		}
	}
	return sum
}

// randomGames returns a set of games of random moves, scored by simpleScore;
// the result follows from the last score. One game of
// heldEvery is held out, none for 0.
func randomGames(t testing.TB, seed uint64, count, heldEvery int) *TrainingSet {
	t.Helper()
	var train, held []Sample
	r := rand.New(rand.NewPCG(seed, 4))
	var buf [chess.MaxMoves]chess.Move
	for n := range count {
		p := chess.NewPosition()
		var samples []Sample
		for range 80 {
			moves := movegen.Legal(p, buf[:0])
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.IntN(len(moves))])
			samples = append(samples, sampleOf(p, simpleScore(p), record.Draw))
		}
		last := samples[len(samples)-1].Score
		result := record.Draw
		if last > 300 {
			result = record.WhiteWins
		} else if last < -300 {
			result = record.BlackWins
		}
		for i := range samples {
			samples[i].Target = resultTarget(result)
		}
		if heldEvery > 0 && n%heldEvery == 0 {
			held = append(held, samples...)
		} else {
			train = append(train, samples...)
		}
	}
	return inMemory(train, held)
}
