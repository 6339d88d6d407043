package block

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/record"
)

// entry is a game as the tests compare it.
type entry struct {
	ID   ID
	Game string
}

// randomEntry plays random moves.
func randomEntry(r *rand.Rand, number uint32, plies int) entry {
	p := chess.NewPosition()
	g := record.Game{Start: record.Pack(p, record.Result(r.IntN(3)))}
	for range plies {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		m := moves[r.IntN(len(moves))]
		g.Plies = append(g.Plies, record.Ply{Move: record.MoveOf(m), Score: int16(r.IntN(200) - 100)})
		p.Make(m)
	}
	return entry{ID{Run: 42, Number: number, Nodes: 5000}, string(g.Append(nil))}
}

// entries returns n games.
func entries(seed uint64, n, plies int) []entry {
	r := rand.New(rand.NewPCG(seed, 0))
	var all []entry
	for i := range n {
		all = append(all, randomEntry(r, uint32(i), plies))
	}
	return all
}

// readAll returns the games of a file and the damage found in it.
func readAll(t testing.TB, data []byte) (games []entry, damages []Damage) {
	t.Helper()
	f, err := NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	damages = f.Damages
	var b Block
	for i := range f.Entries {
		var damage *Damage
		if err := f.Read(i, &b); errors.As(err, &damage) {
			damages = append(damages, *damage)
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		for id, g := range b.Games() {
			games = append(games, entry{id, string(g)})
		}
	}
	return games, damages
}

// eachForm runs a test on both forms that keep every byte: compact blocks, and
// those of zstd that were written before there were any.
func eachForm(t *testing.T, test func(t *testing.T, form Form)) {
	for name, form := range map[string]Form{"compact": Exact, "zstd": Fast} {
		t.Run(name, func(t *testing.T) { test(t, form) })
	}
}

// blocks returns the games as a file with the given number of games in each
// block.
func blocks(t testing.TB, form Form, all []entry, each int) []byte {
	t.Helper()
	p := Packer{Form: form}
	var data []byte
	var err error
	for i, e := range all {
		p.Add(e.ID, record.View(e.Game))
		if p.Games() == each || i == len(all)-1 {
			if data, err = p.Append(data); err != nil {
				t.Fatal(err)
			}
		}
	}
	return data
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all := entries(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 20).Draw(rt, "games"), rapid.IntRange(0, 40).Draw(rt, "plies"))
		form := rapid.SampledFrom([]Form{Exact, Fast}).Draw(rt, "form")
		data := blocks(t, form, all, rapid.IntRange(1, 9).Draw(rt, "each"))
		got, damages := readAll(t, data)
		if len(damages) > 0 {
			rt.Fatalf("damage: %v", damages)
		}
		if diff := cmp.Diff(all, got); diff != "" {
			rt.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

func TestPlainFile(t *testing.T) {
	all := entries(5, 5000, 60)
	var data []byte
	for _, e := range all {
		data = append(data, e.Game...)
	}
	f, err := NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil || !f.Plain || f.Games() != len(all) || len(f.Entries) < 2 {
		t.Fatalf("plain %v, %d games in %d pieces, error %v, want %d games", f.Plain, f.Games(), len(f.Entries), err, len(all))
	}
	got, damages := readAll(t, data)
	if len(damages) > 0 {
		t.Fatalf("damage: %v", damages)
	}
	for i := range all {
		if got[i].Game != all[i].Game || got[i].ID != (ID{}) {
			t.Fatalf("game %d differs", i)
		}
	}
	if got, damages := readAll(t, data[:len(data)-3]); len(got) != len(all)-1 || len(damages) != 1 {
		t.Errorf("cut file: %d games, damage %v", len(got), damages)
	}
}

// TestFlippedBytes changes every byte of a file: the block it belongs to is
// named and every other game is still read.
func TestFlippedBytes(t *testing.T) { eachForm(t, testFlippedBytes) }

func testFlippedBytes(t *testing.T, form Form) {
	all := entries(1, 6, 8)
	data := blocks(t, form, all, 2)
	f, err := NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for at := range data {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := bytes.Clone(data)
			bad[at] ^= flip
			which := 0
			for which+1 < len(f.Entries) && f.Entries[which+1].Offset <= int64(at) {
				which++
			}
			got, damages := readAll(t, bad)
			want := append(append([]entry(nil), all[:2*which]...), all[2*which+2:]...)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("byte %d (-want +got):\n%s", at, diff)
			}
			if len(damages) != 1 || damages[0].Block != which || damages[0].Offset != f.Entries[which].Offset {
				t.Fatalf("byte %d: damage %v, want it in block %d", at, damages, which)
			}
		}
	}
}

