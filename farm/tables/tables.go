// Package tables is the kind of run that makes endgame tables. A job is an ending; its
// files are those that train tables writes, and two machines do it.
//
// The endings are in stages, by their men and pawns: one is solved when those that captures
// and promotions lead to are. Their values stay on the disks of the workers, in files named
// by their hash. A worker that has not got one solves it again, and it must have that hash.
package tables

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/syzygy/encode"
	"github.com/tabula-chess/tabula/syzygy/retro"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Kind is the name of this kind of run.
const Kind = "tables"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// MaxMen bounds the men of an ending.
const MaxMen = 5

// Params are the parameters of a run.
type Params struct {
	Men int `json:"men"` // kings included; all endings from three men on are made
}

// Check returns an error that names the first parameter out of range.
func (p *Params) Check() error {
	if p.Men < 3 || p.Men > MaxMen {
		return fmt.Errorf("men %d: want 3 to %d", p.Men, MaxMen)
	}
	return nil
}

// Jobs returns the number of endings.
func (p *Params) Jobs() int { return len(endings(p.Men)) }

// endings returns the names of endings, those first that others need.
func endings(men int) (all []string) {
	for n := 3; n <= men; n++ {
		all = append(all, retro.Names(n)...)
	}
	return all
}

// Plan is a run as its workers and folders see it.
type Plan struct {
	names  []string
	stages []int // for each ending the number of endings up to the end of its stage
	dir    string

	solving sync.Mutex // an ending is solved on all cores, and takes much memory
}

// Open returns the plan of a manifest, for workers that keep the values of endings below a
// directory.
func Open(m *run.Manifest, dir string) (*Plan, error) {
	var q Params
	if err := m.Read(&q); err != nil {
		return nil, err
	}
	p := &Plan{names: endings(q.Men), dir: dir}
	p.stages = make([]int, len(p.names))
	for i := len(p.names) - 1; i >= 0; i-- {
		if p.stages[i] = i + 1; i+1 < len(p.names) && stage(p.names[i]) == stage(p.names[i+1]) {
			p.stages[i] = p.stages[i+1]
		}
	}
	return p, nil
}

// stage returns the men and pawns of an ending.
func stage(name string) [2]int { return [2]int{len(name) - 1, strings.Count(name, "P")} }

// Copies returns 2.
func (p *Plan) Copies(int) int { return 2 }

// value is what a job comes to.
type value struct {
	Ending string `json:"ending"`
	Shard  string `json:"shard"` // hash of the values
}

// Work solves an ending. Its input holds the hashes of the values of those it needs.
func (p *Plan) Work(ctx context.Context, j run.Job, _ run.Inputs) (out run.Output, err error) {
	var shards map[string]string
	if err := json.Unmarshal(j.Input, &shards); err != nil {
		return out, fmt.Errorf("input of job %d: %w", j.Index, err)
	}
	p.solving.Lock()
	defer p.solving.Unlock()
	s, name := retro.NewSolver(), p.names[j.Index]
	for needed, sum := range shards {
		if err := p.load(ctx, s, needed, sum); err != nil {
			return out, fmt.Errorf("ending %s, which %s needs: %w", needed, name, err)
		}
	}
	e, err := s.Solve(ctx, name)
	if err != nil {
		return out, err
	}
	v := value{Ending: name}
	if v.Shard, err = p.store(e); err != nil {
		return out, err
	}
	out.Files = [][]byte{encode.WDL(s, e), encode.DTZ(s, e)}
	out.Units = float64(e.Positions())
	out.Value, err = json.Marshal(&v)
	return out, err
}

// shard returns the name of the file of the values with a hash.
func (p *Plan) shard(sum string) string { return filepath.Join(p.dir, sum+".values.gz") }

