package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"go/parser"
	"go/token"
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

// The tests in this file hold texts to what they speak of: README's tables,
// what package comments say of imports, the marks of generated files.

// TestReadmeNamesRooms compares README's tables with the folders and go.mod.
func TestReadmeNamesRooms(t *testing.T) {
	data, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	section := func(title string) string {
		_, after, ok := strings.Cut(string(data), "\n## "+title+"\n")
		if !ok {
			t.Fatalf("README.md has no section %q", title)
		}
		text, _, _ := strings.Cut(after, "\n## ")
		return text
	}
	folders, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	rooms := section("Rooms")
	for _, f := range folders {
		if name := f.Name(); f.IsDir() && name != "dist" && holdsCode(t, name) && !strings.Contains(rooms, "`"+name+"/") {
			t.Errorf("README's rooms lack %s/", name)
		}
	}
	for _, named := range regexp.MustCompile("`([a-z0-9]+(?:/[a-z0-9]+)*)/?`").FindAllStringSubmatch(rooms, -1) {
		if dir := named[1]; strings.Contains(named[0], "/") {
			if info, err := os.Stat(dir); err != nil || !info.IsDir() {
				t.Errorf("README's rooms name %s, which is no folder", dir)
			}
		}
	}
	mod, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	libraries := section("What it stands on")
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(mod), -1)
	if len(direct) == 0 {
		t.Error("no direct requirement found in go.mod")
	}
	for _, m := range direct {
		name := strings.TrimPrefix(regexp.MustCompile(`/v\d+$`).ReplaceAllString(m[1], ""), "github.com/")
		if !strings.Contains(libraries, name) {
			t.Errorf("README does not say what %s is for", m[1])
		}
	}
	for _, row := range strings.Split(libraries, "\n") {
		if cells := strings.Split(row, "|"); len(cells) == 5 {
			for _, cell := range cells[1:4] {
				if strings.TrimSpace(cell) == "" {
					t.Errorf("README: an empty cell in %q", row)
				}
			}
		}
	}
}

// holdsCode reports whether there is source below a folder that belongs to us.
func holdsCode(t *testing.T, dir string) bool {
	t.Helper()
	if strings.HasPrefix(dir, ".") {
		return false
	}
	found := false
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		found = found || slices.Contains([]string{".go", ".mjs"}, filepath.Ext(name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// sentence finds what a package comment says of imports.
var sentence = regexp.MustCompile(`(?:It|The package|and) imports ([^.]*(?:\.[a-z][^.]*)*)\.`)

// unsaid returns the imports of this module that a package comment which speaks
// of imports does not name, by itself or by a room above it. Rooms in its own
// need no name, and "below" names all.
func unsaid(importer, comment string, imports []string) []string {
	m := sentence.FindStringSubmatch(strings.Join(strings.Fields(comment), " "))
	if m == nil || strings.Contains(m[1], "below") {
		return nil
	}
	words := strings.FieldsFunc(m[1], func(r rune) bool { return r == ' ' || r == ',' || r == ';' })
	var missing []string
	for _, imported := range imports {
		if !inModule(imported) || strings.HasPrefix(imported, importer+"/") {
			continue
		}
		named := false
		for dir := strings.TrimPrefix(imported, module+"/"); dir != "." && !named; dir = path.Dir(dir) {
			named = slices.Contains(words, dir)
		}
		if !named {
			missing = append(missing, imported)
		}
	}
	return missing
}

func TestPackageCommentsNameImports(t *testing.T) {
	said := 0
	for _, p := range goList(t, "linux", "amd64", "./...") {
		if !inModule(p.ImportPath) {
			continue
		}
		dir := "." + strings.TrimPrefix(p.ImportPath, module)
		sources, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range sources {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			if file.Doc == nil || strings.HasSuffix(name, "_test.go") {
				continue
			}
			said++
			if missing := unsaid(p.ImportPath, file.Doc.Text(), p.Imports); missing != nil {
				t.Errorf("%s: the package imports %q and does not say so", name, missing)
			}
		}
	}
	if said == 0 {
		t.Error("no package comment found")
	}
	for _, tt := range []struct {
		comment string
		imports string
		want    int
	}{
		{"It imports eval.", "/eval", 0},
		{"It imports eval.", "/eval/nnue", 0},
		{"It imports chess and\neval. More.", "/search", 1},
		{"The package imports nothing of this module.", "/chess", 1},
		{"It imports search and below.", "/chess", 0},
		{"It imports chess.", "/syzygy/internal/layout", 0},
		{"It plays.", "/chess", 0},
	} {
		if got := unsaid(module+"/syzygy", tt.comment, []string{"fmt", module + tt.imports}); len(got) != tt.want {
			t.Errorf("%q, importing %s: %q unsaid, want %d", tt.comment, tt.imports, got, tt.want)
		}
	}
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
