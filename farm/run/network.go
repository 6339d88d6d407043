package run

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Network is the network that the jobs of a plan play with.
type Network struct {
	mu      sync.Mutex
	network *nnue.Network // nil until it is there
}

// Get returns the network that the manifest names, once it is here and proven: the first
// input, or without one the embedded network.
func (n *Network) Get(ctx context.Context, m *Manifest, in Inputs) (*nnue.Network, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.network != nil {
		return n.network, nil
	}
	found := nnue.Embedded()
	if len(m.Inputs) > 0 {
		data, err := in.Get(ctx, m.Inputs[0])
		if err != nil {
			return nil, err
		}
		if found, err = nnue.Read(bytes.NewReader(data)); err != nil {
			return nil, err
		}
	}
	if got := found.Hash().String(); got != m.Network {
		return nil, fmt.Errorf("the network here is %s, the run plays with %s", got, m.Network)
	}
	n.network = found
	return found, nil
}
