// Package annotate is the kind of run that reviews games. A job is a few games at fixed
// nodes; what it comes to is the text that tabula annotate writes of them, the same byte
// for byte on every machine whose engine has the same bench. One job in fifty is done by
// two machines.
//
// The games travel in chunks of some megabytes, whose hashes are in the run's parameters,
// so neither owner nor hub nor workers hold all of them in memory.
package annotate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"
	"sync"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// Kind is the name of this kind of run.
const Kind = "annotate"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// repeated is the number of jobs of which two machines do one.
const repeated = 50

// chunkSize is how long a chunk becomes before another one begins.
const chunkSize = 4 << 20

// Chunk is a part of the games, stored as an input.
type Chunk struct {
	Sum   string `json:"sum"`   // SHA-256, hexadecimal
	Games int    `json:"games"` // bad ones counted
}

// Params are the parameters of a run.
type Params struct {
	Nodes  uint64  `json:"nodes"`  // of each position
	PerJob int     `json:"perjob"` // games
	Chunks []Chunk `json:"chunks"`
}

// Split reads games and hands them out in chunks, in their order.
func Split(r io.Reader, do func(text []byte, c Chunk) error) error {
	var text bytes.Buffer
	reader := pgn.NewReader(io.TeeReader(r, &text))
	games, begin := 0, int64(0)
	end := func() error {
		n := reader.InputOffset() - begin
		begin += n
		part := bytes.Clone(text.Next(int(n)))
		sum := sha256.Sum256(part)
		c := Chunk{hex.EncodeToString(sum[:]), games}
		games = 0
		return do(part, c)
	}
	for _, err := range reader.Games() {
		if bad := (*pgn.Error)(nil); err != nil && !errors.As(err, &bad) {
			return err
		}
		if games++; reader.InputOffset()-begin >= chunkSize {
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
	if p.PerJob < 1 {
		return fmt.Errorf("games of a job %d: want 1 or more", p.PerJob)
	}
	if len(p.Chunks) == 0 {
		return errors.New("there are no games")
	}
	for i, c := range p.Chunks {
		if c.Games < 1 {
			return fmt.Errorf("chunk %d: %d games", i, c.Games)
		}
	}
	return nil
}

// jobs returns the number of jobs of a chunk.
func (p *Params) jobs(c Chunk) int { return (c.Games + p.PerJob - 1) / p.PerJob }

// Jobs returns the number of jobs.
func (p *Params) Jobs() (n int) {
	for _, c := range p.Chunks {
		n += p.jobs(c)
	}
	return n
}

// Open returns the plan of a manifest.
func Open(m *run.Manifest) (*Plan, error) {
	p := new(Plan)
	if err := m.Read(&p.Params); err != nil {
		return nil, err
	}
	first := 0
	for _, c := range p.Chunks {
		p.firsts = append(p.firsts, first)
		first += p.jobs(c)
		p.games += c.Games
	}
	return p, nil
}

// Plan is a run as its workers and folders see it.
type Plan struct {
	Params
	games  int
	firsts []int // first job of each chunk

	mu   sync.Mutex
	text []byte // of the chunk that was last read
	sum  string
}

// Copies returns 1, and 2 for one job in fifty.
func (p *Plan) Copies(index int) int { return run.OneIn(repeated, index) }

// value is what a job comes to.
type value struct {
	Games int `json:"games"`
	Bad   int `json:"bad"` // of them, those that could not be read
}

// place returns the chunk of a job, and the games of it from and to which it reaches.
func (p *Plan) place(index int) (chunk, from, to int) {
	chunk = sort.SearchInts(p.firsts, index+1) - 1
	from = (index - p.firsts[chunk]) * p.PerJob
	return chunk, from, min(from+p.PerJob, p.Chunks[chunk].Games)
}

// Work reviews the games of a job.
func (p *Plan) Work(ctx context.Context, j run.Job, in run.Inputs) (out run.Output, err error) {
	chunk, from, to := p.place(j.Index)
	text, err := p.chunk(ctx, p.Chunks[chunk].Sum, in)
	if err != nil {
		return out, err
	}
	text, bad, err := part(text, from, to)
	if err != nil {
		return out, fmt.Errorf("chunk %d: %w", chunk, err)
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
	out.Files, out.Units = [][]byte{reviewed.Bytes()}, float64(to-from)
	out.Value, err = json.Marshal(&value{to - from, bad})
	return out, err
}

// chunk returns a chunk. Jobs that follow each other are of the same one.
func (p *Plan) chunk(ctx context.Context, sum string, in run.Inputs) ([]byte, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sum == sum {
		return p.text, nil
	}
	text, err := in.Get(ctx, sum)
	if err == nil {
		p.text, p.sum = text, sum
	}
	return text, err
}

// part returns the text of some of the games, and how many of these are bad.
func part(text []byte, from, to int) (games []byte, bad int, err error) {
	r := pgn.NewReader(bytes.NewReader(text))
	n, begin, end := 0, int64(0), int64(0)
	for _, err := range r.Games() {
		if n >= from && n < to && err != nil {
			bad++
		}
		if n++; n == from {
			begin = r.InputOffset()
		}
		if n == to {
			end = r.InputOffset()
			break
		}
	}
	if n < to {
		return nil, 0, fmt.Errorf("%d games, want at least %d", n, to)
	}
	return text[begin:end], bad, nil
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

	plan *Plan
}

// NewFold returns a fold with nothing in it.
func (p *Plan) NewFold() run.Fold { return &Fold{Straight: run.Straight{Jobs: p.Jobs()}, plan: p} }

// Add counts the games of a job.
func (f *Fold) Add(index int, text json.RawMessage) error {
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	_, from, to := f.plan.place(index)
	if v.Games != to-from || v.Bad < 0 || v.Bad > v.Games {
		return fmt.Errorf("annotate: job %d: %d games, %d bad; want %d", index, v.Games, v.Bad, to-from)
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
	text := fmt.Sprintf("%d games of %d", f.Games, f.plan.games)
	if f.Bad > 0 {
		text += fmt.Sprintf(", %d could not be read", f.Bad)
	}
	return text
}
