package syzygy

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
	"github.com/tabula-chess/tabula/test/kit"
)

// open makes Tables of one file with any contents, whose checksum is not
// looked at, so that damage reaches the reader.
func openBytes(tb testing.TB, name string, data []byte) *Tables {
	tb.Helper()
	t := &Tables{endings: map[layout.Material]*[2]*tableFile{}, told: map[string]bool{}}
	t.add(name, name, func() ([]byte, func() error, error) { return data, func() error { return nil }, nil })
	t.addEmbedded()
	return t
}

// probeAll asks a table about positions of its ending and returns the first
// error that is not about a missing table.
func probeAll(tb testing.TB, tables *Tables, fens []string) error {
	for _, fen := range fens {
		p := kit.Position(tb, fen)
		wdl, err := tables.WDL(p)
		if err == nil && (wdl < Loss || wdl > Win) {
			tb.Errorf("%s: WDL %d", fen, wdl)
		}
		if err == nil {
			_, err = tables.DTZ(p)
		}
		if err != nil && !errors.Is(err, ErrMissing) {
			return err
		}
	}
	return nil
}

var kpkp = []string{
	"8/5p2/8/4k3/8/2K5/3P4/8 w - - 0 1", "8/8/8/4k3/pP6/2K5/8/8 b - b3 0 1",
	"8/6p1/8/1P2k3/8/2K5/8/8 b - - 0 1", "k7/7p/8/8/8/8/P7/K7 w - - 0 1",
}

// TestDamage cuts files short and turns single bytes over: every error names
// the file and a byte of it, and nothing panics.
func TestDamage(t *testing.T) {
	dir := shared(t, "syzygy")
	for _, tt := range []struct {
		name string
		fens []string
	}{
		{"KPvKP.rtbw", kpkp},
		{"KRvKN.rtbw", []string{"8/8/3n4/4k3/8/2K5/3R4/8 w - - 0 1", "8/8/3n4/4k3/8/2K5/3R4/8 b - - 0 1"}},
		{"KRvK.rtbz", []string{"8/8/8/4k3/8/2K5/3R4/8 w - - 0 1", "8/8/8/4k3/8/2K5/3R4/8 b - - 0 1"}},
		{"KBvKB.rtbw", []string{"8/8/3b4/4k3/8/2K5/3B4/8 w - - 0 1"}},
	} {
		whole := kit.Read(t, filepath.Join(dir, tt.name))
		if err := probeAll(t, openBytes(t, tt.name, whole), tt.fens); err != nil {
			t.Errorf("%s undamaged: %v", tt.name, err)
		}
		check := func(data []byte, what string, must bool) {
			err := probeAll(t, openBytes(t, tt.name, data), tt.fens)
			var bad *FileError
			switch {
			case err == nil && must:
				t.Errorf("%s %s: no error", tt.name, what)
			case err != nil && !errors.As(err, &bad):
				t.Errorf("%s %s: %v, want a FileError", tt.name, what, err)
			case bad != nil && (bad.Path != tt.name || bad.Offset < 0 || bad.Reason == "" || !strings.Contains(bad.Error(), tt.name)):
				t.Errorf("%s %s: incomplete error %v", tt.name, what, bad)
			}
		}
		for n := 0; n < len(whole); n += 1 + n/9 {
			check(whole[:n], "cut short", true)
			if n > 80 {
				check(whole[:n/64*64+16], "cut short at a block", n/64*64+16 < len(whole))
			}
		}
		for at := 0; at < len(whole); at += 1 + at/64 {
			for _, bit := range []byte{1, 16, 128, 255} {
				data := append([]byte(nil), whole...)
				data[at] ^= bit
				check(data, "with a byte turned over", false)
			}
		}
	}
}

// TestChecksum shows that a byte turned over anywhere is noticed when a file
// is opened, before a value of it is believed.
func TestChecksum(t *testing.T) {
	dir := t.TempDir()
	for _, kind := range []string{".rtbw", ".rtbz"} {
		whole, err := embedded.ReadFile("tables3/KRvK" + kind)
		kit.Succeed(t, err)
		for at := 0; at < len(whole); at += 13 {
			data := append([]byte(nil), whole...)
			data[at] ^= 4
			kit.Write(t, filepath.Join(dir, "KRvK"+kind), data)
			tables := openTables(t, dir)
			_, err = tables.DTZ(kit.Position(t, "8/8/8/4k3/8/2K5/3R4/8 w - - 0 1"))
			var bad *FileError
			if !errors.As(err, &bad) || !strings.HasSuffix(bad.Path, "KRvK"+kind) {
				t.Errorf("byte %d of %s turned over: %v", at, kind, err)
			}
			kit.Succeed(t, tables.Close())
			kit.Succeed(t, os.Remove(filepath.Join(dir, "KRvK"+kind)))
		}
	}
}

