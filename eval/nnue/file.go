package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"unsafe"

	"github.com/tabula-chess/tabula/internal/files"
)

// The file, all numbers little-endian:
//
//	8    magic "TabulaNN"
//	4    version
//	32   SHA-256 of everything that follows
//	4    width
//	2    output buckets
//	2    QA
//	2    QB; versions 2 and 3: HiddenUnit
//	2    scale
//	32   king buckets by square
//	2    versions 2 and 3: neurons of the first small layer, Hidden1
//	2    versions 2 and 3: neurons of the second, Hidden2
//	4    length of the provenance
//	     provenance, JSON
//	     first layer: weights by feature and neuron, biases, int16
//	     version 1, a network that is not layered
//	     second layer: weights by bucket, side and neuron, int16; biases, int32
//	     versions 2 and 3, a layered one: for each bucket
//	     first small layer: weights by product and neuron, int8; biases, int32
//	     second: weights by input and neuron, int16; biases, int32
//	     third: weights, int16
//	     version 3: weights past the second and third, int16; those of version 2 are 0
//	     and in the end the biases of the outputs, int32
const (
	magic         = "TabulaNN"
	unlayered     = 1                            // version of a plain network's file
	layered       = 3                            // version of a layered network's file
	withoutSkips  = 2                            // an older one, which is still read
	hashed        = len(magic) + 4 + sha256.Size // where the hashed part starts
	shapeSize     = 4 + 2 + 2 + 2 + 2 + 32
	hiddenSize    = 2 + 2 // what the shape of layered networks has besides
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

// Read reads a network and refuses one that is not whole, of another version
// or able to overflow. The error names the field.
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
	of := binary.LittleEndian.Uint32(data[len(magic):])
	shape, rest, err := decodeShape(of, data[hashed:])
	if err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint32(rest))
	if size > maxProvenance {
		return nil, fmt.Errorf("provenance: length %d, want at most %d", size, maxProvenance)
	}
	rest = rest[4:]
	if want := size + weightBytes(&shape, of); int64(len(rest)) != want {
		return nil, fmt.Errorf("length: %d bytes after the header, the shape asks for %d", len(rest), want)
	}
	sums := make(chan Hash, 1) // beside the decoding: an engine's start waits for both
	go func() { sums <- sha256.Sum256(data[hashed:]) }()
	weights := decodeWeights(&shape, of, rest[size:])
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
	if n.hash = sum; of != n.version() { // that of the file that WriteTo makes of it
		n.hash = sha256.Sum256(n.content())
	}
	return n, nil
}

// largest returns the size of the largest network file there can be.
func largest() int64 {
	s := Shape{Width: MaxWidth, Outputs: MaxOutputBuckets}
	s.Kings[31] = uint8(len(s.Kings) - 1) // a bucket for each square
	return int64(hashed+shapeSize+hiddenSize+4+maxProvenance) + max(weightBytes(&s, unlayered), weightBytes(&s, layered))
}

// weightBytes returns the size of all weights in a file of the given version.
func weightBytes(s *Shape, of uint32) int64 {
	width, outputs := int64(s.Width), int64(s.Outputs)
	first := 2 * width * (int64(s.Features()) + 1)
	small := width*Hidden1 + 4*Hidden1 + 2*2*Hidden1*Hidden2 + 4*Hidden2 + 2*Hidden2 + 4
	switch of {
	case layered:
		return first + outputs*(small+2*Hidden1)
	case withoutSkips:
		return first + outputs*small
	}
	return first + outputs*(2*2*width+4)
}

// secondUnit returns the second of the two units of quantisation that a file of
// the given version names.
func secondUnit(version uint32) uint16 {
	if version != unlayered {
		return HiddenUnit
	}
	return QB
}

