package loader

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"slices"

	"github.com/tabula-chess/tabula/train/games"
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

// Wanted is a part of the games that a survey is to look at.
type Wanted struct {
	Part Part
	Keep func([]games.Sample) // nil, or what takes the samples in the order of files and blocks; they are valid during the call
}

// Survey reads every block once and returns what it finds of each part that is
// wanted. Errors name file and block, or are ctx's. The loader must have no spool.
func (l *Loader) Survey(ctx context.Context, wanted ...Wanted) ([]*Survey, error) {
	surveys, sums := make([]*Survey, len(wanted)), make([]hash.Hash, len(wanted))
	parts := make([]Part, len(wanted))
	for i := range wanted {
		surveys[i], sums[i], parts[i] = &Survey{kept: make(map[place]int, len(l.blocks))}, sha256.New(), wanted[i].Part
	}
	for from := 0; from < len(l.blocks); from += surveyed {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		places := l.blocks[from:min(from+surveyed, len(l.blocks))]
		found := make([][]content, len(wanted))
		for i := range found {
			found[i] = make([]content, len(places))
		}
		err := l.decode(places, parts, func(i, part int, samples []games.Sample) {
			c := &found[part][i]
			c.size, c.sum = len(samples), hashOf(samples)
			if wanted[part].Keep != nil {
				c.kept = slices.Clone(samples)
			}
		})
		if err != nil {
			return nil, err
		}
		for part, s := range surveys {
			for i, p := range places {
				c := &found[part][i]
				s.Samples += c.size
				s.kept[p] = c.size
				sums[part].Write(c.sum[:])
				if keep := wanted[part].Keep; keep != nil {
					keep(c.kept)
				}
			}
		}
	}
	for i, s := range surveys {
		s.Hash = sums[i].Sum(nil)
	}
	return surveys, nil
}

// content describes the samples of a part of a block.
type content struct {
	size int // samples
	sum  [sha256.Size]byte
	kept []games.Sample // nil where nobody keeps them
}

// hashOf returns the hash of what a fit sees of samples; ply and clock are no
// input.
func hashOf(samples []games.Sample) [sha256.Size]byte {
	buf := make([]byte, 0, 32*len(samples))
	for i := range samples {
		s := &samples[i]
		buf = binary.LittleEndian.AppendUint64(buf, uint64(s.Occupied))
		buf = append(buf, s.Pieces[:]...)
		buf = binary.LittleEndian.AppendUint16(buf, uint16(s.Score))
		buf = append(buf, byte(s.Target), byte(s.Side))
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
