// Package annotate is the kind of run that reviews games. A job is a few games at fixed nodes; what it comes to is
// the text that tabula annotate writes of them, the same byte for byte on every machine whose engine has the same
// bench. One job in fifty is done by two machines.
package annotate

import (
	"bytes"
	"context"
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

// Split divides the games of a text into the texts of jobs: each has a number of games and of bytes at least, but for
// the last one.
func (p *Params) Split(text []byte, least, bytesLeast int) (parts [][]byte, err error) {
	reader := pgn.NewReader(bytes.NewReader(text))
	games, begin := 0, 0
	end := func(at int) {
		p.Games, parts = append(p.Games, games), append(parts, text[begin:at])
		games, begin = 0, at
	}
	for _, err := range reader.Games() {
		if bad := (*pgn.Error)(nil); err != nil && !errors.As(err, &bad) {
			return nil, err
		}
		at := int(reader.InputOffset())
		if games++; games >= least && at-begin >= bytesLeast {
			end(at)
		}
	}
	if games > 0 {
		end(len(text))
	}
	return parts, nil
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
func Open(m *run.Manifest) (*run.Plan, error) {
	p, inputs := new(Params), m.Inputs
	err := m.Read(p)
	if err == nil && len(inputs) != len(p.Games) {
		err = fmt.Errorf("annotate: %d inputs, want one for each of %d jobs", len(inputs), len(p.Games))
	}
	return &run.Plan{
		Check: repeated,
		Work: func(ctx context.Context, j run.Job, in run.Inputs) ([]byte, float64, error) {
			text, err := in.Get(ctx, inputs[j.Index])
			if err != nil {
				return nil, 0, err
			}
			data, err := reviewed(ctx, p.Nodes, text)
			return data, float64(p.Games[j.Index]), err
		},
		NewFold: func() run.Fold { return &Fold{Straight: run.Straight{Jobs: p.Jobs()}, params: p} },
	}, err
}

func reviewed(ctx context.Context, nodes uint64, text []byte) ([]byte, error) {
	tables, err := syzygy.Open()
	if err != nil {
		return nil, err
	}
	defer tables.Close()
	var out bytes.Buffer
	err = annotate.Run(ctx, annotate.Settings{
		Files: []string{annotate.Stdio}, In: bytes.NewReader(text), Out: annotate.Stdio, Stdout: &out, Err: io.Discard,
		Limits: review.Limits{Nodes: nodes}, Threads: 1, Hash: uci.DefaultHash, Tables: tables,
	})
	if _, bad := count(text); bad > 0 && errors.Is(err, annotate.ErrUnread) {
		err = nil // such games are copied as they are
	}
	return out.Bytes(), err
}

// count returns the number of games of a text, and how many of them cannot be read.
func count(text []byte) (games, bad int) {
	for _, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		if games++; err != nil {
			bad++
		}
	}
	return games, bad
}

// Fold counts games.
type Fold struct {
	run.Straight
	Games, Bad int

	params *Params
}

// Add counts the games of a job.
func (f *Fold) Add(index int, text []byte) error {
	games, bad := count(text)
	if want := f.params.Games[index]; games != want {
		return fmt.Errorf("annotate: job %d: %d games, want %d", index, games, want)
	}
	f.Games, f.Bad, f.Folded = f.Games+games, f.Bad+bad, f.Folded+1
	return nil
}

// Text describes how far the run is.
func (f *Fold) Text() string {
	text := fmt.Sprintf("%d games in %d jobs of %d", f.Games, f.Folded, f.Jobs)
	if f.Bad > 0 {
		text += fmt.Sprintf(", %d could not be read", f.Bad)
	}
	return text
}
