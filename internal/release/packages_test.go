package main

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"

	"github.com/tabula-chess/tabula/internal/testkit"
)

// checkMaterials checks the file of an archive if it tells what the binary was built from.
func checkMaterials(t *testing.T, name, text string) {
	t.Helper()
	switch filepath.Base(name) {
	case "BUILDINFO.txt":
		for _, want := range []string{": go1.", "\tpath\tgithub.com/tabula-chess/tabula\n", "\tdep\tgithub.com/klauspost/cpuid/v2\t", "\tbuild\tGOOS="} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", name, want, text)
			}
		}
	case "sbom.cdx.json":
		var bom cyclonedx.BOM
		if err := cyclonedx.NewBOMDecoder(strings.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		found := false
		for _, c := range *bom.Components {
			found = found || strings.HasPrefix(c.PackageURL, "pkg:golang/github.com/klauspost/cpuid/v2@v")
		}
		if !found || bom.Metadata.Component.Name != "github.com/tabula-chess/tabula" {
			t.Errorf("%s: %+v", name, bom)
		}
	}
}

// lint runs the linter of a package, where it is installed.
func lint(t *testing.T, name string) {
	t.Helper()
	linters := map[string][]string{"PKGBUILD": {"shellcheck"}, ".rb": {"ruby", "-c"}, ".service": {"systemd-analyze", "verify"}, "Containerfile": {"hadolint"}}
	linter := linters[cmp.Or(filepath.Ext(name), filepath.Base(name))]
	if linter == nil {
		return
	}
	if _, err := exec.LookPath(linter[0]); err != nil {
		t.Logf("%s is not checked: no %s", filepath.Base(name), linter[0])
		return
	}
	out, err := exec.Command(linter[0], append(linter[1:], name)...).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "is not executable: No such file") { // the program is not installed here
			continue
		}
		if err != nil || strings.HasSuffix(name, ".service") && strings.Contains(line, filepath.Base(name)) {
			t.Errorf("%s: %s", linter[0], line)
		}
	}
}

// TestPackages writes the packages of a made-up release: each names archives of the
// release with their checksums, and nothing else.
func TestPackages(t *testing.T) {
	made := release{Version: "9.8.7", Archives: map[string]archive{}}
	sums := map[string]string{} // by URL
	for i, target := range targets() {
		folder := "tabula-9.8.7-" + target.name()
		a := archive{Name: folder + ".tar.gz", Folder: folder, SHA256: strings.Repeat(string(rune('a'+i)), 64)}
		made.Archives[target.name()] = a
		sums[home+"releases/download/v9.8.7/"+a.Name] = a.SHA256
	}
	dir := t.TempDir()
	testkit.Succeed(t, made.writePackages(dir))
	entries, err := os.ReadDir(dir)
	testkit.Succeed(t, err)
	if len(entries) != 9 {
		t.Errorf("%d packages", len(entries))
	}
	url := regexp.MustCompile(regexp.QuoteMeta(home) + `releases/download/v9[^"'\s]*`)
	for _, e := range entries {
		text := testkit.Read(t, filepath.Join(dir, e.Name()))
		for _, found := range url.FindAllString(string(text), -1) {
			if sum, ok := sums[found]; !ok || !strings.Contains(string(text), sum) {
				t.Errorf("%s: %s is no archive, or its checksum is missing", e.Name(), found)
			}
		}
		if strings.HasSuffix(e.Name(), ".json") && !json.Valid(text) {
			t.Errorf("%s is not JSON:\n%s", e.Name(), text)
		}
		lint(t, filepath.Join(dir, e.Name()))
	}
	doc, unit := testkit.Read(t, "../../docs/farm.md"), testkit.Read(t, filepath.Join(dir, "tabula-farm.service"))
	if !strings.Contains(string(doc), string(unit)) {
		t.Errorf("docs/farm.md shows another unit than\n%s", unit)
	}
	delete(made.Archives, "darwin-arm64")
	if err := made.writePackages(dir); err == nil || !strings.Contains(err.Error(), "darwin-arm64") {
		t.Errorf("without an archive: %v", err)
	}
}
