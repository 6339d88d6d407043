package syzygy

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestEmbedded needs no file: the tables of three pieces are part of the program.
func TestEmbedded(t *testing.T) {
	tables := openTables(t)
	if wdl, dtz := tables.Found(); wdl != 0 || dtz != 0 || tables.Pieces() != 3 {
		t.Errorf("found %d, %d of up to %d pieces; want none of 3", wdl, dtz, tables.Pieces())
	}
	if err := tables.Verify(); err != nil {
		t.Error(err)
	}
	for _, tt := range []struct {
		fen string
		wdl WDL
		dtz DTZ
	}{
		{"8/8/8/8/8/4k3/8/4K3 w - - 0 1", Draw, 0},
		{"k7/8/8/8/8/8/8/KN6 w - - 0 1", Draw, 0},
		{"8/8/8/4k3/8/8/8/KQ6 w - - 0 1", Win, 17},
		{"k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", Loss, -1}, // mated
		{"k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", Draw, 0},  // stalemate
		{"8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", Draw, 0}, // stalemate
		{"4k3/4P3/5K2/8/8/8/8/8 w - - 0 1", Draw, 0},
		{"8/4P3/5K2/8/8/k7/8/8 w - - 0 1", Win, 1},
	} {
		for _, p := range both(t, tt.fen) {
			wdl, err := tables.WDL(p)
			if err != nil || wdl != tt.wdl {
				t.Errorf("%s: WDL %d (%v), want %d", p, wdl, err, tt.wdl)
			}
			dtz, err := tables.DTZ(p)
			if err != nil || dtz != tt.dtz {
				t.Errorf("%s: DTZ %d (%v), want %d", p, dtz, err, tt.dtz)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	tables := openTables(t)
	for _, tt := range []struct {
		fen  string
		want error
	}{
		{"4k3/8/8/8/8/8/8/4K2R w K - 0 1", ErrCastling},
		{"4k3/8/8/8/8/8/8/4K1RR w - - 0 1", ErrMissing},
		{chess.StartFEN, ErrCastling},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", ErrMissing},
	} {
		p := kit.Position(t, tt.fen)
		_, err1 := tables.WDL(p)
		_, err2 := tables.DTZ(p)
		_, _, err3 := tables.Root(p, false)
		for _, err := range []error{err1, err2, err3} {
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: %v, want %v", tt.fen, err, tt.want)
			}
		}
		if tables.Has(p) {
			t.Errorf("%s: Has is true", tt.fen)
		}
	}
	if !tables.Has(kit.Position(t, "4k3/8/8/8/8/8/8/4K2R w - - 0 1")) || !tables.Has(kit.Position(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1")) {
		t.Error("Has is false for KRvK or KvK")
	}
}

// TestOpenNames keeps files out that are no tables, and takes the first of two.
func TestOpenNames(t *testing.T) {
	data, err := embedded.ReadFile("tables3/KRvK.rtbw")
	kit.Succeed(t, err)
	first, second := t.TempDir(), t.TempDir()
	for _, name := range []string{"KRvK.rtbw", "KvKR.rtbw", "KQvK.rtbw.part", "notes.txt", "KZvK.rtbw", "KRRRRRRRvK.rtbw", "krvk.rtbw"} {
		kit.Write(t, filepath.Join(first, name), data)
	}
	kit.Write(t, filepath.Join(second, "KRvK.rtbw"), []byte("damaged"))
	missing := filepath.Join(first, "missing")
	if tables, err := Open(first, second); err != nil {
		t.Errorf("%v: directories with tables", err)
	} else if err := tables.Close(); err != nil {
		t.Error(err)
	}
	empty := t.TempDir()
	tables, err := Open(first, missing, empty, second)
	if !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), missing) {
		t.Errorf("error %v, want one about %s", err, missing)
	}
	if !errors.Is(err, ErrNone) || !strings.Contains(err.Error(), empty+": no tables in it") {
		t.Errorf("error %v, want one about %s", err, empty)
	}
	if wdl, dtz := tables.Found(); wdl != 1 || dtz != 0 {
		t.Errorf("found %d and %d, want 1 and 0", wdl, dtz)
	}
	if v, err := tables.WDL(kit.Position(t, "8/8/8/4k3/8/8/8/KR6 w - - 0 1")); v != Win || err != nil {
		t.Errorf("%d, %v; want a win", v, err)
	}
	if err := tables.Close(); err != nil {
		t.Error(err)
	}
	if _, err := tables.WDL(kit.Position(t, "8/8/8/4k3/8/8/8/KR6 w - - 0 1")); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}

// TestSplitPath splits lists as Windows does and as others do.
func TestSplitPath(t *testing.T) {
	for _, tt := range []struct {
		list            string
		windows, others []string // others nil where both are the same
	}{
		{"", nil, nil},
		{"<empty>", nil, nil},
		{"/x;/y;", []string{"/x", "/y"}, nil},
		{"/x:/y:", []string{"/x:/y:"}, []string{"/x", "/y"}},
		{`"/with space";/y`, []string{"/with space", "/y"}, nil},
		{" ; ;", nil, nil},
		{`"C:\my tables"; D:\dtz`, []string{`C:\my tables`, `D:\dtz`}, []string{"C", `\my tables`, "D", `\dtz`}},
		{`C:/x;d:y`, []string{"C:/x", "d:y"}, []string{"C", "/x", "d", "y"}},
	} {
		if tt.others == nil {
			tt.others = tt.windows
		}
		if got := splitPath(tt.list, ';'); !slices.Equal(got, tt.windows) {
			t.Errorf("%q on Windows: %q, want %q", tt.list, got, tt.windows)
		}
		if got := splitPath(tt.list, ':'); !slices.Equal(got, tt.others) {
			t.Errorf("%q: %q, want %q", tt.list, got, tt.others)
		}
	}
}

// TestPositionIsOnlyRead looks up one position from many goroutines: the race detector sees any write.
func TestPositionIsOnlyRead(t *testing.T) {
	tables := openTables(t)
	p := kit.Position(t, "K7/1r6/8/4k3/8/8/8/8 w - - 3 40")
	p.Make(kit.Move(t, p, "Kxb7"))
	p.Unmake()
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			wdl, err1 := tables.WDL(p)
			dtz, err2 := tables.DTZ(p)
			moves, exact, err3 := tables.Root(p, false)
			clock, maybe, err4 := tables.AtClock(p)
			if err := errors.Join(err1, err2, err3, err4); err != nil || wdl != Draw || dtz != 0 || len(moves) != 1 || !exact ||
				moves[0].Move.String() != "a8b7" || clock != Draw || maybe {
				t.Errorf("%v, %d, %v exact %v, %v maybe %v (%v)", wdl, dtz, moves, exact, clock, maybe, err)
			}
		})
	}
	group.Wait()
}

