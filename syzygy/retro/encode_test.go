package retro

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/uci/client"
)

// largest bounds sizes of files: a compressor that gets worse is noticed.
var largest = map[string]int64{
	"KQvK.rtbw": 336, "KQvK.rtbz": 5712, "KRvK.rtbw": 208, "KRvK.rtbz": 7952, "KBvK.rtbz": 80,
	"KPvK.rtbw": 9552, "KPvK.rtbz": 9296, "KNvKN.rtbw": 4368, "KNvKN.rtbz": 80, "KNNvK.rtbw": 4048,
}

// write writes the files of an ending into dir.
func write(t *testing.T, solver *Solver, dir string, e *Ending) {
	t.Helper()
	for suffix, data := range map[string][]byte{".rtbw": solver.WDL(e), ".rtbz": solver.DTZ(e)} {
		kit.Write(t, filepath.Join(dir, e.Name()+suffix), data)
	}
}

// readBack compares positions of endings with what their files say.
func readBack(t *testing.T, solver *Solver, names []string, step int) {
	dir := t.TempDir()
	for _, name := range names {
		write(t, solver, dir, solve(t, solver, name))
	}
	for name, most := range largest {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Size() > most {
			t.Errorf("%s: %d bytes, want at most %d", name, info.Size(), most)
		}
	}
	tables, err := syzygy.Open(dir)
	kit.Succeed(t, err)
	defer tables.Close()
	if err := tables.Verify(); err != nil {
		t.Error(err)
	}
	compare(t, tables, solver, step, names...)
}

// TestEncodeFourPieces writes an ending whose sides are alike and one with like pieces;
// go run ./train tables --men 4 writes and reads all.
func TestEncodeFourPieces(t *testing.T) {
	readBack(t, NewSolver(), []string{"KNvK", "KNvKN", "KNNvK"}, 211)
}

// TestNeeds: those that others need come first.
func TestNeeds(t *testing.T) {
	got, err := Needs("KPvKN")
	want := []string{"KNvK", "KPvK", "KNvKN", "KBvKN", "KRvKN", "KQvKN"}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%v, %v: no %s", got, err, name)
		}
	}
	if slices.Index(got, "KNvK") > slices.Index(got, "KNvKN") || slices.Contains(got, "KPvKN") {
		t.Error(got)
	}
	if e, err := NewSolver().Solve(t.Context(), "KvK"); err == nil {
		t.Errorf("%v is an ending of kings alone", e)
	}
	if _, err := Needs("KK"); err == nil {
		t.Error("KK is an ending")
	}
}

// TestStockfishReads has Stockfish look positions up in files of ours.
func TestStockfishReads(t *testing.T) {
	program, err := client.Find("stockfish")
	if err != nil {
		t.Skip("needs Stockfish: ", err)
	}
	dir := t.TempDir()
	solver := NewSolver()
	var fens []string
	for _, name := range Names(3) {
		e := solve(t, solver, name)
		write(t, solver, dir, e)
		count := 0
		e.each(func(q *placement, _ Value) bool {
			if count++; count%997 == 0 {
				p, err := q.setup().Position()
				kit.Succeed(t, err)
				fens = append(fens, p.FEN())
			}
			return true
		})
	}
	tables, err := syzygy.Open(dir)
	kit.Succeed(t, err)
	defer tables.Close()
	var in strings.Builder
	fmt.Fprintf(&in, "setoption name SyzygyPath value %s\n", dir)
	for _, fen := range fens {
		fmt.Fprintf(&in, "position fen %s\nd\n", fen)
	}
	cmd := exec.Command(program)
	cmd.Stdin = strings.NewReader(in.String() + "quit\n")
	out, err := cmd.Output()
	kit.Succeed(t, err)
	answers := regexp.MustCompile(`Tablebases WDL: +(\w.*\w) \((?:Success|Probed opponent side|Best move zeroes DTZ)\)\nTablebases DTZ: +(-?\d+) \((?:Success|Probed opponent side|Best move zeroes DTZ)\)`).FindAllStringSubmatch(string(out), -1)
	if len(answers) != len(fens) {
		t.Fatalf("%d answers for %d positions", len(answers), len(fens))
	}
	for i, a := range answers {
		p := kit.Position(t, fens[i])
		wdl, err1 := tables.WDL(p)
		dtz, err2 := tables.DTZ(p)
		if err1 != nil || err2 != nil || !strings.EqualFold(a[1], wdl.String()) || a[2] != strconv.Itoa(int(dtz)) {
			t.Errorf("%s: Stockfish reads %q, we %d and %d (%v, %v)", fens[i], a[0], wdl, dtz, err1, err2)
		}
	}
}

func TestCodeLengths(t *testing.T) {
	fibonacci := make([]uint64, 60)
	fibonacci[0], fibonacci[1] = 1, 1
	for i := 2; i < len(fibonacci); i++ {
		fibonacci[i] = fibonacci[i-1] + fibonacci[i-2]
	}
	for _, weights := range [][]uint64{{5}, {0, 5, 0}, {1, 1}, {1, 2, 3, 4, 0, 100}, fibonacci} {
		lengths := codeLengths(slices.Clone(weights))
		room, used := uint64(0), 0
		for i, n := range lengths {
			if (n > 0) != (weights[i] > 0) || n > layout.MaxCode {
				t.Errorf("%v: lengths %v", weights, lengths)
			}
			if n > 0 {
				room += 1 << (layout.MaxCode - n)
				used++
			}
		}
		if used > 1 && room != 1<<layout.MaxCode {
			t.Errorf("%v: lengths %v leave codes unused", weights, lengths)
		}
	}
}

func TestSettle(t *testing.T) {
	values := []uint16{free, 2 + atMost, free, 3, 4 + atMost, 1 + atMost, free, 0}
	settle(values)
	if want := []uint16{2, 2, 2, 3, 3, 1, 1, 0}; !slices.Equal(values, want) {
		t.Errorf("%v, want %v", values, want)
	}
	if values = []uint16{free, free}; true {
		if settle(values); !slices.Equal(values, []uint16{0, 0}) {
			t.Errorf("%v, want zeros", values)
		}
	}
}
