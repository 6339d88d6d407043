package uci

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// embeddedNetwork is the value of EvalFile that stands for the network that is
// part of the program. GUIs send defaults back.
const embeddedNetwork = "<embedded>"

// setNetwork sets the option EvalFile.
func (s *session) setNetwork(name string) error {
	network, err := FindNetwork(name)
	if err != nil {
		return fmt.Errorf("%w; the network stays %s", err, describeNetwork(s.engine.Network()))
	}
	s.engine.SetNetwork(network)
	s.out.note("network: %s", describeNetwork(network))
	return nil
}

// FindNetwork reads a network file. If there is no file of that name, it looks beside the program, because
// a GUI may start the program in any directory. An empty name means the embedded network.
func FindNetwork(name string) (*nnue.Network, error) {
	switch name {
	case "", embeddedNetwork, noFile:
		return nnue.Embedded(), nil
	}
	network, err := nnue.Load(name)
	if !errors.Is(err, fs.ErrNotExist) || filepath.IsAbs(name) {
		return network, err
	}
	program, findErr := os.Executable()
	if findErr != nil {
		return nil, err
	}
	beside, besideErr := nnue.Load(filepath.Join(filepath.Dir(program), name))
	if errors.Is(besideErr, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w, nor is it beside the program", err)
	}
	return beside, besideErr
}

// describeNetwork names a network, its shape and what it was made from.
func describeNetwork(n *nnue.Network) string {
	kind := "from file"
	if n == nnue.Embedded() {
		kind = "embedded"
	}
	return fmt.Sprintf("%v, %s, %v, from %d positions", n.Hash(), kind, n.Shape(), n.Provenance().Positions)
}
