package rewrite

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// DefaultMemory is the number of bytes of games that Shuffle holds at a time
// by default.
const DefaultMemory = 1 << 30

// Shuffle writes the games of the files to out in the given form and in random
// order, which depends on the files and the seed. Games that do not fit into memory bytes are first
// dealt at random to so many files beside out that each of them fits. When ctx
// ends first nothing is written.
func Shuffle(ctx context.Context, names []string, out string, form block.Form, seed uint64, memory int64) (*Outcome, error) {
	s, err := openAll(names, false)
	if err != nil {
		return nil, err
	}
	defer s.close()
	w, err := block.Create(out)
	if err != nil {
		return nil, err
	}
	defer w.Abort()
	w.Pack(form)
	r := rand.New(rand.NewPCG(seed, 0))
	if piles := int(s.bytes()/max(1, memory)) + 1; piles == 1 {
		err = deal(ctx, s, w, r)
	} else {
		err = dealPiles(ctx, s, w, r, piles, out)
	}
	if err != nil {
		return nil, err
	}
	if err := w.Commit(); err != nil {
		return nil, err
	}
	return &Outcome{Totals: w.Totals, Live: s.live}, nil
}

// deal writes the games of s, which fit into memory, to w in random order.
func deal(ctx context.Context, s *source, w *block.Writer, r *rand.Rand) error {
	type card struct {
		id       block.ID
		from, to int64
	}
	var cards []card
	data := make([]byte, 0, s.bytes())
	err := s.each(ctx, func(b *block.Block) error {
		for id, g := range b.Games() {
			from := int64(len(data))
			data = append(data, g...)
			cards = append(cards, card{id, from, int64(len(data))})
		}
		return nil
	})
	if err != nil {
		return err
	}
	r.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	for i, c := range cards {
		if i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.Add(c.id, record.View(data[c.from:c.to])); err != nil {
			return err
		}
	}
	return nil
}

// dealPiles deals the games of s at random to n files beside out, then each file
// to w. A game reaches every place with the same probability, but for the chance
// that makes one file longer than another.
func dealPiles(ctx context.Context, s *source, w *block.Writer, r *rand.Rand, n int, out string) (err error) {
	piles := make([]*block.Writer, n)
	for i := range piles {
		if piles[i], err = block.Scratch(out); err != nil {
			return err
		}
		defer piles[i].Abort()
	}
	err = s.each(ctx, func(b *block.Block) error {
		for id, g := range b.Games() {
			if err := piles[r.IntN(n)].Add(id, g); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range piles {
		pile, err := piles[i].Seal()
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s: part %d", out, i)
		if err := deal(ctx, &source{names: []string{name}, files: []*block.File{pile}}, w, r); err != nil {
			return err
		}
		piles[i].Abort()
	}
	return nil
}