// load gives a solver the values of an ending that have a hash.
func (p *Plan) load(ctx context.Context, s *retro.Solver, name, sum string) error {
	err := p.read(s, name, sum)
	if err == nil {
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		err = errors.Join(err, os.Remove(p.shard(sum))) // damaged, it is made anew
	}
	other := retro.NewSolver() // which forgets what only this ending needs
	e, solveErr := other.Solve(ctx, name)
	if solveErr != nil {
		return solveErr
	}
	got, storeErr := p.store(e)
	if storeErr != nil {
		return errors.Join(err, storeErr)
	}
	if got != sum {
		return fmt.Errorf("its values have the hash %s here, %s elsewhere", got, sum)
	}
	return p.read(s, name, sum)
}

// read reads the values of an ending from the disk.
func (p *Plan) read(s *retro.Solver, name, sum string) error {
	f, err := os.Open(p.shard(sum))
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	h := sha256.New()
	if _, err := s.Read(name, io.TeeReader(z, h)); err != nil {
		return err
	}
	if got := hex.EncodeToString(h.Sum(nil)); got != sum {
		return fmt.Errorf("%s: its hash is %s", f.Name(), got)
	}
	return nil
}

// store writes the values of an ending to the disk and returns their hash.
func (p *Plan) store(e *retro.Ending) (sum string, err error) {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(p.dir, "values-")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return "", errors.Join(err, f.Close())
	}
	var h hash.Hash = sha256.New()
	_, err = e.WriteTo(io.MultiWriter(z, h))
	if err = errors.Join(err, z.Close(), f.Sync(), f.Close()); err != nil {
		return "", err
	}
	sum = hex.EncodeToString(h.Sum(nil))
	return sum, os.Rename(f.Name(), p.shard(sum))
}

// Keep returns what writes the files of each ending into a directory.
func Keep(dir string) run.Keep {
	return func(ctx context.Context, r *run.Result, get func(context.Context, run.Artefact) ([]byte, error)) error {
		var v value
		if err := json.Unmarshal(r.Value, &v); err != nil {
			return run.Refused(err)
		}
		if len(r.Files) != 2 || !slices.Contains(endings(MaxMen), v.Ending) {
			return run.Refused(fmt.Errorf("%d files of %q, want two", len(r.Files), v.Ending))
		}
		for i, a := range r.Files {
			name := filepath.Join(dir, v.Ending+[...]string{".rtbw", ".rtbz"}[i])
			if old, err := os.ReadFile(name); err == nil && link.Sum(old) == a.Sum {
				continue
			}
			data, err := get(ctx, a)
			if err == nil {
				err = files.Write(name, data)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// Fold gathers the hashes of the endings' values.
type Fold struct {
	run.Straight
	plan   *Plan
	shards map[string]string // by ending
}

// NewFold returns a fold with nothing in it.
func (p *Plan) NewFold() run.Fold {
	return &Fold{Straight: run.Straight{Jobs: len(p.names)}, plan: p, shards: map[string]string{}}
}

// Ready returns the number of endings up to the end of the stage that is at work.
func (f *Fold) Ready() int { return f.plan.stages[min(f.Folded, f.Jobs-1)] }

// Input returns the hashes of the values that an ending needs, all of earlier stages.
func (f *Fold) Input(index int) (json.RawMessage, error) {
	needs, err := retro.Needs(f.plan.names[index])
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, name := range needs {
		if sums[name] = f.shards[name]; sums[name] == "" {
			return nil, fmt.Errorf("tables: %s needs %s, which is not folded", f.plan.names[index], name)
		}
	}
	return json.Marshal(sums)
}

// Add takes an ending.
func (f *Fold) Add(index int, text json.RawMessage) error {
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if sum, err := hex.DecodeString(v.Shard); v.Ending != f.plan.names[index] || err != nil || len(sum) != sha256.Size {
		return fmt.Errorf("tables: job %d: ending %q with the values %q: want %s", index, v.Ending, v.Shard, f.plan.names[index])
	}
	f.shards[v.Ending] = v.Shard
	f.Count()
	return nil
}

// Numbers returns the endings.
func (f *Fold) Numbers() []run.Number {
	return []run.Number{{Name: "endings", Value: float64(f.Folded)}}
}

// Text returns how far the run is.
func (f *Fold) Text() string { return fmt.Sprintf("%d endings of %d", f.Folded, f.Jobs) }
