// Package annotate is the kind of run that reviews games. A job is a few games at fixed
// nodes; what it comes to is the text that tabula annotate writes of them, the same byte
// for byte on every machine whose engine has the same bench. One job in fifty is done by
// two machines.
//
// The games of a job are an input of the run, so neither owner nor hub nor workers hold all
// games in memory.
package annotate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/uci"
)

// Kind is the name of this kind of run.
const Kind = "annotate"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// repeated is the number of jobs of which two machines do one.
const repeated = 50

// Params are the parameters of a run. Its inputs are the texts of its jobs, in their order.
type Params struct {
	Nodes uint64 `json:"nodes"` // of each position
	Games []int  `json:"games"` // of each job, bad ones counted
}

// Split reads games and hands out the texts of jobs: each has a number of games and of bytes
// at least, but for the last one.
func Split(r io.Reader, least int, bytesLeast int64, do func(text []byte, games int) error) error {
	var text bytes.Buffer
	reader := pgn.NewReader(io.TeeReader(r, &text))
	games, begin := 0, int64(0)
	end := func() error {
		n := reader.InputOffset() - begin
		begin += n
		err := do(bytes.Clone(text.Next(int(n))), games)
		games = 0
		return err
	}
	for _, err := range reader.Games() {
		if bad := (*pgn.Error)(nil); err != nil && !errors.As(err, &bad) {
			return err
		}
		if games++; games >= least && reader.InputOffset()-begin >= bytesLeast {
			if err := end(); err != nil {
				return err
			}
		}
	}
	if games > 0 {
		return end()
	}
	return nil
}

// Check returns an error that names the first parameter out of range.
func (p *Params) Check() error {
	limits := review.Limits{Nodes: p.Nodes}
	if err := limits.Check(); err != nil {
		return fmt.Errorf("nodes: %w", err)
	}
	if len(p.Games) == 0 {
		return errors.New("there are no games")
	}
	for i, n := range p.Games {
		if n < 1 {
			return fmt.Errorf("job %d: %d games", i, n)
		}
	}
	return nil
}

// Jobs returns the number of jobs.
func (p *Params) Jobs() int { return len(p.Games) }

// Open returns the plan of a manifest.
func Open(m *run.Manifest) (*Plan, error) {
	p := &Plan{inputs: m.Inputs}
	err := m.Read(&p.Params)
	if err == nil && len(p.inputs) != len(p.Games) {
		err = fmt.Errorf("annotate: %d inputs, want one for each of %d jobs", len(p.inputs), len(p.Games))
	}
	return p, err
}

// Plan is a run as its workers and folders see it.
type Plan struct {
	Params
	inputs []string
}

// Copies returns 1, and 2 for one job in fifty.
func (p *Plan) Copies(index int) int { return run.OneIn(repeated, index) }

// value is what a job comes to.
type value struct {
	Games int `json:"games"`
	Bad   int `json:"bad"` // of them, those that could not be read
}

// Work reviews the games of a job.
func (p *Plan) Work(ctx context.Context, j run.Job, in run.Inputs) (out run.Output, err error) {
	text, err := in.Get(ctx, p.inputs[j.Index])
	if err != nil {
		return out, err
	}
	bad := 0
	for _, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		if err != nil {
			bad++
		}
	}
	tables, err := syzygy.Open()
	if err != nil {
		return out, err
	}
	defer tables.Close()
	var reviewed bytes.Buffer
	err = annotate.Run(ctx, annotate.Settings{
		Files: []string{annotate.Stdio}, In: bytes.NewReader(text), Out: annotate.Stdio, Stdout: &reviewed, Err: io.Discard,
		Limits: review.Limits{Nodes: p.Nodes}, Threads: 1, Hash: uci.DefaultHash, Tables: tables,
	})
	if err != nil && (bad == 0 || !errors.Is(err, annotate.ErrUnread)) {
		return out, err
	}
	games := p.Games[j.Index]
	out.File, out.Units = reviewed.Bytes(), float64(games)
	out.Value, err = json.Marshal(&value{games, bad})
	return out, err
}

// CheckFile reports what is wrong with the text of a job: it must hold as many games as the
// value says.
func (p *Plan) CheckFile(r *run.Result, text []byte) error {
	var v value
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return err
	}
	n := 0
	for range pgn.NewReader(bytes.NewReader(text)).Games() {
		n++
	}
	if n != v.Games {
		return fmt.Errorf("%d games, counted as %d", n, v.Games)
	}
	return nil
}

// Fold counts games.
type Fold struct {
	run.Straight
	Games, Bad int

	params *Params
}

// NewFold returns a fold with nothing in it.
func (p *Plan) NewFold() run.Fold {
	return &Fold{Straight: run.Straight{Jobs: p.Jobs()}, params: &p.Params}
}

// Add counts the games of a job.
func (f *Fold) Add(index int, text json.RawMessage) error {
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if want := f.params.Games[index]; v.Games != want || v.Bad < 0 || v.Bad > want {
		return fmt.Errorf("annotate: job %d: %d games, %d bad; want %d", index, v.Games, v.Bad, want)
	}
	f.Games += v.Games
	f.Bad += v.Bad
	f.Count()
	return nil
}

// Numbers returns the games.
func (f *Fold) Numbers() []run.Number {
	return []run.Number{{Name: "games", Value: float64(f.Games)}}
}

// Text returns how far the run is.
func (f *Fold) Text() string {
	text := fmt.Sprintf("%d games in %d jobs of %d", f.Games, f.Folded, f.Jobs)
	if f.Bad > 0 {
		text += fmt.Sprintf(", %d could not be read", f.Bad)
	}
	return text
}
