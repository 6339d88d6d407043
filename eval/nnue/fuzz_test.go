package nnue

import (
	"bytes"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

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
