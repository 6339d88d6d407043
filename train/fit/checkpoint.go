package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"reflect"

	"github.com/tabula-chess/tabula/internal/files"
)

// checkpoint is the content of a checkpoint: a file of its SHA-256 and then this, as package gob writes it.
type checkpoint struct {
	Config               Config
	Data                 string // hash of the set
	Step                 int64
	Recent               recent
	Curve                []Point
	Params, Mean, Square []float32
}

// Save writes a checkpoint to the file called name. The replacement is atomic.
func (t *Trainer) Save(name string) error {
	var content bytes.Buffer
	c := checkpoint{t.config, t.set.Hash(), t.step, t.recent, t.curve, t.params, t.mean, t.square}
	if err := gob.NewEncoder(&content).Encode(c); err != nil {
		return err
	}
	sum := sha256.Sum256(content.Bytes())
	return files.Write(name, append(sum[:], content.Bytes()...))
}

// Resume returns a trainer that continues from a checkpoint. The configuration and the set must be the same as
// before. The error names the difference, or the fault of the file.
func Resume(name string, config Config, set *TrainingSet) (*Trainer, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	t, err := resume(data, config, set)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func resume(data []byte, config Config, set *TrainingSet) (*Trainer, error) {
	content := data[min(len(data), sha256.Size):]
	if sum := sha256.Sum256(content); !bytes.HasPrefix(data, sum[:]) {
		return nil, errors.New("hash: not a checkpoint of a fit, or a damaged one")
	}
	var c checkpoint
	if err := gob.NewDecoder(bytes.NewReader(content)).Decode(&c); err != nil {
		return nil, fmt.Errorf("content: %w", err)
	}
	if have := set.Hash(); c.Data != have { // which may change settings too
		return nil, fmt.Errorf("data: the checkpoint is for other data, hash %.16s, given %.16s", c.Data, have)
	}
	if field := difference(c.Config, config); field != "" {
		return nil, fmt.Errorf("%s differs from that of the checkpoint", field)
	}
	t, err := New(config, set)
	if err != nil {
		return nil, err
	}
	t.step, t.recent, t.curve = c.Step, c.Recent, c.Curve
	for to, from := range map[*[]float32][]float32{&t.params: c.Params, &t.mean: c.Mean, &t.square: c.Square} {
		if len(from) != len(*to) {
			return nil, fmt.Errorf("the checkpoint has %d parameters, want %d", len(from), len(*to))
		}
		copy(*to, from)
	}
	t.renew()
	return t, nil
}

// difference returns the name of the first field in which a and b differ, ""
// where they are equal.
func difference(a, b Config) string {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	for i := range x.NumField() {
		if !x.Field(i).Equal(y.Field(i)) {
			return x.Type().Field(i).Name
		}
	}
	return ""
}
