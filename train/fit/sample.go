package fit

import (
	"encoding/binary"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/train/record"
)

// Sample is one position with its score and target.
type Sample struct {
	Occupied chess.Bitboard
	Pieces   [16]byte    // a nibble for each occupied square in ascending order, low nibble first, see nibble
	Score    int16       // centipawns, White's view
	Target   uint8       // White's expected score, 0 to targetWin: the result of the game, blended with its scores
	Side     chess.Color // to move
	kings    uint8       // kingsOf, in a batch
}

// targetWin is the target of a White win.
const targetWin = 254

// resultTarget returns the target of a game that counts by its result alone.
func resultTarget(r record.HalfPoints) uint8 { return uint8(int(r) * targetWin / 2) }

// newSample returns the sample of p.
func newSample(p *chess.Position, score int16, target uint8) Sample {
	s := Sample{Occupied: p.Occupied(), Score: score, Target: target, Side: p.SideToMove()}
	i := 0
	for b := s.Occupied; b != 0; i++ {
		s.Pieces[i/2] |= nibble(p.Piece(b.Pop())) << (i % 2 * 4)
	}
	return s
}

// nibble returns the code of a piece: its chess.PieceType, plus 8 for Black.
func nibble(pc chess.Piece) uint8 { return uint8(pc.Type()) | uint8(pc.Color())<<3 }

// piece returns the nibble of the i-th occupied square.
func (s *Sample) piece(i int) uint8 { return s.Pieces[i>>1&15] >> (i & 1 * 4) & 15 }

// target returns the target of a sample for the side to move: the score as a win probability, blended with the
// result.
func target(s *Sample, blend, scoreScale float64) float64 {
	score, result := float64(s.Score), float64(s.Target)/targetWin
	if s.Side == chess.Black {
		score, result = -score, 1-result
	}
	return float64(blend*result) + float64((1-blend)*wdl.Sigmoid(score/scoreScale))
}

const sampleSize = 28 // bytes in a scratch file

// appendSamples writes samples as a scratch file has them.
func appendSamples(buf []byte, samples []Sample) []byte {
	for i := range samples {
		s := &samples[i]
		buf = binary.LittleEndian.AppendUint64(buf, uint64(s.Occupied))
		buf = append(buf, s.Pieces[:]...)
		buf = binary.LittleEndian.AppendUint16(buf, uint16(s.Score))
		buf = append(buf, s.Target, byte(s.Side))
	}
	return buf
}

// readSamples is the reverse.
func readSamples(dst []Sample, buf []byte) []Sample {
	for ; len(buf) > 0; buf = buf[sampleSize:] {
		dst = append(dst, Sample{
			Occupied: chess.Bitboard(binary.LittleEndian.Uint64(buf)), Pieces: [16]byte(buf[8:24]),
			Score: int16(binary.LittleEndian.Uint16(buf[24:])), Target: buf[26], Side: chess.Color(buf[27]),
		})
	}
	return dst
}
