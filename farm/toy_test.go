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

	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// toy are the parameters of a kind of work whose values are hashes, so that nothing but the
// jobs themselves can yield them.
type toy struct {
	Checked int           `json:"checked"` // run.Plan.Check
	Window  int           `json:"window"`  // > 0: a job depends on the fold this many jobs before it
	Stop    int           `json:"stop"`    // > 0: jobs after which the run has its verdict
	Stuck   bool          `json:"stuck"`   // jobs behind the verdict do not end
	Sleep   time.Duration `json:"sleep"`   // of a job
	File    int           `json:"file"`    // bytes of the file of each job, 0 for none
	Spin    int           `json:"spin"`    // hashes to compute
	N       int           `json:"n"`       // jobs
}

// Check returns nil.
func (p *toy) Check() error { return nil }

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

// plan is the plan of such a run.
type toyPlan struct{ toy }

// openToy returns the plan of a run of toys.
func openToy(m *run.Manifest) (*run.Plan, error) {
	p := new(toyPlan)
	err := m.Read(&p.toy)
	return &run.Plan{Check: p.Checked, Work: p.work, NewFold: p.newFold}, err
}

func (p *toyPlan) work(ctx context.Context, j run.Job, _ run.Inputs) (data []byte, units float64, err error) {
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

// fold chains the values, so that order, loss and double counting show.
type toyFold struct {
	run.Straight
	p      *toyPlan
	chain  [32]byte
	inputs []json.RawMessage
}

func (p *toyPlan) newFold() run.Fold {
	f := &toyFold{Straight: run.Straight{Jobs: p.N}, p: p}
	f.keep()
	return f
}

// keep keeps the input of jobs that have become ready.
func (f *toyFold) keep() {
	for f.p.Window > 0 && len(f.inputs) < f.Ready() {
		f.inputs = append(f.inputs, fmt.Appendf(nil, "%q", hex.EncodeToString(f.chain[:])))
	}
}

func (f *toyFold) Ready() int {
	if f.p.Window == 0 {
		return f.Jobs
	}
	return min(f.Jobs, f.Folded+f.p.Window)
}

func (f *toyFold) Input(index int) (json.RawMessage, error) {
	if f.p.Window == 0 {
		return nil, nil
	}
	return f.inputs[index], nil
}

func (f *toyFold) Add(index int, data []byte) error {
	want := 65
	if f.p.File > 0 {
		want = f.p.File
	}
	if len(data) != want {
		return fmt.Errorf("job %d of toys: %d bytes, want %d", index, len(data), want)
	}
	f.chain = sha256.Sum256(append(f.chain[:], data...))
	f.Folded++
	f.keep()
	return nil
}

func (f *toyFold) Done() bool { return f.Straight.Done() || f.p.Stop > 0 && f.Folded >= f.p.Stop }

func (f *toyFold) Text() string { return fmt.Sprintf("%d of %d, %x", f.Folded, f.Jobs, f.chain[:8]) }

// toyAlone returns what one process alone makes of a run of toys.
func toyAlone(t testkit.T, m *run.Manifest) (text string, file []byte) {
	t.Helper()
	p := new(toyPlan)
	testkit.Succeed(t, m.Read(&p.toy))
	p.Sleep = 0
	f := p.newFold()
	for i := 0; !f.Done(); i++ {
		input, err := f.Input(i)
		testkit.Succeed(t, err)
		data, _, err := p.work(context.Background(), run.Job{Run: m.ID(), Index: i, Input: input}, nil)
		testkit.Succeed(t, err)
		testkit.Succeed(t, f.Add(i, data))
		file = append(file, data...)
	}
	return f.Text(), file
}

// toyKind is "farm toy".
func toyKind() kind {
	return kind{
		name: "toy", version: 1, defaults: spec{Games: 100, Nodes: 30},
		open:  func(m *run.Manifest, _ place) (*run.Plan, error) { return openToy(m) },
		flags: []string{"nodes", "pgn", "games"},
		order: func(_ context.Context, s *spec, _ place) (*order, error) {
			return &order{
				params: &toy{N: s.Games, Checked: 1, File: 300, Sleep: time.Duration(s.Nodes) * time.Millisecond},
				finish: func(out io.Writer, st run.Outcome) error { _, err := fmt.Fprintln(out, st.Fold.Text()); return err },
			}, nil
		},
	}
}
