package record

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/test/kit"
)

// runLog does what a run of the generator does: it adds the games that the file lacks in blocks of three. It returns
// the games of the blocks that were written.
func runLog(name string, all []entry) (safe []entry, err error) {
	l, err := OpenLog(name)
	if err != nil {
		return nil, err
	}
	have, err := l.IDs()
	for i := len(have); i < len(all) && err == nil; i += 3 {
		safe = all[:i]
		err = l.Append(block(all[i:min(i+3, len(all))]))
	}
	if err = errors.Join(err, l.Close()); err == nil {
		safe = all
	}
	return safe, err
}

// block returns games as a block.
func block(all []entry) []byte {
	var p Packer
	for _, e := range all {
		p.Add(e.ID, e.Game)
	}
	data, err := p.Append(nil)
	if err != nil {
		panic(err)
	}
	return data
}

// held returns the games of a file and the damage in it.
func held(t *testing.T, name string) ([]entry, []Damage) {
	t.Helper()
	return readAll(t, kit.Read(t, name))
}

// killedName names the file of the process that is killed.
const killedName = "TABULA_GAMES_KILLED"

// TestKilled kills runs, later ones the more of them there were, until one comes to its end: the file
// has every finished block, and in the end each game once, without damage.
func TestKilled(t *testing.T) {
	all := entries(11, 600, 6)
	if name := os.Getenv(killedName); name != "" {
		_, err := runLog(name, all)
		kit.Succeed(t, err)
		return
	}
	name := filepath.Join(t.TempDir(), "f")
	for kills := 0; ; kills++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedName+"="+name)
		kit.Succeed(t, cmd.Start())
		timer := time.AfterFunc(rand.N(20*time.Millisecond)<<(kills/10), func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if err == nil || kills == 200 {
			t.Logf("%d kills, then %v", kills, err)
			break
		}
	}
	if got, damages := held(t, name); text(got) != text(all) || len(damages) > 0 {
		t.Errorf("%d games, want %d, damage %v", len(got), len(all), damages)
	}
}

// TestFullDisk writes to a disk that is full sooner or later: finished blocks stay, and the next run with
// more space continues.
func TestFullDisk(t *testing.T) {
	dir := kit.SmallDisk(t, 128<<10)
	all := entries(12, 600, 20)
	name, ballast := filepath.Join(dir, "f"), filepath.Join(dir, "ballast")
	for _, taken := range []int{128 << 10, 124 << 10, 112 << 10, 96 << 10} {
		_ = os.Remove(ballast)
		_ = os.WriteFile(ballast, make([]byte, taken), 0o666) // as far as there is space
		safe, err := runLog(name, all)
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), name) {
			t.Errorf("%d bytes taken: %v", taken, err)
		}
		if got, damages := held(t, name); len(got) < len(safe) || text(got) != text(all[:len(got)]) || len(damages) > 0 {
			t.Fatalf("%d bytes taken: %d games, want %d; damage %v", taken, len(got), len(safe), damages)
		}
	}
	kit.Succeed(t, os.Remove(ballast))
	if _, err := runLog(name, all); err != nil {
		t.Errorf("with space: %v", err)
	}
	if got, damages := held(t, name); text(got) != text(all) || len(damages) > 0 {
		t.Errorf("with space: %d games of %d, damage %v", len(got), len(all), damages)
	}
}

// TestLogAppend adds blocks and what is none: the file grows by the blocks alone, which are counted.
func TestLogAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "f")
	l, err := OpenLog(name)
	kit.Succeed(t, err)
	all := entries(1, 4, 5)
	long := block(entries(3, 4000, 100))
	for _, tt := range []struct {
		name  string
		data  []byte
		games int
	}{
		{"a block", block(all[:3]), 3}, {"nothing", nil, 0}, {"text", []byte("1. e4"), 0},
		{"a cut block", block(all)[:60], 0}, {"two blocks", append(block(all), block(all)...), 0},
		{"a block that no kill may leave", long, 0}, {"another", block(all[3:]), 1},
	} {
		before := l.Counts()
		if err := l.Append(tt.data); (err == nil) != (tt.games > 0) || l.Counts().Games != before.Games+tt.games {
			t.Errorf("%s: %v, %d games after %d", tt.name, err, l.Counts().Games, before.Games)
		}
	}
	ids, err := l.IDs()
	kit.Succeed(t, errors.Join(err, l.Close()))
	if got, damages := held(t, name); text(got) != text(all) || len(damages) > 0 || len(ids) != 4 || ids[3] != all[3].ID {
		t.Errorf("%d games, damage %v, IDs %v", len(got), damages, ids)
	}
}

// TestTornBlock cuts a file at every byte: the next run cuts the torn block off and
// goes on; whole blocks stay.
func TestTornBlock(t *testing.T) {
	all := entries(2, 6, 6)
	data := packed(t, all, 2)
	f, err := NewFile(strings.NewReader(string(data)), int64(len(data)))
	kit.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "f")
	for n := range data {
		whole := 0
		for i := range f.Entries {
			if f.Entries[i].Offset+f.Entries[i].length() <= int64(n) {
				whole = i + 1
			}
		}
		kit.Write(t, name, data[:n])
		l, err := OpenLog(name)
		kit.Succeed(t, err)
		if got := l.Counts().Games; got != 2*whole || l.Cut != int64(n)-l.file.Size() {
			t.Fatalf("cut at %d: %d games, %d bytes cut off", n, got, l.Cut)
		}
		kit.Succeed(t, errors.Join(l.Append(block(all[5:])), l.Close()))
		if got, damages := held(t, name); text(got) != text(slices.Concat(all[:2*whole], all[5:])) || len(damages) > 0 {
			t.Fatalf("cut at %d: %d games, damage %v", n, len(got), damages)
		}
	}
}

