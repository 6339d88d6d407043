package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/internal/files"
)

// The file, all numbers little-endian:
//
//	8    magic "TabulaNN"
//	4    version
//	32   SHA-256 of everything that follows
//	4    width
//	1    output buckets
//	1    king buckets
//	2    QA
//	2    HiddenUnit
//	2    scale
//	2    neurons of the first small layer, Hidden1
//	2    neurons of the second, Hidden2
//	4    length of the provenance
//	     provenance, JSON
//	     first layer: weights by feature and neuron, int8; biases, int16
//	     for each output bucket
//	     first small layer: weights by product and neuron, int8; biases, int32
//	     second: weights by input and neuron, int16; biases, int32
//	     third: weights, int16
//	     weights past the second and third, int16
//	     and in the end the biases of the outputs, int32
const (
	magic         = "TabulaNN"
	fileVersion   = 4
	hashed        = len(magic) + 4 + sha256.Size // where the hashed part starts
	shapeSize     = 4 + 2 + 2 + 2 + 2 + 2 + 2
	maxProvenance = 1 << 20
)

// Hash identifies a network: SHA-256 of shape, provenance and weights.
type Hash [sha256.Size]byte

// String returns the first eight bytes of the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:8]) }

// Provenance records how a network was made.
type Provenance struct {
	DataHash  string   `json:"data_hash"` // SHA-256 of the training data, hexadecimal
	Positions int64    `json:"positions"` // distinct positions of the training data
	Seen      int64    `json:"seen"`      // positions trained on, repetitions counted
	Loss      float64  `json:"loss"`      // on held-out positions
	Commands  []string `json:"commands"`  // that made the data and the network
}

// Load reads the network file with the given name. The error names the file and the
// fault.
func Load(name string) (*Network, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	n, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return n, nil
}

// Read reads a network. It refuses a damaged network, another version, and weights
// that could overflow. The error names the field.
func Read(r io.Reader) (*Network, error) {
	data, err := io.ReadAll(io.LimitReader(r, largest()+1))
	if err != nil {
		return nil, err
	}
	return decode(data)
}

// decode does the work of Read on a file's bytes, which it does not keep.
func decode(data []byte) (*Network, error) {
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("magic: not a Tabula network file")
	}
	if len(data) < hashed+shapeSize+4 {
		return nil, fmt.Errorf("header: file ends after %d bytes", len(data))
	}
	if version := binary.LittleEndian.Uint32(data[len(magic):]); version != fileVersion {
		return nil, fmt.Errorf("version: %d, this program reads %d", version, fileVersion)
	}
	shape, err := decodeShape(data[hashed:])
	if err != nil {
		return nil, err
	}
	rest := data[hashed+shapeSize:]
	size := int64(binary.LittleEndian.Uint32(rest))
	if size > maxProvenance {
		return nil, fmt.Errorf("provenance: length %d, want at most %d", size, maxProvenance)
	}
	rest = rest[4:]
	if want := size + weightBytes(&shape); int64(len(rest)) != want {
		return nil, fmt.Errorf("length: %d bytes after the header, the shape asks for %d", len(rest), want)
	}
	sums := make(chan Hash, 1) // beside the decoding: an engine's start waits for both
	go func() { sums <- sha256.Sum256(data[hashed:]) }()
	weights := decodeWeights(shape, rest[size:])
	sum := <-sums
	if !bytes.Equal(sum[:], data[len(magic)+4:hashed]) {
		return nil, fmt.Errorf("hash: content does not match, the file is damaged")
	}
	var p Provenance
	if err := json.Unmarshal(rest[:size], &p); err != nil {
		return nil, fmt.Errorf("provenance: %w", err)
	}
	n, err := newNetwork(shape, weights, p, rest[:size])
	if err != nil {
		return nil, err
	}
	n.hash = sum
	return n, nil
}

// largest returns the size of the largest network file there can be.
func largest() int64 {
	most := Shape{Width: MaxWidth, Outputs: MaxOutputBuckets, KingBuckets: MaxKingBuckets}
	return int64(hashed+shapeSize+4+maxProvenance) + weightBytes(&most)
}

// weightBytes returns the size of all weights in a file.
func weightBytes(s *Shape) int64 {
	width, outputs := int64(s.Width), int64(s.Outputs)
	small := width*Hidden1 + 4*Hidden1 + 2*2*Hidden1*Hidden2 + 4*Hidden2 + 2*Hidden2 + 2*Hidden1 + 4
	return width*int64(s.Rows()+2) + outputs*small
}

// decodeShape reads a shape.
func decodeShape(data []byte) (s Shape, err error) {
	le := binary.LittleEndian
	s = Shape{
		Width: int(le.Uint32(data)), Outputs: int(data[4]), KingBuckets: int(data[5]), Scale: int(le.Uint16(data[10:])),
	}
	if qa, unit := le.Uint16(data[6:]), le.Uint16(data[8:]); qa != QA || unit != HiddenUnit {
		return s, fmt.Errorf("quantisation: %d and %d, this program reads %d and %d", qa, unit, QA, HiddenUnit)
	}
	if a, b := le.Uint16(data[12:]), le.Uint16(data[14:]); a != Hidden1 || b != Hidden2 {
		return s, fmt.Errorf("small layers: %d and %d neurons, this program reads %d and %d", a, b, Hidden1, Hidden2)
	}
	return s, s.Check()
}

// decodeWeights reads the weights of a shape, of which data has all.
func decodeWeights(s Shape, data []byte) Weights {
	w := NewWeights(s)
	for _, p := range w.parts() {
		size := binary.Size(p.values)
		_, _ = binary.Decode(data[:size], binary.LittleEndian, p.values) // fails on short data alone
		data = data[size:]
	}
	return w
}

// content returns the hashed part of the file.
func (n *Network) content() []byte {
	le := binary.LittleEndian
	b := le.AppendUint32(nil, uint32(n.shape.Width))
	b = append(b, uint8(n.shape.Outputs), uint8(n.shape.KingBuckets))
	for _, v := range []int{QA, HiddenUnit, n.shape.Scale} {
		b = le.AppendUint16(b, uint16(v))
	}
	b = le.AppendUint16(le.AppendUint16(b, Hidden1), Hidden2)
	b = le.AppendUint32(b, uint32(len(n.origin)))
	b = append(b, n.origin...)
	for _, p := range n.weights.parts() {
		b, _ = binary.Append(b, le, p.values) // fails on types without a size alone
	}
	return b
}

// WriteTo writes the network file to w.
func (n *Network) WriteTo(w io.Writer) (int64, error) {
	head := binary.LittleEndian.AppendUint32([]byte(magic), fileVersion)
	written, err := w.Write(append(append(head, n.hash[:]...), n.content()...))
	return int64(written), err
}

// Save writes the network to the file with the given name. The replacement is atomic.
func (n *Network) Save(name string) error {
	var b bytes.Buffer
	if _, err := n.WriteTo(&b); err != nil {
		return err
	}
	return files.Write(name, b.Bytes())
}
