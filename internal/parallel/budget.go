package parallel

// Budget bounds the number of bytes in use at the same time.
type Budget struct {
	unit   int // bytes of a token
	tokens chan struct{}
}

// NewBudget returns a budget of most bytes, counted in 64ths.
func NewBudget(most int) *Budget { return &Budget{(most + 63) / 64, make(chan struct{}, 64)} }

// Take waits until size bytes are free, or all where there are fewer, and returns what gives
// them back; ok is false when stop ended the wait. One goroutine at a time may take. It must
// take in the order in which the work is finished, or it waits for ever.
func (b *Budget) Take(stop <-chan struct{}, size int) (give func(), ok bool) {
	n := min(1+size/b.unit, cap(b.tokens))
	for range n {
		select {
		case b.tokens <- struct{}{}:
		case <-stop:
			return nil, false
		}
	}
	return func() {
		for range n {
			<-b.tokens
		}
	}, true
}
