package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/must"
)

func TestFileRoundTrip(t *testing.T) {
	for _, tt := range shapes {
		t.Run(tt.name, func(t *testing.T) {
			want := randomNetwork(t, tt.shape, 9)
			name := filepath.Join(t.TempDir(), "x.nn")
			must.Succeed(t, want.Save(name))
			got, err := Load(name)
			must.Succeed(t, err)
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
	weightsAt := func(data []byte) int {
		return hashed + shapeSize + 4 + int(le.Uint32(data[hashed+shapeSize:]))
	}
	shape := shapes[0].shape
	for _, tt := range []refusal{
		{"empty", func([]byte) []byte { return nil }, "magic"},
		{"other file", func(d []byte) []byte { return []byte(strings.Repeat("PNG", 100)) }, "magic"},
		{"header cut", func(d []byte) []byte { return d[:60] }, "header"},
		{"version", func(d []byte) []byte { d[len(magic)] = 9; return d }, "version: 9"},
		{"width", func(d []byte) []byte { le.PutUint32(d[hashed:], 33); return rehash(d) }, "width 33"},
		{"huge width", func(d []byte) []byte { le.PutUint32(d[hashed:], 1<<31); return rehash(d) }, "width"},
		{"no outputs", func(d []byte) []byte { le.PutUint16(d[hashed+4:], 0); return rehash(d) }, "output buckets 0"},
		{"quantisation", func(d []byte) []byte { le.PutUint16(d[hashed+6:], 127); return rehash(d) }, "quantisation: 127"},
		{"scale", func(d []byte) []byte { le.PutUint16(d[hashed+10:], 0); return rehash(d) }, "scale 0"},
		{"king bucket", func(d []byte) []byte { d[hashed+12] = 200; return rehash(d) }, "king bucket 200"},
		{"king gap", func(d []byte) []byte { d[hashed+12] = 2; return rehash(d) }, "gaps"},
		{"other shape", func(d []byte) []byte { le.PutUint32(d[hashed:], 64); return rehash(d) }, "length"},
		{"provenance length", func(d []byte) []byte { le.PutUint32(d[hashed+shapeSize:], 1<<30); return rehash(d) }, "provenance"},
		{"provenance", func(d []byte) []byte { d[hashed+shapeSize+4] = 'x'; return rehash(d) }, "provenance"},
		{"cut", func(d []byte) []byte { return d[:len(d)-1] }, "length"},
		{"longer", func(d []byte) []byte { return append(d, 0) }, "length"},
		{"flipped bit", func(d []byte) []byte { d[len(d)-1000] ^= 4; return d }, "hash"},
		{"flipped hash", func(d []byte) []byte { d[20] ^= 1; return d }, "hash"},
		{"large first layer", func(d []byte) []byte {
			le.PutUint16(d[weightsAt(d)+2*5:], 2000)
			return rehash(d)
		}, "neuron 5"},
		{"large second layer", func(d []byte) []byte {
			le.PutUint16(d[weightsAt(d)+2*shape.Width*(Inputs+1):], 129)
			return rehash(d)
		}, "output 0: weight 0 is 129"},
		{"large output bias", func(d []byte) []byte {
			le.PutUint32(d[len(d)-4:], 1<<30)
			return rehash(d)
		}, "output 0: bias"},
	} {
		tt.run(t, shape)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("Load of a file that is not there gave no error")
	}
}

// TestLayeredRefusals damages the file of a layered network.
func TestLayeredRefusals(t *testing.T) {
	le := binary.LittleEndian
	small := shapes[3].shape // layered
	stackAt := func(data []byte) int {
		return len(data) - int(weightBytes(&small, layered)) + 2*small.Width*(small.Features()+1)
	}
	for _, tt := range []refusal{
		{"small layers", func(d []byte) []byte { le.PutUint16(d[hashed+shapeSize+2:], 33); return rehash(d) }, "small layers: 16 and 33"},
		{"small layers cut", func(d []byte) []byte { return rehash(d[:hashed+shapeSize+5]) }, "header"},
		{"small layers behind an odd width", func(d []byte) []byte { le.PutUint32(d[hashed:], 288); return rehash(d) }, "width 288: want a multiple of 256"},
		{"unit of small layers", func(d []byte) []byte { le.PutUint16(d[hashed+8:], QB); return rehash(d) }, "quantisation: 255 and 128"},
		{"cut", func(d []byte) []byte { return d[:len(d)-1] }, "length"},
		{"said to be plain", func(d []byte) []byte { d[len(magic)] = unlayered; return d }, "quantisation"},
		{"flipped bit", func(d []byte) []byte { d[len(d)-1000] ^= 4; return d }, "hash"},
		{"large first layer", func(d []byte) []byte {
			le.PutUint16(d[stackAt(d)-2:], 32000)
			return rehash(d)
		}, "neuron 255"},
		{"large bias of layer 1", func(d []byte) []byte {
			le.PutUint32(d[stackAt(d)+small.Width*Hidden1:], 1<<29)
			return rehash(d)
		}, "output 0: layer 1: bias 0"},
		{"large weights of layer 2", func(d []byte) []byte {
			for i := range 2 * Hidden1 {
				le.PutUint16(d[stackAt(d)+small.Width*Hidden1+4*Hidden1+2*(i*Hidden2+3):], 5000)
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
		tt.run(t, small)
	}
}

func TestOutputSum(t *testing.T) {
	shape := Shape{Width: 512, Outputs: 1, Scale: 400}
	w := Weights{
		Features: make([]int16, shape.Features()*shape.Width), Biases: make([]int16, shape.Width),
		Outputs: make([]int16, 2*shape.Width), OutputBiases: make([]int32, 1),
	}
	for i := range w.Outputs {
		w.Outputs[i] = 33
	}
	if _, err := New(shape, w, Provenance{}); err == nil || !strings.Contains(err.Error(), "int32") {
		t.Errorf("weights that add up to %d: error %v", 33*1024, err)
	}
	w.Outputs = w.Outputs[:100]
	if _, err := New(shape, w, Provenance{}); err == nil || !strings.Contains(err.Error(), "outputs: 100") {
		t.Errorf("too few outputs: error %v", err)
	}
}

// TestOlderLayers reads a file of version 2, which says nothing of what goes past the
// small layers.
func TestOlderLayers(t *testing.T) {
	net := randomNetwork(t, shapes[4].shape, 3)
	var b bytes.Buffer
	if _, err := net.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	const behind = 4*Hidden1 + 2*2*Hidden1*Hidden2 + 4*Hidden2 + 2*Hidden2 + 2*Hidden1
	each, biases := net.shape.Width*Hidden1+behind, b.Len()-4*net.shape.Outputs
	first := biases - net.shape.Outputs*each
	data := bytes.Clone(b.Bytes()[:first])
	for stack := range slices.Chunk(b.Bytes()[first:biases], each) {
		data = append(data, stack[:each-2*Hidden1]...)
	}
	data = append(data, b.Bytes()[biases:]...)
	data[len(magic)] = withoutSkips
	got, err := Read(bytes.NewReader(rehash(data)))
	must.Succeed(t, err)
	want := net.Weights()
	for i := range want.Stacks {
		clear(want.Stacks[i].Skips)
	}
	if !reflect.DeepEqual(got.Weights(), want) {
		t.Error("other weights")
	}
	b.Reset()
	if _, err := got.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	if again, err := Read(&b); err != nil || again.Hash() != got.Hash() {
		t.Errorf("written again: %v", err)
	}
}

// TestLargest: the largest network there can be is read in full, and nothing is read
// for ever.
func TestLargest(t *testing.T) {
	s := Shape{Width: MaxWidth, Outputs: MaxOutputBuckets, Layered: true}
	for i := range s.Kings {
		s.Kings[i] = uint8(i)
	}
	for version := uint32(unlayered); version <= layered; version++ {
		if head, size := int64(hashed+shapeSize+hiddenSize+4+maxProvenance), weightBytes(&s, version); head+size > largest() {
			t.Errorf("version %d: %d bytes of head and %d of weights are more than the %d that are read", version, head, size, largest())
		}
	}
	if most := int64(1 << 30); largest() > most {
		t.Errorf("up to %d bytes are read, want at most %d", largest(), most)
	}
}

// TestLargeBiases demands that a bias is refused exactly where it and the weights of
// all pieces could overflow, bytes or not.
func TestLargeBiases(t *testing.T) {
	shape := Shape{Width: 32, Outputs: 1, Scale: 400}
	for _, tt := range []struct {
		weight, bias int16
		fits         bool
	}{
		{0, 32767, true}, {0, -32767, true},
		{100, 32767 - 3200, true}, {100, 32767 - 3199, false}, {-100, -(32767 - 3199), false},
		{-128, 32767 - 4096, true}, {-128, 32767 - 4095, false},
		{300, 32767 - 9600, true}, {300, 32767 - 9599, false},
	} {
		w := Weights{
			Features: make([]int16, shape.Features()*shape.Width), Biases: make([]int16, shape.Width),
			Outputs: make([]int16, 2*shape.Width), OutputBiases: make([]int32, 1),
		}
		w.Features[7*shape.Width+5], w.Biases[5] = tt.weight, tt.bias
		_, err := New(shape, w, Provenance{})
		if fits := err == nil; fits != tt.fits || err != nil && !strings.Contains(err.Error(), "neuron 5") {
			t.Errorf("weight %d, bias %d: error %v, want one of neuron 5: %v", tt.weight, tt.bias, err, !tt.fits)
		}
	}
}