// TestDamagedDistances: what a damaged DTZ table cannot tell is what a missing one cannot.
func TestDamagedDistances(t *testing.T) {
	whole, err := embedded.ReadFile("tables3/KRvK.rtbz")
	kit.Succeed(t, err)
	for what, change := range map[string]func(data []byte) []byte{
		"overwritten": func(data []byte) []byte { copy(data[len(data)/2:], "harm"); return data },
		"cut short":   func(data []byte) []byte { return data[:100] },
		"empty":       func([]byte) []byte { return nil },
	} {
		dir := t.TempDir()
		kit.Write(t, filepath.Join(dir, "KRvK.rtbz"), change(slices.Clone(whole)))
		damaged, missing := openTables(t, dir), openTables(t)
		missing.endings[layout.MaterialOf(kit.Position(t, "8/8/8/4k3/8/8/8/KR6 w - - 0 1"))][kindDTZ] = nil
		for _, fen := range []string{
			"8/8/8/4k3/8/8/8/KR6 w - - 0 1", "8/8/8/4k3/8/8/8/KR6 w - - 3 9", "8/8/8/4k3/8/8/8/KR6 b - - 72 90", "7k/8/5K2/8/8/8/8/R7 w - - 99 100",
			"8/8/8/4k3/8/8/6P1/4K3 w - - 4 9", // which may become a rook
		} {
			p := kit.Position(t, fen)
			for _, ignore := range []bool{false, true} {
				got, exact, err1 := damaged.Root(p, ignore)
				want, same, err2 := missing.Root(p, ignore)
				if !slices.Equal(got, want) || exact != same || err1 != nil || err2 != nil {
					t.Errorf("%s, %s: %v exact %v (%v), want %v exact %v (%v)", what, fen, got, exact, err1, want, same, err2)
				}
			}
			got, maybe, err1 := damaged.AtClock(p)
			want, same, err2 := missing.AtClock(p)
			if got != want || maybe != same || err1 != nil || err2 != nil {
				t.Errorf("%s, %s: %v maybe %v (%v), want %v maybe %v (%v)", what, fen, got, maybe, err1, want, same, err2)
			}
		}
	}
}

// TestWatch: every look-up that needs a damaged file returns its error, and the watcher hears of it once; of a table
// that is missing it does not hear. Without distances, outcomes rank the moves.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	kit.Write(t, filepath.Join(dir, "KQvK.rtbw"), []byte("damaged"))
	kit.Write(t, filepath.Join(dir, "KRvK.rtbz"), []byte("damaged"))
	tables := openTables(t, dir)
	var heard []string
	tables.Watch(func(err error) { heard = append(heard, err.Error()) })
	queen, rook := kit.Position(t, "8/8/8/4k3/8/8/8/KQ6 w - - 3 9"), kit.Position(t, "8/8/8/4k3/8/8/8/KR6 w - - 3 9")
	for range 2 {
		for _, p := range []*chess.Position{queen, rook, kit.Position(t, "8/8/8/4k3/8/8/8/KRR5 w - - 3 9")} {
			_, err1 := tables.WDL(p)
			_, err2 := tables.DTZ(p)
			_, _, err3 := tables.AtClock(p)
			_, _, err4 := tables.Root(p, false)
			if (err1 == nil) != (p == rook) || err2 == nil || (err3 == nil) != (p == rook) || (err4 == nil) != (p == rook) {
				t.Errorf("%s: %v, %v, %v, %v", p.FEN(), err1, err2, err3, err4)
			}
		}
	}
	const reason = ": at byte 7: the file ends too early: its length is not 16 beyond a multiple of 64"
	want := []string{filepath.Join(dir, "KQvK.rtbw") + reason, filepath.Join(dir, "KRvK.rtbz") + reason}
	if !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

