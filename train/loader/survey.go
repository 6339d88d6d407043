package loader

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/tabula-chess/tabula/train/record"
)

// Survey is what a pass over all games finds: how many samples each block has
// after filtering, and what they are.
type Survey struct {
	Samples int    // of an epoch
	Hash    []byte // SHA-256 of the samples in the order of files and blocks
	kept    map[place]int
}

// surveyed is the number of blocks between two looks at the context.
const surveyed = 64

// Survey reads every block once and passes the samples of each, in the order of
// files and blocks, to keep, which may be nil; they are valid during the call.
// Errors name file and block, or are ctx's.
func (l *Loader) Survey(ctx context.Context, keep func([]record.Sample)) (*Survey, error) {
	s := &Survey{kept: make(map[place]int, len(l.blocks))}
	whole := sha256.New()
	for from := 0; from < len(l.blocks); from += surveyed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		places := l.blocks[from:min(from+surveyed, len(l.blocks))]
		sizes, sums := make([]int, len(places)), make([][sha256.Size]byte, len(places))
		kept := make([][]record.Sample, len(places))
		err := l.decode(places, func(i int, samples []record.Sample) {
			sizes[i], sums[i] = len(samples), hashOf(samples)
			if keep != nil {
				kept[i] = slices.Clone(samples)
			}
		})
		if err != nil {
			return nil, err
		}
		for i, p := range places {
			s.Samples += sizes[i]
			s.kept[p] = sizes[i]
			whole.Write(sums[i][:])
			if keep != nil {
				keep(kept[i])
			}
		}
	}
	s.Hash = whole.Sum(nil)
	return s, nil
}

// hashOf returns the hash of what a fit sees of samples; ply and clock are no
// input.
func hashOf(samples []record.Sample) [sha256.Size]byte {
	buf := make([]byte, 0, 32*len(samples))
	for i := range samples {
		s := &samples[i]
		buf = binary.LittleEndian.AppendUint64(buf, uint64(s.Occupied))
		buf = append(buf, s.Pieces[:]...)
		buf = binary.LittleEndian.AppendUint16(buf, uint16(s.Score))
		buf = append(buf, byte(s.Outlook), byte(s.Side))
	}
	return sha256.Sum256(buf)
}

// SeekSample goes to the k-th sample of the endless stream of epochs, by a
// survey of the same files and options. There must be samples.
func (l *Loader) SeekSample(s *Survey, k uint64) error {
	m := Mark{Epoch: int(k / uint64(s.Samples)), Offset: int(k % uint64(s.Samples))}
	for _, places := range l.plan(m.Epoch) {
		size := 0
		for _, p := range places {
			size += s.kept[p]
		}
		if m.Offset < size {
			break
		}
		m.Offset -= size
		m.Buffer++
	}
	return l.Seek(m)
}
