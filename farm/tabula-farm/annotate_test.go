package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/uci"
)

// text is a file of games, the third of which cannot be read.
const text = "\xef\xbb\xbf" + `[Event "a"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2

[Event "b"]
[FEN "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1"]
[SetUp "1"]

1. Kd2 Kd4 2. e3+ Ke4 *

[Event "bad"]

1. Ke5 e5 2. Nf3 1-0

[Event "c"]

1. f3 e5 2. g4 Qh4# 0-1

1. d4 d5 *
`

// TestAsOneProcess reviews games in jobs of one to six: the texts together are what tabula
// annotate writes, with the game that cannot be read as it is.
func TestAsOneProcess(t *testing.T) {
	tables, err := syzygy.Open()
	testkit.Succeed(t, err)
	defer tables.Close()
	var want bytes.Buffer
	err = annotate.Run(t.Context(), annotate.Settings{
		Files: []string{annotate.Stdio}, In: strings.NewReader(text), Out: annotate.Stdio, Stdout: &want, Err: io.Discard,
		Limits: review.Limits{Nodes: 400}, Threads: 2, Hash: uci.DefaultHash, Tables: tables,
	})
	if !errors.Is(err, annotate.ErrUnread) {
		t.Fatal(err)
	}
	for _, perJob := range []int{1, 2, 3, 6} {
		fold := &annotateRun{Nodes: 400}
		in, err := fold.split([]byte(text), perJob, 0)
		testkit.Succeed(t, err)
		m := manifestOf(t, "annotate", 0, fold)
		var got []byte
		for index := range m.Jobs {
			j := run.Job{Index: index}
			data, _, err := fold.Do(t.Context(), j, held(in))
			if err == nil {
				err = fold.Add(j, data)
			}
			testkit.Succeed(t, err)
			got = append(got, data...)
		}
		if !bytes.Equal(got, want.Bytes()) || fold.Read != 5 || fold.Bad != 1 || fold.Folded != m.Jobs {
			t.Errorf("%d games a job: %s\n%s\nwant\n%s", perJob, fold.Text(), got, &want)
		}
	}
}

func TestAnnotateRefused(t *testing.T) {
	for _, text := range []string{"", "1. e4 *\n", "1. e4 *\n\n1. d4 *\n\n1. c4 *\n"} {
		if (&annotateRun{Nodes: 100, Games: []int{2, 1}}).Add(run.Job{}, []byte(text)) == nil {
			t.Errorf("%q: folded", text)
		}
	}
	for _, bad := range []annotateRun{{Nodes: 0, Games: []int{2}}, {Nodes: 1, Games: []int{2, 0}}, {Nodes: 1}} {
		if bad.Check() == nil {
			t.Errorf("%+v: taken", bad)
		}
	}
}

// manifestOf returns the manifest of a run of a kind.
func manifestOf(t *testing.T, kind string, seed uint64, k run.Kind) *run.Manifest {
	t.Helper()
	m, err := run.NewManifest(kind, 1, seed, k)
	testkit.Succeed(t, err)
	return m
}

// held returns inputs in memory.
func held(all [][]byte) run.Inputs {
	return func(_ context.Context, index int) ([]byte, error) { return all[index], nil }
}