func TestTruncated(t *testing.T) { eachForm(t, testTruncated) }

func testTruncated(t *testing.T, form Form) {
	all := entries(2, 6, 8)
	data := blocks(t, form, all, 2)
	f, err := NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		whole := 0
		atEdge := n == 0
		for i := range f.Entries {
			if end := f.Entries[i].Offset + int64(f.Entries[i].Stored()); end <= int64(n) {
				whole = i + 1
				atEdge = atEdge || end == int64(n)
			}
		}
		got, damages := readAll(t, data[:n])
		if diff := cmp.Diff(all[:2*whole], append([]entry{}, got...)); diff != "" {
			t.Fatalf("%d bytes (-want +got):\n%s", n, diff)
		}
		if (len(damages) == 0) != atEdge {
			t.Fatalf("%d bytes: damage %v", n, damages)
		}
	}
}

// TestHeaderClaims gives headers with good checksums and false counts.
func TestHeaderClaims(t *testing.T) {
	data := blocks(t, Exact, entries(3, 3, 8), 3)
	for _, tt := range []struct {
		name  string
		at    int
		value uint32
		want  error
	}{
		{"games", 12, 2, ErrContent},
		{"many games", 12, 1 << 31, ErrContent},
		{"positions", 16, 7, ErrContent},
		{"more wins than games", 20, 9, ErrContent},
		{"other wins", 20, 3, ErrContent},
		{"raw length", 28, 1 << 30, ErrContent},
		{"stored length", 32, 1 << 30, ErrContent},
		{"shorter than stored", 32, 10, ErrSum},
		{"longer than the file", 32, 1 << 20, ErrCut},
		{"codec", 8, 1 | 7<<16, ErrContent},
		{"codec of another version", 8, 1 | codecExact<<16, ErrContent},
		{"version", 8, 3 | 1<<16, ErrVersion},
	} {
		bad := bytes.Clone(data)
		if tt.name == "other wins" {
			tt.value = 3 - binary.LittleEndian.Uint32(bad[24:])
			if tt.value == binary.LittleEndian.Uint32(bad[20:]) {
				tt.value--
			}
		}
		binary.LittleEndian.PutUint32(bad[tt.at:], tt.value)
		binary.LittleEndian.PutUint32(bad[headerSize-4:], sum(bad[:headerSize-4]))
		if _, damages := readAll(t, bad); !slices.ContainsFunc(damages, func(d Damage) bool { return errors.Is(d.Err, tt.want) }) {
			t.Errorf("%s: damage %v, want %v", tt.name, damages, tt.want)
		}
	}
}

func TestWriter(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	all := entries(4, 3000, 40)
	w, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, e := range all {
		if err := w.Add(e.ID, record.View(e.Game)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(name); err == nil {
		t.Error("the file has its name before it is whole")
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	got, damages := readAll(t, data)
	if diff := cmp.Diff(all, got); diff != "" || len(damages) > 0 {
		t.Errorf("damage %v, (-want +got):\n%s", damages, diff)
	}
	if w.Totals.Games != len(all) {
		t.Errorf("totals %d games, want %d", w.Totals.Games, len(all))
	}
	other, err := Create(name)
	if err != nil {
		t.Fatal(err)
	}
	other.Abort()
	if left, _ := filepath.Glob(name + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// sharedGames opens games that were written before there were compact blocks. It
// skips where they are not at hand.
func sharedGames(t testing.TB) *File {
	t.Helper()
	root := os.Getenv("TABULA_SHARED")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared")
	}
	f, err := Open(filepath.Join(root, "data", "250n-4c7df53-a.tbg"))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("needs games in TABULA_SHARED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// TestOldFile reads blocks of a file that was written before there were compact
// ones, and follows their games.
func TestOldFile(t *testing.T) {
	f := sharedGames(t)
	var b Block
	for _, i := range []int{0, len(f.Entries) / 2, len(f.Entries) - 1} {
		if err := f.Read(i, &b); err != nil {
			t.Fatal(err)
		}
		if b.Header.codec != codecZstd {
			t.Fatalf("block %d has the codec %d", i, b.Header.codec)
		}
		for id, g := range b.Games() {
			if err := g.Verify(new(chess.Position), func(*chess.Position, record.Ply) {}); err != nil || id.Nodes != 250 {
				t.Fatalf("block %d: game %+v: %v", i, id, err)
			}
		}
	}
}
