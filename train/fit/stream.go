package fit

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

const (
	// window is the number of positions shuffled together, 32 bytes each in memory; two
	// windows are. page is the number that lie together in the file and are read together.
	window = 1 << 22
	page   = 1 << 10
)

// stream is an endless sequence of epochs. An epoch reads the pages of the file, whose positions [Load] has mixed,
// in random order, fills a window with them and shuffles the window. A stream is not safe for concurrent use.
type stream struct {
	set   *TrainingSet
	seed  uint64
	next  windowPlace
	whole []Sample    // the window in hand
	now   []Sample    // those of it that are not delivered yet
	ahead chan filled // the window after that in hand
}

// windowPlace is a window of an epoch.
type windowPlace struct {
	epoch uint64
	pages []int // of the epoch from the window on
}

// filled is the samples of a window.
type filled struct {
	samples []Sample
	err     error
}

// open returns the stream from position k on. The set must have positions and stay open until the stream is closed.
func (s *TrainingSet) open(seed, k uint64) (*stream, error) {
	t := &stream{set: s, seed: seed, next: windowPlace{epoch: k / uint64(s.positions)}}
	t.next.pages = t.order(t.next.epoch)
	for rest := int(k % uint64(s.positions)); ; {
		size := 0
		for _, p := range t.next.window(s) {
			size += s.size(p)
		}
		if rest >= size {
			rest -= size
			t.advance()
			continue
		}
		t.fetch(nil)
		err := t.take()
		if err == nil {
			t.now = t.now[rest:]
		}
		return t, err
	}
}

// order returns the pages of an epoch.
func (t *stream) order(epoch uint64) []int {
	return rand.New(rand.NewPCG(t.seed, epoch)).Perm((t.set.positions + page - 1) / page)
}

// size returns the number of samples of a page.
func (s *TrainingSet) size(p int) int { return min(page, s.positions-p*page) }

// window returns the pages of the window.
func (p *windowPlace) window(s *TrainingSet) []int {
	return p.pages[:min(len(p.pages), max(1, s.window/page))]
}

// advance goes to the next window.
func (t *stream) advance() {
	p := &t.next
	if p.pages = p.pages[len(p.window(t.set)):]; len(p.pages) == 0 {
		p.epoch++
		p.pages = t.order(p.epoch)
	}
}

// fetch begins to read the next window, into memory if that is large enough.
func (t *stream) fetch(memory []Sample) {
	at, ahead := t.next, make(chan filled, 1)
	t.ahead = ahead
	go func() {
		samples, err := t.read(memory[:0], at)
		ahead <- filled{samples, err}
	}()
	t.advance()
}

// take makes the window that is being read that in hand.
func (t *stream) take() error {
	r := <-t.ahead
	t.ahead = nil
	if r.err != nil {
		return r.err
	}
	done := t.whole
	t.whole, t.now = r.samples, r.samples
	t.fetch(done)
	return nil
}

// read appends the samples of a window to dst, in random order.
func (t *stream) read(dst []Sample, at windowPlace) ([]Sample, error) {
	buf := make([]byte, page*sampleSize)
	pages := at.window(t.set)
	dst = slices.Grow(dst, len(pages)*page)
	for _, p := range pages {
		part := buf[:t.set.size(p)*sampleSize]
		if _, err := t.set.samples.ReadAt(part, int64(p)*page*sampleSize); err != nil {
			return dst, fmt.Errorf("reading positions: %w", err)
		}
		dst = readSamples(dst, part)
	}
	shuffle(dst, rand.NewPCG(t.seed+1, at.epoch<<32|uint64(len(at.pages))))
	return dst, nil
}

// fill fills dst with the next positions.
func (t *stream) fill(dst []Sample) error {
	for len(dst) > 0 {
		if len(t.now) == 0 {
			if err := t.take(); err != nil {
				return err
			}
		}
		n := copy(dst, t.now)
		dst, t.now = dst[n:], t.now[n:]
	}
	return nil
}

// close stops reading.
func (t *stream) close() {
	if t.ahead != nil {
		<-t.ahead
		t.ahead = nil
	}
}

// shuffle puts s into random order. Sources: Fisher and Yates; the bounded
// numbers are those of Lemire, "Fast Random Integer Generation in an
// Interval", 2019, without the step that removes a bias too small to matter.
func shuffle[T any](s []T, r *rand.PCG) {
	for i := uint64(len(s)); i > 1; i-- {
		j := r.Uint64() >> 32 * i >> 32
		s[i-1], s[j] = s[j], s[i-1]
	}
}
