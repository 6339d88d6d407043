package annotate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/app/annotate"
	"github.com/tabula-chess/tabula/farm/run"
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

1. e4 Ke5 2. Nf3 1-0

[Event "c"]

1. f3 e5 2. g4 Qh4# 0-1

1. d4 d5 *
`

// inputs are files by their hash.
type inputs map[string][]byte

func (in inputs) Get(_ context.Context, sum string) ([]byte, error) {
	data, ok := in[sum]
	if !ok {
		return nil, fmt.Errorf("no input %s", sum)
	}
	return data, nil
}

// TestAsOneProcess reviews games in jobs of one to six: the texts together are what tabula
// annotate writes, with the game that cannot be read as it is.
func TestAsOneProcess(t *testing.T) {
	tables, err := syzygy.Open()
	if err != nil {
		t.Fatal(err)
	}
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
		p, in := &Params{Nodes: 400, PerJob: perJob}, inputs{}
		if err := Split(strings.NewReader(text), func(part []byte, c Chunk) error {
			in[c.Sum] = part
			p.Chunks = append(p.Chunks, c)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		m, err := run.NewManifest(Kind, Version, 0, p)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Open(m)
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		fold := plan.NewFold().(*Fold)
		for index := range m.Jobs {
			out, err := plan.Work(t.Context(), run.Job{Index: index}, in)
			if err == nil {
				err = errors.Join(plan.CheckFile(&run.Result{Index: index, Value: out.Value}, out.Files[0]), fold.Add(index, out.Value))
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, out.Files[0]...)
		}
		if !bytes.Equal(got, want.Bytes()) || fold.Games != 5 || fold.Bad != 1 || !fold.Done() {
			t.Errorf("%d games a job: %s\n%s\nwant\n%s", perJob, fold.Text(), got, &want)
		}
	}
}

// repeat reads a text again and again.
type repeat struct {
	text string
	left int // times
	at   string
}

func (r *repeat) Read(p []byte) (int, error) {
	if r.at == "" {
		if r.left == 0 {
			return 0, io.EOF
		}
		r.left, r.at = r.left-1, r.text
	}
	n := copy(p, r.at)
	r.at = r.at[n:]
	return n, nil
}

// TestSplitStreams splits many games into chunks with a memory that does not grow with them.
func TestSplitStreams(t *testing.T) {
	const game = "[Event \"a long name to make the game longer than its moves are\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2\n\n"
	games, most := 0, uint64(0)
	var chunks int
	err := Split(&repeat{text: game, left: 200_000}, func(part []byte, c Chunk) error {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if most = max(most, m.HeapAlloc); len(part) > chunkSize+len(game) {
			t.Errorf("a chunk of %d bytes", len(part))
		}
		games, chunks = games+c.Games, chunks+1
		return nil
	})
	if err != nil || games != 200_000 || chunks != 200_000*len(game)/chunkSize+1 || most > 100<<20 {
		t.Errorf("%d games in %d chunks, %d MiB, %v", games, chunks, most>>20, err)
	}
}

// TestRefused shows what is refused.
func TestRefused(t *testing.T) {
	good := Params{Nodes: 100, PerJob: 2, Chunks: []Chunk{{"x", 3}, {"y", 1}}}
	m, err := run.NewManifest(Kind, Version, 0, &good)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := Open(m)
	if err != nil {
		t.Fatal(err)
	}
	for index, want := range [][3]int{{0, 0, 2}, {0, 2, 3}, {1, 0, 1}} {
		if chunk, from, to := plan.place(index); [3]int{chunk, from, to} != want {
			t.Errorf("job %d: chunk %d, games %d to %d", index, chunk, from, to)
		}
	}
	for _, text := range []string{`{"games":1}`, `{"games":2,"bad":3}`, `{"games":2,"bad":-1}`, `x`} {
		if plan.NewFold().Add(0, json.RawMessage(text)) == nil {
			t.Errorf("%s: folded", text)
		}
	}
	for _, bad := range []Params{{Nodes: 0, PerJob: 2, Chunks: good.Chunks}, {Nodes: 1, PerJob: 0, Chunks: good.Chunks}, {Nodes: 1, PerJob: 2, Chunks: []Chunk{{"x", 0}}}, {Nodes: 1, PerJob: 1}} {
		if bad.Check() == nil {
			t.Errorf("%+v: taken", bad)
		}
	}
	if err := plan.CheckFile(&run.Result{Value: json.RawMessage(`{"games":2}`)}, nil); err == nil {
		t.Error("another text is taken")
	}
}
