package fit

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"reflect"

	"github.com/tabula-chess/tabula/internal/files"
)

// A checkpoint, all numbers little-endian:
//
//	8   magic "TabulaFC"
//	4   version
//	32  SHA-256 of everything that follows
//	4   length of the state
//	    state, JSON
//	    parameters, running means, running squares, float32
const (
	checkpointMagic   = "TabulaFC"
	checkpointVersion = 5
	checkpointHashed  = len(checkpointMagic) + 4 + sha256.Size
)

// state is what a checkpoint holds besides numbers by parameter.
type state struct {
	Config Config
	Data   string // hash of the set
	Step   int64
	Recent recent
	Curve  []Point
}

// Save writes a checkpoint to the file called name. The replacement is atomic.
func (t *Trainer) Save(name string) error {
	head, err := json.Marshal(state{t.config, t.set.Hash(), t.step, t.recent, t.curve})
	if err != nil {
		return err
	}
	content := binary.LittleEndian.AppendUint32(nil, uint32(len(head)))
	content = append(content, head...)
	for _, v := range [][]float32{t.params, t.mean, t.square} {
		for _, x := range v {
			content = binary.LittleEndian.AppendUint32(content, math.Float32bits(x))
		}
	}
	file := binary.LittleEndian.AppendUint32([]byte(checkpointMagic), checkpointVersion)
	sum := sha256.Sum256(content)
	return files.Write(name, append(append(file, sum[:]...), content...))
}

// Resume returns a trainer that continues from a checkpoint. The configuration and the set must be the same as
// before. The error names the difference, or the fault of the file.
func Resume(name string, config Config, set *Set) (*Trainer, error) {
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

func resume(data []byte, config Config, set *Set) (*Trainer, error) {
	if !bytes.HasPrefix(data, []byte(checkpointMagic)) {
		return nil, fmt.Errorf("magic: not a checkpoint of a fit")
	}
	if len(data) < checkpointHashed+4 {
		return nil, fmt.Errorf("header: file ends after %d bytes", len(data))
	}
	if v := binary.LittleEndian.Uint32(data[len(checkpointMagic):]); v != checkpointVersion {
		return nil, fmt.Errorf("version: %d, this program reads %d", v, checkpointVersion)
	}
	content := data[checkpointHashed:]
	if sum := sha256.Sum256(content); !bytes.Equal(sum[:], data[len(checkpointMagic)+4:checkpointHashed]) {
		return nil, fmt.Errorf("hash: content does not match, the file is damaged")
	}
	size := int(binary.LittleEndian.Uint32(content))
	content = content[4:]
	if size > len(content) {
		return nil, fmt.Errorf("state: length %d, the file has %d bytes left", size, len(content))
	}
	var s state
	if err := json.Unmarshal(content[:size], &s); err != nil {
		return nil, fmt.Errorf("state: %w", err)
	}
	if field := difference(s.Config, config); field != "" {
		return nil, fmt.Errorf("%s differs from that of the checkpoint", field)
	}
	if have := set.Hash(); s.Data != have {
		return nil, fmt.Errorf("data: the checkpoint is for other data, hash %.16s, given %.16s", s.Data, have)
	}
	t, err := New(config, set)
	if err != nil {
		return nil, err
	}
	if want := 3 * 4 * t.layout.size; len(content)-size != want {
		return nil, fmt.Errorf("length: %d bytes of parameters, want %d", len(content)-size, want)
	}
	t.step, t.recent, t.curve = s.Step, s.Recent, s.Curve
	content = content[size:]
	for _, v := range [][]float32{t.params, t.mean, t.square} {
		for i := range v {
			v[i] = math.Float32frombits(binary.LittleEndian.Uint32(content[4*i:]))
		}
		content = content[4*len(v):]
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
