package nnue

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFileRoundTrip(t *testing.T) {
	for _, tt := range shapes {
		t.Run(tt.name, func(t *testing.T) {
			want := randomNetwork(t, tt.shape, 9)
			name := filepath.Join(t.TempDir(), "x.nn")
			if err := want.Save(name); err != nil {
				t.Fatal(err)
			}
			got, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got, cmp.AllowUnexported(Network{})); d != "" {
				t.Error(d)
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

func TestRefusals(t *testing.T) {
	le := binary.LittleEndian
	weightsAt := func(data []byte) int {
		return hashed + shapeSize + 4 + int(le.Uint32(data[hashed+shapeSize:]))
	}
	shape := shapes[0].shape
	for _, tt := range []struct {
		name   string
		damage func(data []byte) []byte
		want   string
	}{
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
		t.Run(tt.name, func(t *testing.T) {
			var file bytes.Buffer
			if _, err := randomNetwork(t, shape, 10).WriteTo(&file); err != nil {
				t.Fatal(err)
			}
			_, err := Read(bytes.NewReader(tt.damage(file.Bytes())))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Read: error %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("Load of a file that is not there gave no error")
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
