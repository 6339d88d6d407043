package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/internal/regular"
	"github.com/tabula-chess/tabula/internal/replace"
)

// The file, all numbers little-endian:
//
//	8    magic "TabulaNN"
//	4    version
//	32   SHA-256 of everything that follows
//	4    width
//	2    output buckets
//	2    QA
//	2    QB
//	2    scale
//	32   king buckets by square
//	4    length of the provenance
//	     provenance, JSON
//	     first layer: weights by feature and neuron, biases, int16
//	     second layer: weights by bucket, side and neuron, int16; biases, int32
const (
	magic         = "TabulaNN"
	version       = 1
	hashed        = len(magic) + 4 + sha256.Size // where the hashed part starts
	shapeSize     = 4 + 2 + 2 + 2 + 2 + 32
	maxProvenance = 1 << 20
)

// Hash identifies a network: SHA-256 of shape, provenance and weights.
type Hash [sha256.Size]byte

// String returns the first eight bytes of the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:8]) }

// Provenance says how a network was made.
type Provenance struct {
	DataHash  string   `json:"data_hash"` // SHA-256 of the training data, hexadecimal
	Positions int64    `json:"positions"` // distinct positions of the training data
	Seen      int64    `json:"seen"`      // positions trained on, repetitions counted
	Loss      float64  `json:"loss"`      // on held-out positions
	Commands  []string `json:"commands"`  // that made the data and the network
}

// Load reads the network file with the given name. The error names the file
// and what is wrong with it.
func Load(name string) (*Network, error) {
	f, err := regular.Open(name)
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

// Read reads a network and refuses one that is not whole, of another version
// or able to overflow. The error names the field.
func Read(r io.Reader) (*Network, error) {
	const largest = hashed + shapeSize + 4 + maxProvenance + (32*Inputs+1+2*MaxOutputBuckets)*MaxWidth*2 + 4*MaxOutputBuckets
	data, err := io.ReadAll(io.LimitReader(r, int64(largest)+1))
	if err != nil {
		return nil, err
	}
	if len(data) < len(magic) || string(data[:len(magic)]) != magic {
		return nil, fmt.Errorf("magic: not a Tabula network file")
	}
	if len(data) < hashed+shapeSize+4 {
		return nil, fmt.Errorf("header: file ends after %d bytes", len(data))
	}
	if v := binary.LittleEndian.Uint32(data[len(magic):]); v != version {
		return nil, fmt.Errorf("version: %d, this program reads %d", v, version)
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
	sum := sha256.Sum256(data[hashed:])
	if !bytes.Equal(sum[:], data[len(magic)+4:hashed]) {
		return nil, fmt.Errorf("hash: content does not match, the file is damaged")
	}
	var p Provenance
	if err := json.Unmarshal(rest[:size], &p); err != nil {
		return nil, fmt.Errorf("provenance: %w", err)
	}
	n, err := newNetwork(shape, decodeWeights(&shape, rest[size:]), p, rest[:size])
	if err != nil {
		return nil, err
	}
	n.hash = sum
	return n, nil
}

// weightBytes returns the size of all weights in the file.
func weightBytes(s *Shape) int64 {
	width := int64(s.Width)
	return 2*width*(int64(s.Features())+1+2*int64(s.Outputs)) + 4*int64(s.Outputs)
}

func decodeShape(data []byte) (Shape, error) {
	le := binary.LittleEndian
	s := Shape{
		Width:   int(le.Uint32(data)),
		Outputs: int(le.Uint16(data[4:])),
		Scale:   int(le.Uint16(data[10:])),
		Kings:   [32]uint8(data[12:]),
	}
	if qa, qb := le.Uint16(data[6:]), le.Uint16(data[8:]); qa != QA || qb != QB {
		return s, fmt.Errorf("quantisation: %d and %d, this program reads %d and %d", qa, qb, QA, QB)
	}
	return s, s.Check()
}

func decodeWeights(s *Shape, data []byte) Weights {
	words := func(n int) []int16 {
		v := make([]int16, n)
		for i := range v {
			v[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
		}
		data = data[2*n:]
		return v
	}
	w := Weights{
		Features: words(s.Features() * s.Width),
		Biases:   words(s.Width),
		Outputs:  words(s.Outputs * 2 * s.Width),
	}
	for i := range s.Outputs {
		w.OutputBiases = append(w.OutputBiases, int32(binary.LittleEndian.Uint32(data[4*i:])))
	}
	return w
}

// content returns the hashed part of the file.
func (n *Network) content() []byte {
	le := binary.LittleEndian
	s := &n.shape
	var b []byte
	b = le.AppendUint32(b, uint32(s.Width))
	for _, v := range []int{s.Outputs, QA, QB, s.Scale} {
		b = le.AppendUint16(b, uint16(v))
	}
	b = append(b, s.Kings[:]...)
	b = le.AppendUint32(b, uint32(len(n.origin)))
	b = append(b, n.origin...)
	for _, words := range [][]int16{n.features, n.biases, n.outputs} {
		for _, v := range words {
			b = le.AppendUint16(b, uint16(v))
		}
	}
	for _, v := range n.outBiases {
		b = le.AppendUint32(b, uint32(v))
	}
	return b
}

// WriteTo writes the network file to w.
func (n *Network) WriteTo(w io.Writer) (int64, error) {
	head := binary.LittleEndian.AppendUint32([]byte(magic), version)
	written, err := w.Write(append(append(head, n.hash[:]...), n.content()...))
	return int64(written), err
}

// Save writes the network to the file with the given name, which afterwards
// holds the old content or the new one, never half of it.
func (n *Network) Save(name string) error {
	var b bytes.Buffer
	if _, err := n.WriteTo(&b); err != nil {
		return err
	}
	return replace.File(name, b.Bytes())
}