func TestOpenLogRefuses(t *testing.T) {
	other := packed(t, entries(8, 2, 5), 2)
	other[8] = 9
	sum := checksum(other[:headerSize-4])
	copy(other[headerSize-4:], []byte{byte(sum), byte(sum >> 8), byte(sum >> 16), byte(sum >> 24)})
	name := filepath.Join(t.TempDir(), "f")
	for _, tt := range []struct{ name, data, want string }{
		{"text", "Dear diary, today I saw a chess board.", "not a game file"},
		{"short", "x", "not a game file"},
		{"games without blocks", string(entries(7, 1, 5)[0].Game.Append(nil)), "not a game file"},
		{"another format", string(other), "unknown format 9.4"},
	} {
		kit.Write(t, name, []byte(tt.data))
		if _, err := OpenLog(name); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if data := kit.Read(t, name); string(data) != tt.data {
			t.Errorf("%s: the file was changed", tt.name)
		}
	}
}

// TestDamageInTheMiddle: games behind a damaged block stay, and nothing is added behind a header that says nothing
// about what follows, unless that can be the rest of a block.
func TestDamageInTheMiddle(t *testing.T) {
	long := packed(t, entries(9, 4000, 60), 700)
	f, err := NewFile(strings.NewReader(string(long)), int64(len(long)))
	kit.Succeed(t, err)
	if rest := f.size - f.Entries[1].Offset; len(f.Entries) != 6 || rest <= mostCut || f.size-f.Entries[5].Offset > mostCut {
		t.Fatalf("%d blocks, %d bytes behind the first", len(f.Entries), rest)
	}
	for _, tt := range []struct {
		name  string
		block int
		at    int64 // of the byte that is damaged, from the start of the block
		games int   // counted; 0 if the file is refused
	}{
		{"payload", 1, headerSize + 2, 4000}, {"magic", 1, 3, 0}, {"counts", 1, 16, 0},
		{"last header", 5, 3, 3500}, {"last payload", 5, headerSize + 2, 3500},
	} {
		data := slices.Clone(long)
		data[f.Entries[tt.block].Offset+tt.at] ^= 1
		name := filepath.Join(t.TempDir(), "f")
		kit.Write(t, name, data)
		l, err := OpenLog(name)
		if tt.games == 0 {
			if err == nil || !strings.Contains(err.Error(), "the first 700 games") || !strings.Contains(err.Error(), "block 1 at byte") ||
				!slices.Equal(kit.Read(t, name), data) {
				t.Errorf("%s: error %v, or the file was changed", tt.name, err)
			}
			continue
		}
		kit.Succeed(t, err)
		if l.Counts().Games != tt.games || (l.Cut > 0) != (tt.block == 5) {
			t.Errorf("%s: %d games, %d bytes cut off", tt.name, l.Counts().Games, l.Cut)
		}
		ids, err := l.IDs()
		kit.Succeed(t, err)
		for number, want := range map[uint32]bool{699: true, 700: tt.block == 5, 1400: true} {
			if slices.ContainsFunc(ids, func(id ID) bool { return id.Number == number }) != want {
				t.Errorf("%s: game %d of %d", tt.name, number, len(ids))
			}
		}
		kit.Succeed(t, l.Close())
	}
}

// TestDamagedHeader: a header that is damaged is none of a block that was not finished where another block follows,
// however little does: nothing is cut off, and a reader is told of it also while another process has the file.
func TestDamagedHeader(t *testing.T) {
	data := packed(t, entries(9, 24, 10), 4)
	f, err := NewFile(strings.NewReader(string(data)), int64(len(data)))
	kit.Succeed(t, err)
	data[f.Entries[2].Offset+16] ^= 1
	name := filepath.Join(t.TempDir(), "f")
	kit.Write(t, name, data)
	if _, err := OpenLog(name); err == nil || !strings.Contains(err.Error(), "block 2 at byte") || !slices.Equal(kit.Read(t, name), data) {
		t.Errorf("error %v, or the file was changed", err)
	}
	lock, err := journal.OpenFile(name)
	kit.Succeed(t, err)
	defer lock.Close()
	open, err := Open(name)
	kit.Succeed(t, err)
	defer open.Close()
	if open.Damage == nil || open.Counts().Games != 8 {
		t.Errorf("damage %v, %d games; another process has the file: %t", open.Damage, open.Counts().Games, open.Live)
	}
}

// TestLiveFile reads a file while another process writes a block to its end.
func TestLiveFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	data := packed(t, entries(9, 6, 5), 2)
	kit.Write(t, name, data)
	l, err := OpenLog(name)
	kit.Succeed(t, err)
	defer l.Close()
	if other, err := OpenLog(name); err == nil {
		other.Close()
		t.Skip("this system has no locks")
	}
	half, err := os.OpenFile(name, os.O_WRONLY, 0)
	kit.Succeed(t, err)
	defer half.Close()
	if _, err := half.WriteAt(data[:60], l.file.Size()); err != nil { // half of a block
		t.Fatal(err)
	}
	f, err := Open(name)
	kit.Succeed(t, err)
	defer f.Close()
	if !f.Live || f.Damage != nil || f.Counts().Games != 6 {
		t.Errorf("live %v, damage %v, %d games", f.Live, f.Damage, f.Counts().Games)
	}
	kit.Succeed(t, l.file.Cut(l.file.Size()))
}
