package record

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

// entry is a game as the tests compare it.
type entry struct {
	ID   ID
	Game *ScoredGame
}

// text makes entries comparable.
func text(all []entry) string {
	var b strings.Builder
	for _, e := range all {
		fmt.Fprintf(&b, "%v %x\n", e.ID, e.Game.Append(nil))
	}
	return b.String()
}

// entries returns n games of random moves, with scores that no rounding changes.
func entries(seed uint64, n, plies int) (all []entry) {
	r := rand.New(rand.NewPCG(seed, 0))
	for i := range n {
		g := random(r, chess.NewPosition(), plies, false, func() int16 { return int16(2*r.IntN(100) - 100) })
		all = append(all, entry{ID{Run: 42, Number: uint32(i), Nodes: 5000}, g})
	}
	return all
}

// readAll returns the games of a file and the damage found in it.
func readAll(t testing.TB, data []byte) (games []entry, damages []Damage) {
	t.Helper()
	f, err := NewFile(bytes.NewReader(data), int64(len(data)))
	kit.Succeed(t, err)
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
			games = append(games, entry{id, g})
		}
	}
	if f.Damage != nil {
		damages = append(damages, *f.Damage)
	}
	return games, damages
}

// packed returns the games as a file with the given number of games in each block.
func packed(t testing.TB, all []entry, each int) (data []byte) {
	t.Helper()
	for part := range slices.Chunk(all, each) {
		var p Packer
		for _, e := range part {
			p.Add(e.ID, e.Game)
		}
		var err error
		data, err = p.Append(data)
		kit.Succeed(t, err)
	}
	return data
}

// TestFlippedBytes changes every byte of a file: the block that it belongs to is reported and the games
// before it are read. Those behind it are read too, but for a damaged header.
func TestFlippedBytes(t *testing.T) {
	all := entries(1, 6, 8)
	data := packed(t, all, 2)
	f, err := NewFile(bytes.NewReader(data), int64(len(data)))
	kit.Succeed(t, err)
	if got, damages := readAll(t, data); text(got) != text(all) || len(damages) > 0 {
		t.Fatalf("damage %v, %d games of %d", damages, len(got), len(all))
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
			want := all[:2*which]
			if at >= int(f.Entries[which].Offset)+headerSize {
				want = slices.Concat(want, all[2*which+2:])
			}
			if diff := cmp.Diff(text(want), text(got)); diff != "" {
				t.Fatalf("byte %d (-want +got):\n%s", at, diff)
			}
			if len(damages) != 1 || damages[0].Block != which || damages[0].Offset != f.Entries[which].Offset {
				t.Fatalf("byte %d: damage %v, want it in block %d", at, damages, which)
			}
		}
	}
}

// TestHeaderClaims gives headers with good checksums and false counts.
func TestHeaderClaims(t *testing.T) {
	data := packed(t, entries(3, 3, 8), 3)
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
		{"size", 28, 1 << 30, ErrContent},
		{"payload", 32, 1 << 30, ErrContent},
		{"shorter payload", 32, 10, ErrSum},
		{"longer than the file", 32, 1 << 20, ErrCut},
		{"format", 8, 1 | 1<<16, ErrFormat},
	} {
		bad := bytes.Clone(data)
		binary.LittleEndian.PutUint32(bad[tt.at:], tt.value)
		binary.LittleEndian.PutUint32(bad[headerSize-4:], checksum(bad[:headerSize-4]))
		if _, damages := readAll(t, bad); !slices.ContainsFunc(damages, func(d Damage) bool { return errors.Is(d.Err, tt.want) }) {
			t.Errorf("%s: damage %v, want %v", tt.name, damages, tt.want)
		}
	}
}

