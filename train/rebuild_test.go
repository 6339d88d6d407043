package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
)

// writerFunc is a function as a writer.
type writerFunc func(string)

func (f writerFunc) Write(b []byte) (int, error) { f(string(b)); return len(b), nil }

// TestCachedTables stops the making of tables, loses one, leaves half a file as a kill does, and lets two make what is
// missing at once.
func TestCachedTables(t *testing.T) {
	cache := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} { // as systems name it
		t.Setenv(name, cache)
	}
	ctx, stop := context.WithCancel(t.Context())
	_, err := lineageTables(ctx, "", writerFunc(func(text string) {
		if strings.Contains(text, ".rtbz") {
			stop()
		}
	}))(3)
	base, _ := os.UserCacheDir()
	folder := filepath.Join(base, "tabula", "tables3")
	made, _ := filepath.Glob(filepath.Join(folder, "*.rtb?"))
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "--tables") || len(made) == 0 || len(made) == 10 {
		t.Fatalf("stopped: %v, with %q", err, made)
	}
	kept := kit.Read(t, made[0])
	kit.Succeed(t, os.Remove(made[1]))
	kit.Write(t, filepath.Join(folder, "KRvK.rtbw.tabula.tmp"), []byte("half"))
	var all sync.WaitGroup
	var mu sync.Mutex
	written, tables := map[string]int{}, [2]*syzygy.Tables{}
	for i := range tables {
		all.Go(func() {
			open, err := lineageTables(t.Context(), "", writerFunc(func(text string) {
				mu.Lock()
				defer mu.Unlock()
				written[strings.Fields(text)[0]]++
			})), error(nil)
			if tables[i], err = open(3); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, name := range endings(3) {
		for _, suffix := range []string{".rtbw:", ".rtbz:"} {
			if n := written[filepath.Join(folder, name+suffix)]; n > 1 {
				t.Errorf("%s%s was written %d times", name, suffix, n)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*.tmp")); left != nil || !bytes.Equal(kept, kit.Read(t, made[0])) {
		t.Errorf("left behind: %q, or %s has changed", left, made[0])
	}
	p := kit.Position(t, "8/8/8/4k3/8/8/8/KQ6 w - - 0 1")
	for _, opened := range tables {
		if wdl, err := opened.WDL(p); err != nil || wdl != syzygy.Win {
			t.Errorf("KQvK: %v, %v", wdl, err)
		}
		kit.Succeed(t, opened.Close())
	}
	open := lineageTables(t.Context(), "", writerFunc(func(text string) { t.Errorf("with all tables: %s", text) }))
	whole, err := open(3)
	kit.Succeed(t, err)
	kit.Succeed(t, whole.Close())
	kept[len(kept)-20] ^= 1
	kit.Write(t, made[0], kept)
	if _, err := lineageTables(t.Context(), "", io.Discard)(3); err == nil || !strings.Contains(err.Error(), made[0]) {
		t.Errorf("%s is damaged: %v", made[0], err)
	}
}

// TestRebuildRefuses looks for errors that name what is wrong.
func TestRebuildRefuses(t *testing.T) {
	says(t, []said{
		{nil, exit.Usage, "--dir is missing"},
		{[]string{"--verify", "0"}, exit.Usage, "--verify 0: want at least 1"},
		{[]string{"--verify", "2", "--missing"}, exit.Usage, "exclude each other"},
		{[]string{"--dir", "x", "--threads", "0"}, exit.Usage, `--threads "0": want at least 1`},
		{[]string{"--dir", "x", "more"}, exit.Usage, "more"},
	}, "rebuild")
}
