package lineage

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
)

var update = flag.Bool("update", false, "write what comes of the miniature chain into testdata")

// miniature returns a chain of three stages with what the manifest in testdata knows of it.
func miniature(t *testing.T, dir string, threads int) *Chain {
	t.Helper()
	m, err := Read("testdata")
	kit.Succeed(t, err)
	if *update {
		m.Chunks = nil
		for i := range m.Stages {
			s := &m.Stages[i]
			s.Search, s.Positions, s.Network = 0, 0, Sum{}
		}
	}
	none := func(string) (*nnue.Network, error) { return nil, nil }
	return &Chain{Dir: dir, Manifest: m, Threads: threads, network: none}
}

// TestMiniature makes a whole chain and demands the bytes that are committed.
func TestMiniature(t *testing.T) {
	dir := t.TempDir()
	threads := 2
	if n := os.Getenv("LINEAGE_THREADS"); n != "" {
		_, err := fmt.Sscan(n, &threads)
		kit.Succeed(t, err)
	}
	c := miniature(t, dir, threads)
	kit.Succeed(t, c.Run(t.Context()))
	if *update {
		for i := range c.Manifest.Stages {
			c.Manifest.Stages[i].Commit = "-"
		}
		kit.Succeed(t, c.Manifest.Write("testdata"))
	}
	for _, s := range c.Manifest.Stages {
		if s.Network == (Sum{}) || c.Manifest.Chunk(s.Name, 0) == nil {
			t.Errorf("%s: there is no sum to compare with", s.Name)
		}
	}
}

// TestKernels makes the chain with other kernels and numbers of threads.
func TestKernels(t *testing.T) {
	if testing.Short() {
		t.Skip("the chain is made several times")
	}
	exe, err := os.Executable()
	kit.Succeed(t, err)
	for i, kernels := range []string{"go", "avx2", "avx512", "neon", "dotprod"} {
		path, err := nnue.Select(kernels)
		if err != nil || nnue.Supported(path) != nil {
			continue // not on this processor
		}
		cmd := exec.CommandContext(t.Context(), exe, "-test.run=^TestMiniature$")
		cmd.Env = append(os.Environ(), "TABULA_EVAL="+kernels, fmt.Sprintf("LINEAGE_THREADS=%d", 1<<(i%3)))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", kernels, err, out)
		}
	}
}

