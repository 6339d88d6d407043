package runtest

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Toy are the parameters of a kind of work whose values are hashes, so that nothing but the
// jobs themselves can yield them.
type Toy struct {
	Copies int           `json:"copies"` // 0 for one
	Window int           `json:"window"` // > 0: a job depends on the fold this many jobs before it
	Stop   int           `json:"stop"`   // > 0: jobs after which the run has its verdict
	Stuck  bool          `json:"stuck"`  // jobs behind the verdict do not end
	Sleep  time.Duration `json:"sleep"`  // of a job
	File   int           `json:"file"`   // bytes of the file of each job, 0 for none
	Spin   int           `json:"spin"`   // hashes to compute
	Took   float64       `json:"took"`   // seconds of a job in virtual time
	Clock  bool          `json:"clock"`  // jobs need a core of their own
	N      int           `json:"n"`      // jobs
}

// Check returns nil.
func (p *Toy) Check() error { return nil }

// Jobs returns N.
func (p *Toy) Jobs() int { return p.N }

// Copies returns Toy.Copies, at least one.
func (p *plan) Copies(int) int { return max(1, p.Toy.Copies) }

// NewToy returns the manifest of a run of toys.
func NewToy(t must.T, jobs int, seed uint64, p Toy) *run.Manifest {
	t.Helper()
	p.N = jobs
	return Manifest(t, "toy", 1, seed, &p)
}

// plan is the plan of such a run.
type plan struct{ Toy }

// OpenToy returns the plan of a run of toys.
func OpenToy(m *run.Manifest) (run.Plan, error) {
	p := new(plan)
	return p, m.Read(&p.Toy)
}

func (p *plan) Timed() bool { return p.Clock }

func (p *plan) Work(ctx context.Context, j run.Job, _ run.Inputs) (out run.Output, err error) {
	if p.Stuck && j.Index >= p.Stop {
		<-ctx.Done()
		return out, ctx.Err()
	}
	if p.Sleep > 0 {
		select {
		case <-ctx.Done():
			return out, ctx.Err()
		case <-time.After(p.Sleep):
		}
	}
	seed := j.Seed()
	hash := sha256.Sum256(append(seed[:], j.Input...))
	for range p.Spin {
		hash = sha256.Sum256(hash[:])
	}
	if p.File > 0 {
		file := make([]byte, p.File)
		for i := 0; i < len(file); i += 8 {
			copy(file[i:], hash[i/8%24:])
		}
		binary.LittleEndian.PutUint32(file, uint32(j.Index))
		out.Files = [][]byte{file}
	}
	out.Units = 1
	out.Value, err = json.Marshal(hex.EncodeToString(hash[:]))
	return out, err
}

// fold chains the values, so that order, loss and double counting show.
type fold struct {
	run.Straight
	p      *plan
	chain  [32]byte
	inputs []json.RawMessage
}

func (p *plan) NewFold() run.Fold {
	f := &fold{Straight: run.Straight{Jobs: p.N}, p: p}
	f.keep()
	return f
}

// keep keeps the input of jobs that have become ready.
func (f *fold) keep() {
	for f.p.Window > 0 && len(f.inputs) < f.Ready() {
		f.inputs = append(f.inputs, fmt.Appendf(nil, "%q", hex.EncodeToString(f.chain[:])))
	}
}

func (f *fold) Ready() int {
	if f.p.Window == 0 {
		return f.Jobs
	}
	return min(f.Jobs, f.Folded+f.p.Window)
}

func (f *fold) Input(index int) (json.RawMessage, error) {
	if f.p.Window == 0 {
		return nil, nil
	}
	return f.inputs[index], nil
}

func (f *fold) Add(_ int, value json.RawMessage) error {
	f.chain = sha256.Sum256(append(f.chain[:], value...))
	f.Count()
	f.keep()
	return nil
}

func (f *fold) Done() bool { return f.Straight.Done() || f.p.Stop > 0 && f.Folded >= f.p.Stop }

func (f *fold) Numbers() []run.Number {
	return []run.Number{{Name: "folded", Value: float64(f.Folded)}}
}

func (f *fold) Text() string { return fmt.Sprintf("%d of %d, %x", f.Folded, f.Jobs, f.chain[:8]) }

// ToyAlone returns what one process alone makes of a run of toys.
func ToyAlone(t must.T, m *run.Manifest) string {
	t.Helper()
	p := new(plan)
	must.Succeed(t, m.Read(&p.Toy))
	p.Sleep = 0
	return Alone(t, m, p).Text()
}
