package main

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"text/template"
)

// release describes what was built, for the packages: the version, and the archives
// by the names of their targets.
type release struct {
	Version  string
	Archives map[string]archive
}

// archive is a file of a release: its name, the folder that it unpacks to, and its
// SHA-256 in hexadecimal digits.
type archive struct{ Name, Folder, SHA256 string }

// Home returns the address of the project.
func (release) Home() string { return strings.TrimSuffix(home, "/") }

// Summary returns what the project is, for the lists of packages.
func (release) Summary() string { return "UCI chess engine with an analysis board in the browser" }

// URL returns where an archive can be downloaded.
func (r release) URL(target string) (string, error) {
	a, err := r.Archive(target)
	return home + "releases/download/v" + r.Version + "/" + a.Name, err
}

// Archive returns the archive of a target.
func (r release) Archive(target string) (archive, error) {
	a, ok := r.Archives[target]
	if !ok {
		return a, fmt.Errorf("no archive for %s", target)
	}
	return a, nil
}

// templates are the packages: a container file, files of the package managers
// Homebrew, AUR, Scoop and winget, and units of systemd. Each has the name of the file
// it becomes and ".tmpl".
//
//go:embed packages
var templates embed.FS

// writePackages writes every package to a directory.
func (r release) writePackages(dir string) error {
	all, err := template.ParseFS(templates, "packages/*.tmpl")
	if err != nil {
		return err
	}
	names, err := fs.Glob(templates, "packages/*.tmpl")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		var b bytes.Buffer
		if err := all.Option("missingkey=error").ExecuteTemplate(&b, path.Base(name), r); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, strings.TrimSuffix(path.Base(name), ".tmpl")), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
