package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// link finds the target of a Markdown link or picture.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksResolve follows the relative links of every Markdown file.
func TestLinksResolve(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	lab, err := filepath.Glob("docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	followed := 0
	for _, page := range append(append(pages, lab...), "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "compare/README.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			followed++
			if target = path.Join(path.Dir(page), target); strings.HasPrefix(m[1], "#") {
				target = page
			}
			text, err := os.ReadFile(target)
			if info, statErr := os.Stat(target); statErr != nil {
				t.Errorf("%s: %s leads nowhere", page, m[1])
			} else if fragment != "" && !info.IsDir() && (err != nil || !slices.Contains(anchors(string(text)), fragment)) {
				t.Errorf("%s: %s: no such heading", page, m[1])
			}
		}
	}
	if followed == 0 {
		t.Error("no link found")
	}
}

// anchors returns the fragments that lead to the headings of a page, as GitHub
// makes them.
func anchors(text string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(kept, " ", "-"))
	}
	return all
}

// TestGeneratedFilesAreMarked compares .gitattributes with the files' first lines.
func TestGeneratedFilesAreMarked(t *testing.T) {
	out, err := exec.Command("git", "ls-files", "-z", "*.go", "*.s", "*.mjs").Output()
	if err != nil {
		t.Skip("needs git and its checkout: ", err)
	}
	generated := 0
	for _, name := range strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		data, err := os.ReadFile(name)
		if err != nil {
			continue // removed and not yet committed
		}
		attribute, err := exec.Command("git", "check-attr", "linguist-generated", "--", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		written := bytes.HasPrefix(data, []byte("// Code generated "))
		if written {
			generated++
		}
		if marked := strings.HasSuffix(string(attribute), ": true\n"); marked != written {
			t.Errorf("%s: marked as generated %v, says of itself %v", name, marked, written)
		}
	}
	if generated == 0 {
		t.Error("no generated file found")
	}
}

// TestProfileHasNoPaths finds names of somebody's folders in the profiles that
// go build optimises by: make pgo leaves them out.
func TestProfileHasNoPaths(t *testing.T) {
	for _, name := range []string{"default.pgo", "train/default.pgo"} {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		unpacked, err := gzip.NewReader(file)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		data, err := io.ReadAll(unpacked)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		texts := profileStrings(data)
		if len(texts) < 100 {
			t.Errorf("%s: %d strings, want more", name, len(texts))
		}
		for _, s := range texts {
			if source := path.Ext(s) == ".go" || path.Ext(s) == ".s"; source && path.IsAbs(s) {
				t.Errorf("%s names %s", name, s)
			}
		}
	}
}

// profileStrings returns the string table of a profile in pprof's format: the
// fields 6 of a message of protocol buffers, which hold bytes.
func profileStrings(data []byte) []string {
	var table []string
	for len(data) > 0 {
		key, n := binary.Uvarint(data)
		data = data[max(n, 0):]
		size, n := binary.Uvarint(data)
		if n <= 0 {
			return table
		}
		data = data[n:]
		if key&7 != 2 { // a number, read already
			continue
		}
		if size > uint64(len(data)) {
			return table
		}
		if key>>3 == 6 {
			table = append(table, string(data[:size]))
		}
		data = data[size:]
	}
	return table
}
