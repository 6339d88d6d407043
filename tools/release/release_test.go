package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestRun writes the files of an archive: the notices name what is linked and nothing else, and no link of the README
// leads to a file that is not there.
func TestRun(t *testing.T) {
	t.Chdir("../..")
	dir := filepath.Join(t.TempDir(), "release")
	kit.Succeed(t, run(dir))
	notices := string(kit.Read(t, filepath.Join(dir, "THIRD-PARTY-NOTICES.txt")))
	for _, want := range []string{
		"Go go1", "github.com/klauspost/cpuid/v2 v", "golang.org/x/sys v", "Redistribution and use", "MIT License", "\ncm-chessboard ",
	} {
		if !strings.Contains(notices, want) {
			t.Errorf("the notices have no %q", want)
		}
	}
	if strings.Contains(notices, "go-cmp") || strings.Contains(notices, "jennifer") || strings.Contains(notices, "playwright") {
		t.Error("the notices name what is not linked")
	}
	links := link.FindAllStringSubmatch(string(kit.Read(t, filepath.Join(dir, "README.md"))), -1)
	if len(links) < 5 {
		t.Errorf("%d links found", len(links))
	}
	for _, l := range links {
		if relative(l[2]) && l[2] != "LICENSE" {
			t.Errorf("the README leads to %s, which is not there", l[2])
		}
	}
	doc, err := os.ReadFile("docs/farm.md")
	kit.Succeed(t, err)
	if unit := kit.Read(t, "tools/release/tabula-farm.service"); !strings.Contains(string(doc), string(unit)) {
		t.Errorf("docs/farm.md shows another unit than\n%s", unit)
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
