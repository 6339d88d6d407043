package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestFileRoundTrip(t *testing.T) {
	for _, tt := range shapes {
		t.Run(tt.name, func(t *testing.T) {
			want := randomNetwork(t, tt.shape, 9)
			name := filepath.Join(t.TempDir(), "x.nn")
			kit.Succeed(t, want.Save(name))
			got, err := Load(name)
			kit.Succeed(t, err)
			if !reflect.DeepEqual(got, want) {
				t.Error("the network read is another than the one written")
			}
			if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 1 {
				t.Errorf("Save left %v behind (%v)", left, err)
			}
		})
	}
}

// rehash corrects the hash after a change to the content.
func rehash(data []byte) []byte {
	sum := sha256.Sum256(data[hashed:])
	copy(data[len(magic)+4:], sum[:])
	return data
}

// refusal is damage done to a network file and a part of the error about it.
type refusal struct {
	name   string
	damage func(data []byte) []byte
	want   string
}

// run damages the file of a network with the given shape.
func (r refusal) run(t *testing.T, shape Shape) {
	t.Run(r.name, func(t *testing.T) {
		var file bytes.Buffer
		if _, err := randomNetwork(t, shape, 10).WriteTo(&file); err != nil {
			t.Fatal(err)
		}
		_, err := Read(bytes.NewReader(r.damage(file.Bytes())))
		if err == nil || !strings.Contains(err.Error(), r.want) {
			t.Errorf("Read: error %v, want one with %q", err, r.want)
		}
	})
}

func TestRefusals(t *testing.T) {
	le := binary.LittleEndian
	shape := shapes[0].shape
	stackAt := func(data []byte) int { return len(data) - int(weightBytes(&shape)) + shape.Width*(Inputs+2) }
	for _, tt := range []refusal{
		{"empty", func([]byte) []byte { return nil }, "magic"},
		{"other file", func(d []byte) []byte { return []byte(strings.Repeat("PNG", 100)) }, "magic"},
		{"header cut", func(d []byte) []byte { return d[:60] }, "header"},
		{"version", func(d []byte) []byte { d[len(magic)] = 9; return d }, "version: 9"},
		{"width", func(d []byte) []byte { le.PutUint32(d[hashed:], 288); return rehash(d) }, "width 288: want a multiple of 256"},
		{"huge width", func(d []byte) []byte { le.PutUint32(d[hashed:], 1<<31); return rehash(d) }, "width"},
		{"no outputs", func(d []byte) []byte { le.PutUint16(d[hashed+4:], 0); return rehash(d) }, "output buckets 0"},
		{"king buckets", func(d []byte) []byte { d[hashed+5] = 4; return rehash(d) }, "king buckets 4: want 0 or 8"},
		{"more rows", func(d []byte) []byte { d[hashed+5] = 8; return rehash(d) }, "length"},
		{"quantisation", func(d []byte) []byte { le.PutUint16(d[hashed+6:], 127); return rehash(d) }, "quantisation: 127"},
		{"unit of small layers", func(d []byte) []byte { le.PutUint16(d[hashed+8:], 128); return rehash(d) }, "quantisation: 255 and 128"},
		{"scale", func(d []byte) []byte { le.PutUint16(d[hashed+10:], 0); return rehash(d) }, "scale 0"},
		{"small layers", func(d []byte) []byte { le.PutUint16(d[hashed+shapeSize-2:], 33); return rehash(d) }, "small layers: 16 and 33"},
		{"other shape", func(d []byte) []byte { le.PutUint32(d[hashed:], 512); return rehash(d) }, "length"},
		{"provenance length", func(d []byte) []byte { le.PutUint32(d[hashed+shapeSize:], 1<<30); return rehash(d) }, "provenance"},
		{"provenance", func(d []byte) []byte { d[hashed+shapeSize+4] = 'x'; return rehash(d) }, "provenance"},
		{"cut", func(d []byte) []byte { return d[:len(d)-1] }, "length"},
		{"longer", func(d []byte) []byte { return append(d, 0) }, "length"},
		{"flipped bit", func(d []byte) []byte { d[len(d)-1000] ^= 4; return d }, "hash"},
		{"flipped hash", func(d []byte) []byte { d[20] ^= 1; return d }, "hash"},
		{"large bias of the first layer", func(d []byte) []byte { le.PutUint16(d[stackAt(d)-2:], 32000); return rehash(d) }, "neuron 255"},
		{"large bias of layer 1", func(d []byte) []byte {
			le.PutUint32(d[stackAt(d)+shape.Width*Hidden1:], 1<<29)
			return rehash(d)
		}, "output 0: layer 1: bias 0"},
		{"large weights of layer 2", func(d []byte) []byte {
			for i := range 2 * Hidden1 {
				le.PutUint16(d[stackAt(d)+shape.Width*Hidden1+4*Hidden1+2*(i*Hidden2+3):], 5000)
			}
			return rehash(d)
		}, "output 0: layer 2: neuron 3"},
		{"large weights of layer 3", func(d []byte) []byte {
			for i := range Hidden2 {
				le.PutUint16(d[len(d)-4-2*Hidden1-2*Hidden2+2*i:], 0x8000)
			}
			return rehash(d)
		}, "output 0: layer 3"},
		{"large weights past the layers", func(d []byte) []byte {
			for i := range Hidden1 {
				le.PutUint16(d[len(d)-4-2*Hidden1+2*i:], 0x1000)
			}
			return rehash(d)
		}, "output 0: layer 3: weights and those past it"},
		{"large last bias", func(d []byte) []byte { le.PutUint32(d[len(d)-4:], 1<<31-1); return rehash(d) }, "output 0: bias"},
	} {
		tt.run(t, shape)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("Load of a file that is not there gave no error")
	}
}