// TestGoesOn stops a chain again and again: it comes to the same bytes.
func TestGoesOn(t *testing.T) {
	dir, stops := t.TempDir(), 0
	for {
		c := miniature(t, dir, 2)
		ctx, cancel := context.WithCancel(t.Context())
		reports := 0
		c.Report = func(string, string, float64) {
			if reports++; reports == 9 {
				cancel()
			}
		}
		err := c.Run(ctx)
		cancel()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		stops++
	}
	if stops < 4 {
		t.Errorf("stopped %d times, want 4 or more", stops)
	}
	left, err := filepath.Glob(filepath.Join(dir, "*", "*.part"))
	kit.Succeed(t, err)
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestParts continues chunks that were begun, also by an older program, and comes to the same games in the same order.
// What is out of order is told and played again.
func TestParts(t *testing.T) {
	whole := miniature(t, t.TempDir(), 2)
	stage := whole.Manifest.Stages[0]
	kit.Succeed(t, whole.play(t.Context(), &stage))
	file, err := record.Open(whole.chunkFile(stage.Name, 0))
	kit.Succeed(t, err)
	defer file.Close()
	var ids []record.ID
	var games []*record.ScoredGame
	for i := range file.Entries {
		var b record.Block
		kit.Succeed(t, file.Read(i, &b))
		for id, g := range b.Games() {
			ids, games = append(ids, id), append(games, g)
		}
	}
	pack := func(numbers ...int) []byte {
		var p record.Packer
		for _, n := range numbers {
			id := ids[n%len(ids)]
			id.Number = uint32(n)
			p.Add(id, games[n%len(ids)])
		}
		data, err := p.Append(nil)
		kit.Succeed(t, err)
		return data
	}
	for _, tt := range []struct {
		name  string
		part  []byte
		warns string // "" where it is continued
	}{
		{"nothing", nil, ""},
		{"some games", pack(0, 1, 2), ""},
		{"all games, before the file has its name", pack(slices.Collect(upTo(len(ids)))...), ""},
		{"two blocks and a half", slices.Concat(pack(0, 1), pack(2), pack(3, 4)[:60]), ""},
		{"out of order", slices.Concat(pack(0, 1, 2), pack(4, 3, 5)),
			"game 4 stands where game 3 should be; its 6 games are played again"},
		{"a gap", slices.Concat(pack(0, 1, 2), pack(4)), "game 4 stands where game 3 should be"},
		{"twice", slices.Concat(pack(0, 1), pack(1)), "game 1 stands where game 2 should be"},
		{"another chunk", pack(9, 10), "game 9 stands where game 0 should be"},
		{"too many", pack(slices.Collect(upTo(len(ids) + 1))...), "3001 games are played again"},
	} {
		c, warnings := miniature(t, t.TempDir(), 2), ""
		c.Warn = func(err error) { warnings += err.Error() }
		name := c.chunkFile(stage.Name, 0)
		kit.Succeed(t, os.MkdirAll(filepath.Dir(name), 0o777))
		kit.Write(t, name+".part", tt.part)
		again := stage
		kit.Succeed(t, c.play(t.Context(), &again))
		if !strings.Contains(warnings, tt.warns) || (warnings != "") != (tt.warns != "") {
			t.Errorf("%s: warnings %q, want %q", tt.name, warnings, tt.warns)
		}
		data := kit.Read(t, name)
		if tt.name == "some games" && !bytes.HasPrefix(data, tt.part) {
			t.Errorf("%s: they were played again", tt.name)
		}
		if tt.warns != "" && !bytes.Equal(data, kit.Read(t, whole.chunkFile(stage.Name, 0))) {
			t.Errorf("%s: the file differs", tt.name)
		}
		if _, err := os.Stat(name + ".part"); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// upTo yields the numbers below n.
func upTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

// TestMissing takes networks that exist and plays only the games that others need.
func TestMissing(t *testing.T) {
	first := miniature(t, t.TempDir(), 2)
	first.Manifest.Stages = first.Manifest.Stages[:2]
	kit.Succeed(t, first.Run(t.Context()))

	c := miniature(t, t.TempDir(), 2)
	c.Missing, c.network = true, first.load
	kit.Succeed(t, c.Run(t.Context()))
	for name, want := range map[string]bool{"m0": false, "m1": true, "m2": false} {
		if _, err := os.Stat(c.chunkFile(name, 0)); (err == nil) != want {
			t.Errorf("games of %s are there: %v, want %v", name, err == nil, want)
		}
	}

	verify := func(chunks int) (good, bad int, err error) {
		v := miniature(t, t.TempDir(), 1)
		v.network = first.load
		v.Manifest.Chunks[2].Sum[0] ^= 1
		err = v.Verify(t.Context(), chunks, func(c Chunk, err error) {
			if err == nil {
				good++
			} else {
				bad++
			}
			if (c.Stage == "m2") != (err != nil) {
				t.Errorf("%s: error %v", c.Stage, err)
			}
		})
		return good, bad, err
	}
	if good, bad, err := verify(5); good != 2 || bad != 1 || err == nil {
		t.Errorf("%d chunks verified, %d not, error %v; want 2, 1 and an error", good, bad, err)
	}
}

// TestDifferences: whatever differs from the manifest ends the chain with an error that
// says what.
func TestDifferences(t *testing.T) {
	for name, change := range map[string]func(*Manifest){
		"chunk 0 of m0":     func(m *Manifest) { m.Chunks[0].Sum[5]++ },
		"stage m0: the net": func(m *Manifest) { m.Stages[0].Network[5]++ },
		"check out":         func(m *Manifest) { m.Stages[1].Search++ },
	} {
		c := miniature(t, t.TempDir(), 2)
		change(c.Manifest)
		for range 2 { // what differed once is not taken the second time
			if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("error %v, want one with %q", err, name)
			}
		}
	}
	c := miniature(t, t.TempDir(), runtime.NumCPU())
	kit.Succeed(t, c.Manifest.Write(c.Dir))
	c.Manifest.Stages = append(c.Manifest.Stages, Stage{Name: "m3"}) // a row that the directory does not know
	c.Manifest.Stages[0].Run++
	if err := c.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "another row m0") {
		t.Errorf("with another seed in the same directory: %v", err)
	}
}

// TestCommitted reads the manifest of the repository: networks that it names are there.
func TestCommitted(t *testing.T) {
	m, err := Committed()
	kit.Succeed(t, err)
	if len(m.Stages) == 0 {
		t.Error("no stages")
	}
	for i := range m.Stages {
		s := &m.Stages[i]
		net, err := CommittedNetwork(s.Name)
		if err != nil {
			t.Error(err)
		}
		if net != nil && Sum(net.Hash()) != s.Network {
			t.Errorf("%s: the network is %v, the manifest has %v", s.Name, Sum(net.Hash()), s.Network)
		}
		if net == nil && s.Network != (Sum{}) {
			t.Errorf("%s: there is no network", s.Name)
		}
		for n := range s.Chunks() {
			if s.Network != (Sum{}) && m.Chunk(s.Name, n) == nil {
				t.Errorf("%s: chunk %d is not in chunks.tsv", s.Name, n)
			}
		}
	}
}

// TestEmbedded demands that the network in the program is one that the lineage makes.
func TestEmbedded(t *testing.T) {
	m, err := Committed()
	kit.Succeed(t, err)
	sum := Sum(nnue.Embedded().Hash())
	if !slices.ContainsFunc(m.Stages, func(s Stage) bool { return s.Network == sum }) {
		t.Errorf("no row of lineage.tsv makes the embedded network, %v", sum)
	}
}

// TestManifestErrors names file, line and field.
func TestManifestErrors(t *testing.T) {
	good, err := os.ReadFile("testdata/lineage.tsv")
	kit.Succeed(t, err)
	const row = "\t-\t271403\tm1\t60\t0.2\t0\t3\t150\tm1\t256\t%s\t%s\t0.001\t40\t0.8\t-\t2\t-\t-"
	for _, tt := range []struct{ old, new, want string }{
		{"\nm1\t", "\nm0\t", "line 3: stage m0: there are two"},
		{"\t3000\t", "\t0\t", `line 2: games "0"`},
		{"\t3000\t", "\tmany\t", `line 2: games "many": want a whole number from 1 to 2147483648`},
		{"\t-\t1\t3000", "\tnull\t1\t3000", `line 2: scales "null": want a list`},
		{"\tm0\t60", "\tm9\t60", "line 3: player m9"},
		{"m0,m1", "m0,m2", "line 3: data m2"},
		{"\tm1\t0.001\t", "\tm2\t0.001\t", "line 4: start m2"},
		{"\t256\t8\tm1\t", "\t512\t8\tm1\t", "line 4: start m1: no stage before with 512 neurons"},
		{"\t256\t-\t-\t0.002\t40", "\t255\t-\t-\t0.002\t40", "line 2: width 255"},
		{"\t256\t-\t-\t0.002\t40", "\t256\t7\t-\t0.002\t40", "line 2: king buckets 7: want 0 or 8"},
		{"\nm2\t", fmt.Sprintf("\nx"+row+"\ny"+row+"\nm2\t", "8", "-", "-", "x"), "line 5: start x: it has 8 king buckets, the stage 0"},
		{"stage\t", "name\t", "line 1: columns"},
		{"\t0.1\t", "\t1.1\t", `line 2: chess960 "1.1"`},
		{"\t0.1\t", "\t", "line 2: 19 fields, want 20"},
	} {
		dir := t.TempDir()
		kit.Succeed(t, os.WriteFile(filepath.Join(dir, stagesFile), []byte(strings.Replace(string(good), tt.old, tt.new, 1)), 0o666))
		kit.Succeed(t, os.WriteFile(filepath.Join(dir, chunksFile), []byte(line(new(Chunk).columns(), (*column).title)+"\n"), 0o666))
		if _, err := Read(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q for %q: error %v, want %q", tt.new, tt.old, err, tt.want)
		}
	}
}

// TestSearches: this program can play the games of every row of the repository.
func TestSearches(t *testing.T) {
	m, err := Committed()
	kit.Succeed(t, err)
	first, err := CommittedNetwork(m.Stages[0].Name)
	kit.Succeed(t, err)
	small, err := Read("testdata")
	kit.Succeed(t, err)
	known := map[uint64]bool{small.Stages[1].Search: true} // which TestMiniature plays
	for i := range m.Stages {
		if s := &m.Stages[i]; s.Search != 0 && !known[s.Search] {
			known[s.Search] = true
			if err := s.recognise(t.Context(), first); err != nil {
				t.Errorf("%s: %v", s.Name, err)
			}
		}
	}
	for number := range searches {
		if !known[number] {
			t.Errorf("no row has the search %d", number)
		}
	}
}

// TestSearchesExist: the parameters of earlier searches are known by their names, which must stay.
func TestSearchesExist(t *testing.T) {
	known := map[string]bool{}
	for _, p := range search.Tunables() {
		known[p.Name] = true
	}
	for number, params := range searches {
		for name := range params {
			if !known[name] {
				t.Errorf("search %d sets %s, which is no parameter of the search", number, name)
			}
		}
	}
}
