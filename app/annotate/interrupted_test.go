package annotate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// elsewhere is a place that knows the spec and nothing else, as another machine does. It first hands over results that
// no reviewer can come to.
type elsewhere struct{}

func (elsewhere) Do(ctx context.Context, s *work.Spec, _ work.Kind, in work.Inputs,
	next func(context.Context) (work.Job, bool), got func(work.JobResult) error) error {
	k, err := Type().Open(s, work.Env{})
	if err != nil {
		return err
	}
	w, err := k.Open(ctx, in)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		j, ok := next(ctx)
		if !ok {
			return ctx.Err()
		}
		data, _, err := w.Do(ctx, j)
		if err != nil {
			return err
		}
		report := string(data[:bytes.IndexByte(data, '\n')+1])
		for _, bad := range []string{"", "{}\n1. e4 *", `{"moves":[{},{}]}` + "\n1. e4 *", report} {
			if len(j.Input) > 0 && got(work.JobResult{Index: j.Index, Data: []byte(bad)}) == nil {
				return fmt.Errorf("job %d: %q is folded", j.Index, bad)
			}
		}
		if err := got(work.JobResult{Index: j.Index, Data: data}); err != nil {
			return err
		}
	}
}

// TestElsewhere reviews games with a network of their own and endgame tables, here and at a place that knows the spec
// alone: the outputs are the same.
func TestElsewhere(t *testing.T) {
	tables, err := syzygy.Open()
	kit.Succeed(t, err)
	defer tables.Close()
	network, err := nnue.New(nnue.Embedded().Shape(), nnue.NewWeights(nnue.Embedded().Shape()), nnue.Provenance{})
	kit.Succeed(t, err)
	var want [3]string
	for i, at := range []work.Executor{nil, nil, elsewhere{}} {
		s := gameFiles(t, fiveGames+"[FEN \"8/8/8/8/4k3/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd4 *\n")
		s.At, s.Threads = at, 3
		if i > 0 {
			s.Network, s.Tables = network, tables
		}
		if err := Run(t.Context(), s); !errors.Is(err, ErrUnread) {
			t.Fatal(err)
		}
		switch got := outputsOf(t, s); {
		case i < 2 && got == want:
			t.Error("the network changes nothing")
		case i == 2 && got != want:
			t.Error(cmp.Diff(want, got))
		default:
			want = got
		}
	}
}

// TestInterruptedInput: the end of the context ends a wait for more input.
func TestInterruptedInput(t *testing.T) {
	s := gameFiles(t, fiveGames)
	in, say := io.Pipe()
	defer say.Close()
	s.Files, s.In = []string{Stdio}, in
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- Run(ctx, s) }()
	_, err := io.WriteString(say, "1. e4 ")
	kit.Succeed(t, err)
	cancel()
	if err := <-done; !errors.Is(err, exit.ErrInterrupted) {
		t.Errorf("ended with %v", err)
	}
	for _, name := range []string{s.Out, s.Out + ".tabula.tmp"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s is left", name)
		}
	}
}

// TestInterrupted shows that what is done stays done, and that another run's journal is not touched.
func TestInterrupted(t *testing.T) {
	s := gameFiles(t, fiveGames)
	ctx, cancel := context.WithCancel(t.Context())
	s.kept = func(game int) {
		if game == 2 { // the third; the second cannot be read
			cancel()
		}
	}
	err := Run(ctx, s)
	if !errors.Is(err, exit.ErrInterrupted) || !strings.Contains(err.Error(), "2 games are kept in "+s.Out+".journal") {
		t.Fatalf("interrupted: %v", err)
	}
	if _, err := os.Stat(s.Out); err == nil {
		t.Error("there is an output of half a run")
	}
	for want, change := range map[string]func(*Settings){
		`limits {"nodes":1000}, not {"nodes":1001}`: func(s *Settings) { s.Limits.Nodes++ },
		"strict true, not false":                    func(s *Settings) { s.Strict = false },
		"why not set, not true":                     func(s *Settings) { s.Why = true },
		"hash 1, not 2":                             func(s *Settings) { s.Hash = 2 },
		"with other input files":                    func(s *Settings) { s.Files = append(s.Files, s.Files[0]) },
	} {
		other := s
		change(&other)
		err := Run(t.Context(), other)
		if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), want+"; repeat its command to finish it, or give --restart") {
			t.Errorf("a journal of another run: %v, want %q", err, want)
		}
	}
	var again []int
	s.kept = func(game int) { again = append(again, game) }
	_ = Run(t.Context(), s) // the broken game's error
	if diff := cmp.Diff([]int{3, 4}, again); diff != "" {
		t.Errorf("reviewed in the second run: %s", diff)
	}
	whole := gameFiles(t, fiveGames)
	_ = Run(t.Context(), whole)
	if diff := cmp.Diff(outputsOf(t, whole), outputsOf(t, s)); diff != "" {
		t.Error(diff)
	}
}