// TestNoAllocation holds what a search relies on.
func TestNoAllocation(t *testing.T) {
	if kit.RaceDetector() {
		t.Skip("with the race detector a sync.Pool drops some of what it is given, so that probes allocate")
	}
	tables := openTables(t, shared(t, "syzygy"))
	lines := readSuite(t)
	var positions []*chess.Position
	for _, l := range lines[:400] {
		positions = append(positions, kit.Position(t, l.fen))
	}
	positions = append(positions, kit.Position(t, "8/8/2q5/4k3/8/8/1r6/KQ1R4 w - - 0 1")) // missing
	probe := func() {
		for _, p := range positions {
			_, _ = tables.WDL(p)
			_, _ = tables.DTZ(p)
		}
	}
	n := testing.AllocsPerRun(2, probe)
	for range 5 { // what goroutines of the runtime allocate meanwhile is counted too
		if n == 0 {
			break
		}
		n = min(n, testing.AllocsPerRun(1, probe))
	}
	if n != 0 {
		t.Errorf("%v allocations in %d probes", n, 2*len(positions))
	}
}

func ExampleTables_WDL() {
	tables, err := Open() // add directories with more tables
	if err != nil {
		fmt.Println(err)
	}
	p, err := chess.ParseFEN("8/8/8/4k3/8/8/8/KR6 w - - 0 1")
	if err != nil {
		fmt.Println(err)
	}
	wdl, err := tables.WDL(p)
	fmt.Println(wdl, err)
	// Output: win <nil>
}

// shared returns a path of the data that is shared between projects.
func shared(t testing.TB, name string) string {
	t.Helper()
	root := os.Getenv("TABULA_SHARED")
	if root == "" {
		root = "../../shared"
	}
	path := filepath.Join(root, "data", name)
	if _, err := os.Stat(path); err != nil {
		t.Skip("needs tables of four pieces in TABULA_SHARED: ", err)
	}
	return path
}