// TestMerge packs two files with games in common and a damaged block into one.
func TestMerge(t *testing.T) {
	dir := t.TempDir()
	all := entries(4, 3000, 40)
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "out")
	broken := packed(t, all[:2000], 500)
	f, err := NewFile(bytes.NewReader(broken), int64(len(broken)))
	kit.Succeed(t, err)
	broken[f.Entries[1].Offset+100] ^= 1
	illegal := entry{ID{Run: 41, Number: 9}, &ScoredGame{Start: all[0].Game.Start, Plies: []Ply{all[0].Game.Plies[0], {}}}}
	for name, data := range map[string][]byte{a: broken, b: packed(t, append(slices.Clone(all[1000:]), illegal), 10)} {
		kit.Write(t, name, data)
	}
	stop := errors.New("stop")
	if _, err := Merge(t.Context(), []string{a, b}, out, func(string, error) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("error %v, want that of the report", err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the file has its name before it is whole")
	}
	var reports []string
	m, err := Merge(t.Context(), []string{a, b}, out, func(name string, err error) error {
		reports = append(reports, filepath.Base(name)+": "+err.Error())
		return nil
	})
	if err != nil || m.Written.Games != 2500 || m.Repeated != 1000 || m.Damaged != 1 || m.Illegal != 1 || len(reports) != 2 {
		t.Fatalf("%+v, reports %q, error %v", m, reports, err)
	}
	if want := "b: game 9 of run 41: ply 1, 0000: illegal move"; !strings.HasPrefix(reports[1], want) {
		t.Errorf("report %q, want %q", reports[1], want)
	}
	data := kit.Read(t, out)
	got, _ := readAll(t, data)
	if want := slices.Concat(all[:500], all[1000:]); text(got) != text(want) {
		t.Errorf("%d games, want %d", len(got), len(want))
	}
	empty := filepath.Join(dir, "empty")
	kit.Write(t, empty, nil)
	if _, err := Merge(t.Context(), []string{empty}, out, func(string, error) error { return nil }); err != nil || !bytes.Equal(kit.Read(t, out), data) {
		t.Errorf("a file is replaced by no games: %v", err)
	}
	if left, _ := filepath.Glob(out + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// FuzzFile reads bytes as a file and follows the games that it finds on both boards:
// nothing panics, and blocks and damage add up to the file.
func FuzzFile(f *testing.F) {
	two := packed(f, entries(1, 4, 6), 2)
	f.Add(two)
	f.Add(two[:len(two)-5])
	f.Add(append(append([]byte("rubbish before "), two...), two[60:]...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		// Sums hide everything else from a fuzzer: make the first header's right.
		fixed := bytes.Clone(data)
		if len(fixed) > headerSize && string(fixed[:len(magic)]) == magic {
			binary.LittleEndian.PutUint32(fixed[36:], checksum(fixed[headerSize:]))
			binary.LittleEndian.PutUint32(fixed[headerSize-4:], checksum(fixed[:headerSize-4]))
		}
		for _, data := range [][]byte{data, fixed} {
			follow(t, data)
		}
	})
}

// follow reads a file and replays its games.
func follow(t *testing.T, data []byte) {
	file, err := NewFile(bytes.NewReader(data), int64(len(data)))
	kit.Succeed(t, err)
	length := int64(0)
	for i := range file.Entries {
		length += file.Entries[i].length()
	}
	if file.Damage != nil && length != file.Damage.Offset || file.Damage == nil && length != int64(len(data)) {
		t.Fatalf("blocks are %d bytes of %d, damage %v", length, len(data), file.Damage)
	}
	games, _ := readAll(t, data)
	for _, e := range games {
		_ = e.Game.Verify(new(chess.Position), nil) // an error is no fault of the reader
	}
}

// played returns a game of UCI moves with the scores 0, 150, -300 and so on.
func played(t *testing.T, fen string, result HalfPoints, moves ...string) *ScoredGame {
	t.Helper()
	p := kit.Position(t, fen)
	g := &ScoredGame{Start: Pack(p, result)}
	for i, text := range moves {
		m := kit.Move(t, p, text)
		score := int16(150 * i)
		if i%2 == 0 {
			score = -score
		}
		g.Plies = append(g.Plies, Ply{m, score})
		p.Make(m)
	}
	return g
}

func TestInspect(t *testing.T) {
	var p Packer
	p.Add(ID{Run: 7, Number: 0, Nodes: 100}, played(t, chess.StartFEN, WhiteWins, "e2e4", "e7e5", "d1h5", "e8e7", "h5e5"))
	p.Add(ID{Run: 7, Number: 1, Nodes: 100}, played(t, chess.StartFEN, Draw, "e2e4", "d7d5", "e4d5"))
	data, err := p.Append(nil)
	kit.Succeed(t, err)
	p.Reset()
	p.Add(ID{Run: 7, Number: 0, Nodes: 100}, played(t, "6k1/8/8/8/8/8/8/5KR1 b G - 0 1", BlackWins, "g8f7"))
	data, err = p.Append(data)
	kit.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "games.tbg")
	data = append(data, data[:60]...)
	kit.Write(t, name, data)
	steps := 0
	r, err := Inspect(t.Context(), []string{name}, func(int, int) { steps++ })
	if err != nil || steps != 2 {
		t.Fatalf("%d steps, error %v", steps, err)
	}
	if want := (Counts{Games: 3, Positions: 9, WhiteWins: 1, BlackWins: 1}); r.Counts != want || r.Blocks != 2 || r.Chess960 != 1 || r.InCheck != 1 ||
		r.Tactical != 2 || r.Repeated != 1 || r.Longest != 5 || r.Bytes != int64(len(data)) || !slices.Equal(r.Runs, []Run{{7, 100, 3}}) {
		t.Errorf("%+v", r)
	}
	if len(r.Damage) != 1 || !strings.Contains(r.Damage[0], "games.tbg: block 2 at byte") || !strings.Contains(r.Damage[0], ErrCut.Error()) {
		t.Errorf("damage %v", r.Damage)
	}
	var out bytes.Buffer
	kit.Succeed(t, r.WriteText(&out))
	for _, want := range []string{"3, 3.0 plies each", "white 33.33%, draw 33.33%, black 33.33%", "run         7: 3 games, 100 nodes", "damage: 1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if data, err := json.Marshal(r); err != nil || !bytes.Contains(data, []byte(`"games":3`)) {
		t.Errorf("JSON %s, error %v", data, err)
	}
	out.Reset()
	if err := new(Summary).WriteText(&out); err != nil || strings.Contains(out.String(), "%") {
		t.Errorf("a report of nothing: %v\n%s", err, &out)
	}
}

// TestInspectIllegal: a file whose only game begins with an illegal move has a report.
func TestInspectIllegal(t *testing.T) {
	start := played(t, chess.StartFEN, Draw).Start
	name := filepath.Join(t.TempDir(), "f")
	kit.Write(t, name, packed(t, []entry{{ID{Run: 7}, &ScoredGame{Start: start, Plies: []Ply{{Move: chess.NewMove(chess.E2, chess.E5, chess.Normal)}}}}}, 1))
	r, err := Inspect(t.Context(), []string{name}, func(int, int) {})
	var out bytes.Buffer
	if err != nil || r.WriteText(&out) != nil || !strings.Contains(out.String(), "e2e5: illegal move") {
		t.Errorf("%v\n%s", err, &out)
	}
}
