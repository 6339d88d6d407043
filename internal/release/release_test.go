package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// TestRelease builds the engine once and packs it for two systems.
func TestRelease(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the engine")
	}
	dir := t.TempDir()
	var out bytes.Buffer
	t.Chdir("../..")
	t.Setenv("GOFLAGS", "-pgo=off") // half of the time, and the packages are those of the other builds in tests
	chosen, err := choose([]string{"linux/arm64", "windows/amd64"})
	testkit.Succeed(t, err)
	binary, err := target{runtime.GOOS, runtime.GOARCH, ""}.build(t.Context(), "0123456789ab")
	testkit.Succeed(t, err)
	once := func(target, context.Context, string) ([]byte, error) { return binary, nil }
	testkit.Succeed(t, makeAll(t.Context(), "0123456789ab", dir, chosen, once, &out))
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil || strings.Count(string(sums), "\n") != 2 || strings.Count(out.String(), " MB\n") != 2 {
		t.Errorf("checksums %q, %v; printed %q", sums, err, &out)
	}
	entries, err := os.ReadDir(dir)
	testkit.Succeed(t, err)
	for _, e := range entries {
		a := testkit.Read(t, filepath.Join(dir, e.Name()))
		if e.Name() != "SHA256SUMS" && !strings.Contains(string(sums), fmt.Sprintf("%x  %s\n", sha256.Sum256(a), e.Name())) {
			t.Errorf("%s has another checksum than\n%s", e.Name(), sums)
		}
		var files map[string]string
		switch filepath.Ext(e.Name()) {
		case ".gz":
			files = untar(t, a)
		case ".zip":
			files = unzip(t, a)
		default:
			continue
		}
		var names []string
		for name := range files {
			names = append(names, filepath.Base(name))
		}
		slices.Sort(names)
		program := "tabula"
		if strings.Contains(e.Name(), "windows") {
			program += ".exe"
		}
		if d := cmp.Diff([]string{"BUILDINFO.txt", "LICENSE", "README.md", "THIRD-PARTY-NOTICES.txt", "sbom.cdx.json", program}, names); d != "" {
			t.Errorf("%s (-want +got):\n%s", e.Name(), d)
		}
		for name, text := range files {
			if strings.HasSuffix(name, ".md") {
				checkLinks(t, e.Name(), filepath.Dir(name), text, files)
			}
			checkMaterials(t, name, text)
			if !strings.HasSuffix(name, "NOTICES.txt") {
				continue
			}
			for _, want := range []string{
				"Go go1", "github.com/klauspost/cpuid/v2 v", "golang.org/x/sys v", "Redistribution and use", "MIT License",
				"\ncm-chessboard ",
			} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q", name, want)
				}
			}
			if strings.Contains(text, "jennifer") || strings.Contains(text, "playwright") {
				t.Errorf("%s: names what is not linked", name)
			}
		}
	}
}

// checkLinks checks that each relative link of a Markdown file in a folder of an
// archive leads to a file of the archive.
func checkLinks(t *testing.T, archive, folder, text string, files map[string]string) {
	t.Helper()
	links := link.FindAllStringSubmatch(text, -1)
	if len(links) < 5 {
		t.Errorf("%s: %d links found", archive, len(links))
	}
	for _, l := range links {
		name, _, _ := strings.Cut(l[2], "#")
		if _, ok := files[filepath.Join(folder, name)]; relative(l[2]) && !ok {
			t.Errorf("%s: the README leads to %s, which is not there", archive, l[2])
		}
	}
}

func TestAbsolute(t *testing.T) {
	for text, want := range map[string]string{
		"a [page](docs/a.md#x) b":     "a [page](" + home + "blob/HEAD/docs/a.md#x) b",
		"![picture](docs/img/a.png)":  "![picture](" + home + "raw/HEAD/docs/img/a.png)",
		`<img src="docs/b.svg">`:      `<img src="` + home + `raw/HEAD/docs/b.svg">`,
		"[folder](chess)":             "[folder](" + home + "blob/HEAD/chess)",
		"[licence](LICENSE) [to](#a)": "[licence](LICENSE) [to](#a)",
		"[web](https://go.dev/a.md)":  "[web](https://go.dev/a.md)",
	} {
		if got := string(absolute([]byte(text), []string{"LICENSE"})); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestPackedAlike packs the same files in another order, later.
func TestPackedAlike(t *testing.T) {
	files := []packed{{"b", []byte("two"), false}, {"a", []byte("one"), true}}
	for _, pack := range []func(io.Writer, string, []packed) error{packTar, packZip} {
		name := filepath.Join(t.TempDir(), "archive")
		first, err := write(name, "folder", slices.Clone(files), pack)
		testkit.Succeed(t, err)
		turned := slices.Clone(files)
		slices.Reverse(turned)
		if again, err := write(name, "folder", turned, pack); err != nil || again != first {
			t.Errorf("%v, %x, %x", err, first, again)
		}
	}
}

func untar(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(data))
	testkit.Succeed(t, err)
	files := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		testkit.Succeed(t, err)
		text, err := io.ReadAll(r)
		testkit.Succeed(t, err)
		files[h.Name] = string(text)
	}
}

func unzip(t *testing.T, data []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	testkit.Succeed(t, err)
	files := map[string]string{}
	for _, f := range z.File {
		r, err := f.Open()
		testkit.Succeed(t, err)
		text, err := io.ReadAll(r)
		testkit.Succeed(t, err)
		files[f.Name] = string(text)
	}
	return files
}

func TestChoose(t *testing.T) {
	all, err := choose(nil)
	if err != nil || len(all) != 11 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := choose([]string{"linux/mips"}); err == nil || !strings.Contains(err.Error(), "linux/mips") {
		t.Errorf("error %v", err)
	}
}