// TestWrongLengths: weights of another shape are refused.
func TestWrongLengths(t *testing.T) {
	shape := shapes[0].shape
	for want, change := range map[string]func(w *Weights){
		"features: 100":                    func(w *Weights) { w.Features = w.Features[:100] },
		"stacks: 0":                        func(w *Weights) { w.Stacks = nil },
		"output 0: weights of layer 2: 1,": func(w *Weights) { w.Stacks[0].Weights2 = make([]int16, 1) },
	} {
		w := NewWeights(shape)
		change(&w)
		if _, err := New(shape, w, Provenance{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestLargest: nothing is read for ever.
func TestLargest(t *testing.T) {
	if most := int64(1 << 30); largest() > most {
		t.Errorf("up to %d bytes are read, want at most %d", largest(), most)
	}
}

// TestLargeBiases demands that a bias is refused exactly where it and the weights of
// all pieces could overflow.
func TestLargeBiases(t *testing.T) {
	for _, bias := range []int16{32767 - 4096, 32767 - 4095, -(32767 - 4096), -(32767 - 4095)} {
		w := NewWeights(shapes[0].shape)
		w.Biases[5] = bias
		_, err := New(shapes[0].shape, w, Provenance{})
		if fits := abs(int(bias))+32*128 <= 32767; (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "neuron 5") {
			t.Errorf("bias %d: error %v, want one of neuron 5: %v", bias, err, !fits)
		}
	}
}

// FuzzRead feeds any bytes to the reader, as they are and with a right hash.
// What it takes must evaluate, and must be written back as it was.
func FuzzRead(f *testing.F) {
	var file bytes.Buffer
	if _, err := randomNetwork(f, shapes[0].shape, 11).WriteTo(&file); err != nil {
		f.Fatal(err)
	}
	head := file.Bytes()[:hashed+shapeSize+200]
	f.Add(head)
	f.Add(head[:hashed])
	f.Add([]byte(magic))
	f.Add(file.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		tries := [][]byte{data}
		if len(data) > hashed {
			tries = append(tries, rehash(bytes.Clone(data)))
		}
		for _, data := range tries {
			n, err := Read(bytes.NewReader(data))
			if err != nil {
				continue
			}
			NewEvaluator(n).Evaluate(chess.NewPosition())
			var again bytes.Buffer
			if _, err := n.WriteTo(&again); err != nil || !bytes.Equal(again.Bytes(), data) {
				t.Errorf("a network of %d bytes is written back as %d others (%v)", len(data), again.Len(), err)
			}
		}
	})
}
