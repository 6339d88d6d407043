// Package games is the kind of run that imports games into a database. A job is a shard of
// the PGN text; what it comes to is a segment, a sorted run of the shard's positions with
// its games, the same byte for byte on every machine. The owner's database takes the
// segments in their order, without those of their games that it has. One job in fifty is
// done by two machines.
package games

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Kind is the name of this kind of run.
const Kind = "games"

// Version changes when jobs of the same parameters come to other values.
const Version = 2

const (
	repeated  = 50       // jobs of which two machines do one
	pieceSize = 16 << 20 // bytes of text in an input, about
	jobs      = 64       // that a run is cut into, if its shards do not become too large
	maxPieces = 64       // of a shard: 1 GiB, or 1.4 million games; a segment holds 4.2 million
)

// Params are the parameters of a run.
type Params struct {
	PerShard int      `json:"pershard"` // pieces
	Pieces   []string `json:"pieces"`   // hashes of the inputs, in the order of the text
}

// NewParams returns the parameters for pieces.
func NewParams(pieces []string) *Params {
	return &Params{min(max(1, len(pieces)/jobs), maxPieces), pieces}
}

// Check returns an error that names the first parameter out of range.
func (p *Params) Check() error {
	if p.PerShard < 1 || p.PerShard > maxPieces {
		return fmt.Errorf("pieces of a shard %d: want 1 to %d", p.PerShard, maxPieces)
	}
	if len(p.Pieces) == 0 {
		return errors.New("there are no games")
	}
	return nil
}

// Jobs returns the number of jobs.
func (p *Params) Jobs() int { return (len(p.Pieces) + p.PerShard - 1) / p.PerShard }

// Split hands out a text in pieces, cut between games.
func Split(r io.Reader, do func(text []byte) error) error { return split(r, pieceSize, do) }

func split(r io.Reader, size int64, do func(text []byte) error) error {
	var text bytes.Buffer
	begin := int64(0)
	for part := range pgn.Parts(io.TeeReader(r, &text)) {
		if n := part.Offset - begin; n >= size {
			if err := do(bytes.Clone(text.Next(int(n)))); err != nil {
				return err
			}
			begin = part.Offset
		}
	}
	if _, err := io.Copy(&text, r); err != nil || text.Len() == 0 {
		return err
	}
	return do(text.Bytes())
}

// Plan is a run as its workers and folders see it.
type Plan struct{ Params }

// Open returns the plan of a manifest.
func Open(m *run.Manifest) (*Plan, error) {
	p := new(Plan)
	return p, m.Read(&p.Params)
}

// Copies returns 1, and 2 for one job in fifty.
func (p *Plan) Copies(index int) int { return run.OneIn(repeated, index) }

// value is what a job comes to.
type value struct {
	Games    int `json:"games"`
	Repeated int `json:"repeated"` // in the shard
	Bad      int `json:"bad"`      // that could not be read
}

// Work makes the segment of a shard.
func (p *Plan) Work(ctx context.Context, j run.Job, in run.Inputs) (out run.Output, err error) {
	if j.Index >= p.Jobs() {
		return out, fmt.Errorf("job %d of %d", j.Index, p.Jobs())
	}
	dir, err := os.MkdirTemp("", "tabula-shard-")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	db, err := games.Update(dir)
	if err != nil {
		return out, err
	}
	from := j.Index * p.PerShard
	text := pieces(ctx, in, p.Pieces[from:min(from+p.PerShard, len(p.Pieces))])
	defer text.Close()
	done, err := db.Import(ctx, games.Source{Name: fmt.Sprintf("shard %d", j.Index), PGN: text, Batch: math.MaxInt})
	if err = errors.Join(err, db.Close()); err != nil {
		return out, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "segment-*")) // none where there is no game
	if len(names) > 1 {
		return out, fmt.Errorf("shard %d: too many games for a segment", j.Index)
	}
	for _, name := range names {
		segment, err := os.ReadFile(name)
		if err != nil {
			return out, err
		}
		out.Files = slices.Collect(slices.Chunk(segment, run.MaxArtefact))
	}
	out.Units = float64(done.Games)
	if err == nil {
		out.Value, err = json.Marshal(&value{done.Games, done.Repeated, done.Bad})
	}
	return out, err
}

// pieces returns inputs one after the other, until it is closed.
func pieces(ctx context.Context, in run.Inputs, sums []string) io.ReadCloser {
	r, w := io.Pipe()
	go func() {
		for _, sum := range sums {
			text, err := in.Get(ctx, sum)
			if err == nil {
				_, err = w.Write(text)
			}
			if err != nil {
				w.CloseWithError(err)
				return
			}
		}
		w.Close()
	}()
	return r
}

// Keep returns what adds the segments of jobs to the database in a directory.
func Keep(dir string) run.Keep {
	return func(ctx context.Context, r *run.Result, get func(context.Context, run.Artefact) ([]byte, error)) error {
		if len(r.Files) == 0 {
			return nil
		}
		db, err := games.Update(dir)
		if err != nil {
			return err
		}
		_, err = db.Adopt(ctx, fmt.Sprintf("job %d of %s", r.Index, r.Run), func(w io.Writer) error {
			for _, a := range r.Files {
				data, err := get(ctx, a)
				if err == nil {
					_, err = w.Write(data)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if errors.Is(err, games.ErrDamaged) {
			err = run.Refused(err)
		}
		return errors.Join(err, db.Close())
	}
}

// Fold counts games.
type Fold struct {
	run.Straight
	Games, Repeated, Bad int
}

// NewFold returns a fold with nothing in it.
func (p *Plan) NewFold() run.Fold { return &Fold{Straight: run.Straight{Jobs: p.Jobs()}} }

// Add counts the games of a job.
func (f *Fold) Add(index int, text json.RawMessage) error {
	var v value
	if err := json.Unmarshal(text, &v); err != nil {
		return err
	}
	if v.Games < 0 || v.Repeated < 0 || v.Bad < 0 {
		return fmt.Errorf("job %d: %+v", index, v)
	}
	f.Games, f.Repeated, f.Bad = f.Games+v.Games, f.Repeated+v.Repeated, f.Bad+v.Bad
	f.Count()
	return nil
}

// Numbers returns the games.
func (f *Fold) Numbers() []run.Number {
	return []run.Number{{Name: "games", Value: float64(f.Games)}}
}

// Text returns how far the run is.
func (f *Fold) Text() string {
	return fmt.Sprintf("%d games of %d shards of %d, %d repeated in theirs, %d could not be read", f.Games, f.Folded, f.Jobs, f.Repeated, f.Bad)
}
