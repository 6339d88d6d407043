package work

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
)

// toy is a kind of work whose results are hashes, so that nothing but the jobs themselves can yield them. Its fold
// chains them, so that order, loss and double counting show.
type toy struct {
	Lag int `json:"lag"` // > 0: a job depends on what was folded this many jobs before it

	N      int           `json:"-"` // jobs
	Stop   int           `json:"-"` // > 0: jobs after which the run is done
	Stuck  int           `json:"-"` // > 0: the job with this index does not end by itself
	Sleep  time.Duration `json:"-"` // of a job, at most
	Fails  error         `json:"-"` // of the job with index 3
	Refuse bool          `json:"-"` // the fold refuses what the job with index 3 comes to

	chain  [32]byte
	before [][]byte // chains when so many jobs had been folded
	folded []int
}

var toys = Type{Name: "toy", Version: 1, Exact: true, New: func(Env) Kind { return new(toy) }}

var errToy = errors.New("a toy broke")

func (t *toy) Check() error {
	t.before = [][]byte{make([]byte, 32)}
	if t.Lag < 0 {
		return fmt.Errorf("lag %d: want 0 or more", t.Lag)
	}
	return nil
}

func (t *toy) Open(context.Context, Inputs) (JobWorker, error) { return toyWorker{t}, nil }

func (t *toy) Next(index int) ([]byte, error) {
	if index >= t.N {
		return nil, io.EOF
	}
	if t.Lag == 0 {
		return nil, nil
	}
	return t.before[max(0, index+1-t.Lag)], nil
}

func (t *toy) Ready() int {
	if t.Lag == 0 {
		return t.N + 1
	}
	return len(t.folded) + t.Lag
}

func (t *toy) Add(index int, data []byte) error {
	if index == 3 && t.Refuse {
		return errToy
	}
	if index != len(t.folded) {
		return fmt.Errorf("job %d is folded after %d", index, len(t.folded))
	}
	if _, err := hex.DecodeString(string(data)); err != nil || len(data) != 64 {
		return fmt.Errorf("%q is no hash", data)
	}
	t.chain = sha256.Sum256(append(t.chain[:], data...))
	t.folded, t.before = append(t.folded, index), append(t.before, bytes.Clone(t.chain[:]))
	return nil
}

func (t *toy) Done() bool { return t.Stop > 0 && len(t.folded) >= t.Stop }

func (t *toy) Text() string { return fmt.Sprintf("%d jobs", len(t.folded)) }

type toyWorker struct{ *toy }

func (w toyWorker) Close() {}

func (w toyWorker) Do(ctx context.Context, j Job) ([]byte, float64, error) {
	switch {
	case w.Stuck > 0 && j.Index == w.Stuck:
		<-ctx.Done()
		return nil, 0, ctx.Err()
	case j.Index == 3 && w.Fails != nil:
		return nil, 0, w.Fails
	}
	if w.Sleep > 0 {
		time.Sleep(rand.N(w.Sleep))
	}
	seed := j.Seed()
	hash := sha256.Sum256(append(seed[:], j.Input...))
	return []byte(hex.EncodeToString(hash[:])), 1, nil
}

// spec returns the spec of a run of toys.
func (t *toy) spec(tb kit.T) *Spec {
	tb.Helper()
	s, err := toys.Spec(t, 0)
	kit.Succeed(tb, err)
	return s
}

// outcome runs toys without interruption on one thread and returns their chain.
func outcome(tb kit.T, n, lag int) [32]byte {
	tb.Helper()
	t := &toy{N: n, Lag: lag}
	kit.Succeed(tb, Run(context.Background(), t.spec(tb), t, Local(1), RunOptions{}))
	return t.chain
}

// shuffled is a place that does jobs twice and hands their results over in another order.
type shuffled struct{ window int }

func (p shuffled) Do(ctx context.Context, _ *Spec, k Kind, in Inputs, next func(context.Context) (Job, bool),
	got func(JobResult) error) error {
	w, err := k.Open(ctx, in)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		var results []JobResult
		for len(results) < 2*p.window {
			j, ok := next(ctx)
			if !ok {
				break
			}
			data, _, err := w.Do(ctx, j)
			if err != nil {
				return err
			}
			results = append(results, JobResult{j.Index, data}, JobResult{j.Index, data})
		}
		if len(results) == 0 {
			return nil
		}
		rand.Shuffle(len(results), func(i, j int) { results[i], results[j] = results[j], results[i] })
		for _, r := range results {
			if err := got(r); err != nil {
				return err
			}
		}
	}
}