// decodeShape returns the shape of a file of the given version and what follows.
func decodeShape(of uint32, data []byte) (s Shape, rest []byte, err error) {
	if of < unlayered || of > layered {
		return s, nil, fmt.Errorf("version: %d, this program reads %d to %d", of, unlayered, layered)
	}
	le := binary.LittleEndian
	s = Shape{
		Width:   int(le.Uint32(data)),
		Layered: of != unlayered,
		Outputs: int(le.Uint16(data[4:])),
		Scale:   int(le.Uint16(data[10:])),
		Kings:   [32]uint8(data[12:]),
	}
	if qa, qb := le.Uint16(data[6:]), le.Uint16(data[8:]); qa != QA || qb != secondUnit(of) {
		return s, nil, fmt.Errorf("quantisation: %d and %d, this program reads %d and %d", qa, qb, QA, secondUnit(of))
	}
	rest = data[shapeSize:]
	if s.Layered {
		if len(rest) < hiddenSize+4 {
			return s, nil, fmt.Errorf("header: file ends after %d bytes", hashed+len(data))
		}
		if a, b := le.Uint16(rest), le.Uint16(rest[2:]); a != Hidden1 || b != Hidden2 {
			return s, nil, fmt.Errorf("small layers: %d and %d neurons, this program reads %d and %d", a, b, Hidden1, Hidden2)
		}
		rest = rest[hiddenSize:]
	}
	return s, rest, s.Check()
}

// takeWords does for words what take does, in less time, into aligned memory.
func takeWords(data *[]byte, n int) []int16 {
	v, from := aligned(n), (*data)[:2*n]
	*data = (*data)[2*n:]
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 2*n), from)
		return v
	}
	for i := range v {
		v[i] = int16(binary.LittleEndian.Uint16(from[2*i:]))
	}
	return v
}

// take takes n weights off the start of data, which must have them.
func take[T int8 | int16 | int32](data *[]byte, n int) []T {
	v := make([]T, n)
	size := binary.Size(v)
	_, _ = binary.Decode((*data)[:size], binary.LittleEndian, v) // fails on short data alone
	*data = (*data)[size:]
	return v
}

// decodeWeights returns the weights of a file of the given version, of which data has
// all.
func decodeWeights(s *Shape, of uint32, data []byte) Weights {
	w := Weights{
		Features: takeWords(&data, s.Features()*s.Width),
		Biases:   takeWords(&data, s.Width),
	}
	outputs := s.Outputs * 2 * s.Width
	if s.Layered {
		outputs = 0
		for range s.Outputs {
			stack := Stack{
				Weights1: take[int8](&data, s.Width*Hidden1), Biases1: take[int32](&data, Hidden1),
				Weights2: take[int16](&data, 2*Hidden1*Hidden2), Biases2: take[int32](&data, Hidden2),
				Weights3: take[int16](&data, Hidden2), Skips: make([]int16, Hidden1),
			}
			if of != withoutSkips {
				stack.Skips = take[int16](&data, Hidden1)
			}
			w.Stacks = append(w.Stacks, stack)
		}
	}
	w.Outputs = takeWords(&data, outputs)
	w.OutputBiases = take[int32](&data, s.Outputs)
	return w
}

// version returns the version of the network's file.
func (n *Network) version() uint32 {
	if n.shape.Layered {
		return layered
	}
	return unlayered
}

// content returns the hashed part of the file.
func (n *Network) content() []byte {
	le := binary.LittleEndian
	s := &n.shape
	var b []byte
	b = le.AppendUint32(b, uint32(s.Width))
	for _, v := range []int{s.Outputs, QA, int(secondUnit(n.version())), s.Scale} {
		b = le.AppendUint16(b, uint16(v))
	}
	b = append(b, s.Kings[:]...)
	if s.Layered {
		b = le.AppendUint16(le.AppendUint16(b, Hidden1), Hidden2)
	}
	b = le.AppendUint32(b, uint32(len(n.origin)))
	b = append(b, n.origin...)
	for _, words := range [][]int16{n.features, n.biases, n.outputs} {
		b = appendWeights(b, words)
	}
	for i := range n.stacks {
		b = n.stacks[i].unpacked().append(b)
	}
	return appendWeights(b, n.outBiases)
}

// append appends the weights of small layers as the file has them.
func (s Stack) append(b []byte) []byte {
	b = appendWeights(appendWeights(b, s.Weights1), s.Biases1)
	b = appendWeights(appendWeights(b, s.Weights2), s.Biases2)
	return appendWeights(appendWeights(b, s.Weights3), s.Skips)
}

// appendWeights is the reverse of take.
func appendWeights[T int8 | int16 | int32](b []byte, v []T) []byte {
	b, _ = binary.Append(b, binary.LittleEndian, v) // fails on types without a size alone
	return b
}

// WriteTo writes the network file to w.
func (n *Network) WriteTo(w io.Writer) (int64, error) {
	head := binary.LittleEndian.AppendUint32([]byte(magic), n.version())
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
	return files.Write(name, b.Bytes())
}
