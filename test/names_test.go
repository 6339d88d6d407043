package test

import (
	"errors"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/internal/version"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/uci"
)

// text is what people read of a file: a Markdown page, or the comments of Go source, each on a line of its own.
type text struct {
	file string // from the root of the module, with slashes
	text string
}

// texts returns those of all files that are written by hand, and the paths of all files and folders.
func texts(t *testing.T) (all []text, paths []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(moduleRoot), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil // a program that runs has removed it
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{".git", "node_modules", "dist", "bench.out", "bin"}, d.Name())):
			return fs.SkipDir
		case path.Ext(name) == ".md" && name != "CHANGELOG.md":
			all = append(all, text{name, string(kit.Read(t, filepath.Join(moduleRoot, name)))})
		case path.Ext(name) == ".go" && !strings.HasPrefix(d.Name(), "z") && !strings.Contains(name, "testdata"):
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(moduleRoot, name), nil, parser.ParseComments|parser.SkipObjectResolution)
			kit.Succeed(t, err)
			var b strings.Builder
			for _, c := range file.Comments {
				b.WriteString(strings.Join(strings.Fields(c.Text()), " ") + "\n")
			}
			all = append(all, text{name, b.String()})
		}
		paths = append(paths, name)
		return nil
	})
	kit.Succeed(t, err)
	return all, paths
}

// TestFilesInTexts looks up the files of the module that texts name, by their whole path or by its end.
func TestFilesInTexts(t *testing.T) {
	all, paths := texts(t)
	var roots []string
	for _, text := range all { // other folders are what programs were told to write, as docs/farm.md does
		if root, _, ok := strings.Cut(text.file, "/"); ok && !slices.Contains(roots, root) && !strings.HasPrefix(root, ".") {
			roots = append(roots, root)
		}
	}
	named := regexp.MustCompile(`(?:^|[\s(` + "`" + `"])((?:` + strings.Join(roots, "|") + `)/[\w./*-]*\w|[\w/-]+\.(?:go|md|mjs|ts))\b`)
	outside := regexp.MustCompile(`^web/dist|^dist/|^bench/compare/compare\.txt$|^pkg\.go$`) // what programs write, and pkg.go.dev
	for _, text := range all {
		if strings.HasSuffix(text.file, "_test.go") {
			continue // names files that it makes
		}
		for _, m := range named.FindAllStringSubmatch(text.text, -1) {
			name := m[1]
			if !outside.MatchString(name) && !slices.ContainsFunc(paths, func(p string) bool {
				whole, _ := path.Match(name, p)
				return whole || strings.HasSuffix("/"+p, "/"+name) && (strings.Contains(name, "/") || path.Dir(p) == "." ||
					path.Dir(p) == path.Dir(text.file) || path.Ext(text.file) == ".md")
			}) {
				t.Errorf("%s names %s, which is not there", text.file, name)
			}
		}
	}
}

// TestPackagesInTexts looks up the packages that texts name as in "of package chess". What a package may import is said
// by TestLayers, and by no comment.
func TestPackagesInTexts(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.Name}} {{.ImportPath}}", module+"/...").Output()
	kit.Succeed(t, err)
	all, known := texts(t)
	for _, word := range strings.Fields(string(out)) {
		known = append(known, path.Base(word), word)
	}
	named := regexp.MustCompile(`\b(?:of|in|by|from|to|with|than) package ([a-z][a-z0-9/_]*)`)
	for _, text := range all {
		for _, m := range named.FindAllStringSubmatch(text.text, -1) {
			if !slices.Contains(known, m[1]) {
				t.Errorf("%s: %q is no package", text.file, m[0])
			}
		}
		if strings.Contains(text.text, "The package "+"imports ") {
			t.Errorf("%s lists imports", text.file)
		}
	}
}

// TestCommandsInTexts looks up the commands of the programs, and the targets of make, that pages and comments name.
func TestCommandsInTexts(t *testing.T) {
	commands := map[string][]string{"tabula": {"completion"}, "make": nil}
	for _, c := range uci.Commands() {
		commands["tabula"] = append(commands["tabula"], c.Word)
	}
	for program, dir := range map[string]string{"tabula": "app", "bench": "bench", "train": "train"} {
		err := filepath.WalkDir(filepath.Join(moduleRoot, dir), func(name string, d fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
				for _, m := range regexp.MustCompile(`(?s)(?:cli\.Command|launch\.Kind)\{+\s*Name:\s+"([a-z-]+)"(?:, Aliases: \[\]string\{"([a-z-]+)")?`).
					FindAllStringSubmatch(string(kit.Read(t, name)), -1) {
					commands[program] = append(commands[program], m[1:]...)
				}
			}
			return err
		})
		kit.Succeed(t, err)
		if len(commands[program]) < 5 {
			t.Errorf("%s: commands %q", program, commands[program])
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllSubmatch(kit.Read(t, filepath.Join(moduleRoot, "Makefile")), -1) {
		commands["make"] = append(commands["make"], string(m[1]))
	}
	// In pages a command stands in code; "go run ./train fit" and "train fit" are the same one.
	called := regexp.MustCompile("(?m)(?:^|[`;&|(] ?|go run )(?:\\./|bin/)?(tabula|bench|train|make) ([a-z][a-z0-9-]*)(?:[\\s`);|]|$)")
	all, _ := texts(t)
	found := 0
	for _, text := range all {
		if path.Ext(text.file) != ".md" {
			continue
		}
		for _, code := range regexp.MustCompile("(?ms)^```sh\n.*?^```|`[^`\n]+`").FindAllString(text.text, -1) {
			for _, m := range called.FindAllStringSubmatch(code, -1) {
				found++
				if !slices.Contains(commands[m[1]], m[2]) {
					t.Errorf("%s: %s has no command %s", text.file, m[1], m[2])
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("%d commands found", found)
	}
}

// TestVersionInTexts compares the version that is cited with the one that the program prints. As long as it is not
// released, nothing links to it.
func TestVersionInTexts(t *testing.T) {
	citation := string(kit.Read(t, filepath.Join(moduleRoot, "CITATION.cff")))
	if !strings.Contains(citation, "\nversion: "+version.Number+"\n") {
		t.Errorf("the program is version %s, and CITATION.cff says\n%s", version.Number, citation)
	}
	changes := string(kit.Read(t, filepath.Join(moduleRoot, "CHANGELOG.md")))
	release, unreleased := strings.CutSuffix(version.Number, "-dev")
	if unreleased == strings.Contains(changes, "releases/tag/v"+release) || unreleased != strings.Contains(changes, "## Unreleased") {
		t.Errorf("CHANGELOG.md does not fit version %s", version.Number)
	}
}
