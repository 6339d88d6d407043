package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
)

// toy is a kind of work whose values are hashes, so that nothing but the jobs themselves can yield them. Its fold
// chains them, so that order, loss and double counting show.
type toy struct {
	Checked int           `json:"checked"` // run.Kind.Twice
	Window  int           `json:"window"`  // > 0: a job depends on the fold this many jobs before it
	Stop    int           `json:"stop"`    // > 0: jobs after which the run has its verdict
	Stuck   bool          `json:"stuck"`   // jobs behind the verdict do not end
	Sleep   time.Duration `json:"sleep"`   // of a job
	File    int           `json:"file"`    // bytes of the file of each job, 0 for none
	Spin    int           `json:"spin"`    // hashes to compute
	N       int           `json:"n"`       // jobs

	run.Blocks `json:"-"`
	chain      [32]byte
	inputs     []json.RawMessage
}

// Check begins a fold.
func (p *toy) Check() error {
	p.chain, p.inputs = [32]byte{}, nil
	p.keep()
	return nil
}

// Jobs returns N.
func (p *toy) Jobs() int { return p.N }

// newToy returns the manifest of a run of toys.
func newToy(t testkit.T, jobs int, seed uint64, p toy) *run.Manifest {
	t.Helper()
	p.N = jobs
	m, err := run.NewManifest("toy", 1, seed, &p)
	testkit.Succeed(t, err)
	return m
}

// openToy opens a run of toys.
func openToy(m *run.Manifest) (run.Kind, error) {
	p := new(toy)
	return p, m.Read(p)
}

func (p *toy) Twice() int { return p.Checked }

func (p *toy) Do(ctx context.Context, j run.Job, _ run.Inputs) (data []byte, units float64, err error) {
	if p.Stuck && j.Index >= p.Stop {
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	if p.Sleep > 0 {
		select {
		case <-ctx.Done():
			return nil, 0, ctx.Err()
		case <-time.After(p.Sleep):
		}
	}
	seed := j.Seed()
	hash := sha256.Sum256(append(seed[:], j.Input...))
	for range p.Spin {
		hash = sha256.Sum256(hash[:])
	}
	data = []byte(hex.EncodeToString(hash[:]) + "\n")
	if p.File > 0 {
		data = bytes.Repeat(hash[:], p.File/len(hash)+1)[:p.File]
		binary.LittleEndian.PutUint32(data, uint32(j.Index))
	}
	return data, 1, nil
}

// keep keeps the input of jobs that have become ready.
func (p *toy) keep() {
	for p.Window > 0 && len(p.inputs) < p.Ready() {
		p.inputs = append(p.inputs, fmt.Appendf(nil, "%q", hex.EncodeToString(p.chain[:])))
	}
}

func (p *toy) Ready() int {
	if p.Window == 0 {
		return p.N
	}
	return min(p.N, p.Folded+p.Window)
}

func (p *toy) Input(index int) json.RawMessage {
	if p.Window == 0 {
		return nil
	}
	return p.inputs[index]
}

func (p *toy) Add(j run.Job, data []byte) error {
	want := 65
	if p.File > 0 {
		want = p.File
	}
	if len(data) != want {
		return fmt.Errorf("job %d of toys: %d bytes, want %d", j.Index, len(data), want)
	}
	p.chain = sha256.Sum256(append(p.chain[:], data...))
	p.Folded++
	p.keep()
	return nil
}

func (p *toy) Done() bool { return p.Stop > 0 && p.Folded >= p.Stop }

func (p *toy) Text() string { return fmt.Sprintf("%d of %d, %x", p.Folded, p.N, p.chain[:8]) }

// toyAlone returns what one process alone makes of a run of toys.
func toyAlone(t testkit.T, m *run.Manifest) (text string, file []byte) {
	t.Helper()
	p := new(toy)
	testkit.Succeed(t, m.Read(p))
	p.Sleep = 0
	for i := 0; i < p.N && !p.Done(); i++ {
		j := run.Job{Run: m.ID(), Index: i, Input: p.Input(i)}
		data, _, err := p.Do(context.Background(), j, nil)
		testkit.Succeed(t, err)
		testkit.Succeed(t, p.Add(j, data))
		file = append(file, data...)
	}
	return p.Text(), file
}

// toyKind is "tabula-farm toy".
func toyKind() kind {
	return kind{
		name: "toy", version: 1, defaults: spec{Games: 100, Nodes: 30},
		empty: func(place) work { return new(toy) },
		flags: []string{"nodes", "pgn", "games"},
	}
}

func (p *toy) order(_ context.Context, s *spec, _ place) (title string, inputs [][]byte, err error) {
	p.N, p.Checked, p.File, p.Sleep = s.Games, 1, 300, time.Duration(s.Nodes)*time.Millisecond
	return "", nil, nil
}

func (p *toy) result(out io.Writer, _ run.Outcome) error {
	_, err := fmt.Fprintln(out, p.Text())
	return err
}
