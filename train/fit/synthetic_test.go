package fit

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/games"
)

// sampleOf packs a position with a score and a result from White's view.
func sampleOf(p *chess.Position, score int, result games.Result) games.Sample {
	s := games.Sample{Occupied: p.Occupied(), Score: int16(score), Target: result.Target(), Side: p.SideToMove()}
	i := 0
	for sq := range p.Occupied().Squares() {
		pc := p.Piece(sq)
		s.Pieces[i/2] |= (byte(pc.Type()) | byte(pc.Color())<<3) << (i & 1 * 4)
		i++
	}
	return s
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
func randomGames(t testing.TB, seed uint64, count, heldEvery int) *Set {
	t.Helper()
	var train, held []games.Sample
	r := rand.New(rand.NewPCG(seed, 4))
	var buf [chess.MaxMoves]chess.Move
	for n := range count {
		p := chess.NewPosition()
		var samples []games.Sample
		for range 80 {
			moves := movegen.Legal(p, buf[:0])
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.IntN(len(moves))])
			samples = append(samples, sampleOf(p, simpleScore(p), games.Draw))
		}
		last := samples[len(samples)-1].Score
		result := games.Draw
		if last > 300 {
			result = games.WhiteWins
		} else if last < -300 {
			result = games.BlackWins
		}
		for i := range samples {
			samples[i].Target = result.Target()
		}
		if heldEvery > 0 && n%heldEvery == 0 {
			held = append(held, samples...)
		} else {
			train = append(train, samples...)
		}
	}
	return setOf(train, held)
}

// memory is a source of positions in memory.
type memory []games.Sample

func (m memory) Positions() int { return len(m) }

func (m memory) Hash() []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%v", []games.Sample(m)))
	return sum[:]
}

func (m memory) Open(seed, k uint64) (Stream, error) { return &sequence{all: m, seed: seed, k: k}, nil }

// sequence is a stream of positions in memory.
type sequence struct {
	all     memory
	seed, k uint64
	epoch   uint64 // of order
	order   []int
}

func (s *sequence) Next(dst []games.Sample) error {
	n := uint64(len(s.all))
	for i := range dst {
		if epoch := s.k / n; s.order == nil || epoch != s.epoch {
			s.epoch, s.order = epoch, rand.New(rand.NewPCG(s.seed, epoch)).Perm(int(n))
		}
		dst[i] = s.all[s.order[s.k%n]]
		s.k++
	}
	return nil
}

func (s *sequence) Close() error { return nil }

// setOf returns a set in memory.
func setOf(train, held []games.Sample) *Set { return NewSet(memory(train), held, memory(held).Hash()) }