// openTables opens tables until the test ends.
func openTables(t testing.TB, dirs ...string) *Tables {
	t.Helper()
	tables, err := Open(dirs...)
	kit.Succeed(t, err)
	t.Cleanup(func() { kit.Succeed(t, tables.Close()) })
	return tables
}

// suiteLine is a position with its known values.
type suiteLine struct {
	fen string
	wdl WDL
	dtz DTZ
}

func readSuite(t testing.TB) []suiteLine {
	t.Helper()
	file, err := os.Open(shared(t, "syzygy.epd"))
	kit.Succeed(t, err)
	defer file.Close()
	var lines []suiteLine
	for s := bufio.NewScanner(file); s.Scan(); {
		fields := strings.Split(s.Text(), " ; ")
		if len(fields) != 3 {
			t.Fatalf("line %q", s.Text())
		}
		wdl, err1 := strconv.Atoi(strings.TrimPrefix(fields[1], "wdl "))
		dtz, err2 := strconv.Atoi(strings.TrimPrefix(fields[2], "dtz "))
		if err1 != nil || err2 != nil {
			t.Fatalf("line %q", s.Text())
		}
		lines = append(lines, suiteLine{fields[0], WDL(wdl), DTZ(dtz)})
	}
	return lines
}

// both returns a position and the same with the colours exchanged.
func both(t testing.TB, fen string) []*chess.Position {
	t.Helper()
	p := kit.Position(t, fen)
	return []*chess.Position{p, p.Mirror()}
}

// TestSuite looks up every position of syzygy.epd, and with the colours exchanged, from many
// goroutines, and ranks the moves of some; the race detector looks on.
func TestSuite(t *testing.T) {
	tables := openTables(t, shared(t, "syzygy"))
	lines := readSuite(t)
	if len(lines) != 4400 {
		t.Errorf("%d positions, want 4400", len(lines))
	}
	var group sync.WaitGroup
	for part := range slices.Chunk(lines, 550) {
		group.Go(func() {
			for i, l := range part {
				for _, p := range both(t, l.fen) {
					wdl, err1 := tables.WDL(p)
					dtz, err2 := tables.DTZ(p)
					if err1 != nil || err2 != nil || wdl != l.wdl || dtz != l.dtz {
						t.Errorf("%s: %d, %d (%v, %v), want %d, %d", p, wdl, dtz, err1, err2, l.wdl, l.dtz)
					}
					if i%7 == 0 {
						checkRanks(t, tables, p, false)
					}
				}
			}
		})
	}
	group.Wait()
}

// constant returns a WDL file all of whose positions have one value.
func constant(t *testing.T, name string, value byte) []byte {
	t.Helper()
	m, err := layout.ParseMaterial(name)
	kit.Succeed(t, err)
	data := append([]byte(layout.MagicWDL), byte(m.Pieces()<<4)|layout.HeaderSplit|layout.HeaderPawns)
	for range 4 {
		data = append(data, []byte{0, 0x11}[:m.Orders()]...)
		for _, c := range layout.Pieces(m) {
			data = append(data, byte(c)*0x11)
		}
	}
	data = append(data, make([]byte, len(data)&1)...)
	for range 8 {
		data = append(data, layout.FlagSingle, value)
	}
	data = append(data, make([]byte, -len(data)&63)...)
	for _, sum := range Checksum(data) {
		data = binary.LittleEndian.AppendUint64(data, sum)
	}
	return data
}

// TestOnlyEnPassant looks up a position without a legal move but en passant,
// which the table takes for stalemate: the queen then takes the pawn and wins.
func TestOnlyEnPassant(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"KQPvKP", "KQvKP"} {
		kit.Write(t, filepath.Join(dir, name+".rtbw"), constant(t, name, byte(Draw+2)))
	}
	tables := openTables(t, dir)
	for passant, want := range map[string]WDL{"d3": Loss, "-": Draw} {
		fen := "8/8/8/8/3Pp3/1Q2K3/8/k7 b - " + passant + " 0 1"
		for _, p := range both(t, fen) {
			if got, err := tables.WDL(p); err != nil || got != want {
				t.Errorf("%s: outcome %d (%v), want %d", p, got, err, want)
			}
		}
	}
}
