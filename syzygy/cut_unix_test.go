//go:build unix

package syzygy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestCutWhileMapped cuts files short that are in use, before and after their heads were read, and
// gives them their length again: what is asked of them is an error that names the file, and stays one.
func TestCutWhileMapped(t *testing.T) {
	const fen = "8/8/8/4k3/8/2K5/3P4/8 w - - 0 1"
	for _, suffix := range suffixes {
		whole, err := embedded.ReadFile("tables3/KPvK" + suffix)
		kit.Succeed(t, err)
		for size := int64(0); size < int64(len(whole)); size += int64(os.Getpagesize()) {
			for _, read := range []bool{true, false} {
				name := filepath.Join(t.TempDir(), "KPvK"+suffix)
				kit.Write(t, name, whole)
				tables := openTables(t, filepath.Dir(name))
				if read {
					_, err := tables.DTZ(kit.Position(t, fen))
					kit.Succeed(t, err)
				} else { // mapped, with the head not read yet
					f := tables.files[0]
					data, unmap, err := f.open()
					kit.Succeed(t, err)
					f.open = func() ([]byte, func() error, error) { return data, unmap, nil }
				}
				kit.Succeed(t, os.Truncate(name, size))
				var wg sync.WaitGroup
				for range 4 {
					wg.Go(func() {
						for range 100 {
							p := kit.Position(t, fen)
							_, err := tables.DTZ(p)
							var bad *FileError
							if size == 0 && (!errors.As(err, &bad) || !strings.HasPrefix(err.Error(), name+": at byte ") || !strings.Contains(err.Error(), "cut short")) {
								t.Errorf("cut to %d bytes, read %v: %v", size, read, err)
							}
						}
					})
				}
				wg.Wait()
				if err := tables.Verify(); err == nil {
					t.Errorf("cut to %d bytes, read %v: verified", size, read)
				}
				kit.Succeed(t, os.Truncate(name, int64(len(whole))))
				if _, err := tables.DTZ(kit.Position(t, fen)); size == 0 && err == nil {
					t.Errorf("cut to %d bytes, read %v: used again", size, read)
				}
				kit.Succeed(t, tables.Close())
			}
		}
	}
}

// TestGuard lets panics pass that have nothing to do with the file.
func TestGuard(t *testing.T) {
	f := file{data: make([]byte, 8)}
	for _, cause := range []func(){func() { panic("other") }, func() { var p *int; *p = 1 }, func() { _ = f.data[len(f.path)+8] }} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a panic became an error")
				}
			}()
			var err error
			defer f.guard(false, &err)
			cause()
		}()
	}
}

// TestNoRegularFile: what is no file under the name of a table is an error, and opening it waits for nobody.
func TestNoRegularFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "KRvKB.rtbw")
	kit.Succeed(t, syscall.Mkfifo(name, 0o600))
	tables := openTables(t, filepath.Dir(name))
	var bad *FileError
	if _, err := tables.WDL(kit.Position(t, "8/8/8/4k2b/8/8/8/KR6 w - - 0 1")); !errors.As(err, &bad) || bad.Path != name {
		t.Errorf("a FIFO: %v, want an error that names it", err)
	}
}
