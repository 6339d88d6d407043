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
	"testing/synctest"
	"time"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// runLog does what a run of the generator does: it adds the games that the file
// does not hold and writes a block after every third. It returns the games of the
// blocks that were written.
func runLog(name string, all []entry) (safe []entry, err error) {
	l, err := OpenLog(name)
	if err != nil {
		return nil, err
	}
	err = func() error {
		have, err := l.Numbers(all[0].ID.Run)
		if err != nil {
			return err
		}
		for i, e := range all {
			if !have[e.ID.Number] {
				if err := l.Add(e.ID, e.Game); err != nil {
					return err
				}
			}
			if i%3 == 2 {
				if err := l.Flush(); err != nil {
					return err
				}
				safe = all[:i+1]
			}
		}
		return nil
	}()
	if err = errors.Join(err, l.Close()); err == nil {
		safe = all
	}
	return safe, err
}

// held returns the games of a file and the damage in it.
func held(t *testing.T, name string) ([]entry, []Damage) {
	t.Helper()
	return readAll(t, testkit.Read(t, name))
}

// killedName names the file of the process that is killed.
const killedName = "TABULA_GAMES_KILLED"

// TestKilled kills runs, later ones the more of them there were, until one comes to its end: the file
// has every finished block, and in the end each game once, without damage.
func TestKilled(t *testing.T) {
	all := entries(11, 600, 6)
	if name := os.Getenv(killedName); name != "" {
		_, err := runLog(name, all)
		testkit.Succeed(t, err)
		return
	}
	name := filepath.Join(t.TempDir(), "f")
	for kills := 0; ; kills++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedName+"="+name)
		testkit.Succeed(t, cmd.Start())
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
	dir := testkit.SmallDisk(t, 128<<10)
	all := entries(12, 600, 20)
	name, ballast := filepath.Join(dir, "f"), filepath.Join(dir, "ballast")
	for _, taken := range []int{128 << 10, 124 << 10, 112 << 10, 96 << 10} {
		_ = os.Remove(ballast)
		_ = os.WriteFile(ballast, make([]byte, taken), 0o666) // as far as there is space
		safe, err := runLog(name, all)
		if !errors.Is(err, syscall.ENOSPC) || err != nil && taken < 128<<10 && !strings.Contains(err.Error(), "games are lost") {
			t.Errorf("%d bytes taken: %v", taken, err)
		}
		if got, damages := held(t, name); len(got) < len(safe) || text(got) != text(all[:len(got)]) || len(damages) > 0 {
			t.Fatalf("%d bytes taken: %d games, want %d; damage %v", taken, len(got), len(safe), damages)
		}
	}
	testkit.Succeed(t, os.Remove(ballast))
	if _, err := runLog(name, all); err != nil {
		t.Errorf("with space: %v", err)
	}
	if got, damages := held(t, name); text(got) != text(all) || len(damages) > 0 {
		t.Errorf("with space: %d games of %d, damage %v", len(got), len(all), damages)
	}
}

// TestHeldGamesAreWritten adds games now and then and kills the process: none is
// lost that is five seconds old.
func TestHeldGamesAreWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "f")
		l, err := OpenLog(name)
		testkit.Succeed(t, err)
		all := entries(1, 40, 5)
		for i, e := range all {
			testkit.Succeed(t, l.Add(e.ID, e.Game))
			time.Sleep(time.Second)
			synctest.Wait()
			if seen, _ := held(t, name); len(seen) < i-3 {
				t.Fatalf("after %d seconds %d games are in the file, want %d", i+1, len(seen), i-3)
			}
		}
		if n := l.Counts().Games; n != len(all) {
			t.Errorf("%d games counted, want %d", n, len(all))
		}
		data := testkit.Read(t, name)
		if f, err := NewFile(strings.NewReader(string(data)), int64(len(data))); err != nil || len(f.Entries) > 12 {
			t.Errorf("%d blocks for %d games, error %v", len(f.Entries), len(all), err)
		}
		testkit.Succeed(t, l.Close())
	})
}

// TestTornBlock cuts a file at every byte: the next run cuts the torn block off and
// goes on; whole blocks stay.
func TestTornBlock(t *testing.T) {
	all := entries(2, 6, 6)
	data := packed(t, all, 2)
	f, err := NewFile(strings.NewReader(string(data)), int64(len(data)))
	testkit.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "f")
	for n := range data {
		whole := 0
		for i := range f.Entries {
			if f.Entries[i].Offset+f.Entries[i].length() <= int64(n) {
				whole = i + 1
			}
		}
		testkit.Write(t, name, data[:n])
		l, err := OpenLog(name)
		testkit.Succeed(t, err)
		if got := l.Counts().Games; got != 2*whole || l.Cut != int64(n)-l.file.Size() {
			t.Fatalf("cut at %d: %d games, %d bytes cut off", n, got, l.Cut)
		}
		testkit.Succeed(t, errors.Join(l.Add(all[5].ID, all[5].Game), l.Close()))
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
		testkit.Write(t, name, []byte(tt.data))
		if _, err := OpenLog(name); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want one with %q", tt.name, err, tt.want)
		}
		if data := testkit.Read(t, name); string(data) != tt.data {
			t.Errorf("%s: the file was changed", tt.name)
		}
	}
}

// TestDamageInTheMiddle: games behind a damaged block stay, and nothing is added behind a header that says nothing
// about what follows, unless that can be the rest of a block.
func TestDamageInTheMiddle(t *testing.T) {
	long := packed(t, entries(9, 4000, 60), 700)
	f, err := NewFile(strings.NewReader(string(long)), int64(len(long)))
	testkit.Succeed(t, err)
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
		testkit.Write(t, name, data)
		l, err := OpenLog(name)
		if tt.games == 0 {
			if err == nil || !strings.Contains(err.Error(), "the first 700 games") || !strings.Contains(err.Error(), "block 1 at byte") ||
				!slices.Equal(testkit.Read(t, name), data) {
				t.Errorf("%s: error %v, or the file was changed", tt.name, err)
			}
			continue
		}
		testkit.Succeed(t, err)
		if l.Counts().Games != tt.games || (l.Cut > 0) != (tt.block == 5) {
			t.Errorf("%s: %d games, %d bytes cut off", tt.name, l.Counts().Games, l.Cut)
		}
		if n, err := l.Numbers(42); err != nil || n[699] == false || n[700] != (tt.block == 5) || n[1400] == false {
			t.Errorf("%s: %d games are held, %v", tt.name, len(n), err)
		}
		testkit.Succeed(t, l.Close())
	}
}

// TestLiveFile reads a file while another process writes a block to its end.
func TestLiveFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	data := packed(t, entries(9, 6, 5), 2)
	testkit.Write(t, name, data)
	l, err := OpenLog(name)
	testkit.Succeed(t, err)
	defer l.Close()
	if other, err := OpenLog(name); err == nil {
		other.Close()
		t.Skip("this system has no locks")
	}
	half, err := os.OpenFile(name, os.O_WRONLY, 0)
	testkit.Succeed(t, err)
	defer half.Close()
	if _, err := half.WriteAt(data[:60], l.file.Size()); err != nil { // half of a block
		t.Fatal(err)
	}
	f, err := Open(name)
	testkit.Succeed(t, err)
	defer f.Close()
	if !f.Live || f.Damage != nil || f.Counts().Games != 6 {
		t.Errorf("live %v, damage %v, %d games", f.Live, f.Damage, f.Counts().Games)
	}
	testkit.Succeed(t, l.file.Cut(l.file.Size()))
}
