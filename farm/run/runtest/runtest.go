// Package runtest has what tests of the farm need of runs: a kind of work whose jobs are
// quick, manifests, results and what one process alone makes of a run.
package runtest

import (
	"context"
	"fmt"
	"testing"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Server starts a NATS server with streams, to be reached within this process alone.
func Server(t *testing.T) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir()})
	must.Succeed(t, err)
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	return s
}

// Manifest returns the manifest of a run.
func Manifest(t must.T, kind string, version int, seed uint64, p run.Params) *run.Manifest {
	t.Helper()
	m, err := run.NewManifest(kind, version, seed, p)
	must.Succeed(t, err)
	return m
}

// Alone does the jobs of a run one after the other until it is done.
func Alone(t must.T, m *run.Manifest, p run.Plan) run.Fold {
	t.Helper()
	f := p.NewFold()
	for i := 0; !f.Done(); i++ {
		input, err := f.Input(i)
		must.Succeed(t, err)
		out, err := p.Work(context.Background(), run.Job{Run: m.ID(), Index: i, Input: input}, nil)
		must.Succeed(t, err)
		must.Succeed(t, f.Add(i, out.Value))
	}
	return f
}

// Inputs are the files that workers need, by their hashes.
type Inputs map[string][]byte

// Get returns a file.
func (in Inputs) Get(_ context.Context, sum string) ([]byte, error) {
	data, ok := in[sum]
	if !ok {
		return nil, fmt.Errorf("no input %s", sum)
	}
	return data, nil
}

// Result returns the result of a job, and what gets its files.
func Result(index int, out run.Output) (*run.Result, func(context.Context, run.Artefact) ([]byte, error)) {
	r, files := run.NewResult(run.Job{Index: index}, &out, 0), Inputs{}
	for i, a := range r.Files {
		files[a.Sum] = out.Files[i]
	}
	return r, func(ctx context.Context, a run.Artefact) ([]byte, error) { return files.Get(ctx, a.Sum) }
}
