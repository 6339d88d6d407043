package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
	"github.com/tabula-chess/tabula/work/launch"
)

// toy is a kind of work whose results are hashes, so that nothing but the jobs themselves can yield them. Its fold
// chains them, so that order, loss and double counting show.
type toy struct {
	Lag   int           `json:"lag"`   // > 0: a job depends on what was folded so many jobs before it
	Bytes int           `json:"bytes"` // of a result behind its hash
	Sleep time.Duration `json:"sleep"` // of a job
	Break int           `json:"break"` // > 0: the job with this index fails
	Input int           `json:"input"` // number of an input that goes into each job

	N    int       `json:"-"` // jobs
	Has  string    `json:"-"` // goes into each job: what there was when the run began
	Stop int       `json:"-"` // > 0: jobs after which the run is done
	Out  io.Writer `json:"-"` // receives the results; nil for none

	Wrong bool `json:"-"` // its workers come to something else

	chain  [32]byte
	before [][32]byte // chains when so many jobs had been folded
}

func toyType(version int) *work.Type {
	return &work.Type{Name: "toy", Version: version, New: func(work.Env) work.Kind { return new(toy) }}
}

func (t *toy) Check() error {
	t.before = make([][32]byte, 1)
	if t.Lag < 0 {
		return fmt.Errorf("lag %d: want 0 or more", t.Lag)
	}
	return nil
}

func (t *toy) Next(index int) ([]byte, error) {
	if index >= t.N {
		return nil, io.EOF
	}
	if t.Lag == 0 {
		return []byte(t.Has), nil
	}
	return bytes.Clone(t.before[max(0, index+1-t.Lag)][:]), nil
}

func (t *toy) Ready() int {
	if t.Lag == 0 {
		return t.N + 1
	}
	return t.folded() + t.Lag
}

func (t *toy) folded() int { return len(t.before) - 1 }

func (t *toy) Add(_ int, data []byte) error {
	if len(data) != 64+t.Bytes {
		return fmt.Errorf("a toy of %d bytes, want %d", len(data), 64+t.Bytes)
	}
	if _, err := hex.DecodeString(string(data[:64])); err != nil {
		return err
	}
	if t.Out != nil {
		if _, err := t.Out.Write(append(data[:64:64], '\n')); err != nil {
			return err
		}
	}
	t.chain = sha256.Sum256(append(t.chain[:], data...))
	t.before = append(t.before, t.chain)
	return nil
}

func (t *toy) Done() bool { return t.Stop > 0 && t.folded() >= t.Stop }

func (t *toy) Text() string { return fmt.Sprintf("%d toys, %x", t.folded(), t.chain[:8]) }

// toyWorker does toys.
type toyWorker struct {
	*toy
	in work.Inputs
}

func (t *toy) Open(_ context.Context, in work.Inputs) (work.JobWorker, error) {
	return toyWorker{t, in}, nil
}

func (w toyWorker) Close() {}

var errBroken = errors.New("a toy broke")

func (w toyWorker) Do(ctx context.Context, j work.Job) ([]byte, float64, error) {
	if w.Break > 0 && j.Index == w.Break {
		return nil, 0, errBroken
	}
	select {
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	case <-time.After(w.Sleep):
	}
	seed := j.Seed()
	text := append(seed[:], j.Input...)
	if w.Input > 0 {
		data, err := w.in(ctx, w.Input-1)
		if err != nil {
			return nil, 0, err
		}
		text = append(text, data...)
	}
	if w.Wrong {
		text = append(text, '!')
	}
	hash := sha256.Sum256(text)
	data := []byte(hex.EncodeToString(hash[:]))
	for len(data) < 64+w.Bytes { // which no store can pack
		hash = sha256.Sum256(hash[:])
		data = append(data, hash[:]...)
	}
	return data[:64+w.Bytes], 1, nil
}

// spec returns the spec of a run of toys.
func (t *toy) spec(tb kit.T, in ...[]byte) *work.Spec {
	tb.Helper()
	s, err := toyType(1).Spec(t, 0, work.Files(in).Sums()...)
	kit.Succeed(tb, err)
	return s
}

// alone returns what toys come to in one process without a farm.
func alone(tb kit.T, t toy, in ...[]byte) (text string, out []byte) {
	tb.Helper()
	var file bytes.Buffer
	k := t
	k.Sleep, k.Out = 0, &file
	kit.Succeed(tb, k.Check())
	kit.Succeed(tb, work.Run(context.Background(), t.spec(tb, in...), &k, work.Local(2),
		work.RunOptions{Inputs: work.Files(in).Get}))
	return k.Text(), file.Bytes()
}

// toyKind is "tabula-farm run toy".
func toyKind() launch.Kind {
	return launch.Kind{
		Name: "toy", Usage: "make toys", Type: toyType(1),
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", Value: 10}, &cli.IntFlag{Name: "bytes"}, &cli.IntFlag{Name: "lag"},
			&cli.DurationFlag{Name: "sleep"}, &cli.StringFlag{Name: "out"},
		},
		Task: func(_ context.Context, cmd *cli.Command, _ work.Env) (*launch.Task, error) {
			k := &toy{N: cmd.Int("jobs"), Bytes: cmd.Int("bytes"), Lag: cmd.Int("lag"), Sleep: cmd.Duration("sleep")}
			t := &launch.Task{Kind: k, Jobs: k.N, Done: k.folded,
				Print: func(out io.Writer) error { _, err := fmt.Fprintln(out, k.Text()); return err }}
			if name := cmd.String("out"); name != "" {
				out, err := work.OpenOutput(name)
				if err != nil {
					return nil, err
				}
				t.Output, k.Out = out, out
			}
			return t, nil
		},
	}
}