// FuzzTable reads any bytes as a table: it may refuse them, but neither panic
// nor run away nor make an outcome up that there is none of.
func FuzzTable(f *testing.F) {
	names := []string{"KPvKP.rtbw", "KPvKP.rtbz", "KRvKN.rtbw", "KRvK.rtbw", "KRvK.rtbz", "KPvK.rtbw", "KPvK.rtbz", "KBBvK.rtbw"}
	fens := append([]string{
		"8/8/3n4/4k3/8/2K5/3R4/8 w - - 0 1", "8/8/3n4/4k3/8/2K5/3R4/8 b - - 0 1",
		"8/8/8/4k3/8/2K5/3R4/8 w - - 0 1", "8/8/8/4k3/8/2K5/3R4/8 b - - 0 1",
		"8/8/8/4k3/8/2K5/3P4/8 w - - 0 1", "8/8/8/4k3/8/2K5/3P4/8 b - - 0 1",
		"8/8/8/4k3/8/2K5/3BB3/8 w - - 0 1", "8/8/8/4k3/8/2K5/2B5/1B6 b - - 0 1",
	}, kpkp...)
	for i, name := range names {
		data, err := embedded.ReadFile("tables3/" + name)
		if err != nil {
			data = []byte(layout.MagicWDL + "\x23\x00\x11")
		}
		f.Add(uint8(i), data)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		tables := openBytes(t, names[int(which)%len(names)], data)
		_ = probeAll(t, tables, fens)
		_ = tables.Verify()
	})
}

// TestHashes holds the hashes of texts of all lengths against those that city-c.c of
// syzygy1/tb (0bb8aee) prints: for each word of the result, its sum over the lengths, in
// which each sum is 31 times the one before it and the next word.
func TestHashes(t *testing.T) {
	text := make([]byte, 2000)
	x := uint32(1)
	for i := range text {
		x = x*1664525 + 1013904223
		text[i] = byte(x >> 24)
	}
	var short [2]uint64
	for n := 32; n <= 900; n++ {
		for i, word := range city128(text[:n]) {
			short[i] = short[i]*31 + word
		}
	}
	if want := [2]uint64{0xe1b6feb7550b3044, 0xf1ad826df0de89f7}; short != want {
		t.Errorf("city128: %#x, want %#x", short, want)
	}
	var long [4]uint64
	for n := 1; n <= len(text); n++ {
		for i, word := range cityCRC256(text[:n]) {
			long[i] = long[i]*31 + word
		}
	}
	if want := [4]uint64{0x6bb4d92f401a2dc4, 0x2f8c9db30b009051, 0x9fa3680d2e938ee5, 0x31bd0e326c56fa95}; long != want {
		t.Errorf("cityCRC256: %#x, want %#x", long, want)
	}
}

// TestSpans reads the head of parts with all numbers of values near the end of a span of eight, and the bounds of its
// fields.
func TestSpans(t *testing.T) {
	head := func(change func(b []byte)) []byte {
		b := []byte{0, 3, 3, 2, 1, 0, 0, 0, 1, 1, 0, 0, 1, 0, 5, 0xf0, 0xff, 0} // one code of one bit for one symbol, the value 5
		if change != nil {
			change(b)
		}
		return b
	}
	read := func(size uint64, data []byte) (*pairs, error) {
		f := &file{path: "x", data: data}
		c := &cursor{file: f}
		d, _, err := c.readPairs(size, true)
		return d, err
	}
	for size, want := range map[uint64]int64{1: 1, 7: 1, 8: 1, 9: 2, 15: 2, 16: 2, 17: 3} {
		d, err := read(size, head(nil))
		if err != nil || d.sparse.size != 6*want || d.sizes.size != 2*(1+2) || d.blocks.size != 8 {
			t.Errorf("%d values: %+v, %v; want %d spans", size, d, err, want)
		}
	}
	for name, tt := range map[string]struct {
		change func(b []byte)
		sound  bool
	}{
		"spans of one value":         {func(b []byte) { b[2] = 0 }, false},
		"spans of two values":        {func(b []byte) { b[2] = 1 }, true},
		"spans of 2^30":              {func(b []byte) { b[2] = 30 }, true},
		"spans of 2^31":              {func(b []byte) { b[2] = 31 }, false},
		"no code":                    {func(b []byte) { b[9] = 0 }, false},
		"codes backwards":            {func(b []byte) { b[9] = 2 }, false},
		"more blocks than bytes":     {func(b []byte) { b[4] = 3 }, false},
		"as many as there are":       {func(b []byte) { b[4] = 2 }, true},
		"blocks of 2^31 bytes":       {func(b []byte) { b[1], b[4] = 31, 0 }, false},
		"no block of 2^30 bytes":     {func(b []byte) { b[1], b[4] = 30, 0 }, true},
		"a symbol that holds itself": {func(b []byte) { b[14], b[15], b[16] = 0, 0, 0 }, false},
	} {
		if _, err := read(8, head(tt.change)); (err == nil) != tt.sound {
			t.Errorf("%s: %v", name, err)
		}
	}
}
